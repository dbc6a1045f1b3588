"""Every act of a person, from every surface, has its line, without a text or a secret."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from core.application.desk import Caller
from core.debate.events import DebateRequest
from storage.audit import AuditLog
from storage.database.files import default_file
from tests.bot.room.test_signing_in import signing
from tests.origins import origin
from tests.trust.conftest import Command
from tests.trust.test_permissions import HERE, OWNER, ask, desk

SECRET = "kumquat"


def test_a_shell_prints_and_checks_it(debate: Command, tmp_path: Path) -> None:
    id = debate("triad", f"Do we need a {SECRET}?", "--rounds", "1", "--json").document["id"]
    debate("show", id)
    debate("export", id, "html")
    debate("forget", id, "--yes")
    ran = debate("audit", "--since", "1d", "--json")
    assert (ran.code, ran.document["whole"]) == (0, True)
    acts = [(line["surface"], line["what"], line["about"]) for line in ran.document["lines"]]
    assert acts == [
        ("shell", "start", id), ("process", "spend", id), ("shell", "read", id),
        ("shell", "export", id), ("shell", "delete texts", id),
    ]  # fmt: skip
    assert all(line["who"].startswith("shell:") for line in ran.document["lines"])
    assert SECRET not in ran.out
    printed = debate("audit")
    assert (printed.code, "The list is whole." in printed.out, id in printed.out) == (0, True, True)
    with sqlite3.connect(default_file()) as base:
        base.execute("UPDATE audit SET who = 'shell:mallory' WHERE number = 1")
    base.close()
    changed = debate("audit")
    assert changed.code == 1
    assert "Somebody has changed this list: the name in line 1 was changed." in changed.out
    assert debate("audit", "--since", "yesterday").code == 2


def test_a_person_who_forgets_themselves_is_in_no_line(debate: Command) -> None:
    debate("triad", f"Do we need a {SECRET}?", "--rounds", "1")
    me = debate("audit", "--json").document["lines"][0]["who"]
    assert debate("forget", me, "--yes").code == 0
    printed = debate("audit", "--json")
    assert (printed.document["whole"], me in printed.out) == (True, False), printed.out
    forgotten = {(line["who"], line["what"]) for line in printed.document["lines"]}
    (alias,) = {who for who, _ in forgotten}
    assert {(alias, "start"), (alias, "forget a person")} <= forgotten


async def test_chats_are_named_with_the_person_and_the_place(tmp_path: Path) -> None:
    async with desk(tmp_path, private_workspaces=frozenset({"slack:T1"})) as (parts, _):
        admin = Caller("slack:T1/U6", HERE, "e", admin=True)
        id = await parts.service.take(
            DebateRequest("triad", SECRET, OWNER, HERE, vote_window=600.0), origin("k")
        )
        starter = Caller(OWNER, HERE, "e")
        await parts.advancer.advance(id)
        for text in (f"show {id}", f"show {id}", f"vote {id} yes"):
            await ask(parts, text, starter)
        await ask(parts, f"export {id} json", replace(starter, person="slack:T1/U2"))
        await ask(parts, "setup github o/r", admin)
        await ask(parts, f"stop {id}", replace(admin, person="slack:T1/U9", admin=False))
        await parts.desk.press("vote", f"{id}:no", replace(admin, source="p"))
        lines = await AuditLog(parts.stores.database).load()
        assert [(line.who, line.surface, line.place, line.what) for line in lines] == [
            (OWNER, "slack", HERE, "start"),
            (OWNER, "process", HERE, "spend"),
            (OWNER, "slack", HERE, "read"),
            (OWNER, "slack", HERE, "vote"),
            ("slack:T1/U2", "slack", HERE, "export"),
            ("slack:T1/U6", "slack", HERE, "bind"),
            ("slack:T1/U6", "slack", HERE, "change what starts debates"),
            ("slack:T1/U6", "slack", HERE, "vote"),
        ]
        assert SECRET not in str(lines)


async def test_who_signs_in_reads_and_signs_out_in_a_browser_is_noted(tmp_path: Path) -> None:
    async with signing(tmp_path) as on:
        id = (await on.room.debate(place=HERE, asker=OWNER, rounds=1)).id
        await on.sign_in()
        for path in (f"/d/{id}", f"/d/{id}", f"/d/{id}/debate-{id}.json"):
            assert (await on.room.get(path))[0] == 200
        await on.room.post("/sign-out", {}, token=await on.room.token(), session="all")
        lines = await AuditLog(on.room.parts.stores.database).load()
        noted = [line for line in lines if line.surface == "room"]
        assert [line.what for line in noted] == ["sign in", "read", "export", "sign out"]
        assert noted[0].who == noted[-1].who != ""
