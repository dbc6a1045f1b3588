"""The proof of one finding that a person asks for, while the debate runs or after its verdict."""

from __future__ import annotations

from core.debate import commands as c
from core.debate import events as e
from core.debate.due.proving import writer_of
from core.debate.errors import Refused
from core.debate.proof import MOST_PROOFS
from core.debate.script import MAX_TURNS
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.proofs import proofs_of

_TURNS = 3


def prove(debate: Debate, command: c.Prove) -> tuple[e.Event, ...]:
    """Returns the events of a person's request; none if it was asked for before.

    Raises ``Refused`` if the finding can't be proven.
    """
    if debate.opened is None:
        raise Refused("The debate has not opened yet; there is no finding.")
    if not debate.open.template.findings:
        raise Refused("Only the findings of a review are proven by tests.")
    finding = _meant(debate, command.finding)
    if any(request.finding in finding.ids for request in debate.proof_requests):
        return ()
    if any(id in proofs_of(debate) for id in finding.ids):
        raise Refused("A test was written for that finding already.")
    if finding.state is not FindingState.OPEN or finding.proven or not finding.by:
        raise Refused("That finding is not open, so nobody has to prove it.")
    if writer_of(debate, finding) is None:
        raise Refused("No seat at the table holds that finding now.")
    if not finding.wording.path:
        raise Refused("That finding names no file, so no test can show it.")
    if debate.lost or debate.open.terms.demo:
        raise Refused("Its seats can write no test. Start it again with other models.")
    if debate.stop is not None and not debate.over:
        raise Refused("The debate is ending. Ask as soon as its verdict is there.")
    tried = {*proofs_of(debate), *(request.finding for request in debate.proof_requests)}
    if len(debate.turns) + _TURNS > MAX_TURNS or len(tried) >= MOST_PROOFS:
        raise Refused("At most {most} findings of a review are proven by a test.", most=MOST_PROOFS)
    request = e.ProofAsked(command.by, finding.id, command.source)
    if not debate.over:
        return (request,)
    return request, e.DebateReopened(f"proof:{finding.id}", command.by)


def _meant(debate: Debate, name: str) -> MergedFinding:
    """Returns the named finding; without a name an open one, first those that are contested or
    block.
    """
    findings = merge_findings(debate)
    if name:
        meant = next((m for m in findings if name in m.ids), None)
        if meant is None:
            raise Refused("There is no such finding. Name it by its number.")
        return meant
    tried = proofs_of(debate)
    left = [
        m
        for m in findings
        if m.state is FindingState.OPEN
        and m.evident
        and writer_of(debate, m) is not None
        and not set(m.ids) & tried.keys()
    ]
    left.sort(key=lambda m: not (m.contested or m.blocking))
    if not left:
        raise Refused("No finding is open that could be proven.")
    return left[0]
