"""Deleted texts are nowhere any more, and the chain of hashes leads where it led."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from core.application.forgetting import DELETED, without_person
from core.application.listing import Filter
from core.debate.commands import RaiseChallenge
from core.debate.events import (
    ChallengeRaised,
    DebateConcluded,
    DebateRequest,
    DebateRequested,
    EndReason,
    Event,
    EventRemoved,
    TextsDeleted,
    VoteCast,
    VotesClosed,
)
from core.debate.log import Append, Call, CallState, Outgoing
from core.debate.script import SeatId
from core.debate.state import replay
from core.words.receipt.canonical import digest, head
from storage.codec import EVENTS
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.debates.outcomes import Outcomes
from storage.forgetting import Forgetting
from storage.people.sessions import Links, Session, Sessions
from storage.places import Places
from storage.schema import open_database
from storage.search import Search
from storage.tables import METADATA
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import AT, finished, opened, requested, started

SECRET = "kumquat"  # a word that stands in every text of a debate, and nowhere else
THEIRS = "slack:T1/U7"
KEPT: dict[str, Any] = {"verdict": {"decision": "approve", "summary": ""}, "material": None}


async def held(db: Database, id: str = "d1", *, status: str = "finished") -> list[Event]:
    """Returns a debate that is over, with its texts in every table that has some."""
    debates, text = Debates(db), f"{SECRET} of {id}"
    first = requested(id)
    first = replace(first, request=replace(first.request, target=text))
    await debates.create(first, f"slack:{id}")
    async with CommandQueue(db) as queue:
        await queue.enqueue(id, RaiseChallenge(THEIRS, text, source="m1"), f"slack:m1:{id}")
        waiting = await queue.load_waiting(id)
    events: list[Event] = [
        opened(text, text=text),
        started(),
        finished(text=text),
        ChallengeRaised("x1", THEIRS, text, (SeatId("critic"),), "m1"),
        VoteCast(THEIRS, "approve"),
        DebateConcluded(EndReason.COMPLETED, "approve", True, AT),
        VotesClosed("approve", True, False, AT),
    ]
    log = await debates.claim(id, "me")
    await log.append(
        Append(
            id,
            1,
            tuple(events),
            (Call("r1.critic", 1, "scripted", CallState.DONE, "h", text),),
            tuple(one.id for one in waiting),
            status=status,
            posts=(Outgoing(f"{id}:root", "slack:T1/C1", body={"text": text}),),
        )
    )
    await log.release()
    await Search(db).save(id, text, "o/r", len(events) + 1)
    document = {"template": "code_review", "material": {"title": text, "source": ""}}
    await Outcomes(db).save(id, document, AT)
    await Links(db).make(id, THEIRS, AT + timedelta(days=30))
    return [first, *events]


async def rows(db: Database) -> str:
    """Returns everything that the tables hold."""

    def work(conn: sa.Connection) -> str:
        dump = [str(conn.execute(sa.select(one)).all()) for one in METADATA.sorted_tables]
        return "\n".join(dump)

    return await db.read(work)


def gone(first: Event, status: str = "finished") -> tuple[DebateRequested, TextsDeleted]:
    assert isinstance(first, DebateRequested)
    bare = replace(first, request=DebateRequest("code_review", "", "slack:T1/U1", "slack:T1/C1"))
    return bare, TextsDeleted("kept for 90 days", status, KEPT, "a" * 64, AT)


async def test_the_texts_are_nowhere_and_the_chain_still_verifies(db: Database) -> None:
    events = await held(db)
    await held(db, "d2")
    debates, store = Debates(db), Forgetting(db)
    before = await debates.load_hashes("d1")
    assert before == [
        digest({"kind": kind, "version": version, "payload": payload})
        for kind, version, payload in map(EVENTS.encode, events)
    ]
    assert await store.delete_texts("d1", len(events), *gone(events[0]))
    assert (await rows(db)).count(SECRET) == (await rows(db)).count(f"{SECRET} of d2")
    assert f"{SECRET} of d2" in await rows(db)
    after = await debates.load_hashes("d1")
    assert after[: len(before)] == before
    assert head(await debates.load_hashes("d1", len(before))) == head(before)
    debate = replay(await debates.load("d1"))
    assert [type(event) for event in (await debates.load("d1"))[1:-1]] == [EventRemoved] * 7
    assert (debate.status, debate.final, debate.opened) == ("finished", True, None)
    assert debate.nothing_because == (
        "Its texts were deleted on 01 March 2026 (kept for 90 days). It was finished: approve."
    )
    line = await debates.get("d1")
    assert line is not None
    assert (line.title, line.events, line.status) == ("", 9, "finished")
    assert [line_there.line.id for line_there in await _search(db, SECRET)] == ["d2"]
    assert not await store.delete_texts("d1", len(events), *gone(events[0]))


async def _search(db: Database, words: str) -> Any:
    return await Search(db).find_page(Filter(words=words), 10)


def holding(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if SECRET.encode() in path.read_bytes()]


@pytest.fixture
async def file_db(tmp_path: Path, hands: Hands) -> AsyncIterator[Database]:
    database = await open_database(str(tmp_path / "debate.db"), hands.now)
    yield database
    await database.close()


async def test_the_file_holds_neither_them_nor_what_its_rows_held_before(
    file_db: Database, tmp_path: Path
) -> None:
    """Rows change often while a debate goes on: what they held then is in free pages."""
    events = await held(file_db)
    for text in (f"{SECRET} " * 50_000, "short"):
        await Outcomes(file_db).save("d1", {"material": {"title": text}}, AT)
        await file_db.checkpoint()
    assert [path.name for path in holding(tmp_path)] == ["debate.db"]
    await Forgetting(file_db).delete_texts("d1", len(events), *gone(events[0]))
    await Forgetting(file_db).clean_words()
    assert holding(tmp_path) == []


async def test_a_deletion_writes_little_however_large_the_index_of_words_is(
    file_db: Database,
) -> None:
    """The words of all other debates stay where they are until the index is cleaned."""
    events = await held(file_db)
    for n in range(40):
        await Debates(file_db).create(requested(f"e{n}"), f"e{n}")
        words = " ".join(f"word{n}x{i}" for i in range(2000))
        await Search(file_db).save(f"e{n}", words, "", 1)
    await file_db.checkpoint()
    await Forgetting(file_db).delete_texts("d1", len(events), *gone(events[0]))
    assert await file_db.read(lambda conn: conn.exec_driver_sql(_SEGMENTS).scalar_one()) > 1
    await Forgetting(file_db).clean_words()
    assert await file_db.read(lambda conn: conn.exec_driver_sql(_SEGMENTS).scalar_one()) == 1
    assert [one.line.id for one in await _search(file_db, "word7x1999")] == ["e7"]


_SEGMENTS = "SELECT count(DISTINCT segid) FROM debate_words_idx"
"""The pieces that the index consists of: one when all of it was written anew."""


@ON_SQLITE
async def test_what_goes_on_is_left_alone(db: Database) -> None:
    events = await held(db, status="running")
    store, position = Forgetting(db), len(events)
    assert not await store.delete_texts("d1", position, *gone(events[0]))
    ended = await held(db, "d2")
    assert not await store.delete_texts("d2", position - 1, *gone(ended[0]))
    async with CommandQueue(db) as queue:
        await queue.enqueue("d2", RaiseChallenge(THEIRS, "later"), "slack:m2")
    assert not await store.delete_texts("d2", position, *gone(ended[0]))
    assert await Debates(db).load("d2") == ended


async def test_only_what_is_old_and_over_is_found(db: Database, hands: Hands) -> None:
    store = Forgetting(db)
    await held(db, "d1")
    await held(db, "d2", status="waiting")
    hands.pass_by(86400)
    events = await held(db, "d3")
    assert await store.find_old(hands.now() - timedelta(hours=1), 9) == ["d1"]
    assert await store.find_old(hands.now() + timedelta(hours=1), 9) == ["d1", "d3"]
    assert await store.find_old(hands.now() + timedelta(hours=1), 9, workspace="slack:T2") == []
    await store.delete_texts("d3", len(events), *gone(events[0]))
    assert await store.find_old(hands.now() + timedelta(hours=1), 9) == ["d1"]


async def test_a_person_s_name_and_words_are_taken_out(db: Database) -> None:
    events = await held(db)
    sessions, store, debates = Sessions(db), Forgetting(db), Debates(db)
    await sessions.begin("key", _session(AT))
    assert await store.find_named("U7") == ["d1"]
    assert await store.find_named("U") == []
    before = await debates.load_hashes("d1")

    def is_them(name: str) -> bool:
        return name == THEIRS

    done = await store.replace_events(
        "d1",
        len(events),
        lambda event: without_person(event, is_them, "forgotten:ab"),
        "slack:T1/U1",
    )
    assert done
    assert await store.forget_name(is_them, "forgotten:ab") == 5
    assert THEIRS not in await rows(db)
    assert await debates.load_hashes("d1", len(before)) == before
    debate = replay(await debates.load("d1"))
    assert [(c.author, c.text, c.source) for c in debate.challenges] == [
        ("forgotten:ab", DELETED, "")
    ]
    assert list(debate.votes) == [("", "forgotten:ab")]
    assert debate.open.material.text == f"{SECRET} of d1"
    assert await sessions.find("key") is None


@ON_SQLITE
async def test_a_person_s_language_is_forgotten_with_them(db: Database) -> None:
    places, other = Places(db, lambda _: True), "slack:T1/U8"
    for person in (THEIRS, other):
        await places.set_language(person, "cs", person, person=True)
    await places.set_language("slack:T1/C1", "de", THEIRS, person=False)
    await Forgetting(db).forget_name(lambda name: name == THEIRS, "forgotten:ab")
    assert THEIRS not in await rows(db)
    assert await places.language(THEIRS, person=True) == ""
    assert await places.language(other, person=True) == "cs"
    assert await places.language("slack:T1/C1") == "de", "a channel keeps what they set"


def _session(at: Any) -> Session:
    return Session(
        "s1", "slack", "U7", "Ann", "slack:T1", {"slack:T1": False}, "", at, at, at,
        at + timedelta(days=3650),
    )  # fmt: skip


async def test_a_workspace_that_left_is_found_until_it_is_back(db: Database, hands: Hands) -> None:
    store = Forgetting(db)
    await held(db)
    hands.pass_by(10)
    await store.leave("slack:T1")
    await store.leave("slack:T2")
    left = hands.now()
    hands.pass_by(60)
    assert await store.find_left(left) == []
    assert await store.find_left(hands.now()) == [("slack:T1", left), ("slack:T2", left)]
    await held(db, "d2")
    assert await store.find_left(hands.now()) == [("slack:T2", left)]
    await store.purged("slack:T2")
    assert await store.find_left(hands.now()) == []
