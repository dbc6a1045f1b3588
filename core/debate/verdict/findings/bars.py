"""Decides which findings are barred: seats hold them, and they block nothing.

A bar follows from the ledger of the change, from its decision records, and from what a finding says
of the outside world. Evidence that is new about a settled point lifts its bar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.debate.finding import Finding
from core.debate.ledger import REVIEWS, Bar, Demand
from core.debate.material import DecisionRecord
from core.debate.replies import Answer
from core.debate.state import Debate
from core.debate.verdict.findings.ledger import (
    contradicted,
    is_fresh,
    is_touched,
    new_quote,
    settled_before,
)
from core.debate.verdict.findings.merged import (
    CODE,
    EARLIER,
    SCANNER,
    FindingState,
    MergedFinding,
)
from core.debate.verdict.findings.outside import source_of, speaks_of_outside

_NAMED = r"(?:decision\s+record|record|decision|MADR|ADR)[\s#-]*"
_SOURCE = re.compile(rf"\W*(?:{_NAMED})?#?(?P<number>\d{{1,6}})\b", re.IGNORECASE)
_BREAKS = re.compile(
    r"\b(?:contradict|break|violat|breach|conflict|against|depart|ignor|overrid|reverse|undo)\w*"
    rf"[^.;\n]{{0,80}}?\b{_NAMED}(?P<number>\d{{1,6}})\b"
    rf"|\b{_NAMED}(?P<first>\d{{1,6}})\b[^.;\n]{{0,80}}?\b(?:contradict|broken|violated|breached)",
    re.IGNORECASE,
)


def barred(debate: Debate, finding: MergedFinding) -> MergedFinding:
    """Returns the finding with its bar, if it has one, and with the demand, the record, the source
    and the evidence from which that follows.
    """
    if finding.state is not FindingState.OPEN or finding.proven:
        return finding
    material, demand = debate.open.material, finding.demand
    wordings = [r.finding for r in finding.raised if r.seat != EARLIER]
    contradicts = repeats = None
    if demand is None:
        opposite = (contradicted(f, material.demands) for f in wordings)
        contradicts = next(filter(None, opposite), None)
        repeats = None if contradicts else settled_before(wordings, material.demands)
    elif demand.finding.must_fix is False or demand.disputed:
        repeats = demand
    fresh = any(is_fresh(material, f) for f in wordings)
    holding = [a for seat, a in finding.reasons.items() if seat in finding.by]
    record, outside, source = _claim(debate, finding, holding)
    evidence = ""
    if repeats is not None:
        evidence = _evidence(finding, repeats, holding, fresh=material.fresh is not None and fresh)
        if source and not evidence:
            evidence = f"a source: {source}"
    why = None
    if finding.tested:
        pass
    elif record is not None:
        why = Bar.RECORD
    elif outside and not source and not finding.confirmed:
        why = Bar.MEMORY
    elif contradicts is not None:
        why = Bar.CONTRADICTION
    elif repeats is not None and not evidence:
        why = Bar.REPEATED
    elif demand is None and not any(is_touched(debate, r.finding) for r in finding.raised):
        why = Bar.PRE_EXISTING
    elif demand is None and material.review > REVIEWS and not fresh:
        why = Bar.LATE
    return replace(
        finding,
        contradicts=contradicts,
        repeats=repeats,
        evidence=evidence,
        source=source,
        record=record,
        bar=why,
    )


def _claim(
    debate: Debate, finding: MergedFinding, holding: Iterable[Answer]
) -> tuple[DecisionRecord | None, bool, str]:
    """Returns the decision record that the change breaks, if all wordings of a finding name it;
    whether all are about the outside world; and the quotation that shows their claim about it.

    A wording that does neither is a defect by itself, and so is a demand that blocked before, which
    has had its source.
    """
    demanded = finding.demand is not None and finding.demand.finding.must_fix
    if demanded or any(r.seat in (CODE, SCANNER) for r in finding.standing):
        return None, False, ""
    every = [r.finding for r in finding.standing]
    wordings = [r.finding for r in finding.standing if r.seat != EARLIER]
    named = [_broken_record(f, debate.open.material.records) for f in wordings or every]
    record = None if None in named else named[0]
    if not wordings or not all(map(speaks_of_outside, wordings)):
        return record, False, ""
    return record, True, source_of(debate, wordings, (answer.quote for answer in holding))


def _broken_record(finding: Finding, records: Sequence[DecisionRecord]) -> DecisionRecord | None:
    """Returns the record that a finding names as its source, or in its title as broken; None if
    seats did not read such a record.
    """
    stated = _SOURCE.match(finding.source) or _BREAKS.search(finding.title)
    if stated is None:
        return None
    by_number = {int(record.number): record for record in records}
    return by_number.get(int(next(filter(None, stated.groups()))))


def _evidence(
    finding: MergedFinding, settled: Demand, holding: Iterable[Answer], *, fresh: bool
) -> str:
    """Names what is new about a settled point; empty for nothing."""
    if finding.tested:
        return "a test proves it"
    if finding.confirmed:
        return "people confirm it"
    if fresh:
        return "its lines changed since the last review"
    against = (finding.wording.quote, settled.finding.quote, *settled.quotes)
    if quote := new_quote(holding, against):
        return f"a line that nobody quoted before: {quote}"
    return ""
