"""Lists as programs read them: their filters and cursors, and one row of each."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, TypeVar

from adapters.routes.cursors import moment_in, position_in
from core.application.listing import Filter, Hit
from core.debate.errors import BadInput
from core.debate.prompting import prompt
from core.debate.prompting.form import task_of
from core.debate.script import Turn
from core.debate.speaking import reply_schema
from core.debate.state import Debate
from core.debate.verdict.votes import NONE

T = TypeVar("T")


def row_of_debate(hit: Hit) -> Mapping[str, Any]:
    line = hit.line
    return {
        "id": line.id,
        "title": line.title,
        "template": line.template,
        "status": line.status,
        "decision": hit.decision or NONE,
        "reached": hit.decided,
        "asker": line.asker,
        "repository": hit.repository,
        "excerpt": "".join(text for text, _ in hit.excerpt),
        "created_at": line.created_at.isoformat(),
        "cost_usd": line.cost,
    }


def row_of_turn(debate: Debate, turn: Turn) -> Mapping[str, Any]:
    return {
        "debate": debate.id,
        "turn": turn.id,
        "seat": turn.seat,
        "role": debate.script.seat(turn.seat).role,
        "task": turn.task,
        "until": debate.until[turn.id].isoformat(),
        "messages": [{"role": m.role, "text": m.text} for m in prompt(debate, turn)],
        "schema": reply_schema(debate, task_of(debate, turn)),
    }


def filter_of(query: Mapping[str, str]) -> Filter:
    """Reads the filter of a list. Raises ``BadInput``."""
    before = None
    if cursor := query.get("before", ""):
        before = _said("before", moment_in(cursor))
    mine = query.get("mine", "")
    if mine not in ("", "yes"):
        raise BadInput("`mine` takes only `yes`.")
    return Filter(
        words=query.get("q", "").strip(),
        status=query.get("status", ""),
        template=query.get("template", ""),
        mine=mine == "yes",
        person=query.get("person", "").strip(),
        repository=query.get("repository", "").strip(),
        decision=query.get("decision", ""),
        since=_day(query, "since"),
        until=_day(query, "until"),
        before=before,
    )


def position_of(after: str) -> tuple[datetime | None, str] | None:
    """Returns the next time and the id behind which a page of schedules begins, None for the first
    page. Raises ``BadInput``.
    """
    if not after:
        return None
    return _said("after", position_in(after))


def _day(query: Mapping[str, str], name: str) -> date | None:
    text = query.get(name, "")
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"`{name}` is a day, like 2027-01-31.") from None


def _said(name: str, position: T | None) -> T:
    if position is None:
        raise BadInput(f"`{name}` is what `next` of the page before said.")
    return position
