"""The proofs of a debate's findings, from the tests that seats wrote, their runs, and what another
seat said of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.debate.events import ProofRun
from core.debate.proof import ProofResult, ProofTest, Standing, judge
from core.debate.replies import Answer, Position
from core.debate.script import Topic, Turn, TurnId
from core.debate.state import Debate, once_for
from core.debate.stored import stored

PROVE, AUDIT = "prove", "audit"


@dataclass(frozen=True, slots=True)
class FindingProof:
    """The last test for a finding. ``run`` is None until it was run, ``test`` if none was written.
    ``audit`` is the answer of the seat that read it.
    """

    finding: str
    turn: TurnId
    result: ProofResult
    test: ProofTest | None = None
    run: ProofRun | None = None
    audit: Answer | None = None

    @property
    def proven(self) -> bool:
        return self.result.standing is Standing.PROVEN


@once_for("finished", "failed", "skipped", "proofs", "plan", "opened")
def proofs_of(debate: Debate) -> Mapping[str, FindingProof]:
    """Returns the proof, or the reason for which there is none, by the id of the finding."""
    proofs: dict[str, FindingProof] = {}
    for turn in debate.turns:
        if turn.task == PROVE and turn.id in debate.settled:
            made = _proof(debate, turn)
            before = proofs.get(made.finding)
            if before is None or made.run is not None:  # a second try that failed says nothing
                proofs[made.finding] = made
    return proofs


def audit_of(debate: Debate, turn: TurnId) -> Turn | None:
    """Returns the turn that reads the test of another turn."""
    return next((t for t in debate.turns if t.task == AUDIT and turn in t.reads), None)


def _proof(debate: Debate, turn: Turn) -> FindingProof:
    finding = turn.about_the(Topic.FINDING)
    statement, run = debate.statement(turn.id), debate.proofs.get(turn.id)
    if statement is None or statement.test is None:
        reasons, unheard = {**debate.skipped, **debate.failed}, stored("its seat was not heard")
        because = stored("no test was written: {why}", why=reasons.get(turn.id, unheard))
        if statement is not None and statement.answers:
            answer = statement.answers[0]
            because = stored("its seat withdraws it: {because}", because=answer.because)
        result = ProofResult(Standing.NO_PROOF, because)
        return FindingProof(finding, turn.id, result)
    if run is None:
        result = ProofResult(Standing.NO_PROOF, stored("the test was not run"))
        return FindingProof(finding, turn.id, result, statement.test)
    reader, audit = audit_of(debate, turn.id), None
    if reader is not None and (read := debate.statement(reader.id)) is not None:
        audit = next((answer for answer in read.answers if answer.to == turn.id), None)
    result = judge(run.result)
    if result.standing is Standing.PROVEN and (
        audit is None or audit.position is not Position.AGREE
    ):
        reason = stored("no other seat has read the test")
        if audit is not None:
            because = audit.because
            reason = stored("a seat that read the test disputes it: {because}", because=because)
        elif reader is not None and (why := debate.skipped.get(reader.id)):
            reason = stored("no other seat has read the test: {why}", why=why)
        result = ProofResult(Standing.NO_PROOF, reason)
    return FindingProof(finding, turn.id, result, statement.test, run, audit)
