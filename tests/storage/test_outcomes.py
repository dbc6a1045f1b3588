"""Outcomes are found, and can be made again from the events alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from core.events import DebateConcluded, DebateRequested, EndReason, Event, OutcomeResolved
from core.log import Append
from storage.database import Database
from storage.debates import Debates
from storage.outcomes import Outcomes
from tests.storage.conftest import Hands
from tests.storage.samples import AT, opened, requested


def document_of(events: Sequence[Event]) -> Mapping[str, Any] | None:
    """Stands in for the core's own: a document of the members that the store reads."""
    ends = [event for event in events if isinstance(event, DebateConcluded)]
    first = events[0]
    assert isinstance(first, DebateRequested)
    if not ends:
        return None
    return {
        "id": first.id,
        "template": first.request.template,
        "format": "phased",
        "status": "finished",
        "ended_because": ends[-1].because.value,
        "verdict": {"decision": ends[-1].decision, "reached": ends[-1].reached},
        "material": {"title": f"About {first.id} 100%", "source": "https://example.org/pull/1"},
        "cost": {"usd": 0.5},
    }


async def debate(
    db: Database,
    id: str,
    decision: str,
    *,
    template: str = "code_review",
    private: bool = False,
    held: bool | None = None,
) -> None:
    debates, outcomes = Debates(db), Outcomes(db)
    await debates.create(requested(id, template=template), id)
    log = await debates.claim(id, "me")
    events: list[Event] = [
        opened(private=private),
        DebateConcluded(EndReason.CONSENSUS, decision, True, db.now()),
    ]
    if held is not None:
        events.append(OutcomeResolved(held, "u", db.now()))
    await log.append(Append(id, 1, tuple(events), status="finished"))
    document = document_of(await log.load())
    assert document is not None
    await outcomes.save(id, document, db.now(), held)


async def test_search_by_what_people_remember(db: Database, hands: Hands) -> None:
    outcomes = Outcomes(db)
    await debate(db, "d1", "approve")
    hands.pass_by(60)
    await debate(db, "d2", "reject", template="panel")
    hands.pass_by(60)
    await debate(db, "d3", "approve", private=True)

    async def found(**wanted: Any) -> list[str]:
        return [outcome.debate for outcome in await outcomes.search(**wanted)]

    assert await found() == ["d2", "d1"]
    assert await found(private=True) == ["d3", "d2", "d1"]
    assert await found(private=True, limit=1) == ["d3"]
    assert await found(decision="approve") == ["d1"]
    assert await found(template="panel") == ["d2"]
    assert await found(text="ABOUT d1") == ["d1"]
    assert await found(text="100%") == ["d2", "d1"]
    assert await found(text="1%0") == []
    assert await found(place="elsewhere") == []
    assert await found(since=hands.now(), private=True) == ["d3"]
    assert [outcome.debate for outcome in await outcomes.documents("code_review")] == ["d1", "d3"]
    with pytest.raises(KeyError):
        await outcomes.save("d9", {}, AT)


async def test_every_row_can_be_made_again(db: Database, hands: Hands) -> None:
    outcomes = Outcomes(db)
    await debate(db, "d1", "approve", held=False)
    hands.pass_by(60)
    await debate(db, "d2", "reject")
    await Debates(db).create(requested("running"), "r")
    await outcomes.save("running", {"template": "wrong"}, AT)
    before = [await outcomes.get(id) for id in ("d1", "d2")]
    await outcomes.save("d1", {"template": "spoilt"}, hands.now())
    hands.pass_by(3600)
    assert await outcomes.rebuild(document_of) == 2
    assert [await outcomes.get(id) for id in ("d1", "d2")] == before
    assert before[0] is not None
    assert before[0].held is False
    assert await outcomes.get("running") is None
