"""A Discord, a forge and the bot: people act in Discord and read its answers."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from adapters.discord.app import DiscordApp, DiscordConnection, DiscordOutgoing
from adapters.discord.incoming.options import suggestions
from adapters.discord.outgoing.session import redirect
from adapters.discord.settings import DiscordSettings
from adapters.models import Vendors
from adapters.ports.platform import PlatformConnection
from bot.serve.platforms import configured_platforms
from bot.serve.process import Bot
from bot.settings import Settings
from bot.wire.bot import Timing, open_bot
from bot.wire.parts import Parts
from core.debate.state import Debate
from storage.claims import Pace
from storage.places import Installations
from tests.end_to_end.played import LINK, configured
from tests.end_to_end.world import UNPACED, Time, World
from tests.patience import PATIENCE
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import JSON, VIEW, render, until
from tests.standins.github import GitHubStandIn

vars(suggestions)["_PATIENCE"] = PATIENCE  # a busy machine lists debates late
BRIEF: Mapping[str, Any] = {"format": "panel", "rounds": 1}
"""The options of a review by two seats and a report: three answers instead of twelve."""
QUESTION: Mapping[str, Any] = {"template": "panel", "target": "Tabs or spaces?", "rounds": 1}
"""The options of a debate by two seats, a judge and a report, without a forge."""
SEATS = 2
"""The number of answers in the first round of both."""


@dataclass(kw_only=True)
class City(World):
    """A world whose chat is Discord."""

    discord: DiscordStandIn
    changes: dict[str, Any] = field(default_factory=dict)
    models: Callable[..., Vendors] = Vendors
    paces: Mapping[str, Pace] = field(default_factory=lambda: UNPACED)

    @property
    def app(self) -> DiscordApp:
        assert self.bot is not None, "the bot is stopped"
        app = self.bot.platforms["discord"]
        assert isinstance(app, DiscordApp)
        return app

    def open(self) -> AbstractAsyncContextManager[tuple[Parts, Bot]]:
        env = {"GITHUB_API_URL": self.github.url, "DEBATE_SCRIPTED_LATENCY": "1", **self.env}
        return open_bot(
            configured(self.folder, env),
            connect=self._connect,
            clock=self.time,
            make_models=partial(self.models, clock=self.time),
            timing=Timing(paces=self.paces),
        )

    def _connect(
        self,
        settings: Settings,
        vault: Installations | None,
        default_models: Callable[[], Sequence[str]],
        slack_pace: float,
    ) -> Mapping[str, PlatformConnection]:
        quick = DiscordSettings(
            token=self.discord.token,
            api_url=self.discord.api_url,
            gateway_url=self.discord.gateway_url,
            models=tuple(default_models()),
            identify_pause=0.0,
            guild_wait=0.02,
            **self.changes,
        )
        discord = DiscordConnection(quick)
        others = replace(settings, discord_token="")
        return {
            **configured_platforms(others, vault, default_models, slack_pace),
            "discord": PlatformConnection(
                discord.chat, partial(DiscordApp, discord), partial(DiscordOutgoing, discord)
            ),
        }

    async def ask(
        self, name: str = "start", user: str = "", channel: str = "", **options: Any
    ) -> str:
        """Types ``/debate NAME`` with these options and returns the answer."""
        return read(
            await self.discord.answer(
                await self.discord.command(name, options, user=user, channel=channel)
            )
        )

    async def pressed(
        self, message: JSON, label: str, user: str = "", form: str = "", *, sure: bool = True
    ) -> str:
        """Presses a button of a message, fills in its form, confirms where it is asked to, and
        returns the answer.
        """
        press = await self.discord.press(message["channel_id"], message, label, user=user)
        answer = await self.discord.answer(press)
        if press.form is not None:
            (field,) = (each["label"] for each in press.form["components"])
            return read(
                await self.discord.answer(
                    await self.discord.submit_modal(press, {field: form}, user=user)
                )
            )
        if answer.endswith(f"[Yes: {label}]") and sure:
            assert press.original is not None
            again = await self.discord.press(
                message["channel_id"], press.original, f"Yes: {label}", user=user
            )
            return read(await self.discord.answer(again))
        return read(answer)

    async def started(self, *, user: str = "", channel: str = "", **options: Any) -> str:
        """Returns the id of a debate that a person has just started."""
        options = {"template": "code_review", "target": LINK, "debate_anyway": True, **options}
        reply = await self.ask("start", user, channel, **options)
        match = re.search(r"Debate `(\w+)` is starting", reply)
        assert match, reply
        return match[1]

    async def opening(self, **options: Any) -> tuple[str, JSON]:
        """Returns a debate whose seats have said nothing yet, and its starter."""
        self.time.let(0)
        id = await self.started(**options)
        await until(lambda: self.time.waiting, what="the first seats are asked")
        await self.wait_for_posts()
        return id, await self.root(id)

    async def settled(self, debate: str, *statuses: str) -> Debate:
        """Waits until a debate has one of these statuses, or is finished, and all is posted."""
        end = await self.reaches(debate, *(statuses or ("finished",)))
        await self.wait_for_posts()
        return end

    async def closed(self, debate: str) -> Debate:
        """Waits until a debate is over, after the minutes in which people may vote."""
        await self.settled(debate, "waiting", "stopped")
        self.advance(601)
        assert self.bot is not None
        self.bot.runtime.wake(debate)
        return await self.settled(debate, "finished", "stopped")

    async def root(self, debate: str, channel: str = "") -> JSON:
        """Returns a debate's starter message."""
        channel = channel or self.discord.general

        def there() -> JSON | None:
            return next(
                (
                    m
                    for m in self.discord.messages(channel)
                    if debate in render(m) and m["id"] in self.discord.world.channels
                ),
                None,
            )

        starter: JSON = await until(there, what=f"the starter of {debate}")
        return starter

    async def closed_channel(self) -> str:
        """Makes a channel that only ada and the bot see."""
        world, guild = self.discord.world, self.discord.guild
        closed = str(world.channel(guild, "closed")["id"])
        everyone = {"id": guild, "type": 0, "allow": "0", "deny": str(VIEW)}
        allowed = [
            {"id": one, "type": 1, "allow": str(VIEW), "deny": "0"}
            for one in (world.bot["id"], self.discord.ada)
        ]
        world.channels[closed]["permission_overwrites"] = [everyone, *allowed]
        await self.restart()
        return closed

    async def votes(self, debate: str, expected: Mapping[str, str], subject: str = "") -> None:
        """Waits until exactly these votes count: user -> option."""

        def counted(debate: Debate) -> bool:
            return expected == {
                voter.rpartition("/")[2]: vote.option
                for (about, voter), vote in debate.votes.items()
                if about == subject
            }

        await self.reaches(debate, counted)

    async def challenged(self, debate: str, times: int) -> None:
        """Waits until so many challenges are taken."""
        await self.reaches(debate, lambda d: len(d.challenges) == times)

    async def ordered_to_stop(self, debate: str) -> None:
        """Waits until the debate knows that it is to end."""
        await self.reaches(debate, lambda d: d.stop)

    def move(self, seconds: float) -> None:
        """Moves the time for everybody."""
        self.time.ahead += seconds
        self.discord.advance(seconds)


