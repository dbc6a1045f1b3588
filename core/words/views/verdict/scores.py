"""Collects scores: the judges' per criterion, their measurements of an adversarial debate, and
counts over findings, never numbers from free text.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from statistics import median

from core.debate.finding import Severity
from core.debate.replies.tasks import TASKS
from core.debate.script import Duty
from core.debate.state import Debate
from core.debate.verdict import AGREED, verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.languages import decimal, msgid, percent, say
from core.words.views.language.grammar import capital, option_words

NOT_ASSESSED = msgid("not assessed")
_RISK = {Severity.LOW: 0.1, Severity.MEDIUM: 0.3, Severity.HIGH: 0.6, Severity.CRITICAL: 0.9}


def scores(debate: Debate) -> dict[str, float]:
    """Returns criterion -> [0, 1], only criteria of the rubric, only from seats that judge; of
    several judges the median of their first scores, or of those after an objection.
    """
    given: dict[str, dict[str, float]] = {}
    judging = [s.id for s in debate.open.script.seats if s.duty in (Duty.JUDGE, Duty.CHAIR)]
    for turn, statement in debate.statements(judging):
        for criterion, value in statement.scores.items():
            by_seat = given.setdefault(criterion, {})
            by_seat[turn.seat] = value if turn.after_verdict else by_seat.get(turn.seat, value)
    return {
        criterion: median(given[criterion].values())
        for criterion in debate.open.template.rubric
        if criterion in given
    }


def score_rows(debate: Debate) -> tuple[tuple[str, str, str], ...]:
    """Returns criterion, weight and score out of 10 of a rubric, if any of it was scored."""
    given, rubric = scores(debate), debate.open.template.rubric
    if not given:
        return ()
    texts = {criterion: decimal(10 * score, 1) for criterion, score in given.items()}
    return tuple(
        (option_words(name), percent(weight), texts.get(name, say(NOT_ASSESSED)))
        for name, weight in rubric.items()
    )


def reading_rows(debate: Debate) -> tuple[tuple[str, ...], ...]:
    """Returns round, agreement, resolution, evidence and feasibility as a judge measured them, and
    the risks that it named; one row for each measured round of an adversarial debate.
    """
    return tuple(
        (
            say("Round {round}", round=turn.round + 1),
            decimal(read.agreement),
            decimal(read.resolution_quality),
            decimal(read.evidence_strength),
            decimal(read.feasibility),
            ", ".join(
                f"{option_words(name)} {decimal(value)}" for name, value in read.risks.items()
            ),
        )
        for turn, statement in debate.statements()
        if (read := statement.metrics) is not None
    )


def status_sentence(debate: Debate) -> str:
    """Describes how an adversarial debate ended; empty for any other. A judge may measure an
    agreement that the seats' own votes do not show.
    """
    if debate.open.script.format != "adversarial":
        return ""
    decided = verdict(debate)
    if decided.status == AGREED and not decided.reached:
        return say("The judge measured agreement; the seats' own votes do not show it.")
    return f"{capital(option_words(decided.status))}."


def why_unscored(debate: Debate) -> str:
    """Explains why a report with a rubric has no scores; "" if it has some, or no rubric."""
    if not debate.open.template.rubric or scores(debate):
        return ""
    judging = [t for t in debate.turns if "scores" in TASKS[t.task].asks]
    if judging and any(t.id in debate.started for t in judging):
        return say("Not assessed: the seats that were to score it gave no score.")
    if judging:
        return say("Not assessed: the debate ended before its scores were due.")
    if not debate.open.template.findings:
        return say("Not assessed: no seat was due to score it.")
    by_findings = ""
    if "{risk_score}" in debate.open.template.output_format:
        by_findings = say(" The risk score is worked out from the open findings.")
    return say(
        "Not assessed: findings and votes decide a review, so it has no scores. "
        "With `--consensus judge` a judge does.{by_findings}",
        by_findings=by_findings,
    )


def asked_for_findings(debate: Debate) -> bool:
    """True if some seat could report a finding that counts: it was asked for findings, and the
    material has lines to cite.
    """
    if any(f.evident for f in merge_findings(debate)):
        return True
    was_due = any("findings" in TASKS[turn.task].asks for turn, _ in debate.statements())
    return was_due and bool(debate.open.material.hunks)


def risk(findings: Iterable[MergedFinding]) -> float:
    """Returns the risk of the open findings from 0 to 10: the chance that at least one of them does
    harm, each with its severity's weight times its confidence as its chance.
    """
    return 10 * (
        1
        - prod(
            1 - _RISK[f.wording.severity] * f.wording.confidence
            for f in findings
            if f.state is FindingState.OPEN and f.evident
        )
    )


def risk_level(debate: Debate) -> str:
    """Returns the severity of the worst open finding that counts, else "none found", or "not
    assessed" if no seat was asked for findings.
    """
    open_ones = [
        f.wording.severity
        for f in merge_findings(debate)
        if f.state is FindingState.OPEN and f.evident
    ]
    if open_ones:
        return max(open_ones, key=lambda s: s.rank).value
    if asked_for_findings(debate):
        return say("none found")
    return say(NOT_ASSESSED)
