"""Every request of a debate's life in Discord, with all that is sent in it, compared whole with a
file. ``python -m tests.adapters.discord.test_wire`` writes the file anew, after a change that is
wanted.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from adapters.ports.chat import Shape
from core.application.commands import Start
from core.application.desk import Button, ChatFile, DeskAnswer
from tests.adapters.discord.conftest import Town, settled
from tests.adapters.discord.posts import CHALLENGE, PAUSE, SEEDS, STOP, post
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_rest import Call
from tests.standins.discord_world import FORUM, VOICE, until

FILE = Path(__file__).parent / "wire.txt"
_NUMBER = re.compile(r"\b\d{15,20}\b")
_PORT = re.compile(r"127\.0\.0\.1:\d+")
_ROOT = post(
    "d1:root", Shape.ROOT, title="PR 7", fields=(("State", "round 1"),),
    buttons=(STOP, PAUSE, CHALLENGE, Button("fork", "Fork", "d1", more=True)),
    reaction_options=SEEDS,
)  # fmt: skip
_STATEMENT = post("d1:1", who="Skeptic", body="It leaks.", face="thinking_face")
_LONG = post("d1:2", who="Skeptic", body="because " * 1_200)
_VERDICT = post(
    "d1:3", Shape.VERDICT, title="Approved", files=(ChatFile("debate.md", "# all"),),
    poll=("yes", "no"), facts={"poll_hours": "2"},
)  # fmt: skip


async def _delivered(town: Town) -> None:
    """A root, statements, a verdict with its file and poll; edits, look-ups and deletions."""
    chat, guild, since = town.app.chat, town.discord.guild, datetime.now(UTC) - timedelta(hours=1)
    root = await town.seeded(None, _ROOT)
    await chat.send(town.place, root.thread, _STATEMENT)
    long = await chat.send(town.place, root.thread, _LONG)
    verdict = await chat.send(town.place, root.thread, _VERDICT)
    await chat.edit(root, replace(_ROOT, title="PR 7 done"))
    await chat.edit(long, replace(_LONG, body="Short.", title="Another"))
    await chat.edit(verdict, replace(_VERDICT, title="Rejected", poll=()))
    await until(lambda: town.discord.calls[-1].path.endswith("/answers/2"), what="the poll's end")
    await chat.find(town.place, root.thread, _LONG, since)
    await chat.find(town.place, None, _ROOT, since)
    ada = f"discord:{guild}/{town.discord.ada}"
    await chat.send_private(town.place, ada, "Only *you* see this.")
    await chat.acknowledge(town.place, root.ids[0], "eyes")
    await chat.read_reactions(town.place, root.ids[0])
    for kind in (FORUM, VOICE):
        channel = town.discord.world.channel(guild, f"kind {kind}", kind)
        await town.discord.gateway.dispatch("CHANNEL_CREATE", channel, guild=guild)
        await until(lambda c=channel: town.app._connection.client.get_channel(int(c["id"])))  # type: ignore[union-attr]
        place = f"discord:{guild}/{channel['id']}"
        ref = await chat.send(place, None, replace(_ROOT, key=f"d{kind}:root"))
        await chat.send(place, ref.thread, replace(_STATEMENT, key=f"d{kind}:1"))
        await chat.find(place, None, replace(_ROOT, key=f"d{kind}:root"), since)
    await chat.remove(town.place, long.ids[0])
    await chat.remove(town.place, root.ids[0])


async def _taken(town: Town) -> None:
    """What people do: a command, buttons with and without a form, a message with a file."""
    discord, desk = town.discord, town.desk
    desk.answer = DeskAnswer(
        "**Taken.**", buttons=(STOP, CHALLENGE), files=(ChatFile("answer.md", "# all"),)
    )
    await discord.answer(await discord.command("status"))
    desk.answer = DeskAnswer("For all.", private=False)
    await discord.answer(await discord.command("list"))
    desk.answer = DeskAnswer("word " * 3_000)
    await discord.answer(await discord.command("leaderboard"))
    desk.answer = DeskAnswer("Price: $3.", ok=False, priced=Start("code_review", "x"))
    await discord.answer(
        await discord.command("start", {"template": "code_review", "target": "https://x.example"})
    )
    form = await discord.command("start", {"template": "design_doc"})
    await until(lambda: form.form, what="the form")
    root = await town.seeded(None, replace(_ROOT, key="d2:root"))
    (starter,) = (m for m in discord.messages(discord.general) if m["id"] == root.thread)
    asks = await discord.press(discord.general, starter, "Challenge")
    await until(lambda: asks.form, what="the form")
    await discord.answer(await discord.press(discord.general, starter, "Stop"))
    desk.answers_said = {"prove it": DeskAnswer("Noted.", private=False)}
    await discord.reply(root.thread, "prove it")
    await until(lambda: len(discord.messages(root.thread)) == 2, what="an answer")


def _lines(calls: Sequence[Call]) -> str:
    """The requests as text, with every id by the number of its first use."""
    made = "\n".join(
        f"{call.method} {call.path} {json.dumps(_plain(call.body), sort_keys=True)} "
        f"{sorted((name, len(data)) for name, data in call.files.items())}"
        for call in calls
        if not call.path.endswith("/commands")
    )
    ids = dict.fromkeys(_NUMBER.findall(made))
    numbers = {id: f"id{n}" for n, id in enumerate(ids, 1)}
    return _PORT.sub("HOST", _NUMBER.sub(lambda match: numbers[match[0]], made)) + "\n"


def _plain(body: Any) -> Any:
    """The body without what is made from a channel's number: nonces and ids of components."""
    if isinstance(body, dict):
        return {k: _plain(v) for k, v in body.items() if k not in ("nonce", "id")}
    return [_plain(each) for each in body] if isinstance(body, list) else body


async def _wire() -> str:
    async with DiscordStandIn() as discord, settled(discord) as town:
        await _delivered(town)
        first = len(discord.calls)
        delivered = _lines(discord.calls[:first])
        await _taken(town)
        return delivered + "\n" + _lines(discord.calls[first:])


async def test_every_request_is_what_was_recorded() -> None:
    assert (await _wire()).splitlines() == FILE.read_text("utf-8").splitlines()


if __name__ == "__main__":
    FILE.write_text(asyncio.run(_wire()), "utf-8")
