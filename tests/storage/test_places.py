"""Grants of places and workspaces, sealed secrets, and the lock of the one runner."""

from __future__ import annotations

import fcntl
import os
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.debate.errors import BadInput, StoreAway
from storage.database import Database
from storage.database.lock import RunnerLock
from storage.debates import Debates
from storage.places import Installations, Places
from storage.schedules import Schedules
from storage.sealing import Seal
from storage.tables import INSTALLATION
from tests.storage.samples import requested
from tests.storage.test_schedules import plan

SECRET = "sixteen characters at least"


async def test_a_private_repository_is_seen_where_it_was_bound(db: Database) -> None:
    places = Places(db, lambda _: True)
    assert await places.bind("slack:T1/C1", "Acme/App", "slack:T1/U1") is True
    assert await places.bind("slack:T1/C1", "acme/app", "slack:T1/U2") is False
    assert await places.repositories("slack:T1/C1") == ["acme/app"]
    assert await places.repositories("slack:T1/C2") == []
    names = ("ACME/APP", "acme/app")
    assert [await places.unbind("slack:T1/C1", name) for name in names] == [True, False]
    assert await places.repositories("slack:T1/C1") == []


async def test_a_token_is_stored_sealed(db: Database) -> None:
    installations = Installations(db, Seal([SECRET]))
    assert await installations.token("slack:T1") is None
    await installations.keep("slack:T1", "xoxb-old")
    await installations.keep("slack:T1", "xoxb-new")
    assert await installations.token("slack:T1") == "xoxb-new"
    assert await installations.holders("xoxb-new") == ["slack:T1"]
    assert await installations.holders("xoxb-old") == []
    sealed = await db.read(lambda conn: conn.execute(sa.select(INSTALLATION.c.sealed)).scalar_one())
    assert b"xoxb" not in sealed
    with pytest.raises(BadInput, match="sealed under another key"):
        await Installations(db, Seal([SECRET + "!"])).token("slack:T1")


async def test_what_a_platforms_secret_sealed_still_opens_and_nothing_new_is_sealed_so(
    db: Database,
) -> None:
    """Earlier releases sealed with the app's own client secret."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    from cryptography.fernet import Fernet

    key = urlsafe_b64encode(sha256(b"installation\0" + SECRET.encode()).digest())
    row = {"workspace": "slack:T1", "sealed": Fernet(key).encrypt(b"xoxb-1"), "at": db.now()}
    await db.write(lambda conn: conn.execute(sa.insert(INSTALLATION), row).rowcount)
    old = Installations(db, Seal([], [SECRET]))
    assert await old.token("slack:T1") == "xoxb-1"
    with pytest.raises(BadInput, match="set DEBATE_SECRET_KEY"):
        await old.keep("slack:T2", "xoxb-2")
    assert await Installations(db, Seal(["a key of its own"], [SECRET])).rotate() == 1
    assert await Installations(db, Seal(["a key of its own"])).token("slack:T1") == "xoxb-1"


async def test_a_workspace_that_left_leaves_nothing_but_its_debates(db: Database) -> None:
    places, installations, schedules = (
        Places(db, lambda _: True),
        Installations(db, Seal([SECRET])),
        Schedules(db),
    )
    for workspace in ("slack:T1", "slack:T10"):
        await installations.keep(workspace, "xoxb")
        await places.bind(f"{workspace}/C1", "acme/app", "u")
        await schedules.add(replace(plan(workspace), place=f"{workspace}/C1"))
    await Debates(db).create(requested(), "k")
    await places.forget_workspace("slack:T1")
    assert [await installations.token(w) for w in ("slack:T1", "slack:T10")] == [None, "xoxb"]
    assert [await places.repositories(f"{w}/C1") for w in ("slack:T1", "slack:T10")] == [
        [],
        ["acme/app"],
    ]
    assert [schedule.id for schedule in await schedules.find_all()] == ["slack:T10"]
    assert len(await Debates(db).find_recent()) == 1


def test_a_second_runner_is_refused_by_name(tmp_path: Path) -> None:
    database = tmp_path / "debate.db"
    with RunnerLock(database) as lock:
        with pytest.raises(BadInput) as refused:
            RunnerLock(database).acquire()
        assert str(refused.value) == (
            f"Another debatebot (process {os.getpid()}) is running on {database}. "
            "Stop it first, or use another database; commands and reading work meanwhile. Lock: "
            f"{database}.lock"
        )
    with lock:
        assert lock.path.read_text() == f"{os.getpid()}\n"


def test_processes_that_look_for_a_runner_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every shell looks whether a bot runs: another one at the same moment must not take it for
    the bot, nor must it keep a bot from starting.
    """
    lock = RunnerLock(tmp_path / "debate.db")
    flock, looks = fcntl.flock, list[frozenset[str] | None]()

    def look_too(fd: int, kind: int) -> None:
        """Another process looks while the first one does."""
        flock(fd, kind)
        monkeypatch.setattr(fcntl, "flock", flock)
        looks.append(RunnerLock(tmp_path / "debate.db").allowed())

    monkeypatch.setattr(fcntl, "flock", look_too)
    assert lock.allowed() is None
    assert looks == [None]

    with lock.path.open() as looking:
        flock(looking, fcntl.LOCK_SH)
        refusals = 0

        def end_the_look(fd: int, kind: int) -> None:
            """The other process has looked when the bot's first try was refused."""
            nonlocal refusals
            try:
                flock(fd, kind)
            except BlockingIOError:
                refusals += 1
                flock(looking, fcntl.LOCK_UN)
                raise

        monkeypatch.setattr(fcntl, "flock", end_the_look)
        with lock:
            assert refusals == 1
            assert RunnerLock(tmp_path / "debate.db").allowed() == frozenset()


def test_a_lock_that_cannot_be_written_is_one_line_with_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "debate.db.lock").mkdir()
    with pytest.raises(StoreAway, match="lock cannot be written: Is a directory"):
        RunnerLock(tmp_path / "debate.db").acquire()
