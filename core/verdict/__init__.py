"""The decision, computed. The same events give the same verdict everywhere, and no model has a say
in it but by its typed replies.

Code review goes by a rule over findings that the seats' votes can make stricter and never softer;
the gauntlet by how its attacks ended; everything else by consensus. Where too few seats could be
heard there is no decision to be had at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.debate import Debate, once
from core.events import EndReason
from core.material.plaintext import one_line
from core.script import SeatId
from core.template import Mode, Option
from core.verdict.consensus import CONTESTED, TIE, Consensus, consensus, vote_at_least
from core.verdict.delta import conformists
from core.verdict.findings import MergedFinding, State, merge_findings
from core.verdict.gauntlet import NO_EVIDENCE, gauntlet_result
from core.verdict.quorum import why_no_quorum
from core.verdict.unread import capped, capped_rule, unread_line
from core.verdict.votes import NONE, final_votes

FAILED = "failed"
NO_QUORUM = "no_quorum"
DEMONSTRATION = "Demonstration (no judgement to rely on)"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``agreement`` is the share of all entitled seats whose final stance is ``decision`` (in a
    tie, the share of each that leads); ``reached`` says that it is as large as required, or, in the
    gauntlet, that there is evidence.

    A decision may stand without being reached: a rule made it, or it only leads. ``needed`` and
    ``present`` are the quorum, in seats. ``status`` is the adversarial status in that format, else
    the debate's.
    """

    decision: str
    reached: bool
    mechanism: str
    agreement: float
    needed: int
    present: int
    summary: str
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
    """What the debate decides as it stands. Raises ``Refused`` before the opening."""
    heard = len(debate.present)
    if heard == 0:
        why = "Nothing readable came from any seat, so nothing is decided."
        return _made(debate, Consensus(FAILED, False, 0.0, 0, "nothing was said"), why, ())
    if heard < debate.open.terms.quorum:
        seats, needed = len(debate.voters), debate.open.terms.quorum
        why = (
            f"No quorum: {heard} of {seats} seats could be heard, {needed} are needed. Nothing "
            "is decided."
        )
        return _made(debate, Consensus(NO_QUORUM, False, 0.0, 0, "quorum"), why, ())
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
        return _made(debate, by, ended.summary, findings)
    if debate.open.template.findings:
        by_rule = _reviewed(debate, findings, voted)
        return _made(debate, by_rule, _review_summary(debate, by_rule, findings), findings)
    voted = capped(debate, voted)
    return _made(debate, voted, _vote_summary(debate, voted), findings)


