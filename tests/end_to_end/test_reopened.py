"""While the seats answer an objection to a verdict, every surface names the verdict that counts."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from adapters.mcp.results import verdict_of
from core.debate.events import DebateReopened
from core.debate.state import evolve
from core.languages import speaking
from core.words.outcome import outcome
from core.words.views.course.progress import stage_line
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.slack_office import office
from tests.end_to_end.test_objections import SAID, answered, finished
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

COUNTS = "Changes requested, an objection to it is being answered"
REFUSED = (
    "An objection or a proof that may change the verdict is being answered. The posted verdict "
    "counts until then: try again after it."
)


async def test_the_posted_verdict_counts_until_an_objection_is_answered(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="changed")
    async with office(tmp_path, github, models=models) as place:
        debate, root = await finished(place)
        assert "[Post the review]" in render(place.message(":verdict"))
        place.time.let(0)
        await place.slack.reply(root, f"challenge: {SAID['changed']}", user="U2")
        await place.until(lambda: place.time.waiting)
        await place.until(lambda: COUNTS in render(place.message(":root")))
        await place.until(lambda: "[Post the review]" not in render(place.message(":verdict")))
        verdict = render(place.message(":verdict"))
        assert "Changes requested: 1 finding must be fixed before merging." in verdict
        assert "Decision record" not in verdict
        for command in ("list", "status"):
            assert f", {COUNTS[0].lower()}{COUNTS[1:]}: " in await place.typed(command)
        assert REFUSED in await place.typed(f"post {debate}")
        assert f"· {COUNTS[0].lower()}{COUNTS[1:]} ·" in await place.typed(f"show {debate}")
        state = await place.parts.service.load(debate)
        document = json.loads(json.dumps(outcome(state)))
        assert document["status"] == "running"
        assert document["verdict"]["decision"] == "request_changes"
        assert document["verdict"]["headline"] == COUNTS
        assert verdict_of(state, "").headline == COUNTS
        assert verdict_of(state, "").blocks
        place.time.let()
        await answered(place, debate)
        assert "[Post the review]" in render(place.message(":verdict"))
        assert "Approved" in render(place.message(":root"))


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Changes requested, a proof that may change it is being made"),
        ("cs", "Vyžádány změny, vzniká důkaz, který to může změnit"),
        ("de", "Änderungen verlangt, ein Nachweis, der es ändern kann, entsteht"),
    ],
)
async def test_a_proof_that_may_change_the_verdict_is_named(
    tmp_path: Path, github: GitHubStandIn, language: str, line: str
) -> None:
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, models=partial(Speakers, objection="held")) as place:
        debate, _ = await finished(place)
        over = await place.parts.service.load(debate)
        with speaking(language):
            assert stage_line(evolve(over, DebateReopened("proof:f1", "slack:T1/U2"))) == line
