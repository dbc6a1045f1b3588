"""Findings about what the lines as they are shown do not have any more: secrets that were replaced,
and characters that nobody sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adapters.diffs.reading_order import is_test
from adapters.redaction import Secret, is_broad
from core.debate.material import RIGHT, CodeFinding, Line
from core.debate.material.escaping import bidi_characters, zero_width_characters
from core.debate.stored import stored


def added_secrets(
    path: str, lines: Sequence[Line], placed: Iterable[Secret]
) -> Iterator[CodeFinding]:
    """Yields the secrets in added lines, each at its first one, without documented examples and
    mocks of tests.
    """
    for secret in placed:
        line, broad = lines[secret.line], is_broad(secret.rule)
        if line.mark == "+" and not secret.mock and not (broad and is_test(path)):
            title, severity = stored("A secret is added ({rule})", rule=secret.rule), "medium"
            if not broad:  # its kind is known by its form
                severity = "high"
            yield CodeFinding(path, line.new, RIGHT, severity, title, line.text)


def unseen_characters(path: str, lines: Iterable[tuple[Line, str]]) -> Iterator[CodeFinding]:
    """Yields the added lines with such characters; each line comes with its text as it was."""
    for line, raw in lines:
        if line.mark != "+" or raw.isascii():
            continue
        text = raw
        if line.new == 1:  # a byte order mark at the start of a file is only old-fashioned
            text = raw.removeprefix("\ufeff")
        bidi, zero_width = bidi_characters(text), zero_width_characters(text)
        if not bidi and not zero_width:
            continue
        title, severity = stored("Invisible characters in an added line ({characters})"), "medium"
        if bidi:
            title = stored("Bidirectional controls make this line read differently ({characters})")
            severity = "high"
        title = stored(title, characters=", ".join(bidi or zero_width))
        yield CodeFinding(path, line.new, RIGHT, severity, title, line.text)
