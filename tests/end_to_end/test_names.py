"""A person reads the same names in ``show`` and in the report as in the debate's thread."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from tests.end_to_end.discord_city import city
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.slack_office import office
from tests.end_to_end.test_objections import SAID, answered, finished
from tests.standins.github import GitHubStandIn

LINE = "Changed by {name}'s objection: was Changes requested, is Approved."


async def test_show_and_the_report_name_people_as_the_thread_in_slack(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="changed")
    async with office(tmp_path, github, models=models) as place:
        place.slack.world.user("U2", profile={"display_name": "Bea"})
        debate, root = await finished(place)
        await place.slack.reply(root, f"challenge: {SAID['changed']}", user="U2")
        await answered(place, debate)
        assert LINE.format(name="Bea") in place.page(root)
        *_, report = [f["content"].decode() for f in place.slack.world.files.values()]
        assert LINE.format(name="Bea") in report
        assert "> Bea challenges: " in report
        assert "U2" not in report
        assert LINE.format(name="Bea") in await place.typed(f"show {debate}")
        state = await place.reaches(debate, lambda d: d.over)
        stored = await place.parts.stores.outcomes.get(debate)
        assert stored is not None
        assert "Bea" not in json.dumps(stored.document)
        assert "Bea" not in str(await place.parts.stores.debates.load(debate))
        assert state.challenges[0].author == "slack:T1/U2"


async def test_show_and_the_report_name_people_as_the_thread_in_discord(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="changed")
    async with city(tmp_path, github, models=models) as town:
        discord, id = town.discord, await town.started(debate_anyway=False)
        await town.settled(id, "waiting")
        thread = (await town.root(id))["id"]
        await discord.reply(thread, f"challenge: {SAID['changed']}", discord.bob)
        await town.reaches(id, lambda d: bool(d.endings) and d.over)
        await town.wait_for_posts()
        report = [
            content.decode()
            for call in discord.rest.calls
            for name, content in call.files.items()
            if name == f"debate-{id}.md"
        ][-1]
        answer = await town.ask("show", debate=id)
        for text in (report, answer):
            assert LINE.format(name="bob") in text
            assert discord.bob not in text
