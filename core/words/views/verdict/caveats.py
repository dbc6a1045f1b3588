"""Warns readers of what limits a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.debate.checks import run_checks
from core.debate.script import Duty, SeatId
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.delta import conformists
from core.debate.verdict.families import family
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.quorum import lost_seats
from core.languages import msgid, say_if
from core.words.views.language.grammar import listed
from core.words.views.language.seats import seat_name
from core.words.views.verdict.coverage import not_read_warning
from core.words.views.verdict.decision import DEMONSTRATION
from core.words.views.verdict.rule import otherwise
from core.words.views.verdict.stances import divided_sentence, too_few_sentence


def warnings(debate: Debate, people: Mapping[str, int]) -> tuple[str, ...]:
    """Returns plain sentences, the gravest first; ``people`` are people's votes on the verdict."""
    conforming = conformists(debate)
    gave_way = _named(debate, [s for s in debate.voters if s in conforming])
    gone = _named(debate, [s for s in lost_seats(debate) if s in debate.present])
    unproven = verdict(debate).agreement > 0.5 and not _evidence(debate)
    sentences = (
        say_if(debate.open.terms.demo, DEMONSTRATION),
        say_if(
            unproven,
            msgid("No seat quoted or cited anything: these are opinions without evidence."),
        ),
        say_if(
            _one_family(debate),
            msgid("All seats are models of one family, so their agreement proves less."),
        ),
        say_if(gone, msgid("Stopped answering, so their last stance counts: {named}."), named=gone),
        say_if(gave_way, msgid("Changed sides without naming a reason: {named}."), named=gave_way),
        not_read_warning(debate),
        too_few_sentence(people),
        divided_sentence(people),
        say_if(
            any(f.maintainer for f in merge_findings(debate)),
            msgid(
                "People dispute a severe security finding; a named maintainer must publish the "
                "review."
            ),
        ),
        say_if(_unclosed(debate), msgid("The closing turn failed, so the report has gaps.")),
        otherwise(debate),
    )
    return (*run_checks(debate).warnings, *filter(None, sentences))


def _named(debate: Debate, seats: Sequence[SeatId]) -> str:
    names = [seat_name(debate, seat) for seat in seats]
    if debate.open.script.blind:
        names.sort()
    return listed(names)


def _evidence(debate: Debate) -> bool:
    """True if any claim has a verified quotation or source, or an open finding has a place in the
    material.
    """
    findings = merge_findings(debate)
    if any(f.wording.anchored and f.state is FindingState.OPEN for f in findings):
        return True
    for _, statement in debate.statements():
        quoted = any(c.quote and c.id not in statement.unverified for c in statement.claims)
        if quoted or any(a.quote for a in statement.answers) or statement.sources:
            return True
        if statement.argument is not None and statement.argument.evidence:
            return True
    return False


def _one_family(debate: Debate) -> bool:
    """True if two or more seats spoke and all their models, as really used, are of one family."""
    last = {
        turn.seat: debate.models[turn.id]
        for turn, _ in debate.statements(debate.voters)
        if debate.models.get(turn.id)
    }
    named = debate.open.terms.families
    families = {named.get(model) or family(model) for model in last.values()}
    return len(last) > 1 and len(families) == 1 and not debate.open.terms.demo


def _unclosed(debate: Debate) -> bool:
    closing = [
        t
        for t in debate.turns
        if t.closing and debate.open.script.seat(t.seat).duty is not Duty.JUDGE
    ]
    spoken = any(t.id in debate.finished for t in closing)
    spared = debate.ended_early is not None and not debate.ended_early.closing
    left_to_code = bool(closing) and all(t.id in debate.skipped for t in closing)
    missed = bool(closing) and not (spoken or spared or left_to_code or debate.lost)
    return missed and debate.all_settled(closing)
