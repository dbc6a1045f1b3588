"""Sorts failed calls to Slack by their meaning for a delivery: to be tried again, perhaps arrived,
or never to arrive.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

from adapters.slack.workspaces import NotInstalled
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.stored import stored

if TYPE_CHECKING:
    from slack_sdk.errors import SlackApiError

_DEAD = {
    "not_in_channel": stored("I am not in this channel. Invite me with /invite."),
    "channel_not_found": stored(
        "I cannot see this channel. If it is private, invite me with /invite."
    ),
    "is_archived": stored("This channel is archived."),
    "restricted_action": stored(
        "This channel does not let me post. Someone who manages it can allow it."
    ),
    "restricted_action_read_only_channel": stored(
        "This channel is read-only for me. Someone who manages it can allow it."
    ),
    "restricted_action_thread_only_channel": stored(
        "This channel allows replies in threads only. Start the debate from a thread."
    ),
    "restricted_action_thread_locked": stored("This thread is locked."),
    "thread_not_found": stored("The thread of this debate is gone."),
    "message_not_found": stored("The message is gone."),
    "cant_update_message": stored("I may not edit this message."),
    "cant_delete_message": stored("This workspace does not let me delete this message."),
    "cant_delete_file": stored("This workspace does not let me delete this file."),
    "compliance_exports_prevent_deletion": stored("This workspace keeps messages for its records."),
    "edit_window_closed": stored("This workspace no longer lets me edit this message."),
    "user_not_in_channel": stored("The person is not in this channel."),
    "account_inactive": stored("The app was removed from this workspace."),
    "token_revoked": stored("The app was removed from this workspace."),
    "token_expired": stored("The app's token has expired. Install the app again."),
    "invalid_auth": stored(
        "Slack does not accept the bot token. Set SLACK_BOT_TOKEN to the one under OAuth & "
        "Permissions."
    ),
    "not_authed": stored(
        "Slack got no bot token. Set SLACK_BOT_TOKEN to the one under OAuth & Permissions."
    ),
    "team_access_not_granted": stored("The app is not installed in this workspace."),
    "ekm_access_denied": stored("An administrator has suspended posting in this workspace."),
    "msg_too_long": stored("Slack finds this message too long."),
    "msg_blocks_too_long": stored("Slack finds this message too long."),
    "invalid_blocks": stored("Slack does not accept the layout of this message."),
    "no_text": stored("Slack does not accept an empty message."),
    "too_many_reactions": stored("This message has as many reactions as Slack allows."),
    "posting_to_general_channel_denied": stored(
        "This workspace does not let me post to this channel."
    ),
}
_AGAIN = {
    "ratelimited": 5.0,
    "rate_limited": 5.0,
    "message_limit_exceeded": 60.0,
    "team_added_to_org": 30.0,
}
NEVER = frozenset(
    {
        "unknown_method",
        "method_not_supported",
        "missing_scope",
        "not_allowed",
        "not_allowed_token_type",
        "access_denied",
        "feature_not_enabled",
    }
)
"""Slack's names for a method that a workspace does not have or does not allow."""
_LONGEST_WAIT = 3600.0
_UNKNOWN = {"fatal_error", "internal_error", "service_unavailable", "request_timeout"}


@asynccontextmanager
async def delivering(done: Sequence[str] = (), *, repeatable: bool = True) -> AsyncIterator[None]:
    """Turns whatever a call inside raises into ``DeliveryError``. ``done`` names the parts that
    were posted already.

    A call that is ``repeatable`` (an edit, a reaction, a look-up) may be made again after an
    unknown outcome; a new message may not.
    """
    from aiohttp import ClientConnectorError, ClientError
    from slack_sdk.errors import SlackApiError, SlackClientError

    try:
        yield
    except NotInstalled as error:
        raise DeliveryError(DeliveryFailure.DEAD, str(error), done=tuple(done)) from error
    except SlackApiError as error:
        raise delivery_error(error.response, done, repeatable=repeatable) from error
    except ClientConnectorError as error:  # no connection: nothing was sent
        text = stored("Slack cannot be reached.")
        raise DeliveryError(DeliveryFailure.RETRY, text, 5.0, done=tuple(done)) from error
    except (ClientError, SlackClientError, TimeoutError, OSError) as error:
        text = stored("The connection to Slack broke before it answered.")
        raise DeliveryError(_unknown(repeatable), text, 5.0, done=tuple(done)) from error


def delivery_error(
    response: Any, done: Sequence[str] = (), *, repeatable: bool = False
) -> DeliveryError:
    """Returns the error for an answer that is not ok, from its HTTP status and Slack's own name of
    the error.
    """
    status, error = int(getattr(response, "status_code", 200) or 200), _error(response)
    kind, after = DeliveryFailure.DEAD, 1.0
    text = _DEAD.get(error) or stored("Slack refused: {error}.", error=error or status)
    if status == 429:
        kind, after = DeliveryFailure.RETRY, _retry_after(response)
        text = stored("Slack asks to slow down.")
    elif error in _AGAIN:
        kind, after = DeliveryFailure.RETRY, _AGAIN[error]
        text = stored("Slack is not ready ({error}).", error=error)
    elif status >= 500 or error in _UNKNOWN:
        kind, after = _unknown(repeatable), 5.0
        text = stored("Slack failed ({status}).", status=status)
    elif error == "missing_scope":
        text = stored(
            "The app lacks the scope {scope}. Add it under OAuth & Permissions (or paste what "
            "`debate docs slack.json` prints under App Manifest) and install the app again.",
            scope=response.data.get("needed", "?"),
        )
    return DeliveryError(kind, text, after, done=tuple(done))


def _unknown(repeatable: bool) -> DeliveryFailure:
    return DeliveryFailure.RETRY if repeatable else DeliveryFailure.UNCERTAIN


def reason_of(error: SlackApiError) -> str:
    """Slack's name of the reason for a refusal, "" if it gave none."""
    return _error(error.response)


def _error(response: Any) -> str:
    data = getattr(response, "data", response)
    if not isinstance(data, dict):
        return ""
    return str(data.get("error", ""))


def _retry_after(response: Any) -> float:
    headers = {
        str(name).lower(): value
        for name, value in (getattr(response, "headers", None) or {}).items()
    }
    value = headers.get("retry-after", "1")
    if isinstance(value, list):
        value = value[0]
    try:
        wait = float(value)
    except ValueError:
        return 1.0
    return min(max(wait, 0.0), _LONGEST_WAIT) if isfinite(wait) else 1.0
