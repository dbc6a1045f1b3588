"""A Slack, a forge and the bot: people act in Slack and read its answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from adapters.ports.chat import Chat
from bot.serve.process import Bot
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts
from core.words.outcome import outcome
from storage.claims import Pace
from tests.end_to_end.played import LINK, NOTHING, Watched, configured, prompts
from tests.end_to_end.world import UNPACED, Time, World
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn
from tests.standins.slack import APP_TOKEN, BOT_TOKEN, SECRET, SlackStandIn, render
from tests.standins.slack_world import BOT, Json


@dataclass(kw_only=True)
class Office(World):
    """A world whose chat is Slack."""

    slack: SlackStandIn
    paces: Mapping[str, Pace] = field(default_factory=lambda: UNPACED)
    models: Callable[..., Watched] = Watched

    @property
    def chat(self) -> Chat:
        assert self.bot is not None, "the bot is stopped"
        return self.bot.poster.chats["slack"]

    def open(self) -> AbstractAsyncContextManager[tuple[Parts, Bot]]:
        return open_bot(
            configured(self.folder, self.env),
            clock=self.time,
            make_models=partial(self.models, clock=self.time),
            timing=Timing(paces=self.paces),
        )

    async def connected(self, bot: Bot) -> None:
        if "SLACK_SIGNING_SECRET" in self.env:
            self.slack.events_url = f"{bot.address}/slack/events"
        await super().connected(bot)

    def ready(self) -> str:
        assert self.bot is not None
        return self.bot.platforms["slack"].ready()

    # What people do

    async def debate(
        self,
        typed: str = f"code_review {LINK} --debate-anyway",
        channel: str = "C1",
        user: str = "U1",
        **more: Any,
    ) -> str:
        """Types ``/debate`` and gives the new debate's id once its root stands in the channel."""
        before = {id for id, _ in self.roots(channel, more.get("team", "T1"))}
        await self.slack.slash(typed, channel=channel, user=user, **more)
        match = await self.until(
            lambda: [
                id for id, _ in self.roots(channel, more.get("team", "T1")) if id not in before
            ]
        )
        return str(match[0])

    async def finished(self, *typed: str, **more: Any) -> str:
        """Types ``/debate`` and gives the new debate's id once it is over and posted."""
        debate = await self.debate(*typed, **more)
        await self.wait_for_posts(debate)
        return debate

    async def typed(self, text: str, channel: str = "C1", user: str = "U1", **more: Any) -> str:
        """Types ``/debate TEXT`` and returns the answer."""
        before = len(self.slack.responses)
        await self.slack.slash(text, channel=channel, user=user, **more)
        await self.until(lambda: len(self.slack.responses) > before)
        answer = self.slack.responses[before]
        assert answer["response_type"] == "ephemeral"
        return render(answer)

    async def pressed(self, ts: str, label: str, channel: str = "C1", user: str = "U1") -> str:
        """Presses a button and returns the answer."""
        before = len(self.slack.responses)
        await self.slack.press(ts, label, channel, user)
        await self.until(lambda: len(self.slack.responses) > before)
        return render(self.slack.responses[before])

    # What is seen

    def roots(self, channel: str = "C1", team: str = "T1") -> list[tuple[str, str]]:
        """Returns (debate, ts) of every root in the channel."""
        return [
            (key.partition(":")[0], m["ts"])
            for key, m in self.ours(channel, team)
            if key.endswith(":root#0")
        ]

    def root(self, debate: str, channel: str = "C1", team: str = "T1") -> str:
        return dict(self.roots(channel, team))[debate]

    def ours(self, channel: str = "C1", team: str = "T1") -> list[tuple[str, Json]]:
        """Returns key, part and message of every message of ours, in their order."""
        marked = [
            (m["metadata"]["event_payload"], m)
            for m in self.slack.worlds[team].channel(channel).messages.values()
            if "metadata" in m
        ]
        return [(f"{payload['key']}#{payload['part']}", message) for payload, message in marked]

    def message(self, ending: str, channel: str = "C1") -> Json:
        """Returns our message whose key ends with ``ending``."""
        return next(
            message for key, message in self.ours(channel) if key.partition("#")[0].endswith(ending)
        )

    def finding(self) -> Json:
        """Returns the message of the first finding."""
        return next(message for key, message in self.ours() if ":finding:" in key)

    async def posted(self, ending: str, channel: str = "C1") -> Json:
        """Waits for our message whose key ends with ``ending`` and returns it."""
        match: Json = await self.until(
            lambda: next(
                (m for k, m in self.ours(channel) if k.partition("#")[0].endswith(ending)), None
            )
        )
        return match

    async def saying(self, text: str, channel: str = "C1") -> Json:
        """Waits for our message that shows this text and returns it."""
        match: Json = await self.until(
            lambda: next((m for _, m in self.ours(channel) if text in render(m)), None)
        )
        return match

    def whispers(self, user: str = "U1", team: str = "T1") -> list[str]:
        """Returns the messages that only this person sees, without those that came by a response
        URL.
        """
        return [render(e) for e in self.slack.worlds[team].ephemeral if e["user"] == user]

    def page(self, ts: str, channel: str = "C1", team: str = "T1") -> str:
        """Returns a whole thread as a reader sees it, reactions and files below their message."""
        return "\n----\n".join(map(_read, self.slack.thread(ts, channel, team)))

    @property
    def sent(self) -> str:
        """Returns all prompts of this bot's models."""
        return "\n".join(message.text for prompt in prompts(self.parts) for message in prompt)

    # Waiting

    async def until(self, happened: Callable[[], Any], timeout: float = PATIENCE) -> Any:
        return await self.slack.until(happened, timeout)

    def move(self, seconds: float) -> None:
        """Moves the time for everybody."""
        self.time.ahead += seconds
        for world in self.slack.worlds.values():
            world.ahead += seconds

    async def wait_for_posts(
        self, debate: str = "", timeout: float = PATIENCE, *, hurry: float = 0.0
    ) -> None:
        """Waits until every post has arrived or was given up, and the debate, where one is named,
        is over.
        """
        if debate:
            await self.reaches(
                debate, lambda d: d.over or bool(d.failure), timeout=timeout, hurry=hurry
            )
        await super().wait_for_posts(debate, timeout, hurry=hurry)

    async def closed(self, debate: str) -> dict[str, Any]:
        """Returns the outcome after the ten minutes in which people may vote."""
        await self.wait_for_posts(debate)
        self.advance(601)
        end = await self.reaches(debate, lambda d: d.final)
        await self.wait_for_posts(debate)
        return outcome(end)


