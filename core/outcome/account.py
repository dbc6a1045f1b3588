"""Who sat at the table and what was said, as the outcome document tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.debate import Debate
from core.guards import silence
from core.replies import Argument
from core.script import Turn
from core.verdict.delta import moves
from core.verdict.evidence import marks
from core.verdict.votes import final, people

NO_ANSWER = "no answer"
"""Why a turn failed, as long as a blind debate lasts: the reason would name the model."""


def hidden(debate: Debate) -> bool:
    """Whether who speaks with which model is still a secret."""
    return debate.opened is not None and debate.opened.script.blind and not debate.over


def seats(debate: Debate) -> list[dict[str, Any]]:
    """``model`` is who really spoke last, else who was cast; hidden ("") while a blind debate is
    not over.
    """
    held = final(debate)
    return [
        {
            "seat": s.id,
            "role": s.role,
            "alias": debate.open.script.alias(s.id),
            "model": "" if hidden(debate) else debate.model_of(s.id),
            "duty": s.duty.value,
            "stance": held.get(s.id),
        }
        for s in debate.open.script.seats
    ]


def rounds(debate: Debate) -> list[dict[str, Any]]:
    """Every round with its turns, said, failed, skipped or still to come."""
    wrong = marks(debate)
    return [
        {
            "title": at.title,
            "phase": at.phase,
            "turns": [_turn(debate, t, wrong) for t in debate.turns if t.round == number],
        }
        for number, at in enumerate(debate.open.script.rounds)
    ]


def _turn(debate: Debate, turn: Turn, wrong: Mapping[str, str]) -> dict[str, Any]:
    """``failed`` and ``skipped`` are the reason, or null; a turn with neither and no ``text`` is
    still to come.
    """
    said, used = debate.statement(turn.id), debate.usage.get(turn.id)
    stance = said.stance if said else None
    argument = said.argument if said else None
    marked = [c.id for c in said.claims if c.id in wrong] if said else []
    return {
        "id": turn.id,
        "seat": turn.seat,
        "task": turn.task,
        "about": str(turn.about or ""),
        "text": said.text if said else "",
        "stance": stance.option if stance else None,
        "confidence": stance.confidence if stance else None,
        "because": stance.because if stance else "",
        "claims": [{"id": c.id, "text": c.text, "quote": c.quote} for c in said.claims]
        if said
        else [],
        "answers": [
            {"to": a.to, "position": a.position.value, "because": a.because} for a in said.answers
        ]
        if said
        else [],
        "argument": _argument(argument, stance.confidence if stance else None)
        if argument
        else None,
        "people": people(debate, turn.id) if said and debate.over else {},
        "unverified": marked,
        "sources": [{"title": s.title, "url": s.url} for s in said.sources] if said else [],
        "reads": list(turn.reads),
        "usage": asdict(used) if used else {},
        "failed": (NO_ANSWER if hidden(debate) else debate.failed[turn.id])
        if turn.id in debate.failed
        else None,
        "skipped": silence(debate.skipped[turn.id]) if turn.id in debate.skipped else None,
    }


def _argument(argument: Argument, confidence: float | None) -> dict[str, Any]:
    return {
        "type": argument.type.value,
        "references": list(argument.references),
        "evidence": list(argument.evidence),
        "confidence": confidence,
        "impact_areas": list(argument.impact_areas),
    }


def delta(debate: Debate) -> list[dict[str, Any]]:
    """Every change of stance; ``conformity`` where no reason was named."""
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


def challenges(debate: Debate) -> list[dict[str, Any]]:
    """People's challenges, each open until a turn has answered it."""
    named = {a.to for _, said in debate.statements() for a in said.answers}
    return [
        {
            "id": c.id,
            "author": c.author,
            "text": c.text,
            "to": list(c.to),
            "answered_by": debate.answers_to(c.id),
            "state": "answered" if c.id in named or debate.answers_to(c.id) else "open",
        }
        for c in debate.challenges
    ]
