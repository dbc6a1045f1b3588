"""How well a debate decides, measured on changes whose defects are known.

A ``Case`` is a change with its known defects, or one that is known to be clean. An ``Arm`` is a way
to decide with the same models on the same material: one answer, a vote of independent ones, the
debate. A ``Reading`` says what one arm made of one case. Whether a finding names a known defect is
decided by place and words alone (``core.evaluation.hits``), never by a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Arm(StrEnum):
    """A way to decide."""

    SINGLE = "single"  # one reviewer reads the change once
    VOTE = "vote"  # the critics of the debate, each alone; more than half decide
    DEBATE = "debate"  # the whole debate

    @property
    def meaning(self) -> str:
        return _MEANING[self]


_MEANING = {
    Arm.SINGLE: "one reviewer reads the change once",
    Arm.VOTE: "the debate's critics, each alone; more than half decide",
    Arm.DEBATE: "the whole debate",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of a known defect: a file and a line on the new side of the change."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Defect:
    """A known defect: ``what`` is wrong, where, and ``words`` of which a right finding says one (no
    words: the place alone decides). Without ``spots`` nobody knows where it is.
    """

    what: str
    spots: tuple[Spot, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A change whose quality is known. A ``clean`` one has no ``defects``; ``origin`` says where it
    comes from.
    """

    id: str
    title: str
    body: str
    diff: bytes
    defects: tuple[Defect, ...] = ()
    clean: bool = False
    origin: str = ""

    @property
    def located(self) -> tuple[int, ...]:
        """The defects of which the place is known, by their number."""
        return tuple(n for n, defect in enumerate(self.defects) if defect.spots)


@dataclass(frozen=True, slots=True)
class Reading:
    """What ``arm`` made of a case in one repeat: whether it ``blocked`` the change, which known
    defects it ``found``, whether one of them is among the reasons for blocking (``rightly``), and
    how many findings it lists that name none (``others``).

    ``usd`` is None where a price is unknown; ``seconds`` are those of the models, what speaks at
    once counted once. ``failed`` says why nothing could be read.
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