def _read(message: Json) -> str:
    lines = [
        render(message) if message.get("bot_id") == BOT else f"{message['user']}: {message['text']}"
    ]
    if "username" in message:
        lines.insert(0, f"{message['icons']['emoji']} {message['username']}")
    lines += [f"[{file['name']}]" for file in message.get("files") or ()]
    if held := [f":{r['name']}: {len(r['users'])}" for r in message.get("reactions") or ()]:
        lines.append("   ".join(held))
    if message.get("subtype") == "thread_broadcast":
        lines.append("(also in the channel)")
    return "\n".join(line for line in lines if line)


@asynccontextmanager
async def office(
    folder: Path,
    github: GitHubStandIn,
    *,
    http: bool = False,
    paces: Mapping[str, Pace] = UNPACED,
    env: Mapping[str, str] = NOTHING,
    time: Time | None = None,
    models: Callable[..., Watched] = Watched,
) -> AsyncIterator[Office]:
    """Connects the bot to a Slack; afterwards it is checked that no call was made which Slack, or
    this project's own rules, would have refused.
    """
    async with SlackStandIn() as slack:
        transport = {"SLACK_SIGNING_SECRET": SECRET} if http else {"SLACK_APP_TOKEN": APP_TOKEN}
        base = {
            "SLACK_BOT_TOKEN": BOT_TOKEN,
            "SLACK_API_URL": slack.url,
            "GITHUB_API_URL": github.url,
            "DEBATE_SCRIPTED_LATENCY": "1",
        }
        own = {**base, **transport, **env}
        place = Office(
            slack=slack,
            github=github,
            folder=folder,
            time=time or Time(),
            env=own,
            paces=paces,
            models=models,
        )
        try:
            await place.start()
            yield place
        finally:
            await place.stop()
        assert slack.complaints == []
