"""The ledger of a change: what its reviews demanded over all its pushes, and what became of it.

Each review gets the ledger with its material, the findings of the review are matched with it
(``verdict.findings``), and ``verdict.findings.demands`` makes the ledger of the next review. A
finding that the ledger bars is shown with the reason and blocks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.debate.finding import Finding

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

    ``finding`` is its wording with its place now: in the debate that reads it its id is ``e<n>``,
    its ``line`` is None if it has none, and it ``must_fix`` if it had to be fixed then. ``mark`` is
    its fingerprint for ever, ``was`` its line then. ``proven`` is true if code reported it.
    ``holders`` counts the seats that held it at the end, ``role`` is that of the first of them.
    ``review`` is the number of the review that reported it, ``settled_in`` that of the review that
    settled it (0: none did); ``quotes`` are the lines that were quoted about it so far, as
    evidence.
    """

    mark: str
    finding: Finding
    was: int | None = None
    fate: Fate = Fate.SAME
    proven: bool = False
    holders: int = 1
    role: str = ""
    state: DemandState = DemandState.DEMANDED
    settled_by: SettledBy | None = None
    review: int = 1
    settled_in: int = 0
    quotes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self.finding.id

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
        line, end = self.finding.line, self.finding.end
        if line is None:
            return None
        quoted = len([part for part in self.finding.quote.split("\n") if part.strip()])
        return line, end if end is not None else line + max(1, quoted) - 1

    def at(self, path: str, line: int | None, fate: Fate, *, id: str) -> Demand:
        """Returns the demand as the next review reads it: with this place, fate and id."""
        f, end = self.finding, None
        if line is not None and f.line is not None and f.end is not None:
            end = line + f.end - f.line
        placed = replace(f, id=id, path=path, line=line, end=end, anchored=line is not None)
        return replace(self, finding=placed, was=f.line, fate=fate)


class Bar(StrEnum):
    """The reason for which a finding that seats hold blocks nothing."""

    RECORD = "record"  # it says that the change breaks a decision record: a comment
    MEMORY = "from_memory"  # it is about the outside world, and no source shows it
    CONTRADICTION = "contradiction"  # it asks for the opposite of what a review demanded
    REPEATED = "repeated"  # it was settled, and there is no new evidence
    PRE_EXISTING = "pre_existing"  # no push of the change touched its lines
    LATE = "late"  # it is new after ``REVIEWS`` reviews, on lines that did not change since
