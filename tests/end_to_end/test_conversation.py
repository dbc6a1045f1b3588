"""One conversation about a pull request, held word for word the same in Slack, in Discord and in a
chat that a plugin adds.
"""

from __future__ import annotations

import re
import sys
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol

import pytest

from bot import plugins
from bot.schedules.cron import Rule
from bot.serve.process import Bot
from bot.wire.bot import open_bot
from bot.wire.parts import Parts
from core.words.outcome import outcome
from tests.bot.plugins.packages import leave
from tests.end_to_end import pigeon as third
from tests.end_to_end.discord_city import City, city, read
from tests.end_to_end.pigeon import Pigeon, pigeon
from tests.end_to_end.played import LINK, Watched, configured
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.world import Time, World, comes
from tests.standins.discord_world import render as texts
from tests.standins.github import GitHubStandIn

START = f"code_review {LINK} --rounds 1 --debate-anyway --yes"
SHORT = "--format panel --quiet --yes"


class Talk(Protocol):
    """A chat and two of its people: Ann, who starts a debate, and Bea."""

    @property
    def world(self) -> World:
        """The running bot."""

    async def write(self, text: str, thread: str = "", *, bea: bool = False) -> None:
        """Writes to the bot, in the channel or a thread."""

    async def chatter(self, text: str, thread: str = "") -> None:
        """Writes to the bot as another bot."""

    def answers_to_a_bot(self) -> list[str]:
        """Returns the bot's answers to the other bot."""

    async def react(self, root: str) -> None:
        """Puts Bea's check mark on a debate's first message."""

    def answers(self, *, bea: bool = False) -> list[str]:
        """Returns the bot's answers to one of them, in order."""

    @abstractmethod
    def thread(self, debate: str) -> str:
        """Returns the id of the debate's thread, "" if there is none yet."""

    @abstractmethod
    def posts(self, debate: str) -> str:
        """Returns everything that the bot has posted about the debate."""


async def say(talk: Talk, text: str, expected: str, thread: str = "", *, bea: bool = False) -> str:
    """Writes to the bot and returns what a pattern finds in its answer."""
    before = len(talk.answers(bea=bea))
    await talk.write(text, thread, bea=bea)

    def answer() -> str:
        return "\n".join(talk.answers(bea=bea)[before:])

    async def answered() -> bool:
        return re.search(expected, answer()) is not None

    await comes(answered, lambda: f"{text!r} was answered: {answer()!r}")
    match = re.search(expected, answer())
    assert match is not None
    return match[match.lastindex or 0]


async def test_the_same_conversation_in_every_chat(
    talk: Callable[[], AbstractAsyncContextManager[Talk]],
) -> None:
    async with talk() as chat:
        await _converse(chat)


async def _converse(talk: Talk) -> None:
    world = talk.world
    await say(talk, "help", "code_review")
    await say(talk, f"code_reviw {LINK}", r"Did you mean code_review\?")
    await say(talk, "templates code_review", "Reviews a change", bea=True)

    world.time.let(0)
    debate = await say(talk, START, r"Debate `?(\w+)`? is starting: code review on")

    async def opened() -> bool:
        return bool(talk.thread(debate)) and world.time.waiting > 0

    await comes(opened)
    thread = talk.thread(debate)
    for request in ("list", "status", f"show {debate}"):
        await say(talk, request, debate, bea=True)
    await say(talk, "vote request_changes", "request changes", thread, bea=True)
    await say(talk, f"vote {debate} approve", "Your vote in .*approve")
    await world.reaches(debate, lambda d: len(d.votes) == 2)
    for text in (START, "challenge: and who asked you?", "I disagree.", "stop", "vote approve"):
        await talk.chatter(text, thread)  # a bot that answers everything costs nothing
    await talk.write(f"challenge: {CHALLENGE}", thread, bea=True)
    await world.reaches(debate, lambda d: [x.text for x in d.challenges] == [CHALLENGE])

    refusal = "Only the person who started it, or an admin, may"
    await say(talk, f"pause {debate}", refusal, bea=True)
    await say(talk, f"pause {debate}", "pausing")
    await world.reaches(debate, lambda d: d.paused is not None)
    await say(talk, "resume", "going on", thread)
    await world.reaches(debate, lambda d: d.paused is None)

    await talk.react(thread)
    await world.reaches(debate, lambda d: all(v.option == "approve" for v in d.votes.values()))

    world.time.let()
    await world.reaches(debate, "waiting")
    await world.wait_for_posts(debate)
    assert "Changes requested" in talk.posts(debate)
    assert CHALLENGE in talk.posts(debate)
    await say(talk, "vote 1 not_real", "Your vote in .*: not real", thread, bea=True)
    await say(talk, "receipt", "votes still count; a receipt is made of its end", thread)
    await say(talk, "show", "Changes requested", thread)
    world.advance(601)
    end = await world.reaches(debate, lambda d: d.final)
    assert len(end.challenges) == 1, "a command in the thread is no objection"
    people = outcome(end)["votes"]["people"]
    assert {option: n for option, n in people.items() if n} == {"approve": 2}
    assert talk.answers_to_a_bot() == []
    await _schedule(talk, refusal)


