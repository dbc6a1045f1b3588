"""A workspace as Slack would keep it: channels, messages with their threads and reactions, people,
views, files; and the Web API on it.

Answers are what Slack documents. What the app itself does comes back to it as events, as it does in
Slack.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

SCOPES: Mapping[str, tuple[str, ...]] = {
    "chat.postMessage": ("chat:write",),
    "chat.postEphemeral": ("chat:write",),
    "chat.update": ("chat:write",),
    "chat.delete": ("chat:write",),
    "chat.unfurl": ("links:write",),
    "chat.startStream": ("chat:write",),
    "chat.appendStream": ("chat:write",),
    "chat.stopStream": ("chat:write",),
    "agents.sessions.setStatus": ("chat:write",),
    "assistant.threads.setSuggestedPrompts": ("assistant:write",),
    "reactions.add": ("reactions:write",),
    "reactions.get": ("reactions:read",),
    "conversations.history": ("channels:history", "groups:history", "im:history", "mpim:history"),
    "conversations.replies": ("channels:history", "groups:history", "im:history", "mpim:history"),
    "conversations.info": ("channels:read", "groups:read", "im:read", "mpim:read"),
    "conversations.members": ("channels:read", "groups:read", "im:read", "mpim:read"),
    "conversations.open": ("im:write",),
    "files.getUploadURLExternal": ("files:write",),
    "files.completeUploadExternal": ("files:write",),
    "files.delete": ("files:write",),
    "usergroups.list": ("usergroups:read",),
    "users.info": ("users:read",),
}
"""Documented scopes, written down here a second time so that the app's own table is not its own
judge.
"""

BOT_USER, BOT = "U0BOT", "B0BOT"
_SOME = 50
"""The people of one emoji that Slack names unless it is asked for all."""


class Refused(Exception):
    """Slack's answer ``ok: false``."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.answer: Json = {"ok": False, "error": error, **more}


@dataclass
class Channel:
    id: str
    member: bool = True
    archived: bool = False
    private: bool = False
    people: tuple[str, ...] = ()  # besides us
    shared: bool = False  # with another organisation
    name: str = ""  # "": its id
    messages: dict[str, Json] = field(default_factory=dict)  # by ts, replies too


