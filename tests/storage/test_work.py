"""The table of work: each piece is done once, in order if that matters, and none is lost. Rows of
the three tables that it replaced are carried over.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from storage.database import Database
from storage.debates import Debates
from storage.forgetting.removals import Removals
from storage.forgetting.traces import Traces
from storage.schema import open_database
from storage.work import EVENT, Work, WorkQueue
from tests.storage.conftest import Hands
from tests.storage.samples import old_database, requested
from tests.storage.test_schema import RELEASES

LINK = "https://github.com/acme/app/pull/7"
KINDS = (EVENT, "review", "check", "issue", "remove_review", "remove_slack", "remove_discord")


@pytest.fixture
async def queue(db: Database) -> WorkQueue:
    await Debates(db).create(requested(), "k")
    return WorkQueue(db)


def check(key: str) -> Work:
    return Work(key, "check", {"text": key}, "d1", LINK)


async def test_the_checks_of_a_debate_are_claimed_one_after_the_other(queue: WorkQueue) -> None:
    """Also those that were added at the same moment, and though the first one has to wait."""
    await queue.add(check("b"), check("a"))
    (first,) = await queue.claim("one", KINDS)
    assert first.work.key == "a"
    assert await queue.claim("two", KINDS) == []
    await queue.retry(first, 60.0, "busy", unconfirmed=False)
    assert await queue.claim("two", KINDS) == []


async def test_what_a_dead_process_held_may_have_arrived(queue: WorkQueue, hands: Hands) -> None:
    await queue.add(Work("r", "review", {}, "d1", LINK))
    (dead,) = await queue.claim("one", KINDS)
    assert not dead.unconfirmed
    assert await queue.claim("two", KINDS) == []
    hands.pass_by(120)
    (next_one,) = await queue.claim("two", KINDS)
    assert (next_one.unconfirmed, next_one.attempt) == (True, 2)
    assert not await queue.done(dead), "the claim was lost"
    assert await queue.done(next_one, result={"id": "1"})
    (row,) = await queue.of("d1")
    assert (row.state, row.result) == ("done", {"id": "1"})


async def test_nobody_claims_what_they_are_busy_with(queue: WorkQueue, hands: Hands) -> None:
    await queue.add(Work("e", EVENT, {}), Work("f", EVENT, {}))
    assert len(await queue.claim("one", KINDS)) == 2
    hands.pass_by(120)
    assert [row.work.key for row in await queue.claim("one", KINDS, busy=["e"])] == ["f"]


async def test_a_known_key_is_done_again_only_if_it_was_given_up(queue: WorkQueue) -> None:
    review = Work("r", "review", {"text": "1"}, "d1", LINK)
    assert await queue.add(review) == 1
    assert await queue.add(review) == 0
    (row,) = await queue.claim("one", KINDS)
    await queue.dead(row, "gone")
    assert await queue.add(Work("r", EVENT, {})) == 0, "another kind"
    assert await queue.add(Work("r", "review", {"text": "2"}, "d1", LINK)) == 1
    (again,) = await queue.claim("one", KINDS)
    assert (again.work.payload, again.attempt) == ({"text": "2"}, 1)


async def test_old_deliveries_are_deleted_but_not_those_that_wait(
    queue: WorkQueue, hands: Hands
) -> None:
    await queue.add(Work("done", EVENT, {}), Work("waits", EVENT, {}))
    (row, _) = await queue.claim("one", KINDS)
    await queue.done(row)
    hands.pass_by(86_400)
    assert await queue.forget(EVENT, hands.now()) == 1
    assert [row.work.key for row in await queue.claim("two", KINDS)] == ["waits"]


PAST, LATER = "2026-05-01T10:00:00+00:00", "2026-05-01T10:00:30+00:00"
"""When the rows were added, and until when a claim lasts."""


def old_row(key: str, state: str, holder: str = "", **more: Any) -> dict[str, Any]:
    next_at = LATER if holder else PAST
    reason = more.pop("reason", "")
    lease = {"claimed_by": holder, "attempts": int(bool(holder)), "reason": reason}
    times = {"at": datetime.fromisoformat(PAST), "next_at": datetime.fromisoformat(next_at)}
    return {"key": key, "state": state, **lease, **times, **more}


def old_post(key: str, state: str, holder: str = "", **more: Any) -> dict[str, Any]:
    given = {"debate_id": "d1", "kind": "review", "link": LINK, "body": {"text": key}, "by": "U1"}
    return old_row(key, state, holder, **{**given, "ref": None, **more})


def old_removal(kind: str, target: str, state: str, holder: str = "", **more: Any) -> Any:
    key = f"{kind}:d1:{target}"
    return old_row(key, state, holder, debate_id="d1", kind=kind, target=target, **more)


OLD: dict[str, list[dict[str, Any]]] = {
    "forge_event": [
        old_row("github:1:0", "pending", payload={"repo": "a/b"}),
        old_row("github:2:0", "pending", "dead process", payload={"repo": "a/b"}),
        old_row("github:3:0", "done", payload={}),
        old_row("github:4:0", "dead", payload={}, reason="nonsense"),
    ],
    "forge_post": [
        old_post("waits", "pending"),
        old_post("leaves", "sending", "dead process"),
        old_post("stands", "sent", ref={"id": "1", "url": f"{LINK}#1"}),
        old_post("refused", "dead", reason="no"),
        old_post("going", "sent", ref={"id": "2"}),
        old_post("gone", "removed", body={}),
        old_post("stays", "sent", ref={"id": "3"}, body={}),
    ],
    "removal": [
        old_removal("forge", "going", "pending", "dead process"),
        old_removal("forge", "gone", "done", reason="a status stays"),
        old_removal("forge", "stays", "refused", reason="not allowed"),
        old_removal("chat", "slack:T1/C1", "pending"),
        old_removal("chat", "discord:G/2", "done"),
    ],
}  # fmt: skip


async def test_rows_of_the_three_old_tables_are_carried_over(
    database_address: str, hands: Hands
) -> None:
    hands.time = datetime.fromisoformat(PAST)
    (debate,) = RELEASES["0.1.0"]["rows"]["debate"]
    old_database(database_address, "0022", {"debate": [{**debate, "id": "d1"}], **OLD})
    db = await open_database(database_address, hands.now)
    try:
        queue = WorkQueue(db)
        claimed = {row.work.key: row for row in await queue.claim("me", KINDS, 99)}
        assert set(claimed) == {"github:1:0", "waits", "chat:d1:slack:T1/C1"}
        assert not any(row.unconfirmed for row in claimed.values())
        assert claimed["waits"].work == Work("waits", "review", {"text": "waits"}, "d1", LINK, "U1")
        assert claimed["github:1:0"].work.payload == {"repo": "a/b"}
        assert claimed["chat:d1:slack:T1/C1"].work.target == "slack:T1/C1"
        hands.pass_by(31)
        again = {row.work.key: row for row in await queue.claim("me", KINDS, 99)}
        assert set(again) == {"github:2:0", "leaves", "going"}, "their claims have ended"
        assert all(row.unconfirmed and row.attempt == 2 for row in again.values())
        assert (again["going"].work.kind, again["going"].result) == ("remove_review", {"id": "2"})
        rows = {row.work.key: row for row in await queue.of("d1")}
        assert rows["stands"].result["url"] == f"{LINK}#1"
        assert rows["refused"].reason == "no"
        assert rows["stands"].work.payload == {"text": "stands"}
        assert await Traces(db).find_written("d1") == [LINK]
        left = await Removals(db, queue).remainders(["d1"])
        assert {row.work.key: (row.state, row.reason) for row in left} == {
            "chat:d1:slack:T1/C1": ("sending", ""),
            "going": ("sending", ""),
            "gone": ("done", "a status stays"),
            "stays": ("dead", "not allowed"),
        }
        assert await queue.add(Work("github:4:0", EVENT, {}), again=()) == 0, "it is known"
        assert len({*rows, *again, *claimed}) == 11
    finally:
        await db.close()