@asynccontextmanager
async def city(
    folder: Path,
    github: GitHubStandIn,
    *,
    started: bool = True,
    time: Time | None = None,
    models: Callable[..., Vendors] = Vendors,
    paces: Mapping[str, Pace] = UNPACED,
    **env: str,
) -> AsyncIterator[City]:
    """Connects the bot to a Discord; afterwards it is checked that no request was sent which
    Discord would have refused.
    """
    async with DiscordStandIn() as discord:
        town = City(
            discord=discord,
            github=github,
            folder=folder,
            time=time or Time(),
            env=env,
            models=models,
            paces=paces,
        )
        try:
            if started:
                await town.start()
            yield town
        finally:
            await town.stop()
            redirect(DiscordSettings(token=""))
        assert discord.violations == []


def read(markdown: str) -> str:
    """Returns an answer as Discord shows it, without the backslashes and angle brackets that keep
    text from being markup.
    """
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", re.sub(r"<(https?://[^>]+)>", r"\1", markdown))


def page(discord: DiscordStandIn, channel: str) -> str:
    """Returns a channel or thread as a reader sees it: each message with its reactions, a line
    between two.
    """
    return "\n----\n".join(_message(discord, message) for message in discord.messages(channel))


def _message(discord: DiscordStandIn, message: JSON) -> str:
    counts: dict[str, int] = {}
    for emoji, _ in discord.world.reactions.get((message["channel_id"], message["id"]), []):
        counts[emoji] = counts.get(emoji, 0) + 1
    reactions = " ".join(f"{emoji} {count}" for emoji, count in counts.items())
    return render(message) + (f"\n{{{reactions}}}" if reactions else "")
