r"""The material of a debate as data: its text in citable pieces, and an account of everything that
was read, cut or left out.

Line numbers are the forge's own: a new-side line is ``RIGHT``, a deleted old-side line is ``LEFT``,
and a line ends at ``\n`` only, so that form feeds or U+2028 in the text never move a citation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from unicodedata import normalize

from core.debate.ledger import Demand

RIGHT, LEFT = "RIGHT", "LEFT"
"""The sides of a change."""
NAMELESS = "attached text"
"""The path of a text that came without a name."""
_FOLDED = {ord(mark): "'" for mark in '"`´‘’‚‛“”„«»‹›'} | {ord("…"): "..."}


class MaterialKind(StrEnum):
    PULL_REQUEST = "pull_request"
    DIFF = "diff"
    DOCUMENT = "document"
    INCIDENT = "incident"
    QUESTION = "question"


class ChangeState(StrEnum):
    """The states of a pull or merge request; their words are stored."""

    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"


class Read(StrEnum):
    """The part of a file that reached the seats."""

    FULL = "full"
    PARTIAL = "partial"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The coverage of one file; ``unread`` means that it changes code which the seats did not read
    in full.
    """

    path: str
    state: Read
    reason: str = ""
    unread: bool = False

    @property
    def full(self) -> bool:
        return self.state is Read.FULL


@dataclass(frozen=True, slots=True)
class Line:
    """One citable line. ``mark`` is '+', '-' or ' '; ``old`` and ``new`` are 1-based numbers, None
    on the side on which the line does not exist.
    """

    mark: str
    text: str
    old: int | None = None
    new: int | None = None

    def number_on(self, side: str) -> int | None:
        """Returns its number on ``LEFT`` or ``RIGHT``; an unchanged line is cited only on the
        right.
        """
        if side.upper() != "LEFT":
            return self.new
        if self.mark == "-":
            return self.old
        return None


def flat(text: str) -> str:
    """Returns a text on one line, with one space for all white space between two words."""
    return " ".join(text.split())


def squeeze(text: str) -> str:
    """Returns a line for comparison: without white space, with one kind of quotation marks and
    dots, and with accents composed.
    """
    if not text.isascii():
        text = normalize("NFC", text)
    return "".join(text.removesuffix("\\r").split()).translate(_FOLDED)


@dataclass(frozen=True, slots=True)
class Hunk:
    path: str
    header: str
    lines: tuple[Line, ...]
    old_path: str = ""  # where the file was renamed


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines ``first`` to ``last`` of one side of a file."""

    path: str
    side: str
    first: int
    last: int


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
class Scanned:
    """A scanner's report on a line of the change, which the seats judge and which proves nothing.
    ``id`` is ``scan.f<n>``, ``tool`` names the scanner and its rule. ``author`` is set for the
    remark of another reviewer.
    """

    id: str
    tool: str
    severity: str
    title: str
    path: str
    line: int
    quote: str = ""
    author: str = ""
    side: str = "RIGHT"


@dataclass(frozen=True, slots=True)
class Precedent:
    """The decision of an earlier debate in the same place about the same files or question. ``day``
    is its date, as YYYY-MM-DD. ``held`` is whether people later said that it held, None if nobody
    did. ``points`` are the findings that had to be fixed, or the reasons.
    """

    debate: str
    day: str
    title: str
    decision: str
    held: bool | None = None
    points: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """An accepted decision record of the base branch, redacted and escaped; ``number`` is written
    as in its file's name.
    """

    number: str
    title: str
    path: str
    text: str


class Near(StrEnum):
    """The reason for which lines around a change are shown."""

    ENCLOSES = "encloses"  # the function or class that the change stands in
    DEFINES = "defines"  # what a changed line calls
    CALLS = "calls"  # a caller of what was changed
    SETS = "sets"  # gives a value to a field that a changed line reads
    OVERRIDDEN = "overridden"  # the method of a base type that a changed one takes the place of


@dataclass(frozen=True, slots=True)
class Around:
    """Unchanged lines ``first`` to ``last`` of a file, redacted and escaped. ``name`` is that of
    the function or class.
    """

    path: str
    first: int
    last: int
    name: str
    near: Near
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One reading's share of a change that is too large for one: its text, and the files of which
    it holds lines.
    """

    text: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """The material of a debate.

    ``text`` is what every seat reads, already redacted, numbered and escaped; ``hunks`` is the same
    diff for checking citations. ``revision`` is the head commit or a content digest. ``demands`` is
    the ledger of the change: then ``text`` is only what is new since the last review, whose changed
    lines are ``fresh`` (None: all are). ``around`` is the repository's code near the change,
    ``around_left`` names the pieces of it that found no room, ``scanned`` are scanners' reports,
    ``precedents`` earlier decisions of this place about the same, ``records`` the decision records
    of the base branch that are nearest to the change. ``parts`` are there if the change is too
    large for one reading; ``text`` then lists the contents of each. ``notes`` are plain sentences
    for people (merged already, branch moved, ...). ``guidelines`` come from the base branch only.
    ``redacted`` counts secrets that were replaced before anything was stored or sent.
    """

    kind: MaterialKind
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
    demands: tuple[Demand, ...] = ()
    fresh: tuple[LineRange, ...] | None = None
    around: tuple[Around, ...] = ()
    around_left: tuple[str, ...] = ()
    scanned: tuple[Scanned, ...] = ()
    precedents: tuple[Precedent, ...] = ()
    records: tuple[DecisionRecord, ...] = ()
    parts: tuple[Part, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)

    @property
    def review(self) -> int:
        """The number of this review of the change, from 1."""
        return int(self.facts.get("run", "1"))
