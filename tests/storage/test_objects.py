"""A SQLite file that holds anything that is not of our making is not used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.debate.errors import BadInput
from storage.database import database_url
from storage.database.lock import RunnerLock
from storage.schema import backup, open_database, restore, upgrade
from tests.end_to_end.shell import environment, process

FORGED = {
    "the trigger forged": "CREATE TRIGGER forged AFTER INSERT ON outcome BEGIN SELECT 1; END",
    "the trigger debate_text_added": "DROP TRIGGER debate_text_added; CREATE TRIGGER "
    "debate_text_added AFTER INSERT ON debate_text BEGIN DELETE FROM event; END",
    "the view precedents": "CREATE VIEW precedents AS SELECT * FROM outcome",
    "the table kept": "ALTER TABLE outcome RENAME TO kept; CREATE VIEW outcome AS "
    "SELECT * FROM kept",
    "the table notes": "CREATE TABLE notes (text TEXT)",
    "the table seen": "DROP TABLE seen; CREATE VIRTUAL TABLE seen USING fts5(key, at)",
    "the index forged": "CREATE INDEX forged ON event (debate_id)",
    "computed columns in the table link": "ALTER TABLE link ADD COLUMN kept TEXT AS ('approve')",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    upgrade(database_url(str(tmp_path / "debate.db")))
    return tmp_path / "debate.db"


@pytest.mark.parametrize("named", FORGED)
async def test_what_is_not_of_our_making_is_named(file: Path, tmp_path: Path, named: str) -> None:
    await (await open_database(str(file))).close()
    with closing(sqlite3.connect(file)) as base:
        base.executescript(FORGED[named])
    with pytest.raises(BadInput, match=named):
        await open_database(str(file))
    for whole in ("the table notes", "the table seen", "the index forged", "the table kept"):
        if named == whole:  # a newer release may have more tables
            return
    with pytest.raises(BadInput, match=named):
        backup(str(file), tmp_path / "copy.db")
    with pytest.raises(BadInput, match=named):
        restore(str(tmp_path / "other.db"), file)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_file_of_another_program_is_not_changed(tmp_path: Path, mode: str) -> None:
    file = tmp_path / "music.db"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute(f"PRAGMA journal_mode={mode}")
        base.execute("CREATE TABLE song (title TEXT)")
    file.chmod(0o600)
    before = file.read_bytes()
    ran = process(tmp_path, "list", env=environment(DEBATE_DATABASE_URL=str(file)))
    assert (ran.code, "is not used: choose another one" in ran.err) == (2, True), ran.err
    assert file.read_bytes() == before
    assert [each.name for each in tmp_path.glob("music*")] == [file.name]


@pytest.mark.parametrize(
    "beside", ["debate.db", "debate.db-wal", "debate.db-shm", "debate.db.lock"]
)
async def test_no_link_is_followed(tmp_path: Path, beside: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine\n")
    (tmp_path / beside).symlink_to(elsewhere)
    with pytest.raises(BadInput, match="is a link"):
        await open_database(str(tmp_path / "debate.db"))
    if beside.endswith(".lock"):
        with pytest.raises(BadInput, match="is a link"), RunnerLock(tmp_path / "debate.db"):
            pass
    with pytest.raises(BadInput, match="is there already"):
        backup(str(tmp_path / "debate.db"), tmp_path / beside)
    assert elsewhere.read_text() == "mine\n"


def test_a_file_that_others_read_or_change_is_refused(file: Path) -> None:
    for mode in (0o644, 0o660, 0o602):
        file.chmod(mode)
        with pytest.raises(BadInput, match=f"If it is yours: chmod 600 {file}"):
            upgrade(database_url(str(file)))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_of_another_account_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.chown(file, 65534, 65534)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BadInput, match="belongs to another account"):
        upgrade(database_url(str(file)))
