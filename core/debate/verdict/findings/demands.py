"""Makes the ledger that the next review of a change reads: the demands of this one, and what became
of those before.
"""

from __future__ import annotations

from dataclasses import replace

from core.debate.events import Became, ForgeNote
from core.debate.ledger import Bar, Demand, DemandState, SettledBy
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings, role_behind
from core.debate.verdict.findings.merged import CODE, REMARK, FindingState, MergedFinding

_MOST_QUOTES = 10
"""The most quoted lines that one demand keeps."""


def demands_after(debate: Debate) -> tuple[Demand, ...]:
    """Returns the ledger of the change after this review."""
    ledger = {demand.mark: demand for demand in debate.open.material.demands}
    for finding in merge_findings(debate):
        if (judged := _demand(debate, finding)) is not None:
            ledger[judged.mark] = judged
    return tuple(_rejected(debate, demand) for demand in ledger.values())


def _demand(debate: Debate, finding: MergedFinding) -> Demand | None:
    """Returns a finding as an entry of the ledger; None if it changes nothing there: it has no
    place, or only repeats what was settled.
    """
    if not finding.wording.anchored and finding.demand is None:
        return None
    if finding.bar is Bar.REPEATED and finding.demand is None:
        return None
    if finding.raisers == {REMARK} and not finding.holders:
        return None
    state, by = _state(debate, finding)
    known = finding.demand or finding.repeats
    review, wording = debate.open.material.review, finding.wording
    return Demand(
        mark=finding.mark,
        finding=replace(
            wording,
            id=finding.id,
            anchored=wording.line is not None,
            stated=None,
            loose=False,
            category=finding.category,
            must_fix=finding.blocking,
        ),
        proven=_only_code(finding),
        holders=finding.holders,
        role=role_behind(debate, finding.raised[0], finding.demand),
        state=state,
        settled_by=by,
        review=known.review if known is not None else review,
        settled_in=0 if by is None else review,
        quotes=_quotes(finding, known),
    )


def _state(debate: Debate, finding: MergedFinding) -> tuple[DemandState, SettledBy | None]:
    match finding.state:
        case FindingState.RESOLVED if finding.successor:
            return DemandState.SUPERSEDED, SettledBy.LATER
        case FindingState.RESOLVED:
            return DemandState.FIXED, SettledBy.SEATS if finding.reasons else SettledBy.CODE
        case FindingState.DISPUTED:
            return DemandState.REJECTED, SettledBy.PEOPLE
        case FindingState.WITHDRAWN:
            return DemandState.REJECTED, _by_seats(debate, finding)
        case FindingState.OPEN if finding.bar is Bar.CONTRADICTION:
            return DemandState.REJECTED, SettledBy.LEDGER
        case FindingState.OPEN if finding.contested and not finding.blocking:
            return DemandState.REJECTED, _by_seats(debate, finding)
        case FindingState.OPEN:
            return DemandState.DEMANDED, None


def _by_seats(debate: Debate, finding: MergedFinding) -> SettledBy:
    """Returns whether the seats settled it by themselves or after a person's objection to it."""
    objected = any(f"({id})" in one.text for one in debate.challenges for id in finding.ids)
    return SettledBy.ANSWER if objected else SettledBy.SEATS


def _rejected(debate: Debate, demand: Demand) -> Demand:
    """Returns the demand as rejected if a maintainer did so on the forge: by a reply, or by a
    reaction.
    """
    notes = {one.text for one in debate.noted if one.what == ForgeNote.REJECTED}
    judged = debate.judged.get(demand.mark)
    unreal = judged is not None and judged.by and judged.became == Became.NOT_REAL
    if demand.state is not DemandState.DEMANDED or not (unreal or rejection(demand) in notes):
        return demand
    return replace(
        demand,
        state=DemandState.REJECTED,
        settled_by=SettledBy.MAINTAINER,
        settled_in=debate.open.material.review,
    )


def rejection(demand: Demand | MergedFinding) -> str:
    """Returns the text of the note that a maintainer rejected a finding."""
    title = demand.finding.title if isinstance(demand, Demand) else demand.wording.title
    return f"{title} ({demand.mark})"


def _quotes(finding: MergedFinding, known: Demand | None) -> tuple[str, ...]:
    now = (answer.quote.strip() for answer in finding.reasons.values() if answer.checked)
    before = known.quotes if known is not None else ()
    return tuple(dict.fromkeys(filter(None, (*before, *now))))[-_MOST_QUOTES:]


def _only_code(finding: MergedFinding) -> bool:
    if finding.demand is not None and len(finding.raised) == 1:
        return finding.demand.proven
    return finding.raisers == {CODE}
