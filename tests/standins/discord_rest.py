"""The REST half of the stand-in: the routes a bot uses, with their permissions, error codes and
faults, over a real socket.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from aiohttp import BodyPartReader, web

from tests.standins.discord_gateway import Gateway
from tests.standins.discord_rules import V2, template_of, violations
from tests.standins.discord_world import (
    DM,
    FILES,
    FORUM,
    HISTORY,
    JSON,
    MANAGE_THREADS,
    MANAGE_WEBHOOKS,
    PINS,
    POLLS,
    REACT,
    SEND,
    THREAD_SEND,
    THREAD_TYPES,
    THREADS,
    Interaction,
    Refusal,
    World,
    emoji_object,
    numbered,
)
from tests.standins.limits import Limit, Used

INTERACTION_SECONDS, TOKEN_SECONDS = 3.0, 900.0


@dataclass
class Call:
    """One REST request as it arrived; ``status`` is what was answered (0: the connection was
    cut).
    """

    method: str
    path: str
    body: Any
    files: dict[str, bytes] = field(default_factory=dict)
    status: int = 0

    @property
    def template(self) -> str:
        return template_of(self.path)


@dataclass
class Fault:
    """The fault of the next ``times`` requests that match. ``after``: only once the request has
    taken effect.

    ``status`` 429 without a code needs ``retry_after``; 0 cuts the connection. ``code`` is
    Discord's own error code, ``body`` the answer in place of Discord's own.
    """

    method: str
    path: str
    status: int
    code: int = 0
    message: str = "fault"
    times: int = 1
    after: bool = False
    retry_after: float = 0.0
    body: bytes | None = None

    def matches(self, method: str, path: str) -> bool:
        return self.times > 0 and method == self.method and re.search(self.path, path) is not None

    def answer(self) -> web.Response:
        if self.body is not None:
            return web.Response(body=self.body, status=self.status, content_type="application/json")
        if self.status == 429 and not self.code:
            body: JSON = {
                "message": "You are being rate limited.",
                "retry_after": self.retry_after,
                "global": False,
            }
            return answered(
                body, 429, {"Retry-After": str(self.retry_after), "X-RateLimit-Scope": "user"}
            )
        return answered({"message": self.message, "code": self.code}, self.status)


def answered(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """JSON as Discord sends it: the exact content type and the ``Via`` header that its clients look
    at.
    """
    plain = {"Via": "1.1 google", **(headers or {})}
    if status == 204:
        return web.Response(status=status, headers=plain)
    return web.Response(
        body=json.dumps(body).encode(),
        status=status,
        headers=plain | {"Content-Type": "application/json"},
    )


Route = Callable[..., Awaitable[Any]]


class Rest:
    """Routes by method and pattern; each gets the path's variables and the body, and returns JSON
    (None: 204).
    """

    def __init__(self, world: World, gateway: Gateway, token: str) -> None:
        self.world, self.gateway, self.token = world, gateway, token
        self.calls: list[Call] = []
        self.faults: list[Fault] = []
        self.violations: list[str] = []
        self.limits: Mapping[str, Limit] = {}  # by route; none are enforced unless a test sets them
        self.used = Used()
        self.shards = 1
        self.tap: Callable[[Call, bool], None] = lambda _call, _done: None
        """Sees every request before (False) and after (True) it takes effect, before anything is
        answered.
        """
        self._query: Mapping[str, str] = {}
        channel, message = r"/channels/(\d+)", r"/channels/(\d+)/messages/(\d+)"
        interaction, hook = r"/interactions/(\d+)/([^/]+)/callback", r"/webhooks/\d+/([^/]+)"
        self.routes: list[tuple[str, re.Pattern[str], Route]] = [
            (method, re.compile(pattern), route)
            for method, pattern, route in (
                ("GET", r"/users/@me", self._me),
                ("GET", r"/oauth2/applications/@me", self._application),
                ("GET", r"/applications/@me", self._application),
                ("GET", r"/gateway/bot", self._gateway),
                ("GET", r"/users/@me/guilds", self._guilds),
                ("GET", r"/applications/\d+/commands", self._commands),
                ("PUT", r"/applications/\d+/commands", self._sync),
                ("POST", r"/users/@me/channels", self._open_dm),
                ("GET", r"/users/(\d+)", self._user),
                ("GET", channel, self._channel),
                ("PATCH", channel, self._edit_channel),
                ("GET", channel + "/messages", self._history),
                ("POST", channel + "/messages", self._send),
                ("GET", message, self._message),
                ("PATCH", message, self._edit),
                ("DELETE", message, self._delete),
                ("PUT", channel + r"/messages/pins/(\d+)", self._pin),
                ("POST", message + "/threads", self._thread),
                ("POST", channel + "/threads", self._forum_thread),
                ("GET", channel + "/webhooks", self._webhooks),
                ("POST", channel + "/webhooks", self._make_webhook),
                ("DELETE", r"/webhooks/(\d+)/[^/]+/messages/(\d+)", self._unsay),
                ("GET", r"/guilds/(\d+)/threads/active", self._active_threads),
                ("GET", r"/guilds/(\d+)/members/(\d+)", self._member),
                ("PUT", message + r"/reactions/([^/]+)/@me", self._react),
                ("GET", message + r"/reactions/([^/]+)", self._reactors),
                ("GET", r"/channels/(\d+)/polls/(\d+)/answers/(\d+)", self._voters),
                ("POST", r"/channels/(\d+)/polls/(\d+)/expire", self._expire),
                ("POST", interaction, self._callback),
                ("GET", hook + "/messages/@original", self._original),
                ("PATCH", hook + "/messages/@original", self._edit_original),
                ("DELETE", hook + "/messages/@original", self._delete_original),
                ("POST", hook, self._followup),
            )
        ]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = unquote(request.path).removeprefix("/api/v10")
        body, files = await self._read(request)
        call = Call(request.method, path, body, files)
        self.calls.append(call)
        self.tap(call, False)
        fault = next((fault for fault in self.faults if fault.matches(request.method, path)), None)
        if fault is not None:
            fault.times -= 1
        early, headers = self._limited(call)
        if early:
            fault = Fault(call.method, path, 429, retry_after=early)
        if fault is not None and not fault.after:
            response = fault.answer() if fault.status else None
        else:
            response = await self._answer(call, request)
            if fault is not None:
                response = fault.answer() if fault.status else None
        self.tap(call, True)
        if response is None:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        call.status = response.status
        response.headers.update(headers)
        return response

    def _limited(self, call: Call) -> tuple[float, dict[str, str]]:
        """Returns the seconds for which a request comes too early, and the headers that tell a
        client of its route's limit.
        """
        route = f"{call.method} {call.template}"
        if (limit := self.limits.get(route)) is None:
            return 0.0, {}
        major = call.path.split("/")[2]
        early, left, reset = self.used.take(f"{route} {major}", limit)
        return early, {
            "X-RateLimit-Limit": str(limit.calls),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(time.time() + reset),
            "X-RateLimit-Reset-After": f"{reset:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(route.encode()).hexdigest(),
        }

    async def _read(self, request: web.Request) -> tuple[Any, dict[str, bytes]]:
        if not request.content_type.startswith("multipart/"):
            text = await request.text()
            return (json.loads(text) if text else None), {}
        body, files = None, {}
        reader = await request.multipart()
        while (part := await reader.next()) is not None:
            assert isinstance(part, BodyPartReader), "Discord's forms are never nested"
            content = bytes(await part.read())
            if part.name == "payload_json":
                body = json.loads(content)
            else:
                files[part.filename or ""] = content
        return body, files

    async def _answer(self, call: Call, request: web.Request) -> web.Response:
        with_token = call.path.startswith(("/interactions/", "/webhooks/"))
        if not with_token and request.headers.get("Authorization") != f"Bot {self.token}":
            return answered({"message": "401: Unauthorized", "code": 0}, 401)
        wrong = violations(call.method, call.path, call.body, v2_before=self._has_v2(call))
        if wrong:
            self.violations += wrong
            return answered(
                {"message": "Invalid Form Body", "code": 50035, "errors": {"_errors": wrong}}, 400
            )
        self._query = request.query
        for method, pattern, route in self.routes:
            match = pattern.fullmatch(call.path)
            if match and method == call.method:
                try:
                    result = await route(call, *match.groups())
                except Refusal as refusal:
                    return answered(
                        {"message": refusal.message, "code": refusal.code}, refusal.status
                    )
                return answered(result, 204 if result is None else 200)
        self.violations.append(f"{call.method} {call.path}: the stand-in has no such route")
        return answered({"message": "404: Not Found", "code": 0}, 404)

    def _has_v2(self, call: Call) -> bool:
        match = re.fullmatch(r"/channels/(\d+)/messages/(\d+)", call.path)
        message = (
            self.world.messages.get(match[1], {}).get(match[2])
            if match and call.method == "PATCH"
            else None
        )
        return bool(message and message["flags"] & V2)

    # -- application

    async def _me(self, call: Call) -> JSON:
        return self.world.bot

    async def _application(self, call: Call) -> JSON:
        return self.world.application

    async def _guilds(self, call: Call) -> list[JSON]:
        held = {
            id: str(self.world.permissions(id, self.world.bot["id"])) for id in self.world.guilds
        }
        return [
            guild | {"owner": False, "permissions": held[id], "icon": None}
            for id, guild in self.world.guilds.items()
        ]

    async def _gateway(self, call: Call) -> JSON:
        limit = {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1}
        return {"url": self.gateway.url, "shards": self.shards, "session_start_limit": limit}

    async def _commands(self, call: Call) -> list[JSON]:
        every = "with_localizations" in self._query
        return [each if every else _unlocalized(each) for each in self.world.commands]

    async def _sync(self, call: Call) -> list[JSON]:
        application = self.world.application["id"]
        default: JSON = {
            "application_id": application,
            "version": "1",
            "default_member_permissions": None,
            "nsfw": False,
            "type": 1,
        }
        self.world.commands = [
            {
                **default,
                "description": "",
                **command,
                "id": self.world.snowflake(),
                "dm_permission": True,
            }
            for command in call.body
        ]
        self.world.syncs += 1
        return self.world.commands

    async def _user(self, call: Call, user: str) -> JSON:
        if user not in self.world.users:
            raise Refusal(404, 10013, "Unknown User")
        return self.world.users[user]

    async def _open_dm(self, call: Call) -> JSON:
        return self.world.dm(str(call.body["recipient_id"]))

    # -- channels and messages

    async def _channel(self, call: Call, channel: str) -> JSON:
        self.world.may(channel)
        return self.world.find_channel(channel)

    async def _edit_channel(self, call: Call, channel: str) -> JSON:
        thread = self.world.find_channel(channel)
        if thread["thread_metadata"]["locked"]:
            self.world.may(channel, MANAGE_THREADS)
        self.world.may(channel, THREAD_SEND)
        thread["thread_metadata"] |= {
            key: value for key, value in call.body.items() if key in ("archived", "locked")
        }
        thread["name"] = call.body.get("name", thread["name"])
        await self.gateway.dispatch("THREAD_UPDATE", thread, guild=thread["guild_id"])
        return thread

    async def _history(self, call: Call, channel: str) -> list[JSON]:
        self.world.may(channel)
        try:
            self.world.may(channel, HISTORY)
        except Refusal:
            return []
        bounds = {key: int(self._query.get(key, 0)) for key in ("after", "before")}
        return list(self.world.history(channel, **bounds, limit=int(self._query.get("limit", 50))))

    async def _send(self, call: Call, channel: str) -> JSON:
        place = self.world.find_channel(channel)
        if place["type"] in THREAD_TYPES:
            self.world.may(channel, THREAD_SEND)
            if place["thread_metadata"]["locked"]:
                self.world.may(channel, MANAGE_THREADS)
            if place["thread_metadata"]["archived"]:
                raise Refusal(400, 50083, "Thread is archived")
        elif place["type"] == FORUM:
            raise Refusal(400, 50008, "Cannot send messages in a non-text channel")
        elif place["type"] == DM and place["recipients"][0]["id"] in self.world.closed_dms:
            raise Refusal(403, 50007, "Cannot send messages to this user")
        else:
            self.world.may(channel, SEND)
        if call.files:
            self.world.may(channel, FILES)
        if call.body.get("poll"):
            self.world.may(channel, POLLS)
        before = len(self.world.messages[channel])
        message = self.world.write(channel, self.world.bot, call.body, files=call.files)
        if len(self.world.messages[channel]) > before:
            await self.announce("MESSAGE_CREATE", message, nonce=call.body.get("nonce"))
        return message | {"nonce": call.body.get("nonce")}

    async def announce(self, event: str, message: JSON, **extra: object) -> None:
        guild = self.world.channels[message["channel_id"]].get("guild_id")
        if guild:
            extra |= {"guild_id": guild}
            member = self.world.members.get((guild, message["author"]["id"]))
            if member:
                extra |= {"member": {key: value for key, value in member.items() if key != "user"}}
        await self.gateway.dispatch(event, message | extra, guild=guild)

    async def _member(self, call: Call, guild: str, user: str) -> JSON:
        if (guild, user) not in self.world.members:
            raise Refusal(404, 10007, "Unknown Member")
        return self.world.members[guild, user]

    async def _message(self, call: Call, channel: str, message: str) -> JSON:
        self.world.may(channel, HISTORY)
        return self.world.describe(self.world.message(channel, message))

    async def _edit(self, call: Call, channel: str, message: str) -> JSON:
        stored = self.world.message(channel, message)
        place = self.world.find_channel(channel)
        if stored["author"]["id"] != self.world.bot["id"]:
            raise Refusal(403, 50005, "Cannot edit a message authored by another user")
        if place["type"] in THREAD_TYPES and place["thread_metadata"]["archived"]:
            raise Refusal(400, 50083, "Thread is archived")
        self._apply(stored, call)
        await self.announce("MESSAGE_UPDATE", stored)
        return self.world.describe(stored)

    def _apply(self, message: JSON, call: Call) -> None:
        changes = {
            key: call.body[key] for key in ("content", "components", "flags") if key in call.body
        }
        if "components" in changes:
            changes["components"] = numbered(changes["components"] or [])
        if call.files:
            changes["attachments"] = self.world.attached(call.files)
        message.update(changes, edited_timestamp=self.world.stamp())

    async def _delete(self, call: Call, channel: str, message: str) -> None:
        if self.world.message(channel, message)["author"]["id"] != self.world.bot["id"]:
            raise Refusal(403, 50013, "Missing Permissions")
        del self.world.messages[channel][message]

    async def _pin(self, call: Call, channel: str, message: str) -> None:
        self.world.may(channel, PINS)
        self.world.message(channel, message)["pinned"] = True

    # -- threads

    async def _thread(self, call: Call, channel: str, message: str) -> JSON:
        self.world.may(channel, THREADS)
        self.world.message(channel, message)
        thread = self.world.open_thread(
            channel,
            call.body["name"],
            call.body.get("auto_archive_duration") or 1440,
            message_id=message,
        )
        await self.gateway.dispatch(
            "THREAD_CREATE", thread | {"newly_created": True}, guild=thread["guild_id"]
        )
        return thread

    async def _forum_thread(self, call: Call, channel: str) -> JSON:
        self.world.may(channel, SEND)
        thread = self.world.open_thread(
            channel, call.body["name"], call.body.get("auto_archive_duration") or 1440
        )
        message = self.world.write(
            thread["id"], self.world.bot, call.body["message"], files=call.files
        )
        self.world.messages[thread["id"]] = {
            thread["id"]: message | {"id": thread["id"]}
        }  # a forum post has its starter's id
        await self.gateway.dispatch(
            "THREAD_CREATE", thread | {"newly_created": True}, guild=thread["guild_id"]
        )
        return thread | {"message": self.world.messages[thread["id"]][thread["id"]]}

    async def _active_threads(self, call: Call, guild: str) -> JSON:
        threads = [
            each
            for each in self.world.channels.values()
            if each["type"] in THREAD_TYPES and each["guild_id"] == guild
        ]
        return {
            "threads": [each for each in threads if not each["thread_metadata"]["archived"]],
            "members": [],
        }

    # -- reactions and polls

    async def _react(self, call: Call, channel: str, message: str, emoji: str) -> None:
        self.world.may(channel, REACT, HISTORY)
        self.world.message(channel, message)
        if not emoji.isascii() or ":" in emoji:
            self.world.react(channel, message, self.world.bot["id"], emoji)
            await self.announce_reaction("ADD", channel, message, self.world.bot["id"], emoji)
        else:
            raise Refusal(400, 10014, "Unknown Emoji")

    async def announce_reaction(
        self, verb: str, channel: str, message: str, user: str, emoji: str
    ) -> None:
        guild = self.world.channels[channel].get("guild_id")
        data: JSON = {
            "user_id": user,
            "channel_id": channel,
            "message_id": message,
            "emoji": emoji_object(emoji),
            "type": 0,
            "burst": False,
        }
        if guild:
            data["guild_id"] = guild
        if verb == "ADD":
            data["message_author_id"] = self.world.messages[channel][message]["author"]["id"]
            if guild:
                data["member"] = self.world.member(guild, user)
        await self.gateway.dispatch(f"MESSAGE_REACTION_{verb}", data, guild=guild)

    async def _reactors(self, call: Call, channel: str, message: str, emoji: str) -> list[JSON]:
        self.world.message(channel, message)
        users = sorted(
            (
                user
                for each, user in self.world.reactions.get((channel, message), [])
                if each == emoji
            ),
            key=int,
        )
        return self._page(users)

    def _page(self, users: list[str]) -> list[JSON]:
        after, limit = int(self._query.get("after", 0)), int(self._query.get("limit", 25))
        return [self.world.users[user] for user in users if int(user) > after][:limit]

    async def _voters(self, call: Call, channel: str, message: str, answer: str) -> JSON:
        self.world.message(channel, message)
        return {
            "users": self._page(
                sorted(self.world.poll_votes.get((message, int(answer)), []), key=int)
            )
        }

    async def _expire(self, call: Call, channel: str, message: str) -> JSON:
        matches = self.world.message(channel, message)
        matches["poll"]["results"]["is_finalized"] = True
        matches["poll"]["expiry"] = self.world.stamp()
        result = self.world.write(
            channel,
            self.world.bot,
            {"message_reference": {"message_id": message, "channel_id": channel}},
            kind=46,
        )
        await self.announce("MESSAGE_CREATE", result)
        return self.world.describe(matches)

    # -- interactions

    def _by_token(self, token: str) -> Interaction:
        match = next(
            (each for each in self.world.interactions.values() if each.token == token), None
        )
        if match is None or match.acknowledged is None:
            raise Refusal(404, 10015, "Unknown Webhook")
        if self.world.offset - match.born > TOKEN_SECONDS:
            raise Refusal(401, 50027, "Invalid Webhook Token")
        return match

    async def _callback(self, call: Call, interaction_id: str, token: str) -> JSON:
        interaction = self.world.interactions.get(interaction_id)
        if (
            interaction is None
            or interaction.token != token
            or self.world.offset - interaction.born > INTERACTION_SECONDS
        ):
            raise Refusal(404, 10062, "Unknown interaction")
        if interaction.acknowledged is not None:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        interaction.acknowledged, interaction.kind = self.world.now(), call.body["type"]
        data = call.body.get("data") or {}
        interaction.ephemeral = bool((data.get("flags") or 0) & 64)
        if interaction.kind in (4, 5):
            interaction.original = self._private_message(
                interaction,
                data if interaction.kind == 4 else {"flags": data.get("flags", 0) | 128},
            )
        elif interaction.kind in (6, 7):
            interaction.original = interaction.payload["message"]
            if interaction.kind == 7:
                self._apply(interaction.original, Call("PATCH", "", data, call.files))
        elif interaction.kind == 8:
            interaction.choices = data["choices"]
        elif interaction.kind == 9:
            interaction.form = data
        described: JSON = {"id": interaction.id, "type": interaction.payload["type"]}
        resource: JSON = {"type": interaction.kind}
        if interaction.original is not None and interaction.kind in (4, 5):
            described |= {
                "response_message_id": interaction.original["id"],
                "response_message_ephemeral": interaction.ephemeral,
            }
            resource["message"] = interaction.original
        return {"interaction": described, "resource": resource}

    def _private_message(
        self, interaction: Interaction, body: JSON, files: Mapping[str, bytes] | None = None
    ) -> JSON:
        """Answers an interaction; a private answer is kept beside the channel, where only its
        reader has it.
        """
        channel = interaction.payload["channel"]["id"]
        message = self.world.write(channel, self.world.bot, body, files=files)
        if message["flags"] & 64:
            del self.world.messages[channel][message["id"]]
        return message | {"type": 20}

    async def _original(self, call: Call, token: str) -> JSON:
        matches = self._by_token(token).original
        if matches is None:
            raise Refusal(404, 10008, "Unknown Message")
        return matches

    async def _edit_original(self, call: Call, token: str) -> JSON:
        interaction = self._by_token(token)
        if interaction.original is None:
            raise Refusal(404, 10008, "Unknown Message")
        self._apply(interaction.original, call)
        interaction.original["flags"] &= ~128
        return interaction.original

    async def _delete_original(self, call: Call, token: str) -> None:
        interaction = self._by_token(token)
        interaction.deleted = True
        if interaction.original is not None:
            self.world.messages[interaction.payload["channel"]["id"]].pop(
                interaction.original["id"], None
            )

    async def _webhooks(self, call: Call, channel: str) -> list[JSON]:
        self.world.may(channel, MANAGE_WEBHOOKS)
        return [hook for hook in self.world.webhooks.values() if hook["channel_id"] == channel]

    async def _make_webhook(self, call: Call, channel: str) -> JSON:
        self.world.may(channel, MANAGE_WEBHOOKS)
        here = await self._webhooks(call, channel)
        if len(here) >= 15:
            raise Refusal(400, 30007, "Maximum number of webhooks reached (15)")
        identity, bot = self.world.snowflake(), self.world.bot
        self.world.webhooks[identity] = {
            "id": identity, "type": 1, "channel_id": channel, "name": call.body["name"],
            "guild_id": self.world.find_channel(channel)["guild_id"], "avatar": None, "user": bot,
            "application_id": self.world.application["id"], "token": f"hook-{identity}",
        }  # fmt: skip
        return self.world.webhooks[identity]

    async def _speak(self, call: Call, hook: JSON) -> JSON:
        """Posts a message under a name of its own; there are no nonces here."""
        where = self._query.get("thread_id", hook["channel_id"])
        place = self.world.find_channel(where)
        if hook["channel_id"] not in (place["id"], place.get("parent_id")):
            raise Refusal(400, 10003, "Unknown Channel")
        if place["type"] in THREAD_TYPES and place["thread_metadata"]["archived"]:
            raise Refusal(400, 50083, "Thread is archived")
        name = call.body["username"]
        if re.search("discord|clyde", name, re.IGNORECASE):
            raise Refusal(400, 50035, "Invalid Form Body")
        author = {"id": hook["id"], "username": name, "discriminator": "0000", "avatar": None}
        message = self.world.write(where, author | {"bot": True}, call.body)
        message |= {"webhook_id": hook["id"], "application_id": hook["application_id"]}
        self.world.pictures[message["id"]] = call.body.get("avatar_url", "")
        await self.announce("MESSAGE_CREATE", message)
        return message

    async def _unsay(self, call: Call, hook: str, message: str) -> None:
        if hook not in self.world.webhooks:
            raise Refusal(404, 10015, "Unknown Webhook")
        where = self._query.get("thread_id", self.world.webhooks[hook]["channel_id"])
        if self.world.message(where, message).get("webhook_id") != hook:
            raise Refusal(404, 10008, "Unknown Message")
        del self.world.messages[where][message]

    async def _followup(self, call: Call, token: str) -> JSON:
        hook = self.world.webhooks.get(token.removeprefix("hook-"))
        if hook is not None:
            return await self._speak(call, hook)
        if token.startswith("hook-"):
            raise Refusal(404, 10015, "Unknown Webhook")
        interaction = self._by_token(token)
        if (
            interaction.kind == 5
            and interaction.original is not None
            and interaction.original["flags"] & 128
        ):
            self._apply(
                interaction.original,
                Call(
                    "PATCH",
                    "",
                    {key: value for key, value in call.body.items() if key != "flags"},
                    call.files,
                ),
            )
            interaction.original["flags"] &= ~128
            return interaction.original
        message = self._private_message(interaction, call.body, call.files)
        interaction.followups.append(message)
        return message


def _unlocalized(node: Any) -> Any:
    """Returns a command as Discord lists it to a bot that does not ask for other languages."""
    if isinstance(node, list):
        return [_unlocalized(each) for each in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if not key.endswith("_localizations")}
    return {key: _unlocalized(value) for key, value in kept.items()}
