"""Starting a debate: the slash command, mentions, direct messages, forms, and the material that people bring."""

from __future__ import annotations

from adapters.grammar import Start
from adapters.slack.app import SlackApp
from tests.slack.desk import RecordingDesk
from tests.standins.slack import SlackStandIn, shown

LINK = "https://github.com/o/r/pull/412"


async def test_the_slash_command(slack: SlackStandIn, app: SlackApp, desk: RecordingDesk) -> None:
    slack.world.user("U1", is_admin=True, profile={"display_name": "Ada"})
    await slack.slash(f"code_review <{LINK}|link> --rounds 2")
    answer = await slack.until(lambda: slack.responses)
    [(ask, caller)] = desk.taken
    assert ask == Start("code_review", LINK, rounds=2)
    assert (caller.person, caller.place, caller.name, caller.admin, caller.private) == ("slack:T1/U1", "slack:T1/C1", "Ada", True, False)
    assert caller.source.startswith("slack:t")
    assert (answer[0]["response_type"], answer[0]["text"], shown(answer[0])) == ("ephemeral", "Taken.", "Taken.")
    assert slack.messages() == []