def _weights(debate: Debate) -> Mapping[SeatId, float]:
    """What resolved outcomes say of the seats' models, 1 without any; a seat that gave way without
    naming a reason weighs half of it. Counts where weights count at all.
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


def _made(
    debate: Debate, by: Consensus, summary: str, findings: tuple[MergedFinding, ...]
) -> Verdict:
    adversarial = debate.open.script.format == "adversarial"
    status = adversarial_status(debate) if adversarial else debate.status
    return Verdict(
        decision=by.option,
        reached=by.reached,
        mechanism=by.mechanism,
        agreement=by.agreement,
        needed=debate.open.terms.quorum,
        present=len(debate.present),
        summary=f"{DEMONSTRATION}: {summary}" if debate.open.terms.demo else summary,
        actions=_actions(debate, findings),
        contested=by.contested,
        status=status,
    )


def _reviewed(debate: Debate, findings: tuple[MergedFinding, ...], voted: Consensus) -> Consensus:
    """The rule over open findings, then the vote where that is stricter."""
    ranked = sorted(debate.open.template.ballot, key=lambda o: o.strict)
    by_rule = _ruled(ranked, findings)
    by_vote = vote_at_least(debate, voted)
    chosen, mechanism = by_rule, "findings"
    if by_vote is not None and by_vote.strict > by_rule.strict:
        chosen, mechanism = by_vote, "findings, made stricter by the seats' vote"
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


def _ruled(ranked: list[Option], findings: tuple[MergedFinding, ...]) -> Option:
    """The strictest option when a finding blocks, the mildest when none is open that stands in the
    material, the one above the mildest otherwise.
    """
    if any(f.blocking for f in findings):
        return ranked[-1]
    if any(f.state is State.OPEN and f.evident for f in findings):
        return ranked[min(1, len(ranked) - 1)]
    return ranked[0]


_CALLED = {
    "request_changes": "Changes requested",
    "comment": "Comments only",
    "approve": "Approved",
}


def _review_summary(debate: Debate, by: Consensus, findings: tuple[MergedFinding, ...]) -> str:
    fix = sum(f.blocking for f in findings)
    contested = sum(f.contested and f.evident for f in findings)
    think = sum(f.state is State.OPEN and f.evident for f in findings) - fix - contested
    counts = [
        f"{n} {what}"
        for n, what in (
            (fix, "to fix"),
            (think, "to think about"),
            (contested, "contested"),
            (sum(f.state is State.WITHDRAWN for f in findings), "withdrawn"),
            (sum(f.state is State.DISPUTED for f in findings), "disputed by people"),
            (sum(f.state is State.OPEN and not f.evident for f in findings), "not counted"),
        )
        if n
    ]
    said = [
        (
            f"{_CALLED.get(by.option, label(by.option).capitalize())}: "
            f"{', '.join(counts) or 'no findings'}."
        )
    ]
    if "seats' vote" in by.mechanism:
        said.append("The seats' vote is stricter than the findings alone.")
    if any(f.maintainer for f in findings):
        said.append(
            "People dispute a severe security finding: only a named maintainer may publish this "
            "review."
        )
    return " ".join([*said, *_contest(by), *_missing(debate), unread_line(debate)]).strip()


def _vote_summary(debate: Debate, by: Consensus) -> str:
    entitled = len(debate.voters)
    votes = round(by.agreement * entitled)
    match by.option:
        case "none" if "judge" in by.mechanism:
            said = "No decision: no judge ruled."
        case "none":
            said = "No decision: no seat holds an option."
        case "contested":
            said = "Contested: a judge ruled differently when the order was swapped."
        case "tie":
            said = f"A tie: {votes} of {entitled} seats each. Nothing is decided."
        case option if by.reached:
            said = f"{label(option).capitalize()}: {votes} of {entitled} seats, {by.needed} needed."
        case option:
            said = (
                f"Not reached: {label(option)} leads with {votes} of {entitled} seats, "
                f"{by.needed} needed."
            )
    if by.option not in (NONE, TIE, CONTESTED) and by.mechanism not in (m.value for m in Mode):
        said += f" By {by.mechanism}."
    return " ".join([said, *_contest(by), *_missing(debate), unread_line(debate)]).strip()


def _contest(by: Consensus) -> list[str]:
    if not by.contested or by.option == CONTESTED:
        return []
    return ["Contested: judges and seats, or a judge with itself, do not agree."]


def _missing(debate: Debate) -> list[str]:
    here, tried = set(debate.present), {t.seat for t in debate.turns if t.id in debate.failed}
    gone = [
        label(debate.open.script.seat(s).role)
        for s in debate.voters
        if s in tried and s not in here
    ]
    if gone:
        return [f"Not heard: {', '.join(gone)}."]
    return []


def same_option(one: str, other: str) -> bool:
    """Whether a decision is an option: the gauntlet prints its scale in capitals."""
    return one.casefold() == other.casefold()


def label(option: str) -> str:
    """An option as people read it."""
    return option.replace("_", " ")


def _actions(debate: Debate, findings: tuple[MergedFinding, ...]) -> tuple[str, ...]:
    """The closing reply's action items, else the fixes of what must be fixed; each one line of
    plain text.
    """
    for turn, statement in reversed([*debate.statements()]):
        if turn.closing and statement.actions:
            return tuple(filter(None, (one_line(a) for a in statement.actions)))
    return tuple(
        f"{one_line(f.shown.advice)} ({f.id})" for f in findings if f.blocking and f.shown.advice
    )


def blocks(debate: Debate, decision: str) -> bool:
    """Whether ``--check`` fails: the decision is marked so on the ballot, or nothing could be
    decided.
    """
    marked = any(o.blocks and same_option(o.option, decision) for o in debate.open.template.ballot)
    return marked or decision in (FAILED, NO_QUORUM, NO_EVIDENCE)


def adversarial_status(debate: Debate) -> str:
    """pending | in_progress | consensus_reached | deadlocked | terminated | failed, for the
    adversarial format.
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
        return "consensus_reached"
    if stopped in (EndReason.HUMAN, EndReason.BUDGET):
        return "terminated"
    if stopped in (EndReason.ERROR, EndReason.NO_QUORUM):
        return "failed"
    if not debate.over and not debate.all_settled(debate.turns):
        return "in_progress"
    if metrics:
        return "deadlocked"
    return "failed"


def end_reason(debate: Debate) -> EndReason:
    """Why the debate ends, once every turn is settled."""
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
