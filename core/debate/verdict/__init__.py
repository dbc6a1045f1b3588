"""Computes the decision: the same events give the same verdict everywhere, and models influence it
only by their typed replies.

A code review is decided by one rule over its findings and the seats' votes
(``core.debate.verdict.findings.rule``); the gauntlet by how its attacks ended; everything else by
consensus. If too few seats answered there is no decision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.debate.events import EndReason
from core.debate.state import Debate, once
from core.debate.stored import stored
from core.debate.template import Option
from core.debate.verdict.consensus import (
    CONTESTED,
    TIE,
    Consensus,
    consensus,
)
from core.debate.verdict.findings import blocking_votes, merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.findings.rule import Ruling, decide
from core.debate.verdict.gauntlet import NO_EVIDENCE, gauntlet_result
from core.debate.verdict.quorum import why_no_quorum
from core.debate.verdict.unread import approves_unread
from core.debate.verdict.votes import NONE, final_votes

FAILED = "failed"
NO_QUORUM = "no_quorum"
DEADLOCKED = "deadlocked"
AGREED = "consensus_reached"
_BY_JUDGES = stored("made stricter by the judges")
_BY_CODE = stored("made stricter by code that nobody read")
BY_POINTS = stored("findings: what must be fixed")
BY_VOTES = stored("findings and votes: most seats block")
NONE_BLOCKS = stored("findings: none must be fixed")
NOT_APPROVED = stored("findings; the seats do not approve")
"""The mechanism of a verdict in which nothing must be fixed and at most half of the seats
approve.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The computed decision.

    ``agreement`` is the share of all entitled seats whose final stance is ``decision`` (in a tie,
    the share of each leading option); ``reached`` means that it is as large as required or, in the
    gauntlet, that there is evidence. A decision may be shown without being reached: it follows from
    a rule, or it only leads. ``leading`` is the leading option, even if there is no decision, and
    ``votes_needed`` the number of seats that would have to hold it. ``status`` is the adversarial
    status in that format, else the debate's. ``close`` is set if one seat's answers decide a
    review.
    """

    decision: str
    reached: bool
    mechanism: str
    agreement: float
    votes_needed: int
    leading: str
    contested: bool = False
    status: str = ""
    close: bool = False


@once
def verdict(debate: Debate) -> Verdict:
    """Computes what the debate decides so far. Raises ``Refused`` before the opening."""
    heard = len(debate.present)
    if heard == 0:
        return _made(debate, Consensus(FAILED, False, 0.0, 0, stored("nothing was said")))
    if heard < debate.open.terms.quorum:
        return _made(debate, Consensus(NO_QUORUM, False, 0.0, 0, stored("quorum")))
    voted = consensus(debate)
    findings = merge_findings(debate)
    if debate.open.script.format == "gauntlet":
        ended = gauntlet_result(debate)
        by = replace(
            voted,
            option=ended.decision,
            reached=ended.evidence,
            agreement=_share(debate, ended.decision),
            mechanism=stored("attacks"),
            contested=False,
        )
        return _made(debate, by)
    if debate.open.template.findings:
        made = _made(debate, _reviewed(debate, findings, voted))
        ruled = ruling(debate)
        kept = _is_marked(debate, made.decision) is ruled.blocks  # not made stricter
        return replace(made, close=ruled.close and kept)
    if approves_unread(debate, voted.option):
        voted = replace(voted, reached=False)
    made = _made(debate, voted)
    leads = voted.option not in (NONE, TIE, CONTESTED)
    if leads and is_deadlocked(debate):
        return replace(made, decision=NONE, agreement=0.0)
    return made


def is_deadlocked(debate: Debate) -> bool:
    """True if the two sides of an adversarial debate ended apart."""
    return debate.open.script.format == "adversarial" and adversarial_status(debate) == DEADLOCKED


def count_holding(debate: Debate, option: str) -> int:
    """Counts the seats that hold an option at the end."""
    return sum(same_option(held, option) for held in final_votes(debate).values())


def _share(debate: Debate, decision: str) -> float:
    if not debate.voters or decision == NONE:
        return 0.0
    return count_holding(debate, decision) / len(debate.voters)


def _made(debate: Debate, by: Consensus) -> Verdict:
    status = str(debate.status)
    if debate.open.script.format == "adversarial":
        status = adversarial_status(debate)
    return Verdict(
        decision=by.option,
        reached=by.reached,
        mechanism=by.mechanism,
        agreement=by.agreement,
        votes_needed=by.needed,
        leading=by.option,
        contested=by.contested,
        status=status,
    )


@once
def ruling(debate: Debate) -> Ruling:
    """Returns what the rule of a review says about the debate so far."""
    findings = merge_findings(debate)
    votes = {str(seat): vote for seat, vote in blocking_votes(debate, findings).items()}
    return decide(votes, [m.point for m in findings])


def _reviewed(debate: Debate, findings: tuple[MergedFinding, ...], voted: Consensus) -> Consensus:
    """Decides by the rule over findings and votes; judges' rulings and code that nobody read can
    make the decision stricter.
    """
    ranked = sorted(debate.open.template.ballot, key=lambda o: o.strict)
    ruled = ruling(debate)
    if ruled.blocks:
        chosen = next((o for o in ranked if o.blocks), ranked[-1])
        mechanism = BY_POINTS if ruled.points else BY_VOTES
    else:
        chosen, mechanism = _passing(debate, ranked, findings)
    ruled_for = [o for o in ranked if voted.split and voted.reached and o.option == voted.option]
    if ruled_for and ruled_for[0].strict > chosen.strict:
        chosen, mechanism = ruled_for[0], f"{mechanism}, {_BY_JUDGES}"
    if approves_unread(debate, chosen.option):
        chosen = next(o for o in ranked if o.strict > chosen.strict)
        mechanism = f"{mechanism}, {_BY_CODE}"
    early = debate.ended_early
    reached = early is None or early.reason not in (EndReason.BUDGET, EndReason.HUMAN)
    if voted.split:
        reached = voted.reached and voted.option == chosen.option
        mechanism = f"{mechanism}; {voted.mechanism}"
    return replace(
        voted,
        option=chosen.option,
        reached=reached,
        agreement=_share(debate, chosen.option),
        mechanism=mechanism,
        contested=voted.contested or any(m.contested for m in findings),
    )


def _passing(
    debate: Debate, ranked: list[Option], findings: tuple[MergedFinding, ...]
) -> tuple[Option, str]:
    """Returns the decision of a review in which nothing blocks: the mildest option if more seats
    hold it than another one, no seat asks to block and nothing that would block is left open; else
    the next one.
    """
    mildest, following = ranked[0], ranked[min(1, len(ranked) - 1)]
    asking = any(blocking_votes(debate, findings).values())
    if asking or any(_is_in_the_way(m) for m in findings):
        return following, NONE_BLOCKS
    if not _more_approve(debate, mildest):
        return following, NOT_APPROVED
    return mildest, NONE_BLOCKS


def _is_in_the_way(finding: MergedFinding) -> bool:
    """Return whether nothing is approved over the finding: someone still wants it fixed, code
    proved it, or no seat answered what a scanner reported.
    """
    if finding.state is not FindingState.OPEN or finding.bar is not None:
        return False
    unanswered = finding.scanned and not finding.reasons
    wanted = bool(finding.point.fix) and finding.evident
    return wanted or finding.proven or finding.unplaced or unanswered


def _more_approve(debate: Debate, mildest: Option) -> bool:
    """Return whether more seats hold the mildest option than another one; also true if no seat
    holds any.
    """
    held = [option for option in final_votes(debate).values() if option != NONE]
    approve = held.count(mildest.option)
    return approve > len(held) - approve or not held


def same_option(one: str, other: str) -> bool:
    """True if a decision means an option, whatever their case: the gauntlet prints its scale in
    capitals.
    """
    return one.casefold() == other.casefold()


def label(option: str) -> str:
    """Writes an option as people read it."""
    return option.replace("_", " ")


def blocks(debate: Debate, decision: str) -> bool:
    """Return whether ``--check`` fails: the ballot marks the decision as blocking, or nothing could
    be decided.
    """
    return _is_marked(debate, decision) or decision in (FAILED, NO_QUORUM, NO_EVIDENCE)


def _is_marked(debate: Debate, decision: str) -> bool:
    return any(same_option(option, decision) for option in debate.open.template.blocking)


def adversarial_status(debate: Debate) -> str:
    """Returns pending | in_progress | consensus_reached | deadlocked | terminated | failed for the
    adversarial format.

    Two seats that hold the same option are not deadlocked, whatever a judge measured.
    """
    if debate.failure:
        return "failed"
    if not debate.started:
        return "pending"
    stopped = debate.ended_early.reason if debate.ended_early else None
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
    if consensus(debate).reached:
        return AGREED
    return DEADLOCKED


def end_reason(debate: Debate) -> EndReason:
    """Returns why the debate ends, once every turn is settled; one that an objection reopened has
    ended before, and the reason remains.
    """
    if debate.failure:
        return EndReason.ERROR
    if debate.endings:
        return debate.endings[0].concluded.because
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
