"""One argued review as its threads show it on both platforms, by statements and by rounds.

``python -m tests.adapters.posts.argued_threads`` writes the threads that the tests compare with,
after a change that is wanted. Read the difference before you commit it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.debate import events as e
from core.debate.usage import Usage
from tests.adapters.posts.threads import FOLDER, FORMS, PLATFORMS, page
from tests.adapters.posts.told import posted, standing
from tests.core.argued import CODE, GUARD, Seats, a_finding, opens, review, reviewed

INJECTION = a_finding(
    "A table's name goes into the statement as it comes",
    trigger="rows(db, 'users; drop table users')",
    fix="Look the name up in a list of known tables.",
)
MEMORY = a_finding(
    "All rows are held in memory at once",
    line=14,
    quote=CODE[4].strip(),
    trigger="a table of ten million rows",
    fix="Yield the rows one by one.",
)
NAMED = a_finding(
    "The error does not say what was wrong with the name",
    severity="medium",
    line=12,
    quote=CODE[2].strip(),
    trigger="rows(db, 'my-table')",
    fix="Say which characters a name may have.",
)
OPENINGS = {
    "security_critic": opens("request_changes", INJECTION, NAMED)
    | {"text": "Whoever names the table writes part of the statement."},
    "performance_critic": opens("request_changes", MEMORY)
    | {"text": "Nothing bounds what one call reads, and the caller cannot stop it."},
    "maintainability_critic": opens("comment", NAMED)
    | {"text": "It reads well. Only the error leaves its caller guessing."},
}


_APPROVES = {"option": "comment", "confidence": 0.7, "because": "what matters is guarded"}
_BLOCKS = {
    "option": "request_changes",
    "confidence": 0.8,
    "because": "the export reads a table of forty million rows",
}
_EXPORT = "rows(db, 'events') on the nightly export, which has 40 million rows"
_STREAM = {"path": "app/db.py", "line": 14, "quote": CODE[4].strip()}


def _answers(ids: Sequence[str], memory: str, why: str) -> list[dict[str, Any]]:
    """The injection is settled by the guard above it; the memory is not."""
    guarded = {"position": "not_real", "because": "only an identifier gets there", **GUARD}
    held = {"position": memory, "because": why, **_STREAM}
    return [{"to": i, **(guarded if i.startswith("t2.") else held)} for i in ids]


def _vouches(_role: str, ids: Sequence[str]) -> Any:
    return {"answers": _answers(ids, "need_not_block", "the tables of this service are small")}


def _weighs(role: str, ids: Sequence[str]) -> Any:
    if role == "maintainability_critic":
        answers = _answers(ids, "need_not_block", "nobody calls it for a large table yet")
        return {"stance": _APPROVES, "answers": answers, "findings": []}
    return {"stance": _BLOCKS, "answers": _answers(ids, "must_fix", _EXPORT), "findings": []}


def _decides(_role: str, ids: Sequence[str]) -> Any:
    return {"stance": _BLOCKS, "answers": _answers(ids, "must_fix", _EXPORT)}


@cache
def events(form: str) -> tuple[e.Event, ...]:
    seats = Seats(OPENINGS, vouch=_vouches, weigh=_weighs, reply=_decides, decide=_decides)
    _, log = asyncio.run(reviewed(seats, review(thread=form)))
    return tuple(_priced(event) for event in log.events)


def _priced(event: e.Event) -> e.Event:
    """Returns the event with the usage that a provider would bill, the same each time."""
    if isinstance(event, e.TurnFinished):
        return e.TurnFinished(event.turn, event.statement, Usage(2600, 0, 180, 0.01), event.model)
    return event


def thread(platform: str, form: str) -> str:
    return page(platform, standing(posted(events(form))))


def golden(platform: str, form: str) -> Path:
    return FOLDER / f"argued_{platform}_{form}.txt"


if __name__ == "__main__":
    for platform in PLATFORMS:
        for form in FORMS:
            golden(platform, form).write_text(thread(platform, form), "utf-8")
