"""Webhooks as the person at the machine, and an admin of a workspace, see them in the room."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from bot.doctor import examine
from bot.settings import read
from core.application.check import DoctorState
from tests.bot.parts import until_posted
from tests.bot.room.serving import Served, served
from tests.bot.room.test_signing_in import served_as_another, signing
from tests.standins.hooks import receiving

KEY = "ab" * 32
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
VERDICTS = ("debate.verdict",)
USUAL = {"hears-debate.verdict": "yes", "hears-debate.failed": "yes"}


async def pressed(room: Served, verb: str, id: str, **more: str) -> tuple[int, str]:
    """Returns the status of the answer to the form, and the page that is shown then."""
    form: dict[str, Any] = {"token": await room.token(), "id": id, "verb": verb, **more}
    status, page, head = await room.post("/webhooks/do", **form)
    if status == 303:
        _, page, _ = await room.get(head["Location"])
    return status, html.unescape(page)


async def test_one_is_added_tried_given_a_new_secret_and_ended(tmp_path: Path) -> None:
    async with (
        receiving() as receiver,
        served(tmp_path, DEBATE_SIGNING_KEY=KEY, DEBATE_HOOK_HOSTS="127.0.0.1") as room,
    ):
        _, page, _ = await room.get("/you")
        assert 'href="/webhooks"' in page
        _, page, _ = await room.get("/webhooks")
        assert "There is none yet." in page
        assert re.findall(r'name="hears-([\w.]+)" value="yes" checked', page) == [
            "debate.verdict", "debate.failed",
        ]  # fmt: skip
        form: dict[str, Any] = {"token": await room.token(), "channel": "", **USUAL}
        wrong = form | {"address": "http://ci.acme.example/x"}
        status, page, _ = await room.post("/webhooks", **wrong)
        assert (status, "Only https" in page) == (400, True)
        assert 'value="http://ci.acme.example/x"' in page, "what was typed is still there"
        status, page, _ = await room.post("/webhooks", **form, address=receiver.address)
        (secret,), (id,) = (
            SECRET.findall(html.unescape(page)),
            re.findall(r'"/webhooks\?id=(\w+)"', page),
        )
        assert status == 200
        assert f"{receiver.address}</h2>" in page
        assert "Hears of debate.verdict, debate.failed in every place." in page
        _, page, _ = await room.get("/webhooks")
        assert not SECRET.search(html.unescape(page)), "it is shown once"

        status, page = await pressed(room, "test", id)
        assert (status, "answered 204" in page) == (303, True)
        assert receiver.taken[-1].verified(secret)["type"] == "ping"
        debate = await room.debate(rounds=1)
        (verdict,) = [one for one in await receiver.has(2) if "verdict" in one.body.decode()]
        await until_posted(room.parts)  # what is under way is not sent once more
        _, page, _ = await room.get(f"/webhooks?id={id}")
        assert f'<a href="/d/{debate.id}">{debate.id}</a>' in page
        status, page = await pressed(room, "replay", id)
        assert "1 message will be sent once more, with the same ids." in page
        assert (await receiver.has(3))[-1].id == verdict.id

        status, page = await pressed(room, "rotate", id)
        (second,) = SECRET.findall(page)
        assert (status, second != secret) == (200, True)
        status, page = await pressed(room, "disable", id)
        assert "Nothing more is sent to" in page
        assert "Nothing is sent any more:</b> It was disabled." in page
        _, page, _ = await room.get("/webhooks", **{"Accept-Language": "cs"})
        assert "debate.failed, platí pro: každé místo." in page
        assert "Už se nic neposílá:</b> Byl vypnut." in page
        status, page = await pressed(room, "replay", id)
        assert (status, "It has ended" in page) == (400, True)

        env = {"DEBATE_DATABASE_URL": str(tmp_path / "debate.db"), "DEBATE_SIGNING_KEY": KEY}
        (finding,) = [one for one in await examine(read(env, tmp_path)) if one.part == "webhook"]
        assert finding.state is DoctorState.CARE
        assert finding.next == f"When it answers again: debate hooks test {id}"
        assert finding.what == f"{receiver.address} is sent nothing any more: It was disabled."


async def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_SIGNING_KEY=KEY) as room:
        for verb in ("test", "rotate", "replay", "disable"):
            status, page = await pressed(room, verb, "00000000")
            assert (status, "There is no webhook '00000000' here" in page) == (400, True)
        status, _ = await pressed(room, "brew", "00000000")
        assert status == 400
        assert (await room.get("/webhooks?id=00000000"))[0] == 200


async def test_an_admin_sees_those_of_their_own_workspace_and_a_member_none(tmp_path: Path) -> None:
    hosts = {"DEBATE_SIGNING_KEY": KEY, "DEBATE_PRIVATE_WORKSPACES": "slack:T9"}
    async with signing(tmp_path, hosts) as on:
        hooks = on.room.parts.stores.hooks
        address = "https://{}.acme.example/debates"
        for name, place in (
            ("own", "discord:900/1"), ("other", "discord:901/1"), ("chat", "slack:T1/C1"),
            ("all", ""),
        ):  # fmt: skip
            await hooks.add(place, address.format(name), VERDICTS, "shell:ann", full=False)
        await on.sign_in("discord")
        _, page, _ = await on.room.get("/webhooks")
        matches = re.findall(r"https://(\w+)\.acme\.example/debates</h2>", page)
        assert matches == ["own"]
        (mine, *others) = [one.id for one in await hooks.load()]
        for foreign in others:
            status, page = await pressed(on.room, "disable", foreign)
            assert (status, "There is no webhook" in page) == (400, True)
            _, page, _ = await on.room.get(f"/webhooks?id={foreign}")
            assert "Nothing was sent yet." not in page
        assert (await pressed(on.room, "disable", mine))[0] == 303
        assert [one.ended != "" for one in await hooks.load()] == [True, False, False, False]
        form = {"token": await on.room.token(), "address": address.format("new"), **USUAL}
        status, page, _ = await on.room.post("/webhooks", {}, **form)
        assert (status, "Name the channel, like slack:CHANNEL." in page) == (400, True)
        form["channel"] = "discord:901/1"
        status, page, _ = await on.room.post("/webhooks", {}, **form)
        assert status in (400, 403)
        assert len(await hooks.load()) == 4

        async with served_as_another(on) as member:
            await member.sign_in()
            assert (await member.room.get("/webhooks"))[0] == 403
            status, _ = await pressed(member.room, "disable", mine)
            assert status == 403
