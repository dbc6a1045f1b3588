"""Every call of a debate's life in Slack, with all that is sent in it, compared whole with a file.
``python -m tests.adapters.slack.test_wire`` writes the file anew, after a change that is wanted.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from adapters.slack.app import SlackApp, connect
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from core.application.desk import Button, ChatFile, DeskAnswer, Glance, Home
from tests.adapters.desk import RecordingDesk
from tests.adapters.slack.test_chat import FINDING, PLACE, ROOT, STATEMENT, VERDICT
from tests.patience import PATIENCE
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn
from tests.standins.slack_wire import Call

FILE = Path(__file__).parent / "wire.txt"
_LONG = replace(STATEMENT, key="d1:8:statement", body="because " * 2_000)
_PEOPLE = ("slack:T1/U1", "slack:T1/U9", "slack:T1/D1")
_STAMP = re.compile(r"\b(?!1767)\d{10}\.\d{6}\b")
"""The time of a message; that from which one is looked up is of early 2026 and stays."""
_PORT = re.compile(r"127\.0\.0\.1:\d+")


def _settings(slack: SlackStandIn) -> SlackSettings:
    return SlackSettings(
        bot_token=BOT_TOKEN, app_token=APP_TOKEN, api_url=slack.url, ping_interval=5.0,
        timeout=PATIENCE, pace=0.0,
    )  # fmt: skip


async def _delivered(chat: SlackChat) -> None:
    """A root, statements, a card, a verdict with its file; edits, look-ups and deletions."""
    root = await chat.send(PLACE, None, ROOT)
    thread, since = root.thread, datetime(2026, 1, 1, tzinfo=UTC)
    await chat.send(PLACE, thread, STATEMENT)
    long = await chat.send(PLACE, thread, _LONG)
    card = await chat.send(PLACE, thread, FINDING)
    await chat.add_reactions(card, FINDING)
    verdict = await chat.send(PLACE, thread, VERDICT)
    await chat.send(PLACE, thread, VERDICT, verdict.ids)
    await chat.edit(root, replace(ROOT, title="o/r#412 done"))
    await chat.edit(long, replace(_LONG, body="Short."))
    await chat.edit(card, replace(_LONG, body="because " * 1_000))
    await chat.find(PLACE, None, ROOT, since)
    await chat.find(PLACE, thread, STATEMENT, since)
    await chat.read_reactions(PLACE, card.ids[0])
    await chat.send_private(PLACE, _PEOPLE[0], "Only `you` see this.")
    await chat.send_direct(_PEOPLE[0], "It is over.")
    await chat.acknowledge(PLACE, thread, "eyes")
    await chat.attach(PLACE, thread, [ChatFile("a.md", "# a")])
    await chat.remove_files(PLACE, thread, "d1")
    await chat.remove(PLACE, card.ids[0])
    for person in _PEOPLE:
        await chat.is_inside(PLACE, person)
    await chat.is_open(PLACE)
    await chat.is_guest(PLACE, _PEOPLE[0])
    direct = await chat.send(
        "slack:T1/D1", None, replace(ROOT, buttons=(Button("pause", "Pause"),))
    )
    await chat.edit(direct, replace(ROOT, buttons=(Button("resume", "Resume"),)))


async def _taken(slack: SlackStandIn, desk: RecordingDesk) -> None:
    """What people do: a command, a mention, a message in private, the Home tab, the form."""
    desk.answer = DeskAnswer("**Taken.**", files=(ChatFile("answer.md", "# all"),))
    await slack.slash("status")
    await _until_called(slack, "files.completeUploadExternal", 3)
    desk.answer = DeskAnswer("For all.", private=False)
    root = await slack.write("We could move billing out.")
    await slack.mention("panel this thread", thread=root["ts"])
    await slack.until(lambda: len(desk.taken) == 2)
    await slack.until(lambda: len(slack.thread(root["ts"])) == 3)
    glance = Glance("d1", "Panel", "running", "round 1", PLACE)
    elsewhere = Glance("s1", "code_review o/r <!channel>", "on", "next run 9:00", "discord:1/2")
    desk.home_content = Home((glance,) * 13, (elsewhere,), (glance,))
    await slack.open_home()
    await slack.until(lambda: slack.world.homes)
    await slack.open_home(tab="messages")
    await _until_called(slack, "assistant.threads.setSuggestedPrompts", 3)
    await slack.shortcut("debate_new")
    [view] = await slack.until(lambda: list(slack.world.views.values()))
    await slack.choose(view["id"], "template", "panel")
    await _until_called(slack, "views.update", 1)
    await slack.submit(view["id"], {"target": "Which way?", "channel": "C1"})
    await slack.until(lambda: desk.priced)
    await _until_called(slack, "views.update", 2)
    await slack.submit(view["id"])
    await slack.until(lambda: len(desk.taken) == 3)
    await slack.until(lambda: slack.messages()[-1]["text"] == "For all.")


async def _until_called(slack: SlackStandIn, method: str, times: int) -> None:
    await slack.until(lambda: [call.method for call in slack.calls].count(method) == times)


def _lines(calls: Sequence[Call]) -> str:
    """The calls as text, with every time by the number of its first use."""
    made = "\n".join(
        f"{call.method} {json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)}"
        for call in calls
    )
    stamps = dict.fromkeys(_STAMP.findall(made))
    numbers = {stamp: f"ts{n}" for n, stamp in enumerate(stamps, 1)}
    return _PORT.sub("HOST", _STAMP.sub(lambda match: numbers[match[0]], made)) + "\n"


async def _wire() -> str:
    desk = RecordingDesk(answers_people=True)
    async with SlackStandIn() as slack:
        for name in ("C1", "D1"):
            slack.world.channel(name)
        app: SlackApp = SlackApp(connect(_settings(slack)), desk)
        await app.start()
        try:
            await slack.until(lambda: bool(desk.recounted))
            await _delivered(app.chat)
            first = len(slack.calls)
            delivered = _lines(slack.calls[:first])
            await _taken(slack, desk)
            return delivered + "\n" + _lines(slack.calls[first:])
        finally:
            await app.stop(grace=0.1)


async def test_every_call_is_what_was_recorded() -> None:
    assert (await _wire()).splitlines() == FILE.read_text("utf-8").splitlines()


if __name__ == "__main__":
    FILE.write_text(asyncio.run(_wire()), "utf-8")
