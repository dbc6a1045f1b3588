"""Computes the decision: the same events give the same verdict everywhere, and models influence it
by their typed replies alone.

A code review is decided by a rule over findings that the seats' votes can make stricter and never
softer; the gauntlet by how its attacks ended; everything else by consensus. Where too few seats
could be heard there is no decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.debate import Debate, once
from core.events import EndReason
from core.material.plaintext import one_line
from core.script import SeatId
from core.template import Option
from core.verdict.consensus import (
    CONTESTED,
    TIE,
    Consensus,
    consensus,
    vote_at_least,
)
from core.verdict.delta import conformists
from core.verdict.findings import FindingState, MergedFinding, merge_findings
from core.verdict.findings.exchanges import is_cross_examined
from core.verdict.gauntlet import NO_EVIDENCE, gauntlet_result
from core.verdict.quorum import why_no_quorum
from core.verdict.unread import capped, capped_rule
from core.verdict.votes import NONE, final_votes

FAILED = "failed"
NO_QUORUM = "no_quorum"
DEADLOCKED = "deadlocked"
AGREED = "consensus_reached"
CROSS_EXAMINED = "findings, cross-examined"
NOT_APPROVED = "findings; the seats do not approve"
"""The mechanism of a verdict where no finding is open and yet at most half of the voting seats
approve.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The computed decision.

    ``agreement`` is the share of all entitled seats whose final stance is ``decision`` (in a tie,
    the share of each leading option); ``reached`` says that it is as large as required or, in the
    gauntlet, that there is evidence. A decision may stand without being reached: a rule made it, or
    it only leads. ``leading`` is the leading option, even where there is no decision, and
    ``votes_needed`` the number of seats that would have to hold it. ``needed`` and ``present`` are
    the quorum, in seats. ``status`` is the adversarial status in that format, else the debate's.
    """

    decision: str
    reached: bool
    mechanism: str
    agreement: float
    needed: int
    present: int
    votes_needed: int
    leading: str
    actions: tuple[str, ...] = ()
    contested: bool = False
    status: str = ""

    @property
    def reached_label(self) -> str:
        if self.reached:
            return "reached"
        return "not reached"


@once
def verdict(debate: Debate) -> Verdict:
    """Computes what the debate decides as it stands. Raises ``Refused`` before the opening."""
    heard = len(debate.present)
    if heard == 0:
        return _made(debate, Consensus(FAILED, False, 0.0, 0, "nothing was said"), ())
    if heard < debate.open.terms.quorum:
        return _made(debate, Consensus(NO_QUORUM, False, 0.0, 0, "quorum"), ())
    voted = consensus(debate, _weights(debate))
    findings = merge_findings(debate)
    if debate.open.script.format == "gauntlet":
        ended = gauntlet_result(debate)
        share = _share(debate, ended.decision)
        by = replace(
            voted,
            option=ended.decision,
            reached=ended.evidence,
            agreement=share,
            mechanism="attacks",
            contested=False,
        )
        return _made(debate, by, findings)
    if debate.open.template.findings:
        if is_cross_examined(debate):
            by_rule = _examined(debate, findings, voted)
        else:
            by_rule = _reviewed(debate, findings, voted)
        return _made(debate, by_rule, findings)
    voted = capped(debate, voted)
    made = _made(debate, voted, findings)
    leads = voted.option not in (NONE, TIE, CONTESTED)
    if leads and is_deadlocked(debate):
        return replace(made, decision=NONE, agreement=0.0)
    return made


def is_deadlocked(debate: Debate) -> bool:
    """Says whether the two sides of an adversarial debate ended apart."""
    return debate.open.script.format == "adversarial" and adversarial_status(debate) == DEADLOCKED


def _weights(debate: Debate) -> Mapping[SeatId, float]:
    """Returns the weight of each seat's vote from its model's resolved outcomes, 1 without any; a
    seat that changed its stance without naming a reason weighs half.

    Weights count in mode ``weighted`` alone, which people are told before the debate and in the
    verdict.
    """
    gave_way, known = conformists(debate), debate.open.terms.weights
    return {
        seat: known.get(seat, 1.0) * (0.5 if seat in gave_way else 1.0) for seat in debate.voters
    }


def _share(debate: Debate, decision: str) -> float:
    held = tuple(final_votes(debate).values())
    if not held or decision == NONE:
        return 0.0
    return sum(same_option(option, decision) for option in held) / len(held)


def _made(debate: Debate, by: Consensus, findings: tuple[MergedFinding, ...]) -> Verdict:
    adversarial = debate.open.script.format == "adversarial"
    status = adversarial_status(debate) if adversarial else debate.status
    return Verdict(
        decision=by.option,
        reached=by.reached,
        mechanism=by.mechanism,
        agreement=by.agreement,
        needed=debate.open.terms.quorum,
        present=len(debate.present),
        votes_needed=by.needed,
        leading=by.option,
        actions=_actions(debate, findings),
        contested=by.contested,
        status=status,
    )


def _reviewed(debate: Debate, findings: tuple[MergedFinding, ...], voted: Consensus) -> Consensus:
    """Decides by the rule over open findings, then by the vote where that is stricter."""
    ranked = sorted(debate.open.template.ballot, key=lambda o: o.strict)
    by_rule = _ruled(ranked, findings)
    by_vote = vote_at_least(debate, voted)
    chosen, mechanism = by_rule, "findings"
    if by_vote is not None and by_vote.strict > by_rule.strict:
        chosen, mechanism = by_vote, "findings, made stricter by the seats' vote"
    elif by_rule is ranked[0] and not voted.reached and not _more_approve(debate, by_rule):
        chosen, mechanism = _next(ranked), NOT_APPROVED
    if (allowed := capped_rule(debate, chosen)) is not chosen:
        chosen, mechanism = allowed, "findings, made stricter by code that nobody read"
    agreement = _share(debate, chosen.option)
    reached = agreement * len(debate.voters) >= voted.needed - 1e-9
    if voted.split:  # judges ruled: what they reached counts, not the seats' number
        reached = voted.reached and voted.option == chosen.option
        mechanism = f"{mechanism}; {voted.mechanism}"
    return replace(
        voted, option=chosen.option, reached=reached, agreement=agreement, mechanism=mechanism
    )


def _examined(debate: Debate, findings: tuple[MergedFinding, ...], voted: Consensus) -> Consensus:
    """Decides by the rule over cross-examined findings.

    The seats' openings can keep a change from being approved, and judges' rulings can make the
    decision stricter; no vote of seats blocks.
    """
    ranked = sorted(debate.open.template.ballot, key=lambda o: o.strict)
    chosen, mechanism = _ruled(ranked, findings), CROSS_EXAMINED
    by_vote = vote_at_least(debate, voted)
    if by_vote is not None and not voted.split:
        by_vote = min(by_vote, _next(ranked), key=lambda o: o.strict)
    if by_vote is not None and by_vote.strict > chosen.strict:
        chosen, mechanism = by_vote, f"{mechanism}, made stricter by the seats' vote"
    elif chosen is ranked[0] and not voted.reached and not _more_approve(debate, chosen):
        chosen, mechanism = _next(ranked), NOT_APPROVED
    if (allowed := capped_rule(debate, chosen)) is not chosen:
        chosen, mechanism = allowed, f"{mechanism}, made stricter by code that nobody read"
    reached = debate.stop is None or debate.stop.reason not in (EndReason.BUDGET, EndReason.HUMAN)
    if voted.split:
        reached = voted.reached and voted.option == chosen.option
        mechanism = f"{mechanism}; {voted.mechanism}"
    return replace(
        voted,
        option=chosen.option,
        reached=reached,
        agreement=_share(debate, chosen.option),
        mechanism=mechanism,
    )


def _ruled(ranked: list[Option], findings: tuple[MergedFinding, ...]) -> Option:
    """Returns the strictest option when a finding blocks, the mildest when no finding is open that
    stands in the material or is a grave claim without a place, and otherwise the option above the
    mildest.
    """
    if any(f.blocking for f in findings):
        return ranked[-1]
    if any(f.state is FindingState.OPEN and (f.evident or f.unplaced) for f in findings):
        return _next(ranked)
    return ranked[0]


def _next(ranked: list[Option]) -> Option:
    """Returns the option above the mildest."""
    return ranked[min(1, len(ranked) - 1)]


def _more_approve(debate: Debate, mildest: Option) -> bool:
    """Says whether more seats hold the mildest option than another one; also true where no seat
    holds any.
    """
    held = [option for option in final_votes(debate).values() if option != NONE]
    approve = held.count(mildest.option)
    return approve > len(held) - approve or not held


def same_option(one: str, other: str) -> bool:
    """Says whether a decision means an option, whatever their case: the gauntlet prints its scale
    in capitals.
    """
    return one.casefold() == other.casefold()


def label(option: str) -> str:
    """Writes an option as people read it."""
    return option.replace("_", " ")


def _actions(debate: Debate, findings: tuple[MergedFinding, ...]) -> tuple[str, ...]:
    """Returns the closing reply's action items, else the fixes of the findings that must be fixed,
    each as one line of plain text.
    """
    for turn, statement in reversed([*debate.statements()]):
        if turn.closing and statement.actions:
            return tuple(filter(None, (one_line(a) for a in statement.actions)))
    return tuple(one_line(f.wording.advice) for f in findings if f.blocking and f.wording.advice)


def blocks(debate: Debate, decision: str) -> bool:
    """Says whether ``--check`` fails: the ballot marks the decision as blocking, or nothing could
    be decided.
    """
    marked = any(o.blocks and same_option(o.option, decision) for o in debate.open.template.ballot)
    return marked or decision in (FAILED, NO_QUORUM, NO_EVIDENCE)


def adversarial_status(debate: Debate) -> str:
    """Returns pending | in_progress | consensus_reached | deadlocked | terminated | failed for the
    adversarial format.

    Two seats that hold the same option are not deadlocked, whatever a judge measured.
    """
    if debate.failure:
        return "failed"
    if not debate.started:
        return "pending"
    stopped = debate.stop.reason if debate.stop else None
    metrics = debate.metrics()
    if stopped is EndReason.CONSENSUS or (
        metrics and metrics[-1].agreement >= debate.open.terms.threshold
    ):
        return AGREED
    if stopped in (EndReason.HUMAN, EndReason.BUDGET):
        return "terminated"
    if stopped in (EndReason.ERROR, EndReason.NO_QUORUM):
        return "failed"
    if not debate.over and not debate.all_settled(debate.turns):
        return "in_progress"
    if not metrics:
        return "failed"
    if consensus(debate, _weights(debate)).reached:
        return AGREED
    return DEADLOCKED


def end_reason(debate: Debate) -> EndReason:
    """Returns why the debate ends, once every turn is settled."""
    if debate.failure:
        return EndReason.ERROR
    if debate.stop is not None and debate.stop.reason in (EndReason.HUMAN, EndReason.BUDGET):
        return debate.stop.reason
    heard = len(debate.present)
    if heard == 0:
        return EndReason.ERROR
    if heard < debate.open.terms.quorum or why_no_quorum(debate):
        return EndReason.NO_QUORUM
    if debate.stop is not None:
        return debate.stop.reason
    return EndReason.COMPLETED
