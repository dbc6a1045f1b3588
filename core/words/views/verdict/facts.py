"""Lists the facts of a verdict as label and text, in the order in which people ask for them: what
the debate changed, the dissent, the votes, and the files that were not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.debate.events import EndReason
from core.debate.replies import Grade
from core.debate.state import Debate
from core.debate.verdict.action_items import action_items
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.gauntlet import graded_attacks
from core.debate.verdict.votes import NONE, count_people, final_votes, tally
from core.languages import msgid, say
from core.languages.stored import say_stored
from core.words.views.history import ON_FORGE, gate_sentence
from core.words.views.language.grammar import capital, counted, plural, shortened
from core.words.views.language.seats import models_line, seat_name
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.coverage import not_read_line
from core.words.views.verdict.decision import DEMONSTRATION, decision
from core.words.views.verdict.dissent import BECAUSE, WHO, WHO_MOST, because_line, disagreement
from core.words.views.verdict.ending import why_lost
from core.words.views.verdict.findings import PEOPLE, deciding, unplaced_line
from core.words.views.verdict.objection import OBJECTION, objection_line
from core.words.views.verdict.stances import NOBODY_MOVED, moves_in_words, opinion_lines

Fact = tuple[str, str]

WARNING, SEATS = msgid("Warning"), msgid("Seats")
"""The label of a fact that a reader must not miss."""
FIRST = (OBJECTION, BECAUSE, WHO, WHO_MOST)
"""The labels of the facts that come directly after the decision."""
ATTACHED = msgid("the report is attached")
DECIDED_BY = msgid("Decided by")
"""The label of the finding on which a decision is based."""
_ATTACKS, _CHANGES, _ACTIONS = 5, 3, 3
_GRADES = {Grade.BROKEN: msgid("Broke through"), Grade.PARTLY: msgid("Held off in part")}


def more_in_report(rest: int) -> str:
    """Returns the text in place of the facts for which a thread has no room."""
    return say("and {rest} more in the report", rest=rest)


def verdict_facts(debate: Debate, people: str) -> Iterator[Fact]:
    """Returns labels and texts; ``people`` is the surface's own line about people's votes ("" if
    the surface shows none).
    """
    yield from first_facts(debate)
    if not any(m.blocking for m in deciding(debate)):
        yield from _actions(debate)
    yield from _attacks(debate)
    if not debate.lost:
        yield from _of_debate(debate, people)
    for text in warnings(debate, count_people(debate)):
        if text != say(DEMONSTRATION):
            yield say(WARNING), shortened(text, 200)


def first_facts(debate: Debate) -> Iterator[Fact]:
    """Returns what the last objection came to, the reason of the decision if no finding gives it,
    the dissent, and whether it blocks on the forge; of a debate without a verdict why it has none.
    Nobody disagrees with a verdict that is not clear.
    """
    if line := objection_line(debate):
        yield say(OBJECTION), capital(line)
    if debate.lost:
        if why := why_lost(debate):
            yield say(BECAUSE), why
        return
    if because := because_line(debate):
        yield say(BECAUSE), because
    label, line = disagreement(debate)
    if label and decision(debate).clear:
        yield label, line
    if sentence := gate_sentence(debate):
        yield say(ON_FORGE), sentence


def _of_debate(debate: Debate, people: str) -> Iterator[Fact]:
    yield say("Changed by the debate"), _changes(debate)
    votes = final_votes(debate)
    if any(option != NONE for option in votes.values()):
        yield say(SEATS), counted(tally(votes.values(), debate.open.template.ballot))
    if people:
        yield say(PEOPLE), people
    for line in opinion_lines(debate):
        yield say("People on a statement"), line
    if debate.rated:
        of = plural(len(debate.rated), "person", "people")
        yield (
            say("Useful"),
            say(
                "to {count_ratings} of {of}", count_ratings=debate.count_ratings(useful=True), of=of
            ),
        )
    if line := not_read_line(debate):
        yield say("Not read"), line
    open_ones = [
        m for m in merge_findings(debate) if not m.evident and m.state is FindingState.OPEN
    ]
    unplaced = [m for m in open_ones if m.unplaced and debate.open.template.findings]
    if line := unplaced_line(debate, unplaced):
        yield say("Not placed, so no approval"), line
    if line := unplaced_line(debate, [m for m in open_ones if m not in unplaced]):
        yield say("Not counted"), line
    if (stop := debate.ended_early) is not None and (
        not stop.closing
        or stop.reason is EndReason.BUDGET
        or (stop.reason is EndReason.CONSENSUS and stop.detail)
    ):
        yield say("Ended early"), say_stored(stop.detail)


def _attacks(debate: Debate) -> list[Fact]:
    """Returns the attacks on which a gauntlet's verdict is based: those that were not held off."""
    if debate.open.script.format != "gauntlet":
        return []
    rows, graded = [], graded_attacks(debate)
    for turn, statement in debate.statements():
        label = say(_GRADES.get(graded.get(turn.id, Grade.DEFENDED), ""))
        points = [
            *(f.title for f in statement.findings),
            *(c.text for c in statement.claims),
            statement.text,
        ]
        if label:
            rows.append((label, f"{shortened(points[0], 160)} ({seat_name(debate, turn.seat)})"))
    return sorted(rows, key=lambda each: list(_GRADES.values()).index(each[0]))[:_ATTACKS]


def _actions(debate: Debate) -> Iterator[Fact]:
    items = action_items(debate)
    for item in items[:_ACTIONS]:
        yield say("To do"), shortened(item, 160)
    if len(items) > _ACTIONS:
        yield say("To do"), more_in_report(len(items) - _ACTIONS)


def _changes(debate: Debate) -> str:
    moves = moves_in_words(debate)
    reasons: dict[str, list[str]] = {}
    for _, who, change, reason in moves[:_CHANGES]:
        reasons.setdefault(reason, []).append(f"{who}: {change}")
    lines = [f"{', '.join(moved)} ({reason})" for reason, moved in reasons.items()]
    if len(moves) > _CHANGES:
        lines.append(say("{count} more in the report", count=len(moves) - _CHANGES))
    if withdrawn := sum(m.state is FindingState.WITHDRAWN for m in merge_findings(debate)):
        lines.append(say("{findings} withdrawn", findings=plural(withdrawn, "finding")))
    return "; ".join(lines) or say(NOBODY_MOVED)


def heard_line(debate: Debate) -> str:
    """Counts the seats that answered if some did not, and reveals the seats' models if they were
    secret.
    """
    parts = []
    heard, seats = len(debate.present), len(debate.voters)
    if heard < seats:
        parts.append(say("{heard} of {seats} seats heard", heard=heard, seats=seats))
    if debate.open.script.blind:
        parts.append(say("revealed: {models}", models=models_line(debate)))
    return " · ".join(parts)
