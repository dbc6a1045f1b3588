"""Opens forms and updates them."""

from __future__ import annotations

from adapters.slack.incoming.payloads import Json, team_of
from adapters.slack.outgoing.failures import reason_of
from adapters.slack.workspaces import Workspaces
from core.debate.errors import BadInput
from core.languages import say

_TOO_LATE = frozenset({"expired_trigger_id", "exchanged_trigger_id", "trigger_expired"})
_PAST = frozenset({"not_found", "view_not_found", "hash_conflict"})


async def open_modal(workspaces: Workspaces, body: Json, view: Json) -> None:
    """Opens a form for the person who pressed.

    Raises ``BadInput`` if Slack's three seconds for that have passed.
    """
    from slack_sdk.errors import SlackApiError

    client = await workspaces.client(team_of(body))
    try:
        await client.views_open(trigger_id=str(body["trigger_id"]), view=dict(view))
    except SlackApiError as error:
        if reason_of(error) in _TOO_LATE:
            raise BadInput(
                say("That took longer than Slack allows for opening a form. Do it once more.")
            ) from error
        raise


async def update_modal(workspaces: Workspaces, body: Json, view: Json, edition: str = "") -> None:
    """Replaces a form by its next edition; does nothing if the form is closed, or newer than
    ``edition``.
    """
    from slack_sdk.errors import SlackApiError

    client = await workspaces.client(team_of(body))
    try:
        await client.views_update(view_id=body["view"]["id"], hash=edition or None, view=dict(view))
    except SlackApiError as error:
        if reason_of(error) not in _PAST:
            raise
