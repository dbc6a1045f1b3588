"""The state of a small Discord: one application, its guilds, channels, threads, messages and
interactions, as Discord would tell of them.

Everything is kept as the JSON that Discord sends, so the wire is the only form there is. Time is
the machine's clock plus an offset that a test moves (``advance``): the window of nonces follows it.
The three seconds of an interaction and the fifteen minutes of its token pass only if a test moves
the clock, since a busy machine can take three seconds for anything.
"""

from __future__ import annotations

import asyncio
import copy
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.patience import PATIENCE
from tests.standins.discord_rules import walk

JSON = dict[str, Any]
EPOCH_MS = 1420070400000
NONCE_WINDOW = 180.0
CONTENT_INTENT = 1 << 15

VIEW, SEND, THREAD_SEND, THREADS, LINKS, FILES, HISTORY, REACT, POLLS, MANAGE_THREADS = (
    1 << bit for bit in (10, 11, 38, 35, 14, 15, 16, 6, 49, 34)
)
MANAGE_GUILD, MANAGE_WEBHOOKS, PINS, SLOWMODE = 1 << 5, 1 << 29, 1 << 51, 1 << 52
ALL_PERMISSIONS = (
    VIEW | SEND | THREAD_SEND | THREADS | LINKS | FILES | HISTORY | REACT | POLLS | PINS | SLOWMODE
)

TEXT, DM, VOICE, PUBLIC_THREAD, PRIVATE_THREAD, FORUM = 0, 1, 2, 11, 12, 15
THREAD_TYPES = (PUBLIC_THREAD, PRIVATE_THREAD)


