"""Writes the sentences that qualify a decision, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.debate.script import TurnId
from core.debate.state import Debate
from core.debate.template import Mode
from core.debate.verdict import (
    FAILED,
    NO_QUORUM,
    verdict,
)
from core.debate.verdict.consensus import CONTESTED, mode_of
from core.debate.verdict.delta import conformists
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.gauntlet import gauntlet_result
from core.languages import say, say_many
from core.words.views.language.grammar import listed
from core.words.views.language.seats import role_words
from core.words.views.ledger import barred_counts, converging_sentence, remark_lines
from core.words.views.verdict.coverage import unread_sentence


def qualifications(debate: Debate) -> Iterator[str]:
    decided = verdict(debate)
    if decided.decision in (FAILED, NO_QUORUM):
        return
    if debate.open.script.format == "gauntlet":
        if ungraded := gauntlet_result(debate).ungraded:
            yield say_many(
                ungraded,
                "{n} attack was made but not graded.",
                "{n} attacks were made but not graded.",
            )
        return
    if debate.open.template.findings:
        yield from _about_findings(debate)
    yield from _halved(debate)
    judged = "judge" in decided.mechanism or not debate.open.template.findings
    if decided.contested and decided.leading != CONTESTED and judged:
        yield say(
            "Contested: judges and seats disagree, or a judge ruled differently the second time."
        )
    tried = {t.seat for t in debate.turns if t.id in debate.failed} - {*debate.present}
    if gone := [role_of(debate, seat) for seat in debate.voters if seat in tried]:
        yield say("Not heard: {gone}.", gone=listed(gone))
    if line := unread_sentence(debate):
        yield line


def _about_findings(debate: Debate) -> Iterator[str]:
    findings = merge_findings(debate)
    if verdict(debate).close:
        yield say("Close: one seat decides.")
    yield from _besides(findings)
    if barred := [*barred_counts(findings)]:
        yield say("Blocks nothing: {barred}.", barred=", ".join(barred))
    yield from remark_lines(debate, findings)
    if converging := converging_sentence(debate.open.material):
        yield converging
    if late := sum(_is_unanswered(debate, m) for m in findings):
        yield say_many(
            late,
            "{n} finding was raised late, and nobody answered.",
            "{n} findings were raised late, and nobody answered.",
        )
    if any(f.maintainer for f in findings):
        yield say(
            "People dispute a severe security finding: only a named maintainer may publish this "
            "review."
        )


def _besides(findings: Sequence[MergedFinding]) -> Iterator[str]:
    open_ones = [
        f for f in findings if f.state is FindingState.OPEN and not f.blocking and f.bar is None
    ]
    blocked, evident = any(f.blocking for f in findings), any(f.evident for f in open_ones)
    contested = sum(f.evident and f.contested for f in open_ones)
    counts = (
        (sum(f.evident and not f.contested for f in open_ones) * blocked, say("to think about")),
        (contested * blocked, say("contested")),
        (sum(f.state is FindingState.WITHDRAWN for f in findings), say("withdrawn")),
        (sum(f.state is FindingState.DISPUTED for f in findings), say("disputed by people")),
        (sum(f.unplaced for f in findings) * (blocked or evident), say("that could not be placed")),
        (sum(not f.evident and not f.unplaced for f in open_ones), say("not counted")),
    )
    if contested and not blocked:
        yield say_many(contested, "{n} finding is contested.", "{n} findings are contested.")
    if lines := [f"{n} {what}" for n, what in counts if n]:
        yield say("Besides: {lines}.", lines=", ".join(lines))


def _is_unanswered(debate: Debate, finding: MergedFinding) -> bool:
    opened = {t.id for t in debate.turns if t.independent}
    spoken = {t.id: t for t in debate.turns}
    raised = {TurnId(id.rpartition(".f")[0]) for id in finding.ids}
    late = bool(raised & spoken.keys()) and not raised & opened
    return finding.state is FindingState.OPEN and late and not finding.debated


def _halved(debate: Debate) -> Iterator[str]:
    gave_way = conformists(debate)
    names = [role_of(debate, s) for s in debate.voters if s in gave_way]
    if names and mode_of(debate) is Mode.WEIGHTED:
        yield say(
            "Counted half, for changing sides without naming what moved them: {names}.",
            names=listed(names),
        )


def role_of(debate: Debate, seat: str) -> str:
    roles = (s.role for s in debate.open.script.seats if s.id == seat)
    return role_words(next(roles, seat))
