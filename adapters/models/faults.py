"""Sorts providers' errors into the nine kinds of ``ModelError``, by status and wording.

The exception classes of client libraries mislead (a missing key arrives as an internal error,
used-up credit as a rate limit, a refused connection as a server fault), and their texts echo the
server's, parts of keys included. So neither is trusted: the kind is decided here, and secrets are
struck out of the text before anyone sees it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import ceil

from core.debate.errors import ModelError, ModelFailure
from core.debate.stored import lasting, stored

Redact = Callable[[str], str]
LONGEST_WAIT = 60.0
"""Seconds. A provider that wants a longer pause than this is given up for the call."""

_NO_MODEL = re.compile(
    r"model_(not_found|decommissioned)|invalid.model|access to (the |this )?model"
    r"|model.{0,80}(deprecated|decommissioned|retired|not exist|not found|no longer|is gone)",
    re.IGNORECASE,
)
"""The words for a model that the provider does not have (any more), or not for this key."""
_WORDING = tuple(
    (kind, re.compile("|".join(patterns)))
    for kind, patterns in (
        (
            ModelFailure.CONTEXT_TOO_LONG,
            (
                r"context.{0,20}(length|window|size|limit)",
                r"maximum (context|prompt length)",
                r"too many (input )?tokens",
                r"(prompt|input) (is )?too long",
                r"(token count|input length|tokens).{0,40} (exceeds|more than|above).{0,20}max",
                r"(model token|max_new_tokens.{0,9}) (limit|must be <=)|token limit exceeded",
                r"range of input length|reduce the length of",
                r"request too large for",  # above what the account may send in a minute
            ),
        ),
        (ModelFailure.RATE_LIMITED, (r"retry.?delay", r"(retry|try again) in \d")),
        (
            ModelFailure.NO_CREDIT,
            (
                r"insufficient[_ ](quota|credit|balance|fund)",
                r"exceeded your current quota",
                r"credit balance",
                r"payment required",
                r"(any|no|more|enough|out of|all available) credits?\b|credits? (are|is) depleted",
                r"(billing|spend(ing)?).{0,8}(limit|cap)\b|not active.{0,30}billing",
                r"key limit exceeded",
            ),
        ),
        (
            ModelFailure.REFUSED_BY_POLICY,
            (
                r"content[ _-]?(policy|filter|management)",
                r"safety (system|setting|reason)",
                r"usage polic",
                r"flagged",
            ),
        ),
        (
            ModelFailure.NO_KEY,
            (
                r"api[_ ]?key.{0,60}(must be set|not set|is missing|not (been )?provided)",
                r"missing.{0,30}(api[_ ]?key|credentials)",
            ),
        ),
        (
            ModelFailure.BAD_REPLY,
            (_NO_MODEL.pattern, r"(country|territory|region|location).{0,30}not supported"),
        ),
        (
            ModelFailure.BAD_KEY,
            (
                (
                    r"(invalid|incorrect|expired|revoked|malformed).{0,30}(api[_ "
                    r"]?key|token|credential)"
                ),
                r"api[_ ]?key.{0,20}(not valid|invalid|expired|revoked)",
                r"unauthorized",
                r"no_db_connection|no connected db",  # LiteLLM's proxy of a key not its own
                r"authentication",
            ),
        ),
        (
            ModelFailure.RATE_LIMITED,
            (r"rate.?limit", r"too many requests", r"overloaded", r"resource_exhausted"),
        ),
        (ModelFailure.TIMEOUT, (r"timed? ?out", r"deadline exceeded")),
    )
)
"""Tried in this order: the narrow causes first, for they arrive under broad statuses (400, 429,
500).
"""

STATUSES = {
    401: ModelFailure.BAD_KEY,
    402: ModelFailure.NO_CREDIT,
    403: ModelFailure.BAD_KEY,
    408: ModelFailure.TIMEOUT,
    413: ModelFailure.CONTEXT_TOO_LONG,
    429: ModelFailure.RATE_LIMITED,
    504: ModelFailure.TIMEOUT,
    529: ModelFailure.RATE_LIMITED,  # Anthropic's "overloaded"
}

_ADVICE = {
    ModelFailure.NO_KEY: stored("set {key}, or choose another model with --models"),
    ModelFailure.BAD_KEY: stored("set {key} to one that the provider accepts, and start again"),
    ModelFailure.NO_CREDIT: stored(
        "top up the account at the provider, or choose another model with --models"
    ),
    ModelFailure.RATE_LIMITED: stored("wait, or choose another model with --models"),
    ModelFailure.CONTEXT_TOO_LONG: stored(
        "narrow the material (for a pull request: path:FOLDER), or choose a model with a "
        "larger window"
    ),
    ModelFailure.REFUSED_BY_POLICY: stored(
        "the provider refuses this material; choose another model with --models"
    ),
    ModelFailure.PROVIDER_DOWN: stored("try again later, or choose another model with --models"),
    ModelFailure.TIMEOUT: stored("try again, or choose a faster model with --models"),
    ModelFailure.BAD_REPLY: stored("try again, or choose another model with --models"),
}
_PASSING = (ModelFailure.RATE_LIMITED, ModelFailure.PROVIDER_DOWN)
_OF_A_MODEL = re.compile(r"model|deployment|endpoints? found", re.IGNORECASE)
_ON_THE_WAY = stored("refused by something between this machine and the provider")
"""A model's program answers in JSON: a page of the status 403 comes from a gateway before it."""
_NO_SUCH_MODEL = stored(
    "check the model's name, or choose another model with --models; debate doctor lists what is "
    "configured"
)
_KINDS = {
    ModelFailure.NO_KEY: stored("no key"),
    ModelFailure.BAD_KEY: stored("bad key"),
    ModelFailure.NO_CREDIT: stored("no credit"),
    ModelFailure.RATE_LIMITED: stored("rate limited"),
    ModelFailure.CONTEXT_TOO_LONG: stored("context too long"),
    ModelFailure.REFUSED_BY_POLICY: stored("refused by policy"),
    ModelFailure.PROVIDER_DOWN: stored("provider down"),
    ModelFailure.TIMEOUT: stored("timeout"),
    ModelFailure.BAD_REPLY: stored("bad reply"),
}
PLACES = ("error", "message", "msg", "detail", "details", "errors", "title")
"""The keys under which providers put their message in an error's JSON, the most telling first."""
_PAGE = re.compile(rb"<!doctype html|<html|<head|<body", re.IGNORECASE)
_PAGE_TITLE = re.compile(r"<title>([^<]{1,200})", re.IGNORECASE)
_PREFIX = re.compile(
    r"^(?:(?:litellm\.)?\w+(?:Error|Exception):\s*)*(?:\w+(?:Error|Exception) - )?"
)
"""The class names that litellm puts before a server's own message."""

