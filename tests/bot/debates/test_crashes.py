"""kill -9 between every effect and its commit: nothing is lost, posted twice or, once it is stored,
paid twice; the outcome is the same.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.models import Vendors
from core.debate.engine import play
from core.debate.events import Event
from core.debate.state import Debate, replay
from core.words.outcome import outcome
from storage.debates import Debates
from storage.schema import open_database
from storage.tables import CALL, OUTBOX
from tests.bot.conftest import Breeder
from tests.bot.crashing import SOURCE
from tests.core.memory import MemoryLog, table
from tests.standins.chat import RecordingChat

KINDS = (
    "before commit",
    "after commit",
    "after answer",
    "before send",
    "after send",
    "before edit",
    "after edit",
    "after release",
)


@dataclass
class Found:
    """The state after one or more lives."""

    debate: Debate | None
    events: list[Event]
    done: int
    paid: int
    open: int
    states: dict[str, int]
    keys: list[str]
    posts: list[str]


async def find(url: str, folder: Path) -> Found:
    database = await open_database(url)
    try:
        debates = Debates(database)
        ids = [line.id for line in await debates.find_recent()]
        events = await debates.load(ids[0]) if ids else []
        paid_for = sa.select(sa.func.count()).where(CALL.c.state == "done")
        done = await database.read(lambda c: c.execute(paid_for).scalar_one())
        by_state = sa.select(OUTBOX.c.state, sa.func.count()).group_by(OUTBOX.c.state)
        states = await database.read(lambda c: c.execute(by_state).all())
        posts = sa.select(OUTBOX.c.key).where(OUTBOX.c.op == "post").order_by(OUTBOX.c.id)
        keys = await database.read(lambda c: c.execute(posts).scalars().all())
    finally:
        await database.close()
    assert len(ids) <= 1, f"one platform event, one debate: {SOURCE}"
    ledger = folder / "ledger.jsonl"
    paid = len(ledger.read_text().splitlines()) if ledger.exists() else 0
    counted: dict[str, int] = dict(states)
    return Found(
        debate=replay(events) if events else None,
        events=events,
        done=done,
        paid=paid,
        open=counted.get("pending", 0) + counted.get("sending", 0),
        states=counted,
        keys=list(keys),
        posts=RecordingChat(folder / "chat.jsonl").keys(),
    )


SAME = ("status", "ended_because", "seats", "findings", "votes", "verdict", "dissent", "scores")


async def unbroken(events: list[Event]) -> dict[str, Any]:
    """Returns the outcome of the same opening when no process dies."""
    models = Vendors(env={"DEBATE_SCRIPTED": "1"}, configured=("scripted",))
    return outcome(await play(replay(events[:2]), table(MemoryLog(events[:2]), models)))


def same_outcome(end: Found) -> None:
    assert end.debate is not None
    mine, theirs = outcome(end.debate), asyncio.run(unbroken(end.events))
    assert {name: mine[name] for name in SAME} == {name: theirs[name] for name in SAME}
    assert texts_of(mine) == texts_of(theirs)


def texts_of(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (turn["id"], turn["text"], str(turn["stance"]))
        for round in document["rounds"]
        for turn in round["turns"]
    ]


def check(end: Found, lost_answers: int) -> None:
    """Checks the promises after everything has come to its end."""
    assert end.debate is not None
    assert end.debate.status == "finished"
    assert not end.debate.failed
    assert len(end.debate.settled) == len(end.debate.turns)
    assert end.open == 0
    assert set(end.states) <= {"sent", "dead"}, end.states  # dead: edits that a newer one replaced
    wanted = [
        f"{key}/{part}" for key in end.keys for part in range(2 if key.endswith(":verdict") else 1)
    ]
    assert end.posts == wanted, "every post once, in order"
    assert end.paid == end.done + lost_answers, "a call whose answer is stored is never paid again"


def killed_lives(
    breeder: Breeder, url: str, folder: Path, fates: list[tuple[str, int]]
) -> tuple[int, int]:
    """Runs lives that end as planned, then one to the end, and returns how many were killed and how
    many answers were lost with them.
    """
    kills = lost = 0
    for kind, number in fates:
        before = asyncio.run(find(url, folder)) if kills else None
        ended = breeder.live(url, folder, kind, number)
        if ended["killed"]:
            kills += 1
            after = asyncio.run(find(url, folder))
            lost += (after.paid - after.done) - ((before.paid - before.done) if before else 0)
        else:
            assert ended["code"] == 0, ended
    assert breeder.live(url, folder)["code"] == 0
    return kills, lost


@pytest.fixture(scope="session")
def steps(breeder: Breeder, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Returns how many steps of each kind an unbroken life has."""
    folder = tmp_path_factory.mktemp("unbroken")
    assert breeder.live(str(folder / "debate.db"), folder)["code"] == 0
    counts: dict[str, int] = json.loads((folder / "counts.json").read_text())
    return counts


def one_kill(breeder: Breeder, url: str, folder: Path, kind: str, number: int) -> None:
    """Kills one life at a step. Only edits may be fewer than in the unbroken life: one that a newer
    one replaced in time is never made.
    """
    kills, lost = killed_lives(breeder, url, folder, [(kind, number)])
    assert kills == 1 or kind.endswith("edit"), (kind, number)
    end = asyncio.run(find(url, folder))
    check(end, lost)
    same_outcome(end)


def test_a_life_without_death_keeps_every_promise(
    breeder: Breeder, file: str, tmp_path: Path
) -> None:
    assert killed_lives(breeder, file, tmp_path, []) == (0, 0)
    check(asyncio.run(find(file, tmp_path)), 0)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        ("before commit", 2), ("after answer", 5), ("after send", 7), ("after edit", 1),
        ("after release", 1),
    ],
)  # fmt: skip
def test_killed_once(breeder: Breeder, file: str, tmp_path: Path, kind: str, number: int) -> None:
    """At every step and on PostgreSQL, too, in the tests of faults below."""
    one_kill(breeder, file, tmp_path, kind, number)


def test_killed_after_a_commit(breeder: Breeder, url: str, tmp_path: Path) -> None:
    one_kill(breeder, url, tmp_path, "after commit", 4)


@pytest.mark.faults
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_every_step(
    breeder: Breeder,
    url: str,
    tmp_path: Path,
    steps: dict[str, int],
    kind: str,
    request: pytest.FixtureRequest,
) -> None:
    """On PostgreSQL the lives of one kind share a database, as a new one would cost more than the
    debate.
    """
    for number in range(1, steps[kind] + 1):
        folder = tmp_path / str(number)
        folder.mkdir()
        if "://" in url:
            empty(url)
        one_kill(breeder, url if "://" in url else str(folder / "debate.db"), folder, kind, number)


@pytest.mark.faults
@pytest.mark.timeout(600)
def test_killed_at_random(
    breeder: Breeder, url: str, tmp_path: Path, steps: dict[str, int]
) -> None:
    """Each database sees at least fifty deaths, several in one debate."""
    rng, kills, run = random.Random(20261121), 0, 0
    while kills < 50:
        run += 1
        folder = tmp_path / str(run)
        folder.mkdir()
        if "://" in url:
            empty(url)
        fates = [(kind := rng.choice(KINDS), rng.randint(1, steps[kind])) for _ in range(4)]
        here = url if "://" in url else str(folder / "debate.db")
        died, lost = killed_lives(breeder, here, folder, fates)
        kills += died
        check(asyncio.run(find(here, folder)), lost)


def empty(url: str) -> None:
    """Deletes every debate of a PostgreSQL database."""
    import psycopg

    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as conn:
        conn.execute("DELETE FROM debate")
