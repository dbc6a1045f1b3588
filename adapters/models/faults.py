"""Sorts what goes wrong at a provider into the nine kinds of ``ModelError``, by status and wording.

The exception classes of client libraries mislead (a missing key arrives as an internal error,
used-up credit as a rate limit, a refused connection as a server fault), and their texts echo what
the server said, parts of keys included. So neither is trusted: the kind is decided here, and the
text is struck through before anybody sees it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from core.errors import ModelError

Redact = Callable[[str], str]

WORDING = tuple(
    (kind, re.compile("|".join(patterns)))
    for kind, patterns in (
        (
            "context_too_long",
            (
                r"context.{0,20}(length|window|size)",
                r"maximum context",
                r"too many (input )?tokens",
                r"prompt is too long",
            ),
        ),
        (
            "no_credit",
            (
                r"insufficient[_ ](quota|credit|balance|fund)",
                r"exceeded your current quota",
                r"credit balance",
                r"payment required",
            ),
        ),
        (
            "refused_by_policy",
            (
                r"content[ _-]?(policy|filter|management)",
                r"safety (system|setting|reason)",
                r"usage polic",
                r"flagged",
            ),
        ),
        (
            "no_key",
            (
                r"api[_ ]?key.{0,60}(must be set|not set|is missing|not (been )?provided)",
                r"missing.{0,30}(api[_ ]?key|credentials)",
            ),
        ),
        (
            "bad_key",
            (
                (
                    r"(invalid|incorrect|expired|revoked|malformed).{0,30}(api[_ "
                    r"]?key|token|credential)"
                ),
                r"unauthorized",
                r"authentication",
            ),
        ),
        (
            "rate_limited",
            (r"rate.?limit", r"too many requests", r"overloaded", r"resource_exhausted"),
        ),
        ("timeout", (r"timed? ?out", r"deadline exceeded")),
    )
)
"""Tried in this order: the narrow causes first, for they arrive under broad statuses (400, 429,
500).
"""

STATUSES = {
    401: "bad_key",
    402: "no_credit",
    403: "bad_key",
    408: "timeout",
    413: "context_too_long",
    429: "rate_limited",
    504: "timeout",
}

ADVICE = {
    "no_key": "set {key}, or choose another model with --models",
    "bad_key": "check {key}",
    "no_credit": "top up the account at the provider, or choose another model with --models",
    "rate_limited": "wait, or choose another model with --models",
    "context_too_long": (
        "narrow the material (for a pull request: path:FOLDER), or choose a model with a "
        "larger window"
    ),
    "refused_by_policy": "the provider refuses this material; choose another model with --models",
    "provider_down": "try again later, or choose another model with --models",
    "timeout": "try again, or choose a faster model with --models",
    "bad_reply": "try again, or choose another model with --models",
}
NO_SUCH_MODEL = "check the model's name; debate doctor lists what is configured"
PREFIX = re.compile(r"^(?:(?:litellm\.)?\w+(?:Error|Exception):\s*)*(?:\w+(?:Error|Exception) - )?")
"""What litellm puts before a server's own words: names of its classes."""

LEAKS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|ghp|gho|glpat|xox[abprs]|AIza|key)[-_]?[A-Za-z0-9*_-]{8,}|(?i:bearer|basic)\s+[\w.~+/*=-]{8,}"
)


def kind_of(status: int | None, text: str) -> str:
    """The kind of a failure from its HTTP status (None when there was no answer) and the server's
    words.
    """
    words = text.lower()
    said = next((kind for kind, pattern in WORDING if pattern.search(words)), "")
    if said in ("context_too_long", "no_credit", "refused_by_policy", "no_key"):
        return said
    if status in STATUSES:
        return STATUSES[status]
    if status is not None and 400 <= status < 500:
        return said or "bad_reply"
    return said if said in ("timeout", "bad_key") and status is None else "provider_down"


def fault(
    model: str,
    status: int | None,
    text: str,
    *,
    headers: Mapping[str, str] | None = None,
    key: str = "",
    clean: Redact = str,
) -> ModelError:
    """The error to raise for a failed call: one line that says what happened and what to do, with
    secrets struck out.
    """
    kind = kind_of(status, text)
    return said(
        kind,
        model,
        text,
        retry_after=retry_after(headers or {}),
        status=status,
        key=key,
        clean=clean,
    )


def said(
    kind: str,
    model: str,
    text: str = "",
    *,
    retry_after: float | None = None,
    status: int | None = None,
    key: str = "",
    clean: Redact = str,
) -> ModelError:
    """An error of a known kind, worded like all others.

    ``clean`` strikes secrets out of ``text``.
    """
    what = kind.replace("_", " ")
    answer = f"HTTP {status}" if status else ""
    quoted = clean(PREFIX.sub("", " ".join(text.split())))[:200]
    told = ", ".join(p for p in (answer, f"“{quoted}”" if quoted else "") if p)
    advice = (
        NO_SUCH_MODEL if status == 404 else ADVICE[kind].format(key=key or "the provider's key")
    )
    return ModelError(
        kind,
        f"{model}: {what}{f' ({told})' if told else ''}. Next: {advice}.",
        retry_after=retry_after,
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from ``Retry-After`` or ``retry-after-ms``; dates and nonsense are passed over."""
    low = {k.lower(): v for k, v in headers.items()}
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait = float(low[name]) * scale
        except (KeyError, ValueError):
            continue
        if 0 <= wait < 86_400:
            return wait
    return None


def cleaner(secrets: Iterable[str], redact: Redact) -> Redact:
    """Strikes known secrets and key-like words out of a text, then lets ``redact`` look at it."""
    known = sorted(secrets, key=len, reverse=True)

    def clean(text: str) -> str:
        for secret in known:
            text = text.replace(secret, "[redacted]")
        return redact(LEAKS.sub("[redacted]", text))

    return clean