async def _schedule(talk: Talk, refusal: str) -> None:
    """Adds a schedule, runs it by hand, waits until it fires, and removes it."""
    world, pull = talk.world, talk.world.github.pulls["o/r", 412]
    typed = f'schedule add "every day 09:00" --tz Europe/Berlin code_review github:o/r {SHORT}'
    schedule = await say(talk, typed, r"Schedule `?(s\w+)")
    await say(talk, "schedule list", schedule, bea=True)
    await say(talk, f"schedule remove {schedule}", refusal, bea=True)
    await say(talk, f"schedule run {schedule}", "nothing has changed")
    pull.heads = ["2" * 40]
    second = await say(talk, f"schedule run {schedule}", r"started `?(\w+)")
    await world.reaches(second, "waiting")
    pull.heads = ["3" * 40]
    coming = Rule("0 9 * * *", "Europe/Berlin").after(world.time.now())
    assert isinstance(coming, datetime)
    world.advance((coming - world.time.now()).total_seconds() + 2)

    async def fired() -> bool:
        return len(await world.parts.stores.debates.find_like("", 9)) == 3

    await comes(fired, lambda: str(talk.answers()[-2:]))
    await say(talk, f"schedule remove {schedule}", "is gone")


CHALLENGE = "what of symbolic links?"


# The three chats


@dataclass
class InSlack:
    world: Office

    async def write(self, text: str, thread: str = "", *, bea: bool = False) -> None:
        await self.world.slack.mention(text, thread=thread, user="U2" if bea else "U1")

    async def chatter(self, text: str, thread: str = "") -> None:
        self.world.slack.world.user("U9", is_bot=True)
        await self.world.slack.mention(text, thread=thread, user="U9")
        await self.world.slack.mention(text, thread=thread, user="U9", bot_id="B9")

    def answers_to_a_bot(self) -> list[str]:
        return self.world.whispers("U9")

    async def react(self, root: str) -> None:
        await self.world.slack.react(root, "white_check_mark", user="U2")

    def answers(self, *, bea: bool = False) -> list[str]:
        return self.world.whispers("U2" if bea else "U1")

    def thread(self, debate: str) -> str:
        return dict(self.world.roots()).get(debate, "")

    def posts(self, debate: str) -> str:
        return self.world.page(self.thread(debate))


