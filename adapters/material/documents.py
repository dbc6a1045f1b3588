"""Turns documents and plain words into material.

Every line of a document has its number, so that ``path:line`` can be cited and checked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from adapters.forges import refusals
from adapters.material.account import coverage_notes, nothing_readable
from adapters.material.prose import without_comments
from adapters.redaction import clean, redact, redact_lines
from adapters.redaction.texts import one_line
from core.debate.errors import BadInput
from core.debate.material import Material, MaterialKind
from core.debate.material.coverage import FileCandidate, fit, tokens_in
from core.debate.material.diffs import text_as_file
from core.debate.material.escaping import show_hidden, show_path
from core.debate.stored import stored, stored_many

_LEGEND = "Numbered lines of the text under debate. Cite as path:line."
_SHOWN = 2_000  # characters of a line
_MARKDOWN = frozenset({".md", ".markdown", ""})
"""The endings of texts in which HTML comments are hidden; in code, logs and others all is seen."""
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)


def from_documents(
    texts: Sequence[tuple[str, str]],
    kind: MaterialKind,
    title: str,
    source: str,
    budget: int,
    notes: Sequence[str] = (),
    *,
    seen: bool = False,
) -> Material:
    """Returns the texts whose lines can be cited.

    ``texts`` are (name, raw text); ``seen`` means that they are as their readers see them. Raises
    ``BadInput`` if they hold nothing.
    """
    files, count, hidden, first = [], 0, 0, ""
    for name, text in texts:
        raw, comments = _with_line_feeds(text), 0
        if not seen and PurePath(name).suffix.lower() in _MARKDOWN:
            raw, comments = without_comments(raw)
        hidden += comments
        first = first or raw
        lines: list[str] = []
        if raw.strip():
            lines = raw.rstrip("\n").split("\n")
        redacted, secrets = redact_lines(lines)
        count += len(secrets)
        file = text_as_file(show_path(clean(name)), map(_shortened, redacted))
        files.append(replace(file, cut=sum(len(line) > _SHOWN for line in lines)))
    offered = [
        FileCandidate(file, left_out="" if file.hunks else stored("empty"), code=False)
        for file in files
    ]
    fitted = fit(offered, budget, legend=_LEGEND)
    if not fitted.hunks:
        raise nothing_readable(offered, show_path(source), budget)
    heading = one_line(title or _first_heading(first) or texts[0][0])
    digest = hashlib.sha256(
        "\0".join(raw for _, raw in texts).encode("utf-8", "backslashreplace")
    ).hexdigest()
    return Material(
        kind=kind,
        title=heading.text,
        text=fitted.text,
        source=source,
        revision=f"sha256:{digest}",
        hunks=fitted.hunks,
        coverage=fitted.coverage,
        notes=(*notes, *_hidden_notes(hidden), *coverage_notes(fitted.coverage)),
        redacted=count,
    )


def from_words(text: str, kind: MaterialKind, budget: int) -> Material:
    """Makes material from a typed question.

    Raises ``BadInput`` if it is empty or longer than the budget.
    """
    hidden, count = redact(text.strip())
    plain = show_hidden(hidden)
    if not plain.strip():
        raise BadInput("There is nothing to debate: give a link, a file or a question.")
    if tokens_in(plain) > budget:
        raise refusals.too_large("the text", budget)
    title = one_line(plain.split("\n", 1)[0]).text
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
    return Material(kind=kind, title=title, text=plain, revision=f"sha256:{digest}", redacted=count)


def _with_line_feeds(text: str) -> str:
    """Returns the text with the line ends of Windows and of the old Macintosh as line feeds."""
    text = text.replace("\r\n", "\n")
    if "\n" in text.rstrip("\n"):
        return text
    return text.replace("\r", "\n")


def _hidden_notes(comments: int) -> tuple[str, ...]:
    if not comments:
        return ()
    return (
        stored_many(
            comments,
            "{n} comment that no reader sees was left out.",
            "{n} comments that no reader sees were left out.",
        ),
    )


def _shortened(line: str) -> str:
    visible = show_hidden(line[:_SHOWN])
    if len(line) <= _SHOWN:
        return visible
    return f"{visible} …[{len(line) - _SHOWN:,} more characters]"


def _first_heading(text: str) -> str:
    """Returns the first line with words after the front matter; "" if there is none."""
    lines = _FRONT_MATTER.sub("", text).split("\n")
    return next((line.strip().lstrip("#").strip() for line in lines if re.search(r"\w", line)), "")
