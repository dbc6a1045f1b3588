"""The ledger of a change: what its reviews demanded over all its pushes, and what became of it.

Plain values and pure rules. Each review gets the ledger with its material, the findings of the
review are matched with it (``verdict.findings``), and ``fold`` makes the ledger of the next
review. A finding that the ledger bars is shown with the reason and blocks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

REVIEWS = 3
"""The reviews of a change after which only what they demanded, and faults in lines that changed
since the last one, can block.
"""


class Fate(StrEnum):
    """The fate of a demand's lines since the review before."""

    SAME = "same"  # untouched, at the same line
    MOVED = "moved"  # untouched, at another line
    CHANGED = "changed"  # some of its lines changed: whether it still holds is asked
    REPLACED = "replaced"  # none of its lines is left: fixed, unless seats say that it is not
    GONE = "gone"  # its file is no part of the change any more


class DemandState(StrEnum):
    DEMANDED = "demanded"
    FIXED = "fixed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"  # another finding took its place


class SettledBy(StrEnum):
    """Who or what settled a demand."""

    CODE = "code"  # its lines are gone
    SEATS = "seats"  # they withdrew it, or hold that it need not be fixed
    ANSWER = "answer"  # a person's objection, which held
    PEOPLE = "people"  # their votes
    MAINTAINER = "maintainer"  # a reply on the forge
    LATER = "later"  # a later finding at the same place
    LEDGER = "ledger"  # it contradicted what was demanded before


@dataclass(frozen=True, slots=True)
class Demand:
    """A finding of an earlier review of the same change, and what became of it.

    ``id`` is ``e<n>`` in the debate that reads it, ``mark`` its fingerprint for ever. ``line`` is
    its line now (None: it has none), ``was`` its line then, ``extent`` the number of its lines (0:
    as many as it quotes). ``proven`` is true if code reported it. ``holders`` counts the seats that
    held it at the end, ``role`` is that of the first of them. ``blocked`` is true if it had to be
    fixed then, None if that is not known. ``review`` is the number of the review that reported it,
    ``settled_in`` of the one that settled it (0: none did); ``quotes`` are the lines that were
    quoted about it so far, as evidence; ``category`` is the kind of harm, "" if no seat named one.
    """

    id: str
    mark: str
    severity: str
    confidence: float
    title: str
    path: str
    line: int | None
    side: str
    quote: str
    trigger: str = ""
    fix: str = ""
    was: int | None = None
    fate: Fate = Fate.SAME
    proven: bool = False
    holders: int = 1
    role: str = ""
    extent: int = 0
    blocked: bool | None = None
    state: DemandState = DemandState.DEMANDED
    settled_by: SettledBy | None = None
    review: int = 1
    settled_in: int = 0
    quotes: tuple[str, ...] = ()
    category: str = ""

    @property
    def disputed(self) -> bool:
        """Whether people voted it not real."""
        return self.settled_by is SettledBy.PEOPLE

    @property
    def listed(self) -> bool:
        """Whether the next review lists it among its findings, whether a seat raises it or not."""
        return self.state is DemandState.DEMANDED or self.disputed

    @property
    def lines(self) -> tuple[int, int] | None:
        """Its first and last line; None if it has none."""
        if self.line is None:
            return None
        quoted = len([part for part in self.quote.split("\n") if part.strip()])
        return self.line, self.line + (self.extent or max(1, quoted)) - 1


class Bar(StrEnum):
    """The reason for which a finding that seats hold blocks nothing."""

    MEMORY = "from_memory"  # it is about the outside world, and no source shows it
    CONTRADICTION = "contradiction"  # it asks for the opposite of what a review demanded
    REPEATED = "repeated"  # it was settled, and there is no new evidence
    PRE_EXISTING = "pre_existing"  # no push of the change touched its lines
    LATE = "late"  # it is new after ``REVIEWS`` reviews, on lines that did not change since


def bar(
    *, memory: bool, contradicts: bool, settled: bool, evidence: str, touched: bool, late: bool
) -> Bar | None:
    """Returns why a finding may not block; None if it may.

    ``memory`` is true if it is about the outside world and no source shows it. ``settled`` is true
    if an earlier review settled the point, ``evidence`` names what is new about it. ``touched`` is
    true if the change touches its lines, ``late`` if it is new after so many reviews and its lines
    did not change since the last one.
    """
    if memory:
        return Bar.MEMORY
    if contradicts:
        return Bar.CONTRADICTION
    if settled and not evidence:
        return Bar.REPEATED
    if not touched:
        return Bar.PRE_EXISTING
    return Bar.LATE if late else None


def fold(before: Iterable[Demand], judged: Iterable[Demand]) -> tuple[Demand, ...]:
    """Returns the ledger after a review: ``judged`` are the demands as it leaves them, those that
    it did not concern stay as they were. Open ones come first.
    """
    ledger = {demand.mark: demand for demand in before}
    ledger |= {demand.mark: demand for demand in judged}
    return tuple(ledger.values())
