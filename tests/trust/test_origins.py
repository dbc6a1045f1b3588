"""A forge or a schedule starts a debate under a key that no person's text can equal."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.forges.links import ChangeLink
from bot.debates.origins import Maker, Origin, asked_by
from bot.forges.names import origin
from bot.settings import read
from bot.wire.parts import Parts, open_parts
from core.application.commands import Start
from core.application.commands.requests import ForkRequest, ScheduleAdd
from core.application.desk import Caller
from core.debate.events import DebateRequest
from tests.bot.forges.town import NUMBER, PLACE, REPO, Town, diff, town
from tests.bot.room.serving import Served
from tests.project import ROOT
from tests.standins.openai import openai

NEXT = "c" * 40
CHANGE = ChangeLink("github", "github.com", REPO, NUMBER)
COMING = str(origin(PLACE, CHANGE, NEXT))
MEMBERS = [
    ("slack:T1/U1", PLACE),
    ("slack:T1/U2", "room:slack:T1/main"),
    ("discord:9/1", PLACE),
    ("shell:ann", "shell:ann"),
]


async def keys(parts: Parts) -> list[str]:
    return [line.origin_key or "" for line in await parts.stores.debates.find_recent()]


async def coming_run(t: Town) -> str:
    """Returns the key of the run that a push would start now."""
    return str(origin(PLACE, CHANGE, NEXT, (await t.row()).debate))


async def test_no_member_takes_the_key_of_a_coming_run(tmp_path: Path) -> None:
    """Behind an id, as the source of a command, a fork, a schedule: the webhook's run begins."""
    async with town(tmp_path) as t:
        first = await t.review()
        link = t.bot.stores.debates
        desk = t.bot.desk
        start = Start("panel", "Which way?", yes=True, budget=1.0)
        for person, place in MEMBERS:
            coming = await coming_run(t)
            member = Caller(person, place, coming, confirms_price=True)
            if (person, place) == MEMBERS[0]:  # the others' keys are made alike
                await desk.press("rerun", f"{first.id} {coming}", member)
                await desk.take(ForkRequest(first.id, assume="x", yes=True), member)
            await desk.take(start, member)
            await desk.take(ScheduleAdd("0 9 * * *", start), member)
            assert await link.find_started(coming) is None, member.place
        coming = await coming_run(t)
        assert await link.find_started(coming) is None
        t.pull.push(NEXT, diff(a=["x = 1"], b=["y = 2 # BUG two"]))
        await t.tell("pull_request", "synchronize")
        await t.settle()
        started = await link.find_started(coming)
        assert started is not None
        assert (await t.bot.service.load(started)).request.owner == "slack:T1/U1"


async def test_a_price_is_agreed_to_by_whoever_was_told_it(tmp_path: Path) -> None:
    """A word behind the id in a button of the room is no agreement to a price."""
    env = {"DEBATE_ASK_ABOVE": "0.0001", "DEBATE_DATABASE_URL": str(tmp_path / "debate.db")}
    async with (
        openai() as provider,
        open_parts(read(env | provider.settings(), tmp_path), shell=False) as parts,
    ):
        request = DebateRequest("triad", "Tabs or spaces?", "slack:T1/U1", PLACE)
        id = await parts.service.take(request, asked_by("slack:T1/U1", "one"))
        ann = Caller("slack:T1/U1", PLACE, "press-1", confirms_price=True)
        forged = await parts.desk.press("rerun", f"{id} anything", ann)
        assert "Nothing has started yet" in forged.text
        (button,) = forged.buttons
        bob = replace(ann, person="slack:T1/U2", source="press-2")
        other = await parts.desk.press(button.action, button.value, bob)
        assert "Nothing has started yet" in other.text, "bob was told no price"
        assert len(await parts.stores.debates.find_recent()) == 1
        begun = await parts.desk.press(button.action, button.value, replace(ann, source="press-3"))
        assert begun.ok
        again = await parts.desk.press(button.action, button.value, replace(ann, source="press-4"))
        assert again.debate == begun.debate, "pressed twice it is one debate"


