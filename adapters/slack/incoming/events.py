"""Listens for events around messages: reactions, the Home tab, Slack's own Stop, links to debates,
and the app's removal.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any
from weakref import WeakValueDictionary

from cachetools import LRUCache
from slack_sdk.errors import SlackApiError

from adapters.slack import places
from adapters.slack.incoming.forms.views import home
from adapters.slack.incoming.listener import Listener
from adapters.slack.incoming.payloads import Json, Recipient, organisation_of, team_of
from adapters.slack.outgoing.cards import card_blocks, debates_behind, entity
from adapters.slack.outgoing.failures import reason_of
from adapters.text.emoji import plain_name
from core.application.commands import Control
from core.languages import msgid, say

PROMPTS = (
    {
        "title": msgid("Review a pull request"),
        "message": "code_review https://github.com/OWNER/REPO/pull/NUMBER",
    },
    {
        "title": msgid("Put a question to the panel"),
        "message": msgid("panel Should we split the billing service before the migration?"),
    },
    {"title": msgid("What runs now?"), "message": "status"},
    {"title": msgid("What can you do?"), "message": "help"},
)
"""Prompts suggested in a direct message, here and in the manifest, which holds them in English."""

_KEPT = 5_000
_MOST_LINKS = 5
"""The links of one message that become cards."""
_DELAYED = 60.0
"""Seconds after which an event counts as delivered late by Slack."""

log = logging.getLogger(__name__)


class Events:
    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._newest: LRUCache[tuple[str, ...], float] = LRUCache(_KEPT)
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def reaction(self, body: Json, event: Json) -> None:
        """Takes a reaction on one of our messages.

        Our own, other bots' and those on other people's messages are not handed on.
        """
        # a question to Slack about a person's first must not let their second overtake it
        async with self._turns.setdefault(
            (team_of(body), str(event.get("user") or "")), asyncio.Lock()
        ):
            await self._reaction(body, event)

    async def _reaction(self, body: Json, event: Json) -> None:
        listener = self._listener
        item = event.get("item") or {}
        team, user = team_of(body), str(event.get("user") or "")
        if item.get("type") != "message" or not user:
            return
        us = await listener.workspaces.identity(team)
        if user == us.user or event.get("item_user") not in (None, us.user):
            return
        if (await listener.workspaces.person(team, user)).bot:
            return
        where, name = places.place(team, str(item["channel"])), plain_name(str(event["reaction"]))
        at = float(event.get("event_ts") or 0)
        if self._outdated((team, where.channel, str(item["ts"]), user, name), at):
            return
        caller = await listener.caller(
            where, user, str(body.get("event_id") or f"{team}/{user}/{at}")
        )
        await listener.desk.take_reaction(
            str(where), str(item["ts"]), caller, name, event["type"] == "reaction_added"
        )
        if time.time() - at > _DELAYED:
            # after an outage Slack replays what has changed since: what is there now counts
            await listener.desk.recount(places.PLATFORM)

    async def opened(self, body: Json, event: Json) -> None:
        """Shows on the Home tab what runs, and suggests prompts in the messages tab of an agent."""
        listener = self._listener
        team, user = team_of(body), str(event["user"])
        client = await listener.workspaces.client(team)
        caller = await listener.caller(places.place(team, ""), user, f"home:{user}")
        await listener.speak_to(caller)
        if event.get("tab") == "home":
            content = await listener.desk.home(caller)
            await client.views_publish(user_id=user, view=home(content, team))
        elif event.get("tab") == "messages" and event.get("channel"):
            await self._suggest(client, str(event["channel"]))

    async def stopped(self, body: Json, event: Json) -> None:
        """Stops the debate on Slack's own Stop in an agent session, whose status Slack leaves to
        us.
        """
        listener = self._listener
        where = places.place(team_of(body), str(event["channel"]))
        user, thread = str(event["user"]), str(event.get("thread_ts") or "")
        source = str(body.get("event_id") or f"{where.workspace}/{event.get('event_ts')}")
        caller = await listener.caller(where, user, source, thread=thread)
        await listener.speak_to(caller)
        answer = await listener.desk.take(Control("stop"), caller)
        if answer.ok:
            await listener.chat.sessions.set_status(where, thread, "active")
        await listener.show(answer, Recipient(where, user, thread))

    async def linked(self, body: Json, event: Json) -> None:
        """Shows the debates behind the links of a message to all who read it, if they may read
        them.

        Shows none while the message is being written, because its conversation is not known yet,
        and none in a conversation without the bot, whose readers the bot does not know.
        """
        if not event.get("is_bot_user_member") or event.get("source") == "composer":
            return
        listener = self._listener
        public = listener.settings.public_url
        where = places.place(team_of(body), str(event["channel"]))
        user, ts = str(event["user"]), str(event["message_ts"])
        caller = await listener.caller(where, user, str(body.get("event_id") or ts))
        addresses = [str(link.get("url")) for link in event.get("links") or ()][:_MOST_LINKS]
        ids = dict(debates_behind(addresses, public))
        known = {url: await listener.desk.card(id, caller) for url, id in ids.items()}
        if not (cards := {url: card for url, card in known.items() if card is not None}):
            return
        await listener.speak_in(where)
        client = await listener.workspaces.client(where.workspace)
        entities = [entity(url, public, card) for url, card in cards.items()]
        try:
            metadata = {"entities": entities}
            await client.chat_unfurl(channel=where.channel, ts=ts, metadata=metadata)
        except SlackApiError as error:
            log.info(
                "no Work Object was shown",
                extra={"action": "slack.unfurl", "error": reason_of(error)},
            )
            unfurls = {url: {"blocks": card_blocks(card)} for url, card in cards.items()}
            await client.chat_unfurl(channel=where.channel, ts=ts, unfurls=unfurls)

    async def removed(self, body: Json, event: Json) -> None:
        """Forgets the workspace, or the organisation with all of its workspaces, whose app was
        uninstalled or whose bot token was revoked.
        """
        listener = self._listener
        if event["type"] == "tokens_revoked" and not (event.get("tokens") or {}).get("bot"):
            return
        owner = organisation_of(body) or team_of(body)
        for team in (owner, *await listener.workspaces.members(owner)):
            listener.workspaces.forget(team)
            await listener.desk.forget_workspace(places.workspace(team))

    async def _suggest(self, client: Any, channel: str) -> None:
        try:
            await client.assistant_threads_setSuggestedPrompts(
                channel_id=channel,
                prompts=[{key: say(text) for key, text in prompt.items()} for prompt in PROMPTS],
            )
        except SlackApiError as error:  # a workspace without agents: help answers the same
            log.info(
                "prompts were not suggested",
                extra={"action": "slack.prompts", "error": reason_of(error)},
            )

    def _outdated(self, key: tuple[str, ...], at: float) -> bool:
        """True if a newer event of the same person, message and emoji was taken before: Slack may
        deliver an older one after it.
        """
        newest = self._newest.get(key, 0.0)
        self._newest[key] = max(newest, at)
        return at < newest
