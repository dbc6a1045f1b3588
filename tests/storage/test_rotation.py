"""A key that is being changed: both keys there, a process killed in the middle, and somebody who
keeps a token meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.settings import read
from core.debate.errors import BadInput
from storage.database import Database, database_url
from storage.database.engines import create_engine
from storage.places import Installations
from storage.schema import open_database
from storage.sealing import Seal
from storage.tables import INSTALLATION
from tests.end_to_end import nursery
from tests.patience import PATIENCE
from tests.project import ROOT
from tests.storage.conftest import ON_SQLITE

OLD, NEW = "the key of last year", "the key of this year"
MANY = 12
DIES = """
import asyncio, os, signal, sys
import sqlalchemy as sa
from storage.places import Installations
from storage.schema import open_database
from storage.sealing import Seal

async def main(url, old, new, last):
    database = await open_database(url)
    changed = 0
    def count(_conn, _cursor, statement, *_):
        global changed
        if statement.startswith("UPDATE installation"):
            changed += 1
            if changed == last:
                os.kill(os.getpid(), signal.SIGKILL)
    sa.event.listen(database._writes.engine, "after_cursor_execute", count)
    await Installations(database, Seal([new, old])).rotate()

changed = 0
asyncio.run(main(*sys.argv[1:4], int(sys.argv[4])))
"""


async def kept(url: str, keys: list[str], count: int = MANY) -> None:
    database = await open_database(url)
    for n in range(count):
        await Installations(database, Seal(keys)).keep(f"slack:T{n}", f"xoxb-{n}")
    await database.close()


async def opened(url: str, keys: list[str]) -> list[str | None]:
    database = await open_database(url)
    try:
        vault = Installations(database, Seal(keys))
        return [await vault.token(f"slack:T{n}") for n in range(MANY)]
    finally:
        await database.close()


async def test_killed_in_the_middle_everything_opens_with_the_old_key_and_again_with_the_new(
    database_address: str,
) -> None:
    await kept(database_address, [OLD])
    words = [sys.executable, "-c", DIES, database_address, OLD, NEW, str(MANY // 2)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = nursery.Popen(words, cwd=ROOT, env=env)
    assert await asyncio.to_thread(process.wait, PATIENCE) == -signal.SIGKILL
    all_of_them = [f"xoxb-{n}" for n in range(MANY)]
    assert await opened(database_address, [OLD]) == all_of_them
    database = await open_database(database_address)
    assert await Installations(database, Seal([NEW, OLD])).rotate() == MANY
    await database.close()
    assert await opened(database_address, [NEW]) == all_of_them


@ON_SQLITE
async def test_with_both_keys_everything_opens_before_and_after_and_in_either_order(
    database_address: str,
) -> None:
    await kept(database_address, [OLD])
    all_of_them = [f"xoxb-{n}" for n in range(MANY)]
    database = await open_database(database_address)
    await Installations(database, Seal([NEW, OLD])).keep("slack:T0", "xoxb-0")  # half of each
    for keys in ([NEW, OLD], [OLD, NEW]):
        assert await opened(database_address, keys) == all_of_them
    with pytest.raises(BadInput, match="sealed under another key"):
        await Installations(database, Seal([NEW])).rotate()
    assert await opened(database_address, [OLD, NEW]) == all_of_them
    await Installations(database, Seal([NEW, OLD])).rotate()
    await database.close()
    for keys in ([NEW, OLD], [OLD, NEW], [NEW]):
        assert await opened(database_address, keys) == all_of_them


class Interrupted(Seal):
    """Calls ``act`` once, while ``rotate`` has read and not yet written."""

    def __init__(self, keys: list[str], act: Callable[[], None]) -> None:
        super().__init__(keys)
        self._act: Callable[[], None] | None = act

    def open(self, sealed: bytes) -> str | None:
        act, self._act = self._act, None
        if act is not None:
            act()
        return super().open(sealed)


@pytest.mark.parametrize("workspace", ["slack:T1", "slack:T2"])
async def test_a_token_that_is_kept_meanwhile_is_not_lost(
    db: Database, database_address: str, workspace: str
) -> None:
    """Another process installs the app just then: into a workspace that is there, or a new one."""
    await Installations(db, Seal([OLD])).keep("slack:T1", "xoxb-1")
    url = database_url(database_address)
    refused: list[bool] = []

    def install() -> None:
        engine = create_engine(url, begin="BEGIN IMMEDIATE", size=1)
        soon = "SET lock_timeout = 50"  # waiting begins before any statement
        if url.drivername.startswith("sqlite"):
            soon = "PRAGMA busy_timeout = 50"
        sa.event.listen(engine, "connect", lambda raw, _: raw.execute(soon) and raw.commit())
        row = {"workspace": workspace, "sealed": Seal([OLD]).close("xoxb-late"), "at": db.now()}
        gone = sa.delete(INSTALLATION).where(INSTALLATION.c.workspace == workspace)
        try:
            with engine.connect() as conn:
                conn.execute(gone)
                conn.execute(sa.insert(INSTALLATION), row)
                conn.commit()
        except sa.exc.OperationalError:
            refused.append(True)  # it waits, and comes after
        engine.dispose()

    await Installations(db, Interrupted([NEW, OLD], install)).rotate()
    assert refused, "who writes waits until all is sealed"
    assert await Installations(db, Seal([NEW])).token("slack:T1") == "xoxb-1"


def test_keys_of_the_variable_stand_before_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"{OLD}\n\n")
    env = {"DEBATE_SECRET_KEY_FILE": str(file)}
    assert read(env, tmp_path).secret_keys == (OLD,)
    assert read(env | {"DEBATE_SECRET_KEY": NEW}, tmp_path).secret_keys == (NEW, OLD)


def test_a_short_key_is_refused_by_the_name_of_its_variable(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text(f"{OLD}\nshort\n")
    for name, value in (
        ("DEBATE_SECRET_KEY", f"{NEW},short"),
        ("DEBATE_SECRET_KEY_FILE", str(file)),
    ):
        with pytest.raises(BadInput, match=f"^{name}: a key has at least 16 characters: debate db"):
            read({name: value}, tmp_path).secret_keys  # noqa: B018


@pytest.mark.parametrize("kind", ["pipe", "device", "bytes", "nothing"])
def test_a_file_of_keys_that_is_none_is_refused_in_one_sentence(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "keys"
    match kind:
        case "pipe":
            os.mkfifo(file)
        case "device":
            file.symlink_to("/dev/zero")
        case "bytes":
            file.write_bytes(b"\xff" * 40)
        case _:
            pass
    settings = read({"DEBATE_SECRET_KEY_FILE": str(file)}, tmp_path)
    with pytest.raises(BadInput, match=r"^DEBATE_SECRET_KEY_FILE can't be read: [^.]+\. Name a"):
        settings.secret_keys  # noqa: B018


@ON_SQLITE
async def test_without_any_key_nothing_is_lost_and_the_next_step_is_said(
    database_address: str,
) -> None:
    await kept(database_address, [OLD], 1)
    database = await open_database(database_address)
    for act in (Installations(database, Seal([])).rotate, lambda: opened(database_address, [])):
        with pytest.raises(BadInput, match="set DEBATE_SECRET_KEY to the key that it was sealed"):
            await act()
    assert await Installations(database, Seal([OLD])).token("slack:T0") == "xoxb-0"
    await database.close()
