"""The members of a Slack workspace are those that Slack names."""

from __future__ import annotations

import pytest

from adapters.slack.app import SlackApp
from core.application.presence import DeliveryError, Member, Membership
from tests.standins.slack import Fault, SlackStandIn


async def test_slack_says_who_belongs_and_who_is_an_admin(
    slack: SlackStandIn, app: SlackApp
) -> None:
    assert isinstance(app, Membership)
    slack.world.user("U1")
    slack.world.user("U2", is_admin=True)
    slack.world.user("U3", deleted=True)
    slack.world.user("U4", is_bot=True)
    slack.world.user("U5", team_id="T5")
    assert await app.member("slack:T1", "U1") == Member("u1", admin=False)
    assert await app.member("slack:T1", "U2") == Member("u2", admin=True)
    assert await app.member("slack:T1", "U3") is None
    assert await app.member("slack:T1", "U4") is None
    assert await app.member("slack:T1", "U5") is None
    assert await app.member("slack:T9", "U1") is None
    slack.faults.append(Fault("users.info", "user_not_found"))
    assert await app.member("slack:T1", "U9") is None
    slack.faults.append(Fault("users.info", "500"))
    with pytest.raises(DeliveryError):
        await app.member("slack:T1", "U1")
