"""An admin in Slack sees and changes in a form which repositories a channel follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bot.forges.rules import Rules, rules_of
from core.application.commands import Setup
from core.application.desk import Caller
from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn


async def rules(place: Office) -> dict[str, Rules]:
    bound = await place.parts.stores.places.bindings()
    return {one.repository: rules_of(one.rules) for one in bound}


async def opened(place: Office, button: str) -> tuple[str, dict[str, Any]]:
    """Opens the form of a button of the last answer and returns it."""
    await place.slack.press_private(place.slack.responses[-1], button)
    [id] = await place.until(lambda: list(place.slack.world.views))
    return id, place.slack.world.views[id]


async def test_a_binding_is_made_shown_and_changed_in_a_form(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    env = {"DEBATE_PRIVATE_WORKSPACES": "slack:T1"}
    async with office(tmp_path, github, env=env) as place:
        place.slack.world.user("U1", is_admin=True)
        assert "Bind a repository: /debate setup github" in await place.typed("setup github")
        id, _ = await opened(place, "Bind a repository")
        wrong = await place.slack.submit(id, {"repository": "o"})
        assert "is no repository" in wrong.answer["errors"]["repository"]
        assert await rules(place) == {}
        await place.slack.submit(id, {"repository": "o/r", "labels": "debate,ask", "budget": "0.5"})
        await place.until(lambda: "can now debate" in "".join(place.whispers()))
        assert await rules(place) == {"o/r": Rules(labels=("debate", "ask"), budget=0.5)}

        await place.typed("setup github")
        id, view = await opened(place, "Change o/r")
        fields = {b["block_id"]: b["element"] for b in view["blocks"]}
        assert fields["repository"]["initial_value"] == "o/r"
        assert fields["labels"]["initial_value"] == "debate,ask"
        assert fields["on"]["initial_value"] == "comment,push"
        assert fields["request_changes"]["initial_option"]["value"] == "no"
        changed = {"on": "opened", "quiet": "22-7", "request_changes": "yes", "budget": "lots"}
        wrong = await place.slack.submit(id, changed)
        assert "budget takes" in wrong.answer["errors"]["budget"]
        await place.slack.submit(id, {**changed, "budget": "2"})
        await place.until(lambda: "Quiet from 22 to 7" in "".join(place.whispers()))
        assert await rules(place) == {
            "o/r": Rules(
                labels=("debate", "ask"), comments=False, opened=True, pushes=False, budget=2.0,
                quiet="22-7", request_changes=True,
            )
        }  # fmt: skip
        admin = Caller("slack:T1/U1", "room:slack:T1/main", "room:1", admin=True)
        seen = await place.parts.desk.take(Setup(), admin)  # in the room of the workspace
        assert [(one.repository, one.channel) for one in seen.changes] == [
            ("o/r", "slack:T1/C1"), ("", "")
        ]  # fmt: skip
        assert "#c1 (slack:T1/C1), o/r: Starts a debate" in seen.text
        other = Caller("slack:T2/U1", "room:slack:T2/main", "room:2", admin=True)
        assert "o/r" not in (await place.parts.desk.take(Setup(), other)).text.partition("Bind")[0]
        place.slack.world.user("U2")
        assert "Only an admin" in await place.typed("setup github", user="U2")
