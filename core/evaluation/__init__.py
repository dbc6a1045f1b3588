"""Measures how well a debate decides, on changes with known defects.

A ``Case`` is a change with its known defects, or a change that is known to be clean. An ``Arm`` is
a way to decide with the same models on the same material: one answer, a vote of independent ones,
the debate. An ``ArmResult`` is the result of one arm on one case. Only place and words decide
whether a finding names a known defect (``core.evaluation.arms``), never a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Arm(StrEnum):
    """A way to decide."""

    REVIEWER = "reviewer"
    SINGLE = "single"
    UNION = "union"
    VOTE = "vote"
    DEBATE = "debate"

    @property
    def meaning(self) -> str:
        return _MEANING[self]


_MEANING = {
    Arm.REVIEWER: "one reviewer with every critic's brief, in a separate call",
    Arm.SINGLE: "each of the debate's openings by itself; the mean of them",
    Arm.UNION: "all that any opening found, sure and located; a high one blocks",
    Arm.VOTE: "the openings again; more than half decide",
    Arm.DEBATE: "the whole debate",
}

OF_OPENINGS = (Arm.SINGLE, Arm.UNION, Arm.VOTE)
"""The arms that are computed from a debate's openings, and so cost nothing extra."""

USUAL = (*OF_OPENINGS, Arm.DEBATE)
"""The arms that are measured by default."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a known defect: a file and a line on the new side of the change, or the lines from
    ``line`` to ``last``.
    """

    path: str
    line: int
    last: int = 0

    def near(self, line: int, within: int) -> bool:
        """True if ``line`` is at most ``within`` lines away."""
        return self.line - within <= line <= max(self.line, self.last) + within


@dataclass(frozen=True, slots=True)
class Defect:
    """A known defect: ``what`` is wrong, its places, and ``words`` of which a right finding
    contains one (without words only the place decides). Without ``spots`` its place is unknown.
    """

    what: str
    spots: tuple[Spot, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClonedRange:
    """The commits of a change: ``base`` and ``commit`` in the clone of ``repo`` (``OWNER/NAME``)
    whose folder is ``clone``.
    """

    clone: str
    repo: str
    base: str
    commit: str


@dataclass(frozen=True, slots=True)
class Case:
    """A change whose quality is known. A ``clean`` one has no ``defects``; ``origin`` names its
    source, ``traits`` its kind (``core.evaluation.groups``). A case with a ``range`` is read with
    the repository around it, one without as a diff only.
    """

    id: str
    title: str
    body: str
    diff: bytes
    defects: tuple[Defect, ...] = ()
    clean: bool = False
    origin: str = ""
    traits: Mapping[str, str] = field(default_factory=dict)
    range: ClonedRange | None = None

    @property
    def worded(self) -> tuple[int, ...]:
        """The numbers of the defects for which words of a right finding are known."""
        return tuple(n for n in self.located if self.defects[n].words)

    @property
    def located(self) -> tuple[int, ...]:
        """The numbers of the defects whose place is known."""
        return tuple(n for n, defect in enumerate(self.defects) if defect.spots)


@dataclass(frozen=True, slots=True)
class ArmResult:
    """The result of ``arm`` on a case in one repeat.

    ``blocked`` is whether the arm blocked the change, ``found`` the known defects that it found by
    place and words, ``placed`` those by place only, ``worded`` those by words only, ``rightly``
    whether a found defect is among the reasons for blocking, ``others`` the number of findings that
    name no known defect. ``seat`` is the author if each opening is read separately. ``usd`` is None
    if a price is unknown; ``seconds`` are the models', with simultaneous turns counted once.
    ``failed`` is the reason why nothing could be read.
    """

    case: str
    arm: Arm
    repeat: int
    debate: str = ""
    blocked: bool = False
    found: frozenset[int] = frozenset()
    rightly: bool = False
    others: int = 0
    usd: float | None = 0.0
    calls: int = 0
    seconds: float = 0.0
    failed: str = ""
    seat: str = ""
    placed: frozenset[int] = frozenset()
    worded: frozenset[int] = frozenset()
