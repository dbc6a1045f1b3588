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


@pytest.mark.parametrize(
    "body", [b"[]", b"<p>", b'{"ok":true}', b'{"ok":true,"user":null}', b'{"ok":true,"user":[]}']
)
async def test_nobody_belongs_by_an_answer_that_names_nobody(
    slack: SlackStandIn, app: SlackApp, body: bytes
) -> None:
    slack.faults.append(Fault("users.info", "other_after", instead=body))
    with pytest.raises(DeliveryError):
        await app.member("slack:T1", "U1")
    slack.faults.append(Fault("users.info", "other_after", instead=body))
    assert await app.chat.is_guest("slack:T1/C1", "slack:T1/U7")
    slack.faults.append(Fault("conversations.info", "other_after", instead=body))
    with pytest.raises(DeliveryError):
        await app.chat.is_open("slack:T1/C1")
