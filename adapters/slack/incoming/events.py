"""What happens around messages: reactions, the Home tab, Slack's own Stop, and the app's
removal.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from adapters.commands import Control
from adapters.ports.desk import Glance, Home
from adapters.ports.place import Place
from adapters.slack import places
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.membership import Memberships
from adapters.slack.incoming.payloads import emoji, team_of
from adapters.slack.incoming.views import home
from adapters.slack.outgoing.failures import refusal

Json = Mapping[str, Any]

PROMPTS = (
    {
        "title": "Review a pull request",
        "message": "code_review https://github.com/OWNER/REPO/pull/NUMBER",
    },
    {
        "title": "Put a question to the panel",
        "message": "panel Should we split the billing service before the migration?",
    },
    {"title": "What runs now?", "message": "status"},
    {"title": "What can you do?", "message": "help"},
)
"""Suggested in a direct message, here and in the manifest."""

_KEPT = 5_000

log = logging.getLogger(__name__)


class Happenings:
    def __init__(self, front: Listener) -> None:
        self._front = front
        self._memberships = Memberships(front.workspaces)
        self._newest: OrderedDict[tuple[str, ...], float] = OrderedDict()
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def reaction(self, body: Json, event: Json) -> None:
        """A reaction on one of our messages.

        Our own, other bots' and those on other people's messages are not handed on.
        """
        self._front.go(body, self._in_turn(body, event))

    async def _in_turn(self, body: Json, event: Json) -> None:
        """One person's reactions one by one as they came: what we ask Slack about the first must
        not let the second overtake it.
        """
        async with self._turns.setdefault(
            (team_of(body), str(event.get("user") or "")), asyncio.Lock()
        ):
            await self._reaction(body, event)

    async def _reaction(self, body: Json, event: Json) -> None:
        front = self._front
        item = event.get("item") or {}
        team, user = team_of(body), str(event.get("user") or "")
        if item.get("type") != "message" or not user:
            return
        us = await front.workspaces.identity(team)
        if user == us.user or event.get("item_user") not in (None, us.user):
            return
        if (await front.workspaces.person(team, user)).bot:
            return
        where, name = places.place(team, str(item["channel"])), emoji(str(event["reaction"]))
        at = float(event.get("event_ts") or 0)
        if self._outdated((team, where.channel, str(item["ts"]), user, name), at):
            return
        caller = await front.caller(where, user, str(body.get("event_id") or f"{team}/{user}/{at}"))
        await front.desk.take_reaction(
            str(where), str(item["ts"]), caller, name, event["type"] == "reaction_added"
        )

    async def opened(self, body: Json, event: Json) -> None:
        """The Home tab shows what runs; the messages tab of an agent suggests what to say."""
        self._front.go(body, self._opened(body, event))

    async def _opened(self, body: Json, event: Json) -> None:
        front = self._front
        team, user = team_of(body), str(event["user"])
        client = await front.workspaces.client(team)
        if event.get("tab") == "home":
            await client.views_publish(user_id=user, view=home(await self._home(team, user), team))
        elif event.get("tab") == "messages" and event.get("channel"):
            await self._suggest(client, str(event["channel"]))

    async def _home(self, team: str, user: str) -> Home:
        """What the desk shows this person, without what belongs to channels that they are not
        in.
        """
        shown = await self._front.desk.home(str(places.person(team, user)))

        async def seen(glances: tuple[Glance, ...]) -> tuple[Glance, ...]:
            own = places.workspace(team)
            return tuple(
                [
                    g
                    for g in glances
                    if Place.parse(g.place).workspace_key != own
                    or await self._memberships.sees(places.parse(g.place), user)
                ]
            )

        return Home(
            await seen(shown.running), await seen(shown.schedules), await seen(shown.recent)
        )

    async def stopped(self, body: Json, event: Json) -> None:
        """Slack's own Stop in an agent session. Slack leaves the session's status to us."""
        self._front.go(body, self._stopped(body, event))

    async def _stopped(self, body: Json, event: Json) -> None:
        front = self._front
        where = places.place(team_of(body), str(event["channel"]))
        user, thread = str(event["user"]), str(event.get("thread_ts") or "")
        source = str(body.get("event_id") or f"{where.workspace}/{event.get('event_ts')}")
        caller = await front.caller(
            where, user, source, thread=thread, private=places.is_direct(where)
        )
        answer = await front.desk.take(Control("stop"), caller)
        if answer.ok:
            await front.chat.sessions.set(where, thread, "active")
        await front.show(answer, where, user, thread=thread)

    async def removed(self, body: Json, event: Json) -> None:
        """The app was uninstalled, or its bot token revoked: what is kept for the workspace
        goes.
        """
        self._front.go(body, self._removed(body, event))

    async def _removed(self, body: Json, event: Json) -> None:
        front = self._front
        if event["type"] == "tokens_revoked" and not (event.get("tokens") or {}).get("bot"):
            return
        team = team_of(body)
        front.workspaces.forget(team)
        await front.desk.forget_workspace(places.workspace(team))

    async def _suggest(self, client: Any, channel: str) -> None:
        from slack_sdk.errors import SlackApiError

        try:
            await client.assistant_threads_setSuggestedPrompts(
                channel_id=channel, prompts=[dict(prompt) for prompt in PROMPTS]
            )
        except SlackApiError as error:  # a workspace without agents: help answers the same
            log.info(
                "prompts were not suggested",
                extra={"action": "slack.prompts", "error": refusal(error)},
            )

    def _outdated(self, key: tuple[str, ...], at: float) -> bool:
        """Whether a newer event of the same person, message and emoji was taken before: Slack may
        deliver an older one after it.
        """
        newest = self._newest.pop(key, 0.0)
        self._newest[key] = max(newest, at)
        if len(self._newest) > _KEPT:
            self._newest.popitem(last=False)
        return at < newest
