"""The members of a Slack workspace."""

from __future__ import annotations

from adapters.ports.people import Member
from adapters.slack.outgoing.failures import delivering, reason_of
from adapters.slack.workspaces import NotInstalled, Workspaces, person_of

_UNKNOWN = ("user_not_found", "user_not_visible", "users_not_found")


async def member(workspaces: Workspaces, team: str, user: str) -> Member | None:
    """Asks Slack again. None for people who left, bots, guests, people of another workspace in a
    shared channel, and workspaces without the app; raises ``DeliveryError``.
    """
    from slack_sdk.errors import SlackApiError

    async with delivering():
        try:
            client = await workspaces.client(team)
            if (await client.auth_test())["team_id"] != team:  # one token speaks for one workspace
                return None
            answer = await client.users_info(user=user)
        except NotInstalled:
            return None
        except SlackApiError as error:
            if reason_of(error) in _UNKNOWN:
                return None
            raise
    user_found = answer.get("user") or {}
    person = person_of(user_found)
    strange = user_found.get("team_id", team) != team
    gone = person.bot or person.guest or user_found.get("deleted") or strange
    if gone:
        return None
    return Member(person.name, person.admin)
