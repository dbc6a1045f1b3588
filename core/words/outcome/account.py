"""Lists the seats and their statements for the outcome document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.debate.due.guards import why_skipped
from core.debate.replies import Answer, ArgumentType, Statement
from core.debate.script import SeatId, Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.delta import moves
from core.debate.verdict.families import family
from core.debate.verdict.findings.evidence import claim_faults
from core.debate.verdict.votes import final_votes
from core.languages import msgid, say
from core.words.views.course.argued import answer_types, areas
from core.words.views.language.people import holder_of
from core.words.views.language.seats import models_hidden
from core.words.views.verdict.objection import answered_challenges, objections
from core.words.views.verdict.stances import people_shown

_NO_ANSWER = msgid("no answer")
"""The reason given for a failed turn while a blind debate lasts: the real one would name the
model.
"""


def seats(debate: Debate) -> list[dict[str, Any]]:
    """Lists the seats; ``model`` is the model that spoke last, else the cast one; hidden ("") while
    a blind debate is not over. ``held_by`` names the person or program in a seat without a model.
    """
    held = final_votes(debate)
    return [
        {
            "seat": s.id,
            "role": s.role,
            "alias": debate.open.script.alias(s.id),
            "model": (model := _model(debate, s.id)),
            "duty": s.duty.value,
            "stance": held.get(s.id),
            "family": model and (debate.open.terms.families.get(model) or family(model)),
            "held_by": holder_of(debate, s.id),
        }
        for s in debate.open.script.seats
    ]


def _model(debate: Debate, seat: SeatId) -> str:
    """Returns the model that really spoke for a seat; "" while that is a secret."""
    if models_hidden(debate):
        return ""
    return debate.model_of(seat)


def rounds(debate: Debate) -> list[dict[str, Any]]:
    """Lists every round with its turns: finished, failed, skipped or still to come."""
    wrong = claim_faults(debate)
    return [
        {
            "title": at.title,
            "phase": at.phase,
            "turns": [_turn(debate, t, wrong) for t in debate.turns if t.round == number],
        }
        for number, at in enumerate(debate.open.script.rounds)
    ]


def _turn(debate: Debate, turn: Turn, wrong: Mapping[str, str]) -> dict[str, Any]:
    """Describes a turn; ``failed`` and ``skipped`` are the reason, or null; a turn with neither and
    no ``text`` is still to come.
    """
    statement = debate.statement(turn.id) or Statement("")
    used = debate.usage.get(turn.id)
    return {
        "id": turn.id,
        "seat": turn.seat,
        "task": turn.task,
        "about": str(turn.about or ""),
        "text": statement.text,
        **_stance(statement),
        "claims": [{"id": c.id, "text": c.text, "quote": c.quote} for c in statement.claims],
        "answers": [
            _answer(debate, answer, type, counts=counts)
            for answer, (type, counts) in zip(
                statement.answers, answer_types(debate).get(turn.id, ()), strict=True
            )
        ],
        "argument": _argument(statement),
        "people": people_shown(debate, turn.id) if turn.id in debate.finished else {},
        "unverified": [c.id for c in statement.claims if c.id in wrong],
        "sources": [{"title": s.title, "url": s.url} for s in statement.sources],
        "failed_searches": list(statement.failed_searches),
        "reads": list(turn.reads),
        "usage": asdict(used) if used else {},
        "failed": _why_failed(debate, turn),
        "skipped": why_skipped(debate.skipped[turn.id]) if turn.id in debate.skipped else None,
    }


def _answer(debate: Debate, answer: Answer, type: ArgumentType, *, counts: bool) -> dict[str, Any]:
    evidence = [f"{answer.path}:{answer.line}: {answer.quote}"] if answer.checked else []
    return {
        "to": answer.to,
        "position": answer.position.value,
        "because": answer.because,
        "type": type.value,
        "evidence": evidence,
        "counts": counts,
        "impact_areas": list(areas(debate, answer)),
    }


def _why_failed(debate: Debate, turn: Turn) -> str | None:
    if turn.id in debate.failed and models_hidden(debate):
        return say(_NO_ANSWER)
    return debate.failed.get(turn.id)


def _stance(statement: Statement) -> dict[str, Any]:
    if statement.stance is None:
        return {"stance": None, "confidence": None, "because": ""}
    stance = statement.stance
    return {
        "stance": stance.option,
        "confidence": stance.confidence,
        "because": stance.because,
    }


def _argument(statement: Statement) -> dict[str, Any] | None:
    argument = statement.argument
    if argument is None:
        return None
    return {
        "type": argument.type.value,
        "references": list(argument.references),
        "evidence": list(argument.evidence),
        "confidence": statement.stance and statement.stance.confidence,
        "impact_areas": list(argument.impact_areas),
    }


def delta(debate: Debate) -> list[dict[str, Any]]:
    """Lists every change of stance; ``conformity`` marks those without a reason."""
    return [
        {
            "seat": m.seat,
            "from": m.before,
            "to": m.after,
            "turn": m.turn,
            "round": m.round,
            "moved_by": m.by,
            "because": m.because,
            "conformity": m.conformity,
        }
        for m in moves(debate)
    ]


def hot_seats(debate: Debate) -> list[dict[str, Any]]:
    """Lists the statements that people wanted defended, with who wanted it and the turns that asked
    and answered; no turns if too few wanted it.
    """
    made = []
    for id in dict.fromkeys(request.id for request in debate.seat_requests):
        same = [request for request in debate.seat_requests if request.id == id]
        about = same[0].subject
        turns = [t for t in debate.turns if t.about_the(Topic.HOT_SEAT) == about]
        finished = [t for t in turns if t.id in debate.finished]
        answer = next((t.id for t in finished if t.task == "stand"), "")
        made.append(
            {
                "id": id,
                "subject": about,
                "seat": same[0].seat,
                "people": [request.by for request in same],
                "asked_by": [t.id for t in finished if t.task == "cross"],
                "answered_by": answer,
                "state": _state(answered=bool(answer)),
            }
        )
    return made


def challenges(debate: Debate) -> list[dict[str, Any]]:
    """Lists people's challenges, each open until a turn has answered it; with the verdicts before
    and after one that reopened the debate.
    """
    came_to = {
        view.challenge.id: {"verdict": {"was": view.was, "is": view.now, "changed": view.changed}}
        for view in objections(debate)
    }
    answered = answered_challenges(debate)
    return [
        {
            "id": c.id,
            "author": c.author,
            "text": c.text,
            "to": list(c.to),
            "answered_by": debate.answers_to(c.id),
            "state": _state(answered=c.id in answered),
            **came_to.get(c.id, {}),
        }
        for c in debate.challenges
    ]


def _state(*, answered: bool) -> str:
    return "answered" if answered else "open"