async def test_the_room_takes_no_key_from_a_form(room: Served) -> None:
    debate = await room.debate(rounds=1)
    form = {"token": await room.token(), "action": "rerun"}
    for key in (COMING, "schedule:s1:2026-05-03T10:00:00+00:00", f"shell:{debate.id}"):
        assert (await room.post("/press", {}, **form, value=f"{debate.id} {key}"))[0] == 303
    made = [key for key in await keys(room.parts) if key.startswith(f"{Maker.PERSON}:")]
    assert len(made) == 4
    assert not any(key.startswith(("change:", "schedule:")) for key in await keys(room.parts))


async def test_one_person_s_source_is_nobody_else_s(tmp_path: Path) -> None:
    """An id of an event is one person's: whoever repeats it gets a debate of their own."""
    env = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"}
    env["DEBATE_DATABASE_URL"] = str(tmp_path / "debate.db")
    async with open_parts(read(env, tmp_path), shell=False) as parts:
        start = Start("panel", "Which way?")
        ann, bob = (Caller(f"slack:T1/U{n}", f"slack:T1/C{n}", "event-1") for n in (1, 2))
        first, again, other = [await parts.desk.take(start, who) for who in (ann, ann, bob)]
        assert first.debate == again.debate != other.debate
        weekly = ScheduleAdd("0 9 * * 1", start)
        answers = [await parts.desk.take(weekly, who) for who in (ann, ann, bob)]
        assert all(answer.ok for answer in answers)
        places = {each.place for each in await parts.stores.schedules.find_all()}
        assert places == {"slack:T1/C1", "slack:T1/C2"}


async def test_a_schedule_s_id_that_is_taken_shows_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its seven characters can be met by trying; somebody else's schedule is not shown then."""

    class Few:
        """Two hashes in all."""

        def __init__(self, data: bytes) -> None:
            self.data = data

        def hexdigest(self) -> str:
            return ("a" if not self.data.endswith(b" ") else "b") * 64

    monkeypatch.setattr("bot.desk.schedule.hashlib.sha256", Few)
    env = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"}
    env["DEBATE_DATABASE_URL"] = str(tmp_path / "debate.db")
    async with open_parts(read(env, tmp_path), shell=False) as parts:
        ann, bob = (Caller(f"slack:T1/U{n}", f"slack:T1/C{n}", f"event-{n}") for n in (1, 2))
        await parts.desk.take(ScheduleAdd("0 9 * * 1", Start("panel", "Shall kumquats go?")), ann)
        answer = await parts.desk.take(ScheduleAdd("0 9 * * 1", Start("panel", "Which way?")), bob)
        assert answer.ok
        assert "kumquat" not in answer.text
        assert len(await parts.stores.schedules.find_all()) == 2


_MAKERS = {
    Maker.PERSON: {"bot/debates/origins.py"},
    Maker.SHELL: {"bot/debates/origins.py"},
    Maker.CHANGE: {"bot/forges/names.py"},
    Maker.SCHEDULE: {"bot/schedules/fire.py"},
    Maker.EVALUATION: {"bot/evaluation/play.py"},
    Maker.REFUSED: {"bot/debates/service.py"},
}


def test_each_kind_of_origin_is_made_in_one_place() -> None:
    """An origin is made from its maker, never from a text; the service alone stores debates, and
    takes origins.
    """
    made: dict[Maker, set[str]] = {maker: set() for maker in Maker}
    stored = set()
    for path in (Path(ROOT) / "bot").rglob("*.py"):
        name = str(path.relative_to(ROOT))
        source = path.read_text("utf-8")
        if "Origin(" not in source and "debates.create(" not in source:
            continue
        for call in ast.walk(ast.parse(source)):
            if not isinstance(call, ast.Call):
                continue
            called = ast.unparse(call.func)
            if called == "Origin":
                maker = ast.unparse(call.args[0])
                assert maker.startswith("Maker."), (name, maker)
                made[Maker[maker.removeprefix("Maker.")]].add(name)
            if called.endswith("debates.create"):
                stored.add(name)
    assert made == _MAKERS
    assert stored == {"bot/debates/service.py"}
    assert str(Origin(Maker.PERSON, COMING)) != COMING
