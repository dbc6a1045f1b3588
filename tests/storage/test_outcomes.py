"""The outcome of a debate is kept as its document, and replaced by a later one."""

from __future__ import annotations

import pytest

from storage.database import Database
from storage.debates import Debates
from storage.debates.outcomes import Outcome, Outcomes
from tests.storage.conftest import Hands
from tests.storage.samples import AT, requested

DOCUMENT = {
    "template": "code_review",
    "format": "phased",
    "status": "finished",
    "ended_because": "consensus",
    "verdict": {"decision": "approve", "reached": True},
    "material": {"title": "About d1 100%", "source": "https://example.org/pull/1"},
    "cost": {"usd": 0.5},
}


async def test_the_last_document_of_a_debate_is_kept(db: Database, hands: Hands) -> None:
    outcomes = Outcomes(db)
    await Debates(db).create(requested("d1", "slack:T1/C1"), "1")
    assert await outcomes.get("d1") is None
    await outcomes.save("d1", {"template": "code_review"}, AT)
    await outcomes.save("d1", DOCUMENT, hands.now(), held=False)
    assert await outcomes.get("d1") == Outcome(
        "d1", "code_review", "approve", "slack:T1/C1", False, False, hands.now(), DOCUMENT
    )
    with pytest.raises(KeyError):
        await outcomes.save("d9", DOCUMENT, AT)


async def test_judged_debates_come_in_the_order_of_their_ends(db: Database, hands: Hands) -> None:
    outcomes = Outcomes(db)
    for id, held in (("d2", True), ("d1", None), ("d3", False)):
        await Debates(db).create(requested(id), id)
        await outcomes.save(id, DOCUMENT, hands.now(), held)
        hands.pass_by(60)
    assert await outcomes.resolved(5) == ["d2", "d3"]
    assert await outcomes.resolved(1) == ["d3"]
