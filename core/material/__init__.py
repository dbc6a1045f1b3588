"""What is debated, as data: its text in citable pieces, and an account of everything that was read,
cut or left out.

Line numbers are the forge's own: a new-side line is ``RIGHT``, a deleted old-side line is ``LEFT``,
and a line ends at ``\\n`` only, so that form feeds or U+2028 in the text never move a citation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    PULL_REQUEST = "pull_request"
    DIFF = "diff"
    DOCUMENT = "document"
    INCIDENT = "incident"
    QUESTION = "question"


class Read(StrEnum):
    """How much of a file reached the seats."""

    FULL = "full"
    PARTIAL = "partial"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class Coverage:
    path: str
    state: Read
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One citable line.

    ``mark`` is '+', '-' or ' '; ``old`` and ``new`` are 1-based numbers, None on the side where it
    is not.
    """

    mark: str
    text: str
    old: int | None = None
    new: int | None = None


@dataclass(frozen=True, slots=True)
class Hunk:
    path: str
    header: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """A finding that code itself can prove (a secret, bidi text, a deleted test, a changed lock
    file or guideline).
    """

    path: str
    line: int | None
    side: str
    severity: str
    title: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """``text`` is what every seat reads, already redacted, numbered and escaped; ``hunks`` is the
    same diff for checking citations.

    ``revision`` is the head commit or a content digest. ``notes`` are plain sentences for people
    (merged already, branch moved, ...). ``guidelines`` come from the base branch only. ``redacted``
    counts secrets that were replaced before anything was stored or sent.
    """

    kind: Kind
    title: str
    text: str
    source: str = ""
    revision: str = ""
    body: str = ""
    hunks: tuple[Hunk, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    guidelines: str = ""
    proven: tuple[CodeFinding, ...] = ()
    notes: tuple[str, ...] = ()
    redacted: int = 0
    private: bool = False
    author: str = ""
    base: str = ""
    facts: dict[str, str] = field(default_factory=dict)
