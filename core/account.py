"""Who sat at the table and what was said, as the outcome document tells it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.debate import Debate
from core.delta import moves
from core.script import Turn
from core.votes import final


def seats(debate: Debate) -> list[dict[str, Any]]:
    """``model`` is who really spoke last, else who was cast; hidden ("") while a blind debate is not over."""
    hidden = debate.open.script.blind and not debate.over
    spoke = {t.seat: debate.spoke[t.id] for t in debate.turns if debate.spoke.get(t.id)}
    held = final(debate)
    return [
        {
            "seat": s.id,
            "role": s.role,
            "alias": debate.open.script.alias(s.id),
            "model": "" if hidden else spoke.get(s.id) or next(iter(debate.open.cast.get(s.id, ())), ""),
            "duty": s.duty.value,
            "stance": held.get(s.id),
        }
        for s in debate.open.script.seats
    ]


def rounds(debate: Debate) -> list[dict[str, Any]]:
    """Every round with its turns, said, failed, skipped or still to come."""
    return [
        {"title": at.title, "phase": at.phase, "turns": [_turn(debate, t) for t in debate.turns if t.round == number]}
        for number, at in enumerate(debate.open.script.rounds)
    ]


def _turn(debate: Debate, turn: Turn) -> dict[str, Any]:
    """``failed`` and ``skipped`` are the reason, or null; a turn with neither and no ``text`` is still to come."""
    said, used = debate.said.get(turn.id), debate.usage.get(turn.id)
    stance = said.stance if said else None
    return {
        "id": turn.id,
        "seat": turn.seat,
        "task": turn.task,
        "about": turn.about,
        "text": said.text if said else "",
        "stance": stance.option if stance else None,
        "confidence": stance.confidence if stance else None,
        "because": stance.because if stance else "",
        "claims": [{"id": c.id, "text": c.text, "quote": c.quote} for c in said.claims] if said else [],
        "answers": [{"to": a.to, "position": a.position.value, "because": a.because} for a in said.answers] if said else [],
        "unverified": list(said.unverified) if said else [],
        "sources": [{"title": s.title, "url": s.url} for s in said.sources] if said else [],
        "reads": list(turn.reads),
        "usage": asdict(used) if used else {},
        "failed": debate.failed.get(turn.id),
        "skipped": debate.skipped.get(turn.id),
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
    answered = {a.to for s in debate.said.values() for a in s.answers} | {t.about for t in debate.turns if t.id in debate.said}
    return [
        {
            "id": c.id,
            "author": c.author,
            "text": c.text,
            "to": list(c.to),
            "answered_by": [t.id for t in debate.turns if t.id in debate.said and t.about == c.id],
            "state": "answered" if c.id in answered else "open",
        }
        for c in debate.challenges
    ]
