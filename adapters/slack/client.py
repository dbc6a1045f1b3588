"""Slack's client. It treats a reply of a wrong shape as a failure of Slack's server: such a reply
shows neither that Slack refused a message nor that Slack accepted it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.text.documents import without_nulls

_OK, _BAD_GATEWAY = 200, 502


class _Reply(msgspec.Struct):
    ok: bool


class _Identity(_Reply):
    team_id: str
    user_id: str


class _Posted(_Reply):
    ts: str


class _Channel(_Reply):
    channel: dict[str, Any]


class _Conversation(msgspec.Struct):
    id: str


class _Opened(_Reply):
    channel: _Conversation


class _Profile(msgspec.Struct):
    profile: dict[str, Any] = {}


class _User(_Reply):
    user: _Profile


class _Members(_Reply):
    members: list[str]


class _Reaction(msgspec.Struct):
    name: str
    users: list[str] = []


class _Message(msgspec.Struct):
    metadata: dict[str, Any] = {}
    files: list[dict[str, Any]] = []
    reactions: list[_Reaction] = []


class _Messages(_Reply):
    messages: list[_Message]


class _Reacted(_Reply):
    message: _Message


class _Group(msgspec.Struct):
    id: str
    handle: str


class _Groups(_Reply):
    usergroups: list[_Group]


class _Socket(_Reply):
    url: str


class _Installed(_Reply):
    access_token: str
    team: dict[str, Any] = {}
    enterprise: dict[str, Any] = {}
    authed_user: dict[str, Any] = {}
    incoming_webhook: dict[str, Any] = {}


_NEEDED: Mapping[str, type[_Reply]] = {
    "apps.connections.open": _Socket,
    "auth.test": _Identity,
    "chat.postMessage": _Posted,
    "chat.startStream": _Posted,
    "conversations.history": _Messages,
    "conversations.info": _Channel,
    "conversations.members": _Members,
    "conversations.open": _Opened,
    "conversations.replies": _Messages,
    "oauth.v2.access": _Installed,
    "reactions.get": _Reacted,
    "usergroups.list": _Groups,
    "users.info": _User,
}
"""What a reply holds that is read without a look at its shape, by method."""


class SlackClient(AsyncWebClient):
    """The library's client. A reply without what is needed gets the status of a bad gateway."""

    async def _request(
        self, *, http_verb: str, api_url: str, req_args: dict[str, Any]
    ) -> dict[str, Any]:
        try:
            reply = await super()._request(http_verb=http_verb, api_url=api_url, req_args=req_args)
        except SlackApiError as error:  # the body is no JSON, and the response the network's
            reply = {"headers": error.response.headers, "status_code": error.response.status}
        if _is_readable(api_url.rpartition("/")[2], reply.get("data")):
            return reply
        status = reply["status_code"]
        return {**reply, "data": {}, "status_code": _BAD_GATEWAY if status == _OK else status}


def _is_readable(method: str, data: object) -> bool:
    """True if a reply has the members that are needed, or is a refusal."""
    if isinstance(data, dict) and data.get("ok") is False:
        return True
    try:
        msgspec.convert(without_nulls(msgspec.to_builtins(data)), _NEEDED.get(method, _Reply))
    except (ValueError, TypeError, RecursionError):
        return False
    return True