@dataclass
class InDiscord:
    world: City

    async def write(self, text: str, thread: str = "", *, bea: bool = False) -> None:
        discord = self.world.discord
        where, user = thread or discord.general, discord.bob if bea else discord.ada
        await discord.reply(where, f"<@{discord.world.bot['id']}> {text}", user)

    @cached_property
    def other_bot(self) -> str:
        return str(self.world.discord.world.person("other-bot", bot=True)["id"])

    async def chatter(self, text: str, thread: str = "") -> None:
        discord = self.world.discord
        mention = f"<@{discord.world.bot['id']}> {text}"
        await discord.reply(thread or discord.general, mention, self.other_bot)

    def answers_to_a_bot(self) -> list[str]:
        discord = self.world.discord
        return [texts(each) for each in discord.messages(discord.world.dm(self.other_bot)["id"])]

    async def react(self, root: str) -> None:
        discord = self.world.discord
        await discord.react(discord.general, root, "✅", discord.bob)

    def answers(self, *, bea: bool = False) -> list[str]:
        discord = self.world.discord
        messages = discord.world.dm(discord.bob if bea else discord.ada)["id"]
        return [read(texts(message)) for message in discord.messages(messages)]

    def thread(self, debate: str) -> str:
        discord = self.world.discord
        roots = (m for m in discord.messages(discord.general) if debate in texts(m))
        return next((m["id"] for m in roots if m["id"] in discord.world.channels), "")

    def posts(self, debate: str) -> str:
        return "\n".join(map(texts, self.world.discord.messages(self.thread(debate))))


@dataclass(kw_only=True)
class Loft(World):
    """A world whose chat is a plugin's."""

    server: Pigeon

    def open(self) -> AbstractAsyncContextManager[tuple[Parts, Bot]]:
        return open_bot(
            configured(self.folder, self.env),
            clock=self.time,
            make_models=partial(Watched, clock=self.time),
        )

    def move(self, seconds: float) -> None:
        self.time.ahead += seconds


@dataclass
class InPigeon:
    world: Loft

    async def write(self, text: str, thread: str = "", *, bea: bool = False) -> None:
        self.world.server.happens("bea" if bea else "ann", text=f"@debate {text}", thread=thread)

    async def chatter(self, text: str, thread: str = "") -> None:
        self.world.server.happens("other-bot", text=f"@debate {text}", thread=thread)

    def answers_to_a_bot(self) -> list[str]:
        whispers = self.world.server.whispers
        return [one["text"] for one in whispers if one["person"] == "pigeon:loft/other-bot"]

    async def react(self, root: str) -> None:
        self.world.server.happens("bea", message=root, emoji="white_check_mark")

    def answers(self, *, bea: bool = False) -> list[str]:
        person = f"pigeon:loft/{'bea' if bea else 'ann'}"
        return [one["text"] for one in self.world.server.whispers if one["person"] == person]

    def thread(self, debate: str) -> str:
        messages = self.world.server.messages.values()
        return next((one["id"] for one in messages if one["key"] == f"{debate}:root"), "")

    def posts(self, debate: str) -> str:
        return "\n".join(one["text"] for one in self.world.server.thread(self.thread(debate)))


@asynccontextmanager
async def _slack(folder: Path, github: GitHubStandIn) -> AsyncIterator[Talk]:
    async with office(folder, github) as world:
        yield InSlack(world)


@asynccontextmanager
async def _discord(folder: Path, github: GitHubStandIn) -> AsyncIterator[Talk]:
    async with city(folder, github, models=Watched) as world:
        yield InDiscord(world)


@asynccontextmanager
async def _pigeon(folder: Path, github: GitHubStandIn) -> AsyncIterator[Talk]:
    async with pigeon() as server:
        env = {
            "PIGEON": server.address, "DEBATE_PLUGINS": "pigeon_chat",
            "GITHUB_API_URL": github.url, "DEBATE_SCRIPTED_LATENCY": "1",
        }  # fmt: skip
        world = Loft(server=server, github=github, folder=folder, time=Time(), env=env)
        try:
            await world.start()
            yield InPigeon(world)
        finally:
            await world.stop()


CHATS: dict[str, Any] = {"slack": _slack, "discord": _discord, "pigeon": _pigeon}


@pytest.fixture(params=CHATS)
def talk(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    github: GitHubStandIn,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[], AbstractAsyncContextManager[Talk]]]:
    github.load_case("py-static-prefix")
    site = tmp_path / "site"
    site.mkdir()
    leave(site, "pigeon_chat", Path(third.__file__).read_text("utf-8"))
    monkeypatch.syspath_prepend(str(site))
    plugins.load_plugins.cache_clear()
    yield lambda: CHATS[request.param](tmp_path, github)
    plugins.load_plugins.cache_clear()
    sys.modules.pop("pigeon_chat", None)
