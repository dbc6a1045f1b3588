"""Reads Slack's payloads: pure functions from payloads to the program's own types."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.slack import places
from adapters.text.files import is_material
from core.application.place import Place

Json = Mapping[str, Any]

_CHANNEL = re.compile(r"(?:slack:)?<#([^<>|\n]+)(?:\|[^<>\n]*)?>")


@dataclass(frozen=True, slots=True)
class Recipient:
    """The recipient of an answer, and the place of the request. ``response_url`` answers a command
    or a press even if the bot is not a member.
    """

    where: Place
    user: str
    thread: str = ""
    response_url: str = ""


_READABLE = frozenset({"file_share", "thread_broadcast", "me_message"})


def team_of(body: Json) -> str:
    """Returns the workspace in which the event happened, for any payload. An app that is installed
    in a whole organisation gets payloads with ``team: null``: then the person's workspace counts,
    or that of the used control, and the organisation's id only if there is no other.
    """
    grants: Sequence[Json] = body.get("authorizations") or ({},)
    places_in = (
        (body, "team_id"),
        (body.get("team"), "id"),
        (grants[0], "team_id"),
        (body.get("user"), "team_id"),
        (body.get("view"), "app_installed_team_id"),
        (body.get("view"), "team_id"),
        (body.get("message"), "team"),
        (body.get("event"), "team"),
        (body, "context_team_id"),
        (body.get("enterprise"), "id"),
        (body, "enterprise_id"),
    )
    ids = (where.get(name) for where, name in places_in if isinstance(where, Mapping))
    return next((str(team) for team in ids if team), "")


def organisation_of(body: Json) -> str:
    """Returns the organisation in which the app of a payload is installed as a whole; "" if it is
    installed in a workspace.
    """
    grant: Json = (body.get("authorizations") or ({},))[0]
    flags = (body.get("is_enterprise_install"), grant.get("is_enterprise_install"))
    if True not in flags and "true" not in flags:
        return ""
    enterprise = body.get("enterprise")
    named = enterprise.get("id") if isinstance(enterprise, Mapping) else enterprise
    return str(grant.get("enterprise_id") or named or body.get("enterprise_id") or "")


def own_team_of(body: Json) -> str:
    """Returns the workspace that a payload names as the app's, not by a person, who may belong to
    another one; "" if it names none.
    """
    return team_of({key: body.get(key) for key in ("team_id", "team", "authorizations")})


def is_readable(event: Json) -> bool:
    """True if a message was written by a person just now: no edit, deletion, join or bot."""
    if event.get("subtype") and event["subtype"] not in _READABLE:
        return False
    return (
        bool(event.get("user"))
        and not event.get("bot_id")
        and not event.get("hidden")
        and "edited" not in event
    )


def with_places(text: str, team: str) -> str:
    """Returns Slack's escaped text with channels as places."""
    return _CHANNEL.sub(lambda match: str(places.place(team, match[1])), text)


def mentions(text: str, user: str) -> bool:
    return re.search(rf"<@{re.escape(user)}(?:\|[^>]*)?>", text) is not None


def without_mention(text: str, user: str) -> str:
    """Returns ``text`` without our name in it."""
    return re.sub(rf"\s*<@{re.escape(user)}(?:\|[^>]*)?>[:,]?\s*", " ", text).strip()


def material_files(event: Json) -> list[Json]:
    """Returns the attached files that can be debated."""
    files: list[Json] = []
    for file in event.get("files") or ():
        name, kind = str(file.get("name") or ""), str(file.get("mimetype") or "")
        snippet = file.get("mode") == "snippet" or file.get("filetype") in ("diff", "text")
        if (snippet or is_material(name, kind)) and (
            file.get("url_private_download") or file.get("url_private")
        ):
            files.append(file)
    return files


def place_of_press(body: Json) -> tuple[Place, str]:
    """Returns the channel, and the thread that the message of a button opens or belongs to. A
    message that only one person sees opens none.
    """
    container, message = body.get("container") or {}, body.get("message") or {}
    channel = str((body.get("channel") or {}).get("id") or container.get("channel_id") or "")
    thread = message.get("thread_ts") or container.get("thread_ts") or ""
    if not (thread or container.get("is_ephemeral")):
        thread = message.get("ts") or container.get("message_ts") or ""
    return places.place(team_of(body), channel), str(thread)


def recipient_of(body: Json) -> Recipient | None:
    """Returns the recipient behind any payload, to report an error to.

    Without a channel it is the person themself; None if no person is named.
    """
    event = body.get("event") or {}
    channel = event.get("channel")
    if not isinstance(channel, str):  # of some events it is an object
        channel = (event.get("item") or {}).get("channel")
    user = body.get("user_id") or event.get("user") or (body.get("user") or {}).get("id") or ""
    channel = body.get("channel_id") or (body.get("channel") or {}).get("id") or channel or user
    team = team_of(body)
    if not (user and channel and team):
        return None
    thread = event.get("thread_ts") or (body.get("message") or {}).get("thread_ts") or ""
    url = str(body.get("response_url") or "")
    return Recipient(places.place(team, str(channel)), str(user), str(thread), url)
