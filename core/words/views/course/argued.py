"""Describes the arguments of a debate: each one's type, what it answers and by which verb, its
evidence and the areas that it concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.debate.replies import Answer, ArgumentType, Position, Statement
from core.debate.replies.tasks import OF_A_POINT, TASKS
from core.debate.replies.wording import SAID_OF_IT, point_sentence
from core.debate.script import Duty, SeatId, Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.evidence import claim_faults
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import bracketed, capital, listed, quoted
from core.words.views.language.once import once
from core.words.views.language.references import called, subject_of
from core.words.views.verdict.findings import AREAS

EVIDENCE = msgid("Evidence")
NOT_COUNTED = msgid("Not counted, since it shows no line for its change of mind.")
_FOR = frozenset({Position.AGREE, Position.KEEP, Position.MUST_FIX, Position.ANSWERED})
_AGAINST = frozenset({Position.DISPUTE, Position.NOT_REAL, Position.NEED_NOT})
_DECIDING = ("decide", "reconsider")
VERBS = {
    Position.DISPUTE: msgid("disputes"),
    Position.WITHDRAW: msgid("takes back"),
    Position.CONCEDE: msgid("concedes"),
    Position.ANSWERED: msgid("answers"),
    Position.KEEP: msgid("stands by"),
    Position.AGREE: msgid("agrees with"),
    Position.NOT_REAL: msgid("calls not real"),
    Position.NEED_NOT: msgid("calls real, without blocking,"),
    Position.MUST_FIX: msgid("wants fixed"),
}
"""Verbs in the order in which they matter to a reader; their object follows."""
OF_IT = {
    Position.DISPUTE: msgid("disputes it"),
    Position.CONCEDE: msgid("concedes it"),
    Position.ANSWERED: msgid("answers it"),
    Position.KEEP: msgid("stands by it"),
    Position.AGREE: msgid("agrees with it"),
    Position.WITHDRAW: msgid("takes it back"),
    Position.NOT_REAL: msgid("calls it not real"),
    Position.NEED_NOT: msgid("calls it real, without blocking"),
    Position.MUST_FIX: msgid("wants it fixed"),
}


def argument_title(debate: Debate, statement: Statement) -> str:
    """Names the type of the argument with the points that it answers; "" for no argument."""
    if statement.argument is None:
        return ""
    return _title(debate, statement.argument.type.value, statement.argument.references)


def argument_facts(statement: Statement) -> tuple[tuple[str, str], ...]:
    """Returns the argument's evidence and the areas that it concerns, each with its label."""
    if statement.argument is None:
        return ()
    return _facts(statement.argument.evidence, statement.argument.impact_areas)


def proven_quotes(debate: Debate, turn: Turn, statement: Statement) -> list[str]:
    """Returns what the statement's claims quote, without what code could not find."""
    wrong = claim_faults(debate, (turn,))
    quotes = (c.quote for c in statement.claims if c.quote and c.id not in wrong)
    return list(dict.fromkeys(quotes))


def argument_in(
    debate: Debate, document: Mapping[str, Any] | None
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Returns the same of an argument in an outcome document; empty for none."""
    if not document:
        return "", ()
    title = _title(debate, document["type"], document["references"])
    return title, _facts(document["evidence"], document["impact_areas"])


def proposes(statement: Statement) -> str:
    """Names the type of argument that raising findings is; "" if the statement raises none."""
    return capital(say(ArgumentType.PROPOSAL.value)) if statement.findings else ""


@once
def answer_types(debate: Debate) -> Mapping[TurnId, Sequence[tuple[ArgumentType, bool]]]:
    """Returns by turn, in the order of its answers, the type of argument of each and whether it
    counts: not if it changes its seat's mind and shows no line, so that the seat's earlier position
    counts.

    An answer for a point defends it, one against it challenges it, and a reply to either counters.
    Giving in, taking a point back and the last decision resolve it.
    """
    held: dict[tuple[SeatId, str], Position] = {}
    types: dict[TurnId, Sequence[tuple[ArgumentType, bool]]] = {}
    for turn, statement in debate.statements():
        before = dict(held)
        given = []
        seat = debate.script.seat(turn.seat)
        for answer in statement.answers:
            subject = (turn.seat, subject_of(debate, answer.to))
            earlier, position = before.get(subject), answer.position
            type = _type(turn.task, position, earlier, author=seat.duty is Duty.AUTHOR)
            moves = (position in _FOR) is not (earlier in _FOR)
            grounded = answer.checked or statement.looked_up or position not in OF_A_POINT
            counts = grounded or not (moves and seat.votes)
            given.append((type, counts))
            if counts and position in _FOR | _AGAINST:
                held[subject] = position
        for finding in statement.findings:
            raised = Position.MUST_FIX if finding.asks_to_block else Position.NEED_NOT
            held[turn.seat, subject_of(debate, finding.id)] = raised
        types[turn.id] = given
    return types


def _type(task: str, position: Position, before: Position | None, *, author: bool) -> ArgumentType:
    supports = position in _FOR
    gives_in = position not in _FOR | _AGAINST
    if before is not None:
        real = before in _FOR or before is Position.NEED_NOT
        held = before in _FOR if position in OF_A_POINT else real
        gives_in = gives_in or held is not supports
    concedes = author and position in (Position.AGREE, Position.MUST_FIX)
    if task in _DECIDING or gives_in or concedes:
        return ArgumentType.RESOLUTION
    if task == "reply":
        return ArgumentType.COUNTER
    if supports:
        return ArgumentType.DEFENSE
    return ArgumentType.CHALLENGE


def areas(debate: Debate, answer: Answer) -> tuple[str, ...]:
    """Returns the areas that an answer concerns: the category of its finding."""
    return _areas(debate).get(answer.to, ())


@once
def _areas(debate: Debate) -> Mapping[str, tuple[str, ...]]:
    return {
        id: (finding.wording.category.value,)
        for finding in merge_findings(debate)
        if finding.wording.category is not None
        for id in finding.ids
    }


def statement_text(debate: Debate, turn: Turn, statement: Statement) -> str:
    """Returns the text of a statement; one that consists of answers to single findings gets a
    sentence for each, with the type of argument, its area and its evidence.
    """
    if not TASKS[turn.task].pointed or not statement.answers:
        return statement.text
    return "\n\n".join(
        _sentences(debate, turn, answer, type, counts=counts)
        for answer, (type, counts) in zip(
            statement.answers, answer_types(debate)[turn.id], strict=True
        )
    )


def _sentences(
    debate: Debate, turn: Turn, answer: Answer, type: ArgumentType, *, counts: bool
) -> str:
    gives_in = type is ArgumentType.RESOLUTION and turn.task not in _DECIDING
    opening = f"{capital(say(type.value))}: {say_if(gives_in, msgid('concedes that '))}"
    about = answer.to + bracketed(", ".join(map(say, areas(debate, answer))))
    text = point_sentence(f"{opening}{about}", say(SAID_OF_IT[answer.position]), answer)
    return f"{text} {say_if(not counts, NOT_COUNTED)}".rstrip()


def _title(debate: Debate, kind: str, references: Sequence[str]) -> str:
    to = listed([quoted(called(debate, id)[0]) for id in references[:2]])
    kind = capital(say(kind))
    return say_if(to, msgid("{kind} to {to}"), kind=kind, to=to) or kind


def _facts(evidence: Sequence[str], areas: Sequence[str]) -> tuple[tuple[str, str], ...]:
    facts = ((say(EVIDENCE), "; ".join(evidence)), (say(AREAS), ", ".join(areas)))
    return tuple((label, text) for label, text in facts if text)
