"""A finding of a debate as one value: all its wordings, the seats' positions, people's votes, and
what follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from core.debate.finding import Category, Finding
from core.debate.ledger import Bar, Demand
from core.debate.material import DecisionRecord
from core.debate.replies import Answer
from core.debate.script import SeatId
from core.debate.verdict.findings.merging import fingerprint
from core.debate.verdict.findings.positions import Raised
from core.debate.verdict.findings.proofs import FindingProof
from core.debate.verdict.findings.rule import Point

CODE = SeatId("code")
"""The holder of findings that code itself proved."""

SCANNER = SeatId("scanner")
"""The holder of a scanner's findings, which are claims of code and no proof."""

REMARK = SeatId("remark")
"""The holder of another reviewer's remark, which is a claim like a scanner's."""

EARLIER = SeatId("earlier")
"""The holder of an earlier run's findings, until they are resolved."""

_REPORTERS = frozenset({CODE, SCANNER, REMARK})


class FindingState(StrEnum):
    OPEN = "open"
    WITHDRAWN = "withdrawn"  # everybody who held it took it back
    DISPUTED = "disputed"  # people say it is not real
    RESOLVED = "resolved"  # a later revision no longer has it


@dataclass(frozen=True)
class MergedFinding:
    """One defect with all its wordings and positions.

    ``raised`` holds every wording, ``by`` the seats that hold it now, ``fix_by`` those of them that
    want it fixed before the change is accepted, ``silent`` those that opened and took no position.
    ``step`` is how people moved its severity (-1, 0, 1). ``wording`` is the one to print: the most
    severe, surest and best anchored of those still held; its id is the first wording's, so that
    votes and posts keep their subject. ``reasons`` are the seats' last answers about it,
    ``dropped`` the wordings that their own seats took back, ``unshown`` the seats whose last change
    of mind has no evidence and does not count, ``entitled`` the number of seats that may vote.
    ``maintainer`` is set if only a named maintainer may publish the review, because people disputed
    a severe security finding. ``source`` is the quotation that shows what it says of the outside
    world, if it says anything of that. ``record`` is the decision record that the change breaks, by
    this finding. ``blocking`` is what the rule says: it must be fixed.
    """

    id: str
    raised: tuple[Raised, ...]
    wording: Finding
    entitled: int
    by: tuple[SeatId, ...] = ()
    disputed_by: tuple[SeatId, ...] = ()
    reasons: Mapping[SeatId, Answer] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    people: Mapping[str, int] = field(default_factory=dict)
    author: Mapping[str, int] = field(default_factory=dict)
    state: FindingState = FindingState.OPEN
    confirmed: bool = False
    step: int = 0
    maintainer: bool = False
    demand: Demand | None = None
    repeats: Demand | None = None
    contradicts: Demand | None = None
    successor: str = ""
    evidence: str = ""
    source: str = ""
    record: DecisionRecord | None = None
    bar: Bar | None = None
    fix_by: tuple[SeatId, ...] = ()
    silent: tuple[SeatId, ...] = ()
    unshown: frozenset[SeatId] = frozenset()
    blocking: bool = False
    proof: FindingProof | None = None

    @property
    def tested(self) -> bool:
        """Whether a test proved it, so that no vote and no rewording takes it away."""
        return self.proof is not None and self.proof.proven

    @property
    def mark(self) -> str:
        """The mark of one defect, the same in all runs on one change, by which its comment is found
        again.
        """
        if known := self.demand or self.repeats:
            return known.mark
        return fingerprint(self.raised[0].finding)

    @property
    def holders(self) -> int:
        """The seats that hold it; for an earlier finding also those that held it then."""
        now = len(set(self.by) - _REPORTERS - {EARLIER})
        if self.demand is None:
            return now
        return max(now, self.demand.holders)

    @property
    def standing(self) -> tuple[Raised, ...]:
        """The wordings that their seats still hold; all if only agreeing seats are left."""
        kept = (r for r in self.raised if r.seat in self.by and r.finding.id not in self.dropped)
        return tuple(kept) or self.raised

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(r.finding.id for r in self.raised)

    @property
    def proven(self) -> bool:
        """True if code proved it, now or in an earlier run, so that no seat can dispute it."""
        return self.proven_now or (self.demand is not None and self.demand.proven)

    @property
    def proven_now(self) -> bool:
        """Whether code proved it in this review."""
        return CODE in self.raisers

    @property
    def evident(self) -> bool:
        """True if it counts at all: it has a place in the material, code proved it, or people
        confirmed it.
        """
        return self.wording.anchored or self.proven or self.tested or self.confirmed

    @property
    def unplaced(self) -> bool:
        """True if it is high or above, has no place and is still held by its author: it can't
        block, and nothing is approved over it.
        """
        severe = (r for r in self.standing if r.finding.severity.severe)
        by_raiser = any(r.seat in self.by for r in severe)
        return self.state is FindingState.OPEN and not self.evident and by_raiser

    @property
    def raisers(self) -> set[SeatId]:
        return {r.seat for r in self.raised}

    @property
    def argued(self) -> bool:
        """Whether a seat that did not raise it took a position on it that counts."""
        return bool({*self.by, *self.disputed_by} - self.raisers)

    @property
    def grave(self) -> bool:
        """Whether a wording that is still held would block if it is right."""
        return any(r.finding.asks_to_block for r in self.standing)

    @property
    def category(self) -> Category | None:
        """The category of the wording that is shown, else the first that a seat named."""
        named = (self.wording.category, *(r.finding.category for r in self.raised))
        return next(filter(None, named), None)

    @property
    def minor_by(self) -> tuple[SeatId, ...]:
        """The seats that hold it real and would not block for it."""
        return tuple(seat for seat in self.by if seat not in self.fix_by)

    @cached_property
    def point(self) -> Point:
        """The finding as the rule sees it."""
        return Point(
            frozenset(self.fix_by) - _REPORTERS,
            frozenset(self.minor_by) - _REPORTERS - {EARLIER},
            frozenset(self.disputed_by),
            frozenset(self.silent) if self.demand is None else frozenset(),
            self.argued,
            self.evident,
            self._settled,
        )

    @property
    def _settled(self) -> bool | None:
        """What code and people decided: whether it blocks; None leaves it to the seats."""
        severe = self.wording.severity.severe
        if self.state is not FindingState.OPEN or self.bar is Bar.RECORD:
            return False
        if self.tested:
            return any(r.finding.asks_to_block for r in self.raised)
        if self.proven or self.confirmed:
            return severe or (not self.proven and self.grave)
        if self.bar is not None or (self.step < 0 and not severe):
            return False
        return None

    @property
    def scanned(self) -> bool:
        """True if a scanner reported it."""
        return bool(self.raisers & {SCANNER, REMARK})

    @property
    def refuted(self) -> bool:
        """True if only a scanner holds it, and more than half of all entitled seats dispute it."""
        alone = self.scanned and set(self.by) <= {SCANNER, REMARK}
        return alone and 2 * len(self.disputed_by) > self.entitled

    @property
    def contested(self) -> bool:
        """Whether it is open, and seats that took a position differ on whether it blocks."""
        return self.point.settled is None and bool(self.point.fix and self.point.against)

    @property
    def debated(self) -> bool:
        """Whether any seat has answered it, or seats took different positions on it."""
        return bool(self.reasons) or self.contested

    def because(self, seat: SeatId) -> str:
        """Returns why a seat holds its position; "" if its last answer does not count."""
        if seat in self.unshown or seat not in self.reasons:
            return ""
        return self.reasons[seat].because
