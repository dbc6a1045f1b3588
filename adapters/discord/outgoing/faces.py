"""Shows a seat's name and picture on its statements, through a webhook in the channel, if the
server allows one; else the seat signs in the text.

A webhook's message has no nonce, so it is sent once, by a request that no library repeats: after an
unknown outcome it is found by its component, as any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

import aiohttp
import discord
import msgspec
from cachetools import LRUCache
from discord.http import Route

from adapters.discord.outgoing import channels, components, failures
from adapters.discord.outgoing.channels import NO_MENTIONS, Home
from adapters.discord.outgoing.layout import DiscordMessage
from adapters.network.session import session_on
from adapters.ports.chat import Post, signature
from adapters.text.documents import NoDocument, read_json, read_reply
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.material.plaintext import cut

_HOOK = "Debatebot"
_NAME = 80  # characters of a name
_REMEMBERED = 1_000  # channels
_FLAGS = discord.MessageFlags(components_v2=True, suppress_embeds=True, suppress_notifications=True)


class _Message(msgspec.Struct):
    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,20}$")]


class _Refusal(msgspec.Struct):
    code: int = 0
    message: str = ""


class Faces:
    """Our webhooks, one for a channel, and the channels if none is allowed; ``pictures`` are
    addresses by emoji.
    """

    def __init__(self, pictures: Mapping[str, str]) -> None:
        self._pictures = pictures
        self._hooks: LRUCache[int, discord.Webhook] = LRUCache(_REMEMBERED)
        self._without: LRUCache[int, bool] = LRUCache(_REMEMBERED)
        self._making = asyncio.Lock()

    async def hook(self, client: discord.Client, home: Home) -> discord.Webhook | None:
        """Returns the channel's webhook, made if there is none; None if seats sign in the text."""
        channel = home.parent if isinstance(home, discord.Thread) else home
        if not isinstance(channel, discord.TextChannel | discord.ForumChannel):
            return None
        permissions = channels.permissions_in(channel)
        if permissions is None or not permissions.manage_webhooks:
            return None
        async with self._making:  # else two threads of a channel make two, of which one is lost
            if channel.id not in self._hooks and channel.id not in self._without:
                try:
                    self._hooks[channel.id] = await _hook_in(client, channel)
                except discord.HTTPException as error:
                    if error.status >= HTTPStatus.TOO_MANY_REQUESTS:
                        raise
                    self._without[channel.id] = True
            return None if channel.id in self._without else self._hooks[channel.id]

    async def speak(
        self,
        client: discord.Client,
        hook: discord.Webhook,
        home: Home,
        post: Post,
        part: DiscordMessage,
    ) -> int:
        """Sends ``part`` under the speaker's name and returns the message's id."""
        picture = self._pictures.get(post.face)
        body = {
            **_speaker(post, picture),
            "components": components.view(part).to_components(),  # type: ignore[no-untyped-call]  # the library leaves it untyped
            "flags": _FLAGS.value,
            "allowed_mentions": NO_MENTIONS.to_dict(),
        }
        query = {"wait": "true", "with_components": "true"}
        if isinstance(home, discord.Thread):
            query["thread_id"] = str(home.id)
        url = f"{Route.BASE}/webhooks/{hook.id}/{hook.token}"
        async with (
            session_on(client.http.connector) as web,
            web.post(url, params=query, json=body) as answer,
        ):
            if answer.status < HTTPStatus.BAD_REQUEST:
                return int(read_json(await answer.read(), _Message).id)
            raise await self._refusal(answer, hook)

    async def remove(self, client: discord.Client, home: Home, message: int) -> None:
        """Deletes a message that a seat spoke, which only its webhook may do. Raises the library's
        error if Discord refuses.
        """
        hook = await self.hook(client, home)
        if hook is None:
            where = channels.name_of(home)
            raise DeliveryError(
                DeliveryFailure.DEAD,
                f"I may not delete what a seat said in {where}: give my role Manage Webhooks again",
            )
        below = (
            discord.Object(home.id) if isinstance(home, discord.Thread) else discord.utils.MISSING
        )
        try:
            await hook.delete_message(message, thread=below)
        except discord.NotFound:
            return

    async def _refusal(
        self, answer: aiohttp.ClientResponse, hook: discord.Webhook
    ) -> DeliveryError | discord.HTTPException:
        """Returns the error for a refused message. A webhook that is gone, or may not speak under
        this name, is not used again.
        """
        try:
            body = read_reply(await answer.read(), _Refusal)
        except NoDocument:
            body = _Refusal()
        error = discord.HTTPException(answer, {"code": body.code, "message": body.message})
        if answer.status not in (
            HTTPStatus.BAD_REQUEST,
            HTTPStatus.NOT_FOUND,
            HTTPStatus.FORBIDDEN,
        ):
            return error
        if error.code in (failures.ARCHIVED, failures.UNKNOWN_CHANNEL):
            return error
        self._hooks.pop(hook.channel_id or 0, None)
        if error.code != failures.UNKNOWN_WEBHOOK:
            self._without[hook.channel_id or 0] = True
        return DeliveryError(
            DeliveryFailure.RETRY, "Discord does not take the seat's name here.", 0.0
        )


def _speaker(post: Post, picture: str | None) -> Mapping[str, str]:
    """Returns the speaker's name; an emoji precedes it only if there is no picture."""
    if picture is None:
        return {"username": cut(signature(post), _NAME)}
    return {"username": cut(post.who, _NAME), "avatar_url": picture}


async def _hook_in(
    client: discord.Client, channel: discord.TextChannel | discord.ForumChannel
) -> discord.Webhook:
    """Returns our webhook in the channel, whichever process made it; its token lets us speak."""
    me = channels.me_on(client)
    known = (h for h in await channel.webhooks() if h.token and h.user and h.user.id == me)
    return next(known, None) or await channel.create_webhook(name=_HOOK)
