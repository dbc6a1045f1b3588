"""The shape of Slack's payloads, as far as Bolt and the listeners rely on it: a payload of another
shape is refused, even if the signature is right. And Slack's signature over a request, and the
person for whom Slack calls a tool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import msgspec
from msgspec import UNSET, UnsetType

from adapters.slack import places
from adapters.text.documents import NoDocument, read_json, read_object

if TYPE_CHECKING:
    from aiohttp import web
    from slack_bolt.request.async_request import AsyncBoltRequest

_Object = dict[str, Any]
SIGNATURE, _MOMENT = "X-Slack-Signature", "X-Slack-Request-Timestamp"
_LONGEST_MOMENT = 20
"""Most digits of the time of a signature."""


class _Ids(msgspec.Struct):
    """A person, a channel, a workspace, an organisation, a grant or a view, by its ids."""

    id: str | None = None
    team_id: str | None = None
    enterprise_id: str | None = None
    user_id: str | None = None
    app_installed_team_id: str | None = None


class _Event(msgspec.Struct):
    type: str = ""
    user: str | _Object | None = None
    channel: str | _Object | None = None
    team: str | None = None
    team_id: str | None = None
    user_team: str | None = None
    source_team: str | None = None
    enterprise: str | _Object | None = None
    enterprise_id: str | None = None


class _Action(msgspec.Struct):
    action_id: str
    block_id: str | None = None


class _Sent(msgspec.Struct):
    """The ``payload`` of a form, or the whole body of an event. Slack leaves absent members out;
    the organisation, the workspace and the message can also be null.
    """

    type: str = ""
    team_id: str | None = None
    enterprise_id: str | None = None
    team: _Ids | None = None
    enterprise: _Ids | None = None
    message: _Object | None = None
    user: _Ids | str | UnsetType = UNSET
    channel: _Ids | str | UnsetType = UNSET
    event: _Event | UnsetType = UNSET
    view: _Ids | UnsetType = UNSET
    container: _Object | UnsetType = UNSET
    actions: list[_Action] | UnsetType = UNSET
    authorizations: list[_Ids] | None = None


_HOLDS = {
    "event_callback": ("event",),
    "block_actions": ("user", "actions"),
    "view_submission": ("user", "view"),
    "view_closed": ("user", "view"),
    "message_action": ("user", "channel", "message"),
    "shortcut": ("user",),
}
"""The members that each kind of message always has."""


_FIELDS = 100
"""The fields of a form at most; Slack sends fifteen."""


def is_readable(raw: bytes, media: str) -> bool:
    """True if a body has the shape of Slack's."""
    try:
        if media == "application/json" or raw.startswith(b"{"):  # as Bolt decides it
            return _is_whole(read_json(raw, _Sent))
        fields = parse_qs(raw.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
        payloads = fields.get("payload", [])
        return all(_is_whole(read_json(each, _Sent)) for each in payloads)
    except ValueError:
        return False


_IDS = (
    "team_id", "enterprise_id", "user_id", "channel_id", "thread_ts", "actor_team_id",
    "actor_enterprise_id", "actor_user_id", "function_execution_id", "response_url",
)  # fmt: skip


def read_ids(request: web.Request, raw: bytes) -> AsyncBoltRequest | None:
    """Return the request, whose body is ``raw``, with the ids that Bolt finds in it, or None if one
    of them is no text.

    Bolt looks for an id in one place after the other, in objects within objects, and believes each
    to be of the kind that Slack sends; so its results are checked and not the places.
    """
    from slack_bolt.request.async_request import AsyncBoltRequest

    headers: dict[str, str | Sequence[str]] = dict(request.headers.items())
    try:
        read = AsyncBoltRequest(body=raw.decode("utf-8"), headers=headers)
    except (AttributeError, IndexError, KeyError, TypeError, UnicodeDecodeError):
        return None
    return read if all(isinstance(read.context.get(name, ""), str) for name in _IDS) else None


def _is_whole(sent: _Sent) -> bool:
    return all(getattr(sent, name) for name in _HOLDS.get(sent.type, ()))


def is_signed(secret: str, body: bytes, headers: Mapping[str, str]) -> bool:
    """Return whether Slack signed ``body`` with the app's secret within the last minutes."""
    from slack_sdk.signature import SignatureVerifier

    given = {name: headers.get(name, "") for name in (_MOMENT, SIGNATURE)}
    moment = given[_MOMENT]
    if not (secret and moment.isdecimal() and len(moment) <= _LONGEST_MOMENT):
        return False
    if not all(value.isascii() for value in given.values()):
        return False
    return SignatureVerifier(secret).is_valid_request(body, given)


def tool_caller(body: bytes) -> str:
    """Return the person for whom Slack calls a tool, from a signed request of its MCP client; ""
    if it names none, or none of a known workspace.
    """
    try:
        person = read_object(body)["params"]["_meta"]["slack"]
        ids = [person["team_id"], person["user_id"]]
    except (NoDocument, KeyError, TypeError):
        return ""
    if not all(isinstance(id, str) and id.isascii() and id.isalnum() for id in ids):
        return ""
    return str(places.person(*ids))