_WAIT = re.compile(
    r"(?:(?:retry|try again) in |retry.?delay\W{1,5})((?:[\d.]+ ?(?:ms|s|m|h))+)", re.IGNORECASE
)
"""The seconds that a refusal names in its words: ``try again in 1m2.5s``."""
_UNIT = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|m|h)", re.IGNORECASE)
_SCALE = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

_LEAKS = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|ghp|gho|glpat|xox[abprs]|AIza|key)[-_]?[A-Za-z0-9*_-]{8,}|(?i:bearer|basic)\s+[\w.~+/*=-]{8,}"
)


class Rejected(ModelError):
    """A provider's refusal with its body; ``body`` has its secrets struck out and is for sorting,
    never for showing.
    """

    def __init__(
        self,
        kind: ModelFailure,
        message: str,
        *,
        retry_after: float | None,
        status: int | None,
        body: str,
    ) -> None:
        super().__init__(kind, message, retry_after=retry_after)
        self.status = status
        self.body = body


def kind_of(status: int | None, text: str) -> ModelFailure:
    """Returns the kind of a failure from its HTTP status (None when there was no answer) and the
    server's words.
    """
    words = text.lower()
    by_words = next((kind for kind, pattern in _WORDING if pattern.search(words)), None)
    if by_words in (
        ModelFailure.CONTEXT_TOO_LONG,
        ModelFailure.NO_CREDIT,
        ModelFailure.REFUSED_BY_POLICY,
        ModelFailure.NO_KEY,
    ):
        return by_words
    if by_words == ModelFailure.RATE_LIMITED and status in (None, 429):
        return by_words
    if by_words == ModelFailure.BAD_REPLY and status == 403:
        return by_words
    if status in STATUSES:
        return STATUSES[status]
    if status is not None and 400 <= status < 500:
        return by_words or ModelFailure.BAD_REPLY
    if by_words in (ModelFailure.TIMEOUT, ModelFailure.BAD_KEY) and status is None:
        return by_words
    return ModelFailure.PROVIDER_DOWN


def fault(
    model: str,
    status: int | None,
    text: str,
    *,
    headers: Mapping[str, str] | None = None,
    key: str = "",
    step: str = "",
    clean: Redact = str,
) -> Rejected:
    """Returns the error to raise for a failed call: one line with the cause and the next step, with
    secrets struck out. ``text`` is the answer's body as it came, ``step`` the next step after a 404
    or 405 that does not speak of the model.
    """
    kind, cause, why = kind_of(status, text), "", words(text)
    if status not in (404, 405) or _OF_A_MODEL.search(text):
        step = ""
    if kind == ModelFailure.BAD_REPLY and _NO_MODEL.search(text):
        step = _NO_SUCH_MODEL
    if status == 407 or (status == 403 and is_page(text.encode(errors="replace"))):
        kind, cause = ModelFailure.PROVIDER_DOWN, _ON_THE_WAY
        why = words(text[max(text.find("<"), 0) :])
        step = stored("check the network, HTTPS_PROXY if it is set, and the address")
    wait = retry_after(headers or {})
    if wait is None and kind == ModelFailure.RATE_LIMITED and (named := _WAIT.search(text)):
        wait = seconds_in(named[1])
    if wait is not None and wait > LONGEST_WAIT and kind in _PASSING:
        step = stored(
            "wait {why_long}, as the provider asks, or choose another model with --models",
            why_long=lasting(60 * ceil(wait / 60)),
        )
    line = _line(kind, model, why, status=status, key=key, clean=clean, step=step, cause=cause)
    return Rejected(kind, line, retry_after=wait, status=status, body=clean(text))


def model_error(
    kind: ModelFailure,
    model: str,
    text: str,
    *,
    clean: Redact = str,
    step: str = "",
    cause: str = "",
) -> ModelError:
    """Returns an error of a known kind, worded like all others.

    ``clean`` strikes secrets out of ``text``; ``step`` is the next step if the kind has none, and
    ``cause`` a name of the failure that says more than its kind.
    """
    return ModelError(kind, _line(kind, model, text, clean=clean, step=step, cause=cause))


def _line(
    kind: ModelFailure,
    model: str,
    text: str,
    *,
    status: int | None = None,
    key: str = "",
    clean: Redact,
    step: str = "",
    cause: str = "",
) -> str:
    what = cause or _KINDS[kind]
    details = []
    if status:
        details.append(stored("HTTP {status}", status=status))
    if quoted := clean(_PREFIX.sub("", " ".join(text.split())))[:200]:
        details.append(stored("“{why}”", why=quoted))
    advice = step or _NO_SUCH_MODEL
    if not step and status != 404:
        advice = stored(_ADVICE[kind], key=key or "the provider's key")
    if not details:
        return stored(
            "{model}: {why_kind}. Next: {why_step}.",
            model=model,
            why_kind=what,
            why_step=advice,
        )
    return stored(
        "{model}: {why_kind} ({why_details}). Next: {why_step}.",
        model=model,
        why_kind=what,
        why_details=", ".join(details),
        why_step=advice,
    )


def redirected(model: str, status: int, base: str) -> ModelError:
    """Returns the error for an answer that redirects: it is never followed, because the key would
    go along.
    """
    step = stored("check its address")
    if base:
        step = stored("set {variable} to the address that answers itself", variable=base)
    text = stored(
        "{model}: bad reply (HTTP {status}, a redirect, which is not followed: the key and the "
        "material would go to another address). Next: {why_step}.",
        model=model,
        status=status,
        why_step=step,
    )
    return ModelError(ModelFailure.BAD_REPLY, text)


def is_page(body: bytes) -> bool:
    """Return whether a document is a web page."""
    return bool(_PAGE.search(body[:2000]))


def page_came(model: str, url: str, base: str, page: str, clean: Redact) -> ModelError:
    """Returns the error for a web page in place of an answer, which a server sends for an address
    that it has no program for.
    """
    came = stored("a page came")
    if title := words(page[page.find("<") :]):
        came = stored("a page came (“{title}”)", title=clean(title)[:100])
    return ModelError(
        ModelFailure.BAD_REPLY,
        stored(
            "{model}: {why_kind} ({why_details}). Next: {why_step}.",
            model=model,
            why_kind=_KINDS[ModelFailure.BAD_REPLY],
            why_details=came,
            why_step=address_step(url, base),
        ),
    )


def address_step(url: str, base: str) -> str:
    """Returns the next step if something else than a model answers at an address, which the
    variable ``base`` sets.
    """
    variable = base or stored("its address")
    if re.search(r"/v\d|api-version", url):
        return stored(
            "check {why_variable}: something else than a model answers there", why_variable=variable
        )
    return stored(
        "set {why_variable} to the address that ends in /v1, which it probably lacks",
        why_variable=variable,
    )


def words(body: str) -> str:
    """Returns the provider's message in an error's body: the message inside the JSON, a page's
    title, else the text as it is.
    """
    text = body.strip()
    if text.startswith("<"):
        title = _PAGE_TITLE.search(text)
        if title:
            return title[1].strip()
        return ""
    if text[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return _words(json.loads(text))
    return text


def _words(value: object) -> str:
    if isinstance(value, str):
        return words(value)
    if isinstance(value, list) and value:
        return _words(value[0])
    if not isinstance(value, dict):
        return ""
    text = next((w for place in PLACES if (w := _words(value.get(place)))), "")
    metadata = value.get("metadata")
    if isinstance(metadata, dict) and (behind := _words(metadata.get("raw"))):
        return ": ".join(filter(None, (text, behind)))
    return text


_NEVER = 31 * 86_400  # seconds


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Returns the seconds from ``Retry-After``, a number or a date, or ``retry-after-ms``; nonsense
    is ignored.
    """
    low = {k.lower(): v for k, v in headers.items()}
    if until := _date(low.get("retry-after", "")):
        now = _date(low.get("date", "")) or datetime.now(UTC)
        wait = (until - now).total_seconds()
        return max(0.0, wait) if wait < _NEVER else None
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait = float(low[name]) * scale
        except (KeyError, ValueError):
            continue
        if 0 <= wait < _NEVER:
            return wait
    return None


def _date(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def seconds_in(text: str) -> float | None:
    """Returns a length of time as providers write it: ``6m0s``, ``2.5s``, ``20ms``."""
    parts = _UNIT.findall(text)
    if parts:
        return sum(float(number) * _SCALE[unit.lower()] for number, unit in parts)
    return None


def cleaner(secrets: Iterable[str], redact: Redact) -> Redact:
    """Strikes known secrets and key-like words out of a text, then lets ``redact`` look at it."""
    known = sorted(secrets, key=len, reverse=True)

    def clean(text: str) -> str:
        for secret in known:
            text = text.replace(secret, "[redacted]")
        return redact(_LEAKS.sub("[redacted]", text))

    return clean
