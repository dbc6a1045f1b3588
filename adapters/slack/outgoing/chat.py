"""Slack as a ``Chat``: posts become threaded messages, found again by a key in their metadata.

Slack has no idempotency key. So every message carries ``metadata.event_payload.key``, and after an
unknown outcome the poster calls ``find`` for the parts that exist. Nothing here retries or keeps an
order: that is the outbox's business.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError

from adapters.ports.chat import PartialDelivery, Post, Reaction, people_of, with_name
from adapters.slack import places
from adapters.slack.outgoing.faces import Faces
from adapters.slack.outgoing.failures import delivering, reason_of
from adapters.slack.outgoing.files import Files
from adapters.slack.outgoing.history import (
    file_names,
    files_of,
    find_parts,
    metadata,
    own_messages,
)
from adapters.slack.outgoing.layout import SlackMessage, answer_parts, layout, plainer
from adapters.slack.outgoing.markup import AS_WRITTEN
from adapters.slack.outgoing.pace import Pace
from adapters.slack.outgoing.presence import Presences
from adapters.slack.outgoing.reactions import ReactionAdder, react, read_reactions
from adapters.slack.outgoing.session import ThreadStatuses
from adapters.slack.outgoing.streams import Streams, streams_of
from adapters.slack.workspaces import Workspaces
from adapters.text.links import HOSTS
from core.application.desk import ChatFile
from core.application.place import Person, Place
from core.application.presence import DeliveryError, DeliveryFailure, Ref

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient


_ELSEWHERE = frozenset(
    {
        "not_in_channel",
        "channel_not_found",
        "user_not_in_channel",
        "is_archived",
        "restricted_action",
    }
)

_LAYOUTS = frozenset({"invalid_blocks", "invalid_attachments"})
_STREAM_OPEN = "The message that shows who is thinking could not be ended."


class SlackChat(Presences):
    """Implements ``adapters.ports.chat.Chat`` and ``core.application.presence.Presence``."""

    platform = "slack"

    def __init__(
        self, workspaces: Workspaces, hosts: frozenset[str] = HOSTS, pace: float = 1.0
    ) -> None:
        """``pace`` is the number of seconds between two messages in one channel."""
        super().__init__(workspaces)
        self._pace = Pace(pace)
        self._reactions = ReactionAdder(pace)
        self._files = Files(self._pace)
        self._faces = Faces(workspaces)
        self._hosts = hosts
        self.sessions = ThreadStatuses(workspaces)
        self._streams = Streams(workspaces)
        self.workspace = ""
        """The team of a bare channel; "" if the app is installed in many."""

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: PartialDelivery | None = None,
    ) -> Ref:
        where = places.parse(place)
        ids = list(done)
        named = await self._with_name(where, post)
        async with delivering(ids):
            client = await self._workspaces.client(where.workspace)
            signed, speaker = await self._faces.signed(where, named)
        wanted = layout(signed, self._hosts)
        for number, part in [*enumerate(wanted)][len(ids) :]:
            if ids and on_partial:
                await on_partial(thread or ids[0], ids)
            await self._pace.wait(where)
            stand = tuple(ids)
            async with delivering(stand, repeatable=False):
                with self._faces.remembering(where, speaker, stand):
                    below = thread or (ids[0] if ids else None)
                    aloud = post.broadcast and bool(below) and number == 0
                    sent = _post(
                        *(client, where.channel, below, part),
                        reply_broadcast=aloud or None,
                        metadata=metadata(post, number),
                        **speaker,
                    )
                    ids.append(await sent)
        root = thread or ids[0]
        if on_partial and (post.files or self.sessions.concerns(where, post)):
            await on_partial(root, ids)
        async with delivering(tuple(ids)):
            there: set[str] = set()
            if post.files and done:
                there = await file_names(client, where.channel, root)
            await self._files.attach(client, where, root, post.files, there)
        await self.sessions.show(where, root, post)
        await self._streams.show(where, root, post, new=not thread)
        return Ref(place, root, tuple(ids))

    async def edit(self, ref: Ref, post: Post) -> Ref:
        """Replaces the parts of an earlier post; parts too many are deleted, parts too few are
        posted to the thread.
        """
        where = places.parse(ref.place)
        async with delivering(ref.ids):
            client = await self._workspaces.client(where.workspace)
            signed, speaker = await self._faces.signed(where, post)
            wanted = layout(signed, self._hosts)
            ids = list(ref.ids[: len(wanted)])
            for ts, part in zip(ids, wanted, strict=False):
                change = partial(
                    client.chat_update,
                    channel=where.channel,
                    ts=ts,
                    metadata=metadata(post, ids.index(ts)),
                    **AS_WRITTEN,
                )
                await _accepted(change, part)
            for ts in ref.ids[len(wanted) :]:
                await _delete(client, where.channel, ts)
        for number, part in [*enumerate(wanted)][len(ids) :]:
            await self._pace.wait(where)
            async with delivering(tuple(ids), repeatable=False):
                key = metadata(post, number)
                sent = _post(client, where.channel, ref.thread, part, metadata=key, **speaker)
                ids.append(await sent)
        await self.sessions.show(where, ref.thread, post)
        if not await self._streams.show(where, ref.thread, post):
            raise DeliveryError(DeliveryFailure.RETRY, _STREAM_OPEN, 5.0, done=tuple(ids))
        return Ref(ref.place, ref.thread, tuple(ids))

    async def add_reactions(self, ref: Ref, post: Post, done: Sequence[str] = ()) -> None:
        where = places.parse(ref.place)
        there = list(done)
        async with delivering(there):
            client = await self._workspaces.client(where.workspace)
            for wanted in post.reaction_options[len(there) :]:
                await self._reactions.add(client, where, ref.ids[0], wanted.emoji)
                there.append(wanted.emoji)

    async def find(
        self, place: str, thread: str | None, post: Post, since: datetime
    ) -> Sequence[str]:
        where = places.parse(place)
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            us = await self._workspaces.identity(where.workspace)
            return await find_parts(client, where.channel, thread, post, since, us)

    async def remove(self, place: str, message: str) -> None:
        where = places.parse(place)
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            await _delete(client, where.channel, message)

    async def remove_files(self, place: str, thread: str, debate: str) -> None:
        """Delete the files and streams that the bot put into the thread, known by the debate's id
        in their names and tasks.
        """
        where = places.parse(place)
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            us = await self._workspaces.identity(where.workspace)
            try:
                ours = await own_messages(client, where.channel, thread, us)
                for stream in streams_of(ours, debate):
                    await client.chat_delete(channel=where.channel, ts=stream)
            except SlackApiError as error:
                if reason_of(error) != "thread_not_found":
                    raise
                return
            await self._files.remove(client, files_of(ours, debate))

    async def read_reactions(self, place: str, message: str) -> Sequence[Reaction]:
        where = places.parse(place)
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            return await read_reactions(client, self._workspaces, where, message)

    async def send_private(self, place: str, person: str, text: str) -> None:
        """Sends a private line in the channel, or as a direct message if the bot may not write
        there.
        """
        user = Person.parse(person).account
        await self.post_private(places.parse(place), user, answer_parts(text, hosts=self._hosts))

    async def send_direct(self, person: str, text: str) -> None:
        who = Person.parse(person)
        async with delivering():
            client = await self._workspaces.client(who.workspace)
            for page in answer_parts(text, hosts=self._hosts):
                await _post(client, who.account, None, page)

    async def post_private(
        self, where: Place, user: str, pages: Sequence[SlackMessage], thread: str = ""
    ) -> None:
        """Sends a message that only ``user`` sees: in the channel or thread, or as a direct message
        if the bot may not write there.
        """
        if places.is_direct(where):
            await self.post_answer(where, pages, thread)
            return
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            for page in pages:
                try:
                    send = partial(
                        client.chat_postEphemeral,
                        channel=where.channel,
                        user=user,
                        thread_ts=thread or None,
                        **AS_WRITTEN,
                    )
                    await _accepted(send, page)
                except SlackApiError as error:
                    if reason_of(error) not in _ELSEWHERE:
                        raise
                    await _post(client, user, None, page)

    async def post_answer(self, where: Place, pages: Sequence[SlackMessage], thread: str) -> None:
        """Sends an answer that everybody in the channel or thread sees."""
        async with delivering(repeatable=False):
            client = await self._workspaces.client(where.workspace)
            for page in pages:
                await _post(client, where.channel, thread, page)

    async def open_direct(self, team: str, user: str) -> Place:
        """Opens the direct message with a person and returns its channel."""
        async with delivering():
            client = await self._workspaces.client(team)
            answer = await client.conversations_open(users=user)
            return places.place(team, str(answer["channel"]["id"]))

    async def is_guest(self, place: str, person: str) -> bool:
        account = Person.parse(person).account
        return (await self._workspaces.person(places.parse(place).workspace, account)).guest

    async def may_write(self, place: str, person: str) -> bool:
        """True if a person may write in a channel: everybody in it may; Slack itself refuses where
        only some may post.
        """
        return await self.is_inside(place, person)

    async def acknowledge(self, place: str, message: str, emoji: str) -> None:
        where = places.parse(place)
        async with delivering():
            client = await self._workspaces.client(where.workspace)
            await react(client, where.channel, message, emoji)

    async def attach(self, place: str, thread: str | None, files: Sequence[ChatFile]) -> None:
        """Puts files into a thread, or into the channel itself if there is none."""
        where = places.parse(place)
        async with delivering(repeatable=False):
            client = await self._workspaces.client(where.workspace)
            for file in files:
                await self._files.upload(client, where, thread, file)

    async def name_of(self, person: str) -> str:
        named = Person.parse(person)
        async with delivering():
            return (await self._workspaces.person(named.workspace, named.account)).name

    async def language_of(self, person: str) -> str:
        one = Person.parse(person)
        async with delivering():
            return (await self._workspaces.person(one.workspace, one.account)).language

    async def address_of(self, ref: Ref) -> str:
        where = places.parse(ref.place)
        async with delivering():
            us = await self._workspaces.identity(where.workspace)
        message = f"{us.url}archives/{where.channel}/p{ref.ids[0].replace('.', '')}"
        return f"{message}?thread_ts={ref.thread}&cid={where.channel}" if us.url else ""

    async def _with_name(self, where: Place, post: Post) -> Post:
        """Returns ``post`` with the names that people of this workspace go by, instead of their
        ids.
        """
        for one in people_of(post):
            person = Person.parse(one)
            if person.account and person.workspace_key == where.workspace_key:
                known = await self._workspaces.person(where.workspace, person.account)
                post = with_name(post, one, known.name)
        return post


async def _post(
    client: AsyncWebClient, channel: str, thread: str | None, message: SlackMessage, **more: Any
) -> str:
    """Posts a message and returns its id; ``more`` are further members of ``chat.postMessage``."""
    send = partial(
        client.chat_postMessage,
        channel=channel,
        thread_ts=thread or None,
        unfurl_links=False,
        unfurl_media=False,
        **AS_WRITTEN,
        **more,
    )
    return str((await _accepted(send, message))["ts"])


async def _delete(client: AsyncWebClient, channel: str, message: str) -> None:
    """Deletes a message; one that is gone already counts as deleted."""
    try:
        await client.chat_delete(channel=channel, ts=message)
    except SlackApiError as error:
        if reason_of(error) != "message_not_found":
            raise


async def _accepted(send: Callable[..., Awaitable[Any]], message: SlackMessage) -> Any:
    """Sends a message and returns Slack's answer. If Slack refuses its layout, nothing was sent,
    and it is sent without the newer blocks.
    """
    try:
        return await send(text=message.text, blocks=message.blocks)
    except SlackApiError as error:
        simple = plainer(message)
        if reason_of(error) not in _LAYOUTS or simple == message:
            raise
        return await send(text=simple.text, blocks=simple.blocks)
