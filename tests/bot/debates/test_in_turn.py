"""Roles rotate and seats speak in turn where a template wants it, and where a person asks for
it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import request_of
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Templates, parse
from core.application.commands.requests import Start
from core.debate.errors import BadInput
from core.debate.script import SeatId, Topic
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.core.memory import Voice, Voices, opening, played

DESIGN = "design_doc Every service has one owner, who is paged at night."


async def test_red_and_blue_change_places_in_a_played_security_audit() -> None:
    voice = Voice("voice-a", "a")
    end, _ = await played(opening("security_audit", voices=Voices((voice,))), Voices((voice,)))
    stood_in = [t for t in end.turns if t.task == "stand_in" and t.id in end.finished]
    assert [t.seat for t in stood_in] == ["blue_team", "red_team"]
    seats = {s.id: s.brief for s in end.open.script.seats}
    assert [t.about_the(Topic.ROLE) for t in stood_in] == [
        seats[SeatId("red_team")],
        seats[SeatId("blue_team")],
    ]
    assert stood_in[0].id in stood_in[1].reads, "one after another"
    lines = ["\n".join(m.text for m in messages) for messages in voice.seen]
    places = [text for text in lines if "you take another place at the table" in text]
    assert len(places) == 2
    assert all(seats[SeatId(name)] in "".join(places) for name in ("red_team", "blue_team"))


@pytest.fixture
async def parts(tmp_path: Path) -> AsyncIterator[Parts]:
    url = f"sqlite:///{tmp_path}/debate.db"
    async with open_parts(settings_for(url, tmp_path), shell=False) as opened:
        yield opened


async def prepared(parts: Parts, line: str) -> Prepared:
    start = parse(line, templates=("design_doc", "panel"))
    assert isinstance(start, Start)
    return await parts.service.prepare(request_of(start, asker=ASKER, place=PLACE))


async def test_a_person_chooses_the_order_for_one_debate(parts: Parts) -> None:
    plain = await prepared(parts, DESIGN)
    assert not [line for line in plain.lines if "one after another" in line]
    chosen = await prepared(parts, f"{DESIGN} --turns rotating --rounds 5 --convergence 40%")
    rotated = [t for t in chosen.opened.script if t.task == "stand_in"]
    assert len(rotated) == 8, "four seats in two later rounds of the debate"
    assert chosen.opened.terms.convergence == 0.4
    assert "Debate: seats speak one after another" in chosen.lines
    assert "Debate: in later rounds seats speak from each other's roles" in chosen.lines
    assert "the first round of which less than 40% is new is the last" in chosen.lines
    off = await prepared(parts, "panel Which way is it now? --convergence 0")
    assert off.opened.terms.convergence == 0.0
    with pytest.raises(
        BadInput, match="--turns is for the format phased; panel is played as panel"
    ):
        await prepared(parts, "panel Which way is it now? --turns ring")


async def test_a_templates_page_says_how_its_turns_are_taken(parts: Parts) -> None:
    ann = shell_caller("shell:ann")
    page = (await parts.desk.take(Templates("security_audit"), ann)).text
    assert (
        "attack simulation: 2 rounds, red team, blue team, one after another, in later rounds from "
        "each other's roles." in page
    )
    review = (await parts.desk.take(Templates("architecture_review"), ann)).text
    assert review.count("one after another") == 1