class Refusal(Exception):
    """A refusal of Discord: an HTTP status and its own error code."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message


@dataclass
class Interaction:
    """One use of a command, button or form by a person, and everything the bot answered to it."""

    id: str
    token: str
    born: float
    payload: JSON
    acknowledged: float | None = None
    # type of the first response: 4 message, 5 deferred, 6 deferred update, 7 update, 8 choices, 9
    # form
    kind: int = 0
    ephemeral: bool = False
    original: JSON | None = None
    followups: list[JSON] = field(default_factory=list)
    form: JSON | None = None
    choices: list[JSON] = field(default_factory=list)
    deleted: bool = False

    def text(self) -> str:
        """Returns all the person reads as the answer, oldest first."""
        answers = (
            [self.original, *self.followups]
            if self.original and not self.deleted
            else list(self.followups)
        )
        return "\n".join(render(message) for message in answers)


def render(message: Mapping[str, Any]) -> str:
    """Returns a message's text as a reader sees it: content, or the texts and button labels of its
    components in order.
    """
    lines = [str(message["content"])] if message.get("content") else []
    for component in walk(list(message.get("components") or [])):
        if component["type"] == 10:
            lines.append(component["content"])
        elif component["type"] == 2:
            lines.append(f"[{component['label']}]")
        elif component["type"] == 3:
            chosen = " · ".join(option["label"] for option in component["options"])
            lines.append(f"[{component['placeholder']} {chosen}]")
        elif component["type"] == 13:
            lines.append(f"<{component['file']['url'].removeprefix('attachment://')}>")
    if message.get("poll"):
        poll = message["poll"]
        lines.append(poll["question"]["text"])
        lines += [f"({answer['poll_media']['text']})" for answer in poll["answers"]]
    return "\n".join(lines)


class World:
    """All state. Methods named for what happens; those that a bot may be refused raise
    ``Refusal``.
    """

    def __init__(self) -> None:
        self.offset = 0.0
        self._last = 0
        self.users: dict[str, JSON] = {}
        self.bot = self.person("debatebot", bot=True)
        self.application: JSON = {
            "id": self.bot["id"],
            "name": "Debatebot",
            "description": "",
            "icon": None,
            "bot_public": True,
            "bot_require_code_grant": False,
            "owner": self.bot,
            "verify_key": "0" * 64,
            "flags": 1 << 19,
            "summary": "",
        }
        self.guilds: dict[str, JSON] = {}
        self.channels: dict[str, JSON] = {}
        self.messages: dict[str, dict[str, JSON]] = {}
        self.commands: list[JSON] = []
        self.syncs = 0
        self.interactions: dict[str, Interaction] = {}
        self.members: dict[tuple[str, str], JSON] = {}
        self.nonces: dict[tuple[str, str], tuple[str, float]] = {}
        self.reactions: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self.poll_votes: dict[tuple[str, int], list[str]] = {}
        self.uploads: dict[str, tuple[str, bytes]] = {}
        self.webhooks: dict[str, JSON] = {}  # by id
        self.pictures: dict[str, str] = {}  # by the message of a webhook, the address or ""
        self.closed_dms: set[str] = set()
        self.thread_cap_reached = False

    # -- time and ids

    def now(self) -> float:
        return time.time() + self.offset

    def snowflake(self) -> str:
        fresh = (int(self.now() * 1000) - EPOCH_MS) << 22
        self._last = max(fresh, self._last + 1)
        return str(self._last)

    def stamp(self) -> str:
        return datetime.fromtimestamp(self.now(), UTC).isoformat()

    # -- what is there

    def person(self, name: str, *, bot: bool = False) -> JSON:
        user: JSON = {
            "id": self.snowflake(),
            "username": name,
            "discriminator": "0",
            "avatar": None,
            "global_name": name,
            "bot": bot,
        }
        self.users[user["id"]] = user
        return user

    def guild(self, name: str, *, permissions: int = ALL_PERMISSIONS) -> JSON:
        guild_id = self.snowflake()
        everyone = {
            "id": guild_id,
            "name": "@everyone",
            "permissions": str(permissions),
            "position": 0,
            "color": 0,
            "hoist": False,
        }
        everyone |= {
            "managed": False,
            "mentionable": False,
            "flags": 0,
            "colors": {"primary_color": 0},
        }
        self.guilds[guild_id] = {
            "id": guild_id,
            "name": name,
            "owner_id": "1",
            "roles": [everyone],
            "emojis": [],
            "features": [],
            "verification_level": 0,
            "premium_tier": 0,
        }
        self.member(guild_id, self.bot["id"])
        return self.guilds[guild_id]

    def member(self, guild_id: str, user_id: str, roles: tuple[str, ...] = ()) -> JSON:
        member = {
            "user": self.users[user_id],
            "roles": list(roles),
            "joined_at": self.stamp(),
            "deaf": False,
            "mute": False,
            "flags": 0,
        }
        return self.members.setdefault((guild_id, user_id), member)

    def channel(self, guild_id: str, name: str, kind: int = TEXT) -> JSON:
        channel: JSON = {
            "id": self.snowflake(),
            "type": kind,
            "guild_id": guild_id,
            "name": name,
            "position": len(self.channels),
        }
        channel |= {
            "permission_overwrites": [],
            "parent_id": None,
            "topic": None,
            "nsfw": False,
            "rate_limit_per_user": 0,
            "flags": 0,
        }
        if kind == FORUM:
            channel |= {"available_tags": [], "default_auto_archive_duration": 1440}
        elif kind == VOICE:
            channel |= {"bitrate": 64000, "user_limit": 0}
        self.channels[channel["id"]] = channel
        self.messages[channel["id"]] = {}
        return channel

    def dm(self, user_id: str) -> JSON:
        for known in self.channels.values():
            if known["type"] == DM and known["recipients"][0]["id"] == user_id:
                return known
        channel: JSON = {
            "id": self.snowflake(),
            "type": DM,
            "recipients": [self.users[user_id]],
            "last_message_id": None,
            "flags": 0,
        }
        self.channels[channel["id"]] = channel
        self.messages[channel["id"]] = {}
        return channel

    def guild_create(self, guild_id: str) -> JSON:
        inside = [
            channel for channel in self.channels.values() if channel.get("guild_id") == guild_id
        ]
        return self.guilds[guild_id] | {
            "channels": [channel for channel in inside if channel["type"] not in THREAD_TYPES],
            "threads": [
                each
                for each in inside
                if each["type"] in THREAD_TYPES and not each["thread_metadata"]["archived"]
            ],
            "members": [self.members[guild_id, self.bot["id"]]],
            "member_count": sum(1 for key in self.members if key[0] == guild_id),
            "presences": [],
            "voice_states": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "unavailable": False,
            "large": False,
        }

    def permissions(self, guild_id: str, user_id: str) -> int:
        held = {guild_id, *self.members.get((guild_id, user_id), {"roles": []})["roles"]}
        total = 0
        for role in self.guilds[guild_id]["roles"]:
            if role["id"] in held:
                total |= int(role["permissions"])
        return total

    def may(self, channel_id: str, *needed: int) -> None:
        channel = self.find_channel(channel_id)
        if "guild_id" not in channel:
            return
        held = self.permissions(channel["guild_id"], self.bot["id"])
        if not held & VIEW:
            raise Refusal(403, 50001, "Missing Access")
        if any(not held & bit for bit in needed):
            raise Refusal(403, 50013, "Missing Permissions")

    def find_channel(self, channel_id: str) -> JSON:
        if channel_id not in self.channels:
            raise Refusal(404, 10003, "Unknown Channel")
        return self.channels[channel_id]

    def message(self, channel_id: str, message_id: str) -> JSON:
        self.find_channel(channel_id)
        if message_id not in self.messages[channel_id]:
            raise Refusal(404, 10008, "Unknown Message")
        return self.messages[channel_id][message_id]

    # -- messages

    def write(
        self,
        channel_id: str,
        author: JSON,
        body: Mapping[str, Any],
        *,
        kind: int = 0,
        files: Mapping[str, bytes] | None = None,
    ) -> JSON:
        """Stores a message and returns it; the same author's nonce, enforced, returns the message
        that is there already.
        """
        known = self.nonces.get((author["id"], str(body.get("nonce"))))
        if body.get("enforce_nonce") and known is not None and self.now() - known[1] < NONCE_WINDOW:
            return self.messages[channel_id][known[0]]
        message_id = self.snowflake()
        reference = body.get("message_reference")
        message = {
            "id": message_id,
            "channel_id": channel_id,
            "author": author,
            "content": body.get("content") or "",
            "timestamp": self.stamp(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [
                user
                for user in self.users.values()
                if f"<@{user['id']}>" in (body.get("content") or "")
            ],
            "mention_roles": re.findall(r"<@&(\d+)>", body.get("content") or ""),
            "pinned": False,
            "type": 19 if reference and not kind else kind,
            "flags": body.get("flags") or 0,
            "embeds": [],
            "attachments": self.attached(files or {}),
            "components": numbered(copy.deepcopy(body.get("components") or [])),
        }
        if reference:
            message["message_reference"] = {"channel_id": channel_id, **reference}
            answered = self.messages[channel_id].get(str(reference["message_id"]))
            message["referenced_message"] = (
                {k: v for k, v in answered.items() if k != "referenced_message"}
                if answered
                else None
            )
        if body.get("poll"):
            message["poll"] = self._poll(body["poll"])
        self.messages[channel_id][message_id] = message
        if body.get("nonce") is not None:
            self.nonces[author["id"], str(body["nonce"])] = (message_id, self.now())
        return message

    def attached(self, files: Mapping[str, bytes]) -> list[JSON]:
        given = []
        for name, content in files.items():
            upload = self.snowflake()
            self.uploads[upload] = (name, content)
            given.append(
                {
                    "id": upload,
                    "filename": name,
                    "size": len(content),
                    "url": f"/cdn/{upload}/{name}",
                    "proxy_url": f"/cdn/{upload}/{name}",
                }
            )
        return given

    def _poll(self, request: JSON) -> JSON:
        poll = copy.deepcopy(request)
        for number, answer in enumerate(poll["answers"], start=1):
            answer["answer_id"] = number
        poll["expiry"] = datetime.fromtimestamp(
            self.now() + 3600 * poll.pop("duration", 24), UTC
        ).isoformat()
        return poll | {"layout_type": 1, "results": {"is_finalized": False, "answer_counts": []}}

    def describe(self, message: JSON) -> JSON:
        """Returns a message as REST returns it: with its reactions and poll counts, and without its
        nonce.
        """
        mine, counts = self.bot["id"], []
        by_emoji: dict[str, list[str]] = {}
        for emoji, user in self.reactions.get((message["channel_id"], message["id"]), []):
            by_emoji.setdefault(emoji, []).append(user)
        counts = [
            {"count": len(users), "me": mine in users, "emoji": emoji_object(emoji),
            "count_details": {"burst": 0, "normal": len(users)},
             "me_burst": False, "burst_colors": []}
            for emoji, users in by_emoji.items()
        ]  # fmt: skip
        described = message | ({"reactions": counts} if counts else {})
        if "poll" in message:
            votes = [
                {
                    "id": answer["answer_id"],
                    "count": len(self.poll_votes.get((message["id"], answer["answer_id"]), [])),
                    "me_voted": False,
                }
                for answer in message["poll"]["answers"]
            ]
            described["poll"] = message["poll"] | {
                "results": message["poll"]["results"] | {"answer_counts": votes}
            }
        return described

    def react(self, channel_id: str, message_id: str, user_id: str, emoji: str) -> bool:
        """Adds a reaction and returns whether it is a new one.

        The 21st kind of emoji on a message is refused.
        """
        held = self.reactions.setdefault((channel_id, message_id), [])
        if (emoji, user_id) in held:
            return False
        kinds = {each for each, _ in held}
        if emoji not in kinds and len(kinds) >= 20:
            raise Refusal(400, 30010, "Maximum number of reactions reached (20)")
        held.append((emoji, user_id))
        return True

    # -- threads

    def open_thread(
        self, parent_id: str, name: str, archive_after: int, *, message_id: str | None = None
    ) -> JSON:
        parent = self.find_channel(parent_id)
        if parent["type"] not in (TEXT, FORUM, 5):
            raise Refusal(400, 50024, "Cannot execute action on this channel type")
        if message_id in self.channels:
            raise Refusal(400, 160004, "A thread has already been created for this message")
        if self.thread_cap_reached:
            raise Refusal(400, 160006, "Maximum number of active threads reached")
        thread_id = message_id or self.snowflake()
        metadata = {
            "archived": False,
            "auto_archive_duration": archive_after,
            "archive_timestamp": self.stamp(),
            "locked": False,
        }
        thread = {
            "id": thread_id,
            "type": PUBLIC_THREAD,
            "guild_id": parent["guild_id"],
            "parent_id": parent_id,
            "name": name,
            "flags": 0,
        }
        thread |= {
            "owner_id": self.bot["id"],
            "thread_metadata": metadata | {"create_timestamp": self.stamp()},
            "rate_limit_per_user": 0,
        }
        thread |= {
            "message_count": 0,
            "member_count": 1,
            "last_message_id": None,
            "total_message_sent": 0,
        }
        self.channels[thread_id] = thread
        self.messages[thread_id] = {}
        return thread

    def private_thread(self, parent_id: str, name: str) -> JSON:
        """Makes a thread that only those see who were added to it; the bot was."""
        thread = self.open_thread(parent_id, name, 1440) | {"type": PRIVATE_THREAD}
        self.channels[thread["id"]] = thread
        return thread

    def history(
        self, channel_id: str, *, after: int = 0, before: int = 0, limit: int = 50
    ) -> Iterator[JSON]:
        """Returns messages, newest first, as Discord gives them; with ``after`` the oldest
        ``limit`` beyond it, still newest first.
        """
        inside = sorted(self.messages[channel_id].values(), key=lambda message: int(message["id"]))
        inside = [
            each
            for each in inside
            if int(each["id"]) > after and (not before or int(each["id"]) < before)
        ]
        chosen = inside[:limit] if after else inside[-limit:]
        return (self.describe(message) for message in reversed(chosen))


def emoji_object(emoji: str) -> JSON:
    name, _, custom = emoji.partition(":")
    return {"id": custom or None, "name": name}


def numbered(components: list[JSON]) -> list[JSON]:
    """Gives every component without an id the next free one, as Discord does."""
    taken = {component["id"] for component in walk(components) if component.get("id")}
    fresh = (number for number in range(1, 1000) if number not in taken)
    for component in walk(components):
        if not component.get("id"):
            component["id"] = next(fresh)
        if component["type"] == 13:
            component["name"] = component["file"]["url"].removeprefix("attachment://")
            component["size"] = 0
            component["file"] |= {"proxy_url": component["file"]["url"]}
    return components


async def until(
    condition: Any, seconds: float = PATIENCE, what: str | Callable[[], str] = ""
) -> Any:
    """Waits until ``condition()`` is true and returns its value; fails with ``what`` after
    ``seconds`` of real time.
    """
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            expected = what() if callable(what) else what or condition
            raise AssertionError(f"did not happen within {seconds} s: {expected}")
        await asyncio.sleep(0.004)
