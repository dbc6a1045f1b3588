"""The bot as ``debate serve`` wires it, between a stand-in for Slack and one for GitHub: real sockets, a real SQLite file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.serving import Bot, platforms
from bot.wiring import House
from core.debate import Debate
from core.ports import Clock
from tests.end_to_end.house import configured
from tests.standins.github import GitHubStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SlackStandIn, shown

LINK = "https://github.com/o/r/pull/412"


@dataclass
class Served:
    """A running bot and what stands around it."""

    slack: SlackStandIn
    github: GitHubStandIn
    house: House
    bot: Bot

    async def start(self, typed: str = f"code_review {LINK}", channel: str = "C1", user: str = "U1", **more: Any) -> str:
        """Types ``/debate typed`` and gives the debate's id once the root is there."""
        before = {id for id, _ in self.roots(channel)}
        await self.slack.slash(typed, channel=channel, user=user, **more)
        found = await self.slack.until(lambda: [id for id, _ in self.roots(channel) if id not in before], timeout=10)
        return str(found[0])

    def roots(self, channel: str = "C1", team: str = "T1") -> list[tuple[str, str]]:
        """(debate, ts) of every root in the channel."""
        found = []
        for message in self.slack.messages(channel, team):
            payload = (message.get("metadata") or {}).get("event_payload") or {}
            if str(payload.get("key", "")).endswith(":root"):
                found.append((str(payload["debate"]), str(message["ts"])))
        return found

    def root(self, debate: str, channel: str = "C1") -> str:
        return dict(self.roots(channel))[debate]

    def keys(self, channel: str = "C1", team: str = "T1") -> list[str]:
        """The key and part of every message of ours, as they stand."""
        found = []
        for message in self.slack.worlds[team].channel(channel).messages.values():
            if payload := (message.get("metadata") or {}).get("event_payload"):
                found.append(f"{payload['key']}#{payload['part']}")
        return found

    def message(self, key: str, channel: str = "C1") -> dict[str, Any]:
        """Our message whose post has a key that ends so."""
        for message in self.slack.world.channel(channel).messages.values():
            payload = (message.get("metadata") or {}).get("event_payload") or {}
            if str(payload.get("key", "")).endswith(key):
                return message
        raise AssertionError(f"no message {key} among {self.keys(channel)}")

    async def until(self, happened: Callable[[], Any], timeout: float = 10.0) -> Any:
        return await self.slack.until(happened, timeout)

    async def state(self, debate: str, reached: Callable[[Debate], bool], timeout: float = 10.0) -> Debate:
        """The debate once it is as wanted."""
        from asyncio import get_running_loop, sleep

        ends = get_running_loop().time() + timeout
        while not reached(now := await self.house.load(debate)):
            if get_running_loop().time() > ends:
                raise AssertionError(f"not reached; the debate is {now.status}, {now.count} events, votes {now.votes}")
            await sleep(0.02)
        return now

    async def told(self, debate: str, timeout: float = 15.0) -> None:
        """Until the debate is over and every post of it has arrived."""
        from asyncio import sleep

        await self.state(debate, lambda d: d.over, timeout)
        while (await self.house.outbox.backlog(debate)).open:
            await sleep(0.02)

    def thread_text(self, root: str, channel: str = "C1") -> str:
        """A whole thread as a reader sees it."""
        out = []
        for message in self.slack.thread(root, channel):
            who = "" if message["user"] == "U0BOT" else f"<{message['user']}> "
            files = "".join(f"\n[file {file['name']}]" for file in message.get("files") or ())
            reactions = " ".join(f":{r['name']}:" for r in message.get("reactions") or ())
            out.append(f"{who}{shown(message)}{files}" + (f"\n({reactions})" if reactions else ""))
        return "\n---\n".join(out)


@asynccontextmanager
async def served(
    folder: Path,
    slack: SlackStandIn,
    github: GitHubStandIn,
    *,
    clock: Clock | None = None,
    paces: Mapping[str, float] | None = None,
    **env: str,
) -> AsyncIterator[Served]:
    """A bot that runs until the block ends; the folder's database outlives it."""
    env = {
        "SLACK_BOT_TOKEN": BOT_TOKEN,
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_API_URL": slack.url,
        "GITHUB_API_URL": github.url,
        **env,
    }
    async with House.at(configured(folder, env), shell=False, clock=clock) as house:
        bot = Bot(house, platforms(house.settings, house), paces=paces or {"slack": 0.0})
        await bot.start("127.0.0.1", 0)
        try:
            yield Served(slack, github, house, bot)
        finally:
            await bot.stop()