@dataclass
class World:
    """One workspace. ``emit`` delivers an event to the app."""

    team: str = "T1"
    scopes: set[str] = field(default_factory=set)
    emit: Callable[[str, Json], None] = lambda team, event: None
    channels: dict[str, Channel] = field(default_factory=dict)
    users: dict[str, Json] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)  # handles by id
    ephemeral: list[Json] = field(default_factory=list)
    views: dict[str, Json] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    triggers: set[str] = field(default_factory=set)
    sessions: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    prompts: dict[str, list[Json]] = field(default_factory=dict)
    files: dict[str, Json] = field(default_factory=dict)
    base: str = ""  # address of the stand-in
    agents: bool = True
    streams: bool = False
    work_objects: bool = True
    ahead: float = 0.0  # seconds by which its clock is ahead of the machine's
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _last: float = 0.0

    def ts(self) -> str:
        """Returns a time stamp as Slack makes them: now, and never twice."""
        self._last = max(time.time() + self.ahead, self._last + 0.000002)
        return f"{self._last:.6f}"

    def id(self, letter: str) -> str:
        return f"{letter}{self.team[1:]}{next(self._ids):06}"

    def channel(self, name: str) -> Channel:
        return self.channels.setdefault(name, Channel(name))

    def user(self, name: str, **more: Any) -> Json:
        bot = name == BOT_USER
        known = self.users.setdefault(
            name,
            {
                "id": name,
                "name": name.lower(),
                "is_admin": False,
                "is_bot": bot,
                "profile": {"display_name": name.lower()},
            },
        )
        known.update(more)
        return known

    def say(self, channel: str, user: str, text: str, *, thread: str = "", **more: Any) -> Json:
        """Writes a person's message."""
        message: Json = {"type": "message", "user": user, "text": text, "ts": self.ts(), **more}
        if thread:
            message["thread_ts"] = thread
        self.channel(channel).messages[message["ts"]] = message
        self._answered(channel, thread)
        return message

    def call(self, method: str, a: Json) -> Json:
        """Executes the method. Raises ``Refused``."""
        needed = SCOPES.get(method, ())
        if missing := [scope for scope in needed if scope not in self.scopes]:
            raise Refused(
                "missing_scope", needed=",".join(missing), provided=",".join(sorted(self.scopes))
            )
        handler = getattr(self, "_" + method.replace(".", "_"), None)
        if handler is None:
            raise Refused("unknown_method")
        answer: Json = handler(a)
        return {"ok": True, **answer}

    def thread(self, channel: str, root: str) -> list[Json]:
        return [
            m
            for m in self.channel(channel).messages.values()
            if root in (m["ts"], m.get("thread_ts"))
        ]

    def _answered(self, channel: str, thread: str) -> None:
        root = self.channel(channel).messages.get(thread)
        if root is not None:
            root["thread_ts"] = thread
            root["reply_count"] = root.get("reply_count", 0) + 1

    def _open_channel(self, name: str) -> Channel:
        channel = self._seen_channel(name)
        if channel.archived:
            raise Refused("is_archived")
        return channel

    def _seen_channel(self, name: str) -> Channel:
        if name.startswith(("U", "W")):
            name = f"D{name[1:]}"
            self.channels.setdefault(name, Channel(name, private=True))
        channel = self.channels.get(name)
        if channel is None or (channel.private and not channel.member):
            raise Refused("channel_not_found")
        if not channel.member:
            raise Refused("not_in_channel")
        return channel

    def _message(self, a: Json, ts: str) -> Json:
        message = self._open_channel(a["channel"]).messages.get(ts)
        if message is None:
            raise Refused("message_not_found")
        return message

    def _auth_test(self, a: Json) -> Json:
        return {
            "url": "https://example.slack.com/",
            "team": "Example",
            "team_id": self.team,
            "user": "debate",
            "user_id": BOT_USER,
            "bot_id": BOT,
        }

    def _chat_postMessage(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        channel = self._open_channel(a["channel"])
        thread = a.get("thread_ts") or ""
        if thread and thread not in channel.messages:
            raise Refused("thread_not_found")
        if thread and channel.messages[thread].get("thread_ts", thread) != thread:
            raise AssertionError(f"thread_ts {thread} is a reply, not a root")
        message: Json = {
            "type": "message",
            "user": BOT_USER,
            "bot_id": BOT,
            "text": a.get("text", ""),
            "ts": self.ts(),
            "reactions": [],
        }
        if "username" in a or "icon_emoji" in a:
            self._dress(message, a)
        message |= {name: a[name] for name in ("blocks", "metadata") if name in a}
        if thread:
            message["thread_ts"] = thread
        if a.get("reply_broadcast"):
            message["subtype"] = "thread_broadcast"
        channel.messages[message["ts"]] = message
        self._answered(channel.id, thread)
        self.emit(self.team, {**message, "channel": channel.id, "event_ts": message["ts"]})
        return {"channel": channel.id, "ts": message["ts"], "message": message}

    def _dress(self, message: Json, a: Json) -> None:
        """Changes a message under another name, which has no user of its own."""
        if "chat:write.customize" not in self.scopes:
            provided = ",".join(sorted(self.scopes))
            raise Refused("missing_scope", needed="chat:write.customize", provided=provided)
        del message["user"]
        message |= {"subtype": "bot_message", "username": a["username"]}
        message["icons"] = {"emoji": a["icon_emoji"]}

    def _chat_postEphemeral(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        channel = self._open_channel(a["channel"])
        self.ephemeral.append({**a, "channel": channel.id})
        return {"message_ts": self.ts()}

    def _chat_update(self, a: Json) -> Json:
        message = self._message(a, a["ts"])
        if message.get("bot_id") != BOT:
            raise Refused("cant_update_message")
        message |= {name: a[name] for name in ("text", "blocks", "metadata") if name in a}
        message["edited"] = {"user": BOT_USER, "ts": self.ts()}
        changed = {
            "type": "message",
            "subtype": "message_changed",
            "hidden": True,
            "channel": a["channel"],
            "message": message,
            "ts": self.ts(),
        }
        self.emit(self.team, changed)
        return {"channel": a["channel"], "ts": a["ts"], "text": message["text"]}

    def _chat_unfurl(self, a: Json) -> Json:
        message = self._message(a, a["ts"])
        if "metadata" in a and not self.work_objects:
            raise Refused("work_objects_not_enabled")
        if not ("metadata" in a or a.get("unfurls")):
            raise Refused("missing_unfurls")
        urls = [e["app_unfurl_url"] for e in (a.get("metadata") or {}).get("entities", ())]
        if not all(url in message["text"] for url in (*urls, *a.get("unfurls", ()))):
            raise Refused("cannot_unfurl_url")
        message["cards"] = a.get("metadata") or a["unfurls"]
        return {}

    def _chat_startStream(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        if not self.streams:
            raise Refused("unknown_method")
        if a["channel"][0] != "D" and not (
            a.get("recipient_team_id") and a.get("recipient_user_id")
        ):
            raise Refused("missing_recipient_user_id")
        message = self._chat_postMessage({"channel": a["channel"], "thread_ts": a["thread_ts"]})
        plan: Json = {"type": "plan", "title": "", "tasks": []}
        self._open_channel(a["channel"]).messages[message["ts"]] |= {
            "blocks": [plan],
            "streaming_state": "in_progress",
        }
        return self._stream({**a, "ts": message["ts"]})

    def _chat_appendStream(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        return self._stream(a)

    def _chat_stopStream(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        answer = self._stream(a)
        self._message(a, a["ts"])["streaming_state"] = "completed"
        return answer

    def _stream(self, a: Json) -> Json:
        message = self._message(a, a["ts"])
        if message.get("streaming_state") != "in_progress":
            raise Refused("message_not_in_streaming_state")
        [plan] = message["blocks"]
        for chunk in a.get("chunks", ()):
            if chunk["type"] == "plan_update":
                plan["title"] = chunk["title"]
                continue
            task = {"type": "task_card", "task_id": chunk["id"]}
            task |= {name: chunk[name] for name in ("title", "status")}
            tasks = {t["task_id"]: t for t in plan["tasks"]} | {chunk["id"]: task}
            plan["tasks"] = list(tasks.values())
        return {"channel": a["channel"], "ts": a["ts"]}

    def _chat_delete(self, a: Json) -> Json:
        self._message(a, a["ts"])
        del self.channel(a["channel"]).messages[a["ts"]]
        return {"channel": a["channel"], "ts": a["ts"]}

    def react(self, channel: str, ts: str, user: str, name: str, *, added: bool = True) -> bool:
        """Adds or takes back a reaction; False where nothing changed."""
        message = self.channel(channel).messages[ts]
        reactions: list[Json] = message.setdefault("reactions", [])
        mine = next((r for r in reactions if r["name"] == name), None)
        if added == bool(mine and user in mine["users"]):
            return False
        if added and mine is None:
            reactions.append({"name": name, "users": [user]})
        elif added and mine:
            mine["users"].append(user)
        elif mine:
            mine["users"].remove(user)
            if not mine["users"]:
                reactions.remove(mine)
        return True

    def _reactions_add(self, a: Json) -> Json:
        message = self._message(a, a["timestamp"])
        if not self.react(a["channel"], a["timestamp"], BOT_USER, a["name"]):
            raise Refused("already_reacted")
        event = {
            "type": "reaction_added",
            "user": BOT_USER,
            "reaction": a["name"],
            **({"item_user": message["user"]} if "user" in message else {}),
            "event_ts": self.ts(),
        }
        self.emit(
            self.team,
            {**event, "item": {"type": "message", "channel": a["channel"], "ts": a["timestamp"]}},
        )
        return {}

    def _reactions_get(self, a: Json) -> Json:
        message = self._message(a, a["timestamp"])
        most = None if a.get("full") else _SOME
        listed = [
            {**r, "users": r["users"][:most], "count": len(r["users"])}
            for r in message.get("reactions") or ()
        ]
        return {
            "type": "message",
            "channel": a["channel"],
            "message": {**message, "reactions": listed},
        }

    def _listed(self, a: Json, items: list[Json]) -> Json:
        oldest, latest = float(a.get("oldest") or 0), float(a.get("latest") or "inf")
        inside = [m for m in items if oldest <= float(m["ts"]) <= latest]
        if not a.get("include_all_metadata"):
            inside = [{k: v for k, v in m.items() if k != "metadata"} for m in inside]
        start, limit = int(a.get("cursor") or 0), int(a.get("limit") or 100)
        page = inside[start : start + limit]
        more = start + limit < len(inside)
        return {
            "messages": page,
            "has_more": more,
            "response_metadata": {"next_cursor": str(start + limit) if more else ""},
        }

    def _conversations_replies(self, a: Json) -> Json:
        channel = self._open_channel(a["channel"])
        if a["ts"] not in channel.messages:
            raise Refused("thread_not_found")
        return self._listed(a, self.thread(channel.id, a["ts"]))

    def _conversations_history(self, a: Json) -> Json:
        listed = [
            m
            for m in self._open_channel(a["channel"]).messages.values()
            if m.get("thread_ts", m["ts"]) == m["ts"] or m.get("subtype") == "thread_broadcast"
        ]
        return self._listed(a, listed[::-1])

    def _conversations_info(self, a: Json) -> Json:
        channel = self.channels.get(a["channel"])
        if channel is None or (channel.private and not channel.member):
            raise Refused("channel_not_found")
        kind = {"is_im": channel.id[0] == "D", "is_private": channel.private}
        return {
            "channel": {
                "id": channel.id,
                **({} if channel.id[0] == "D" else {"name": channel.name or channel.id.lower()}),
                "is_member": channel.member,
                "is_archived": channel.archived,
                "is_ext_shared": channel.shared,
                **kind,
            }
        }

    def _conversations_members(self, a: Json) -> Json:
        channel = self._seen_channel(a["channel"])
        unnamed = (f"U{channel.id[1:]}",) if channel.id.startswith("D") else ("U1", "U2", "U3")
        people = [BOT_USER, *(channel.people or unnamed)]
        start, limit = (
            int(a.get("cursor") or 0),
            min(int(a.get("limit") or 100), 2),
        )  # Slack gives fewer than asked for when it likes
        more = str(start + limit) if start + limit < len(people) else ""
        return {
            "members": people[start : start + limit],
            "response_metadata": {"next_cursor": more},
        }

    def _conversations_open(self, a: Json) -> Json:
        channel = self._open_channel(a["users"])
        return {"channel": {"id": channel.id}}

    def _usergroups_list(self, a: Json) -> Json:
        return {"usergroups": [{"id": id, "handle": name} for id, name in self.groups.items()]}

    def _users_info(self, a: Json) -> Json:
        known = {"locale": "en-US", **self.user(a["user"])}
        if not a.get("include_locale"):
            del known["locale"]
        return {"user": known}

    def _views_open(self, a: Json) -> Json:
        if a["trigger_id"] not in self.triggers:
            raise Refused("expired_trigger_id")
        self.triggers.remove(a["trigger_id"])
        view = {**a["view"], "id": self.id("V"), "hash": "1", "state": {"values": {}}}
        self.views[view["id"]] = view
        return {"view": view}

    def _views_update(self, a: Json) -> Json:
        view = self.views.get(a["view_id"])
        if view is None:
            raise Refused("not_found")
        if a.get("hash") and a["hash"] != view["hash"]:
            raise Refused("hash_conflict")
        view |= a["view"] | {"hash": str(int(view["hash"]) + 1)}
        return {"view": view}

    def _views_publish(self, a: Json) -> Json:
        self.homes[a["user_id"]] = a["view"]
        return {"view": a["view"]}

    def _files_getUploadURLExternal(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        id = self.id("F")
        self.files[id] = {"id": id, "name": a["filename"], "content": b""}
        return {"file_id": id, "upload_url": f"{self.base}/upload/{id}"}

    def _files_completeUploadExternal(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        channel = self._open_channel(a["channel_id"])
        files = [
            {"id": f["id"], "name": self.files[f["id"]]["name"], "title": f.get("title")}
            for f in a["files"]
        ]
        message: Json = {
            "type": "message",
            "user": BOT_USER,
            "bot_id": BOT,
            "text": "",
            "ts": self.ts(),
            "files": files,
        }
        if a.get("thread_ts"):
            message["thread_ts"] = a["thread_ts"]
        channel.messages[message["ts"]] = message
        return {"files": files}

    def _files_delete(self, a: Json) -> Json:
        if self.files.pop(a["file"], None) is None:
            raise Refused("file_not_found")
        for channel in self.channels.values():
            for ts, message in list(channel.messages.items()):
                held = message.get("files")
                if held and not (left := [f for f in held if f["id"] != a["file"]]):
                    del channel.messages[ts]
                elif held:
                    message["files"] = left
        return {}

    def _assistant_threads_setSuggestedPrompts(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        if not self.agents:
            raise Refused("not_allowed")
        if not 1 <= len(a["prompts"]) <= 4:
            raise Refused("invalid_arguments")
        self.prompts[f"{a['channel_id']} {a.get('thread_ts', '')}".strip()] = a["prompts"]
        return {}

    def _agents_sessions_setStatus(self, a: Json) -> Json:  # noqa: N802 (Slack's name)
        if not self.agents:
            raise Refused("unknown_method")
        self.sessions.setdefault((a["channel_id"], a["thread_ts"]), []).append(a["status"])
        return {"status": a["status"]}
