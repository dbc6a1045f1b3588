"""Each model that a person names has a seat, or the person reads that it has none."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.posts.root import root
from adapters.templates.catalogue import find
from bot.debates.opening.prepare import Prepared
from bot.settings import Settings
from core.debate import events as e
from core.debate.casting import ModelCandidate, cast, count_voices, left_out
from core.debate.earned import TrackRecord
from core.debate.formats import FORMATS, Plan
from core.debate.script import MAX_TURNS
from core.debate.state import replay
from tests.bot.debates.test_size import CHEAP, Estimator, Shop, preparer

QUESTION = "Should we rewrite the parser in another language?"


def named(count: int, families: int = 9) -> Shop:
    names = [f"model{n}" for n in range(count)]
    voices = {name: Estimator(name, f"family{n % families}") for n, name in enumerate(names)}
    return Shop(voices, dict.fromkeys(voices, CHEAP))


async def prepared(shop: Shop, template: str = "critique", rounds: int | None = 2) -> Prepared:
    request = e.DebateRequest(
        template, QUESTION, "shell:ann", "shell:ann", models=tuple(shop.voices), rounds=rounds
    )
    return await preparer(shop).prepare(request)


def speaking(one: Prepared) -> set[str]:
    return {models[0] for models in one.opened.cast.values()}


@pytest.mark.parametrize("count", [2, 3, 5, 7])
async def test_every_model_that_is_named_for_a_critique_sits(count: int) -> None:
    one = await prepared(named(count))
    assert speaking(one) == {f"model{n}" for n in range(count)}
    assert not any(line.startswith("left out") for line in one.lines)


async def test_who_finds_no_seat_is_named() -> None:
    one = await prepared(named(12), rounds=9)
    assert len(one.opened.script.turns) <= MAX_TURNS
    missing = sorted({f"model{n}" for n in range(12)} - speaking(one))
    assert missing
    why = "every seat is taken; they speak only where another model fails"
    assert f"left out: {', '.join(missing)}: {why}" in one.lines
    models = re.split(r" models? ", one.lines[1])[1]
    assert not set(missing) & set(models.split(", "))
    post = root(replay([_requested(one), one.opened]), 1)
    assert f"left out: {', '.join(missing)}" in post.small


async def test_models_that_nobody_named_add_no_seats() -> None:
    shop = named(7)
    request = e.DebateRequest("critique", QUESTION, "shell:ann", "shell:ann", rounds=2)
    one = await replace(preparer(shop), settings=Settings(models=tuple(shop.voices))).prepare(
        request
    )
    assert len(one.opened.script.voters) == 3


@given(
    families=st.lists(st.sampled_from("abcde"), min_size=1, max_size=9),
    rounds=st.integers(1, 9),
    seed=st.integers(0, 99),
)
def test_nobody_has_two_seats_while_another_has_none(
    families: list[str], rounds: int, seed: int
) -> None:
    template = find("critique")
    people = [ModelCandidate(f"{family}/{n}", family) for n, family in enumerate(families)]
    voices = count_voices(people, Random(seed), {}, {}, {})
    plan = Plan(rounds=rounds, voices=voices)
    script = FORMATS["critique"].compile(template, plan, Random(seed))
    seats = cast(script, people, Random(seed))
    firsts = [seats[s][0] for s in script.voters]
    if len(script.voters) > len(template.roles):
        assert len(set(firsts)) == len(firsts)
    argue = {p.name for p in people} - set(left_out(seats))
    assert len(argue) >= min(voices, len(script.voters))


def _requested(one: Prepared) -> e.DebateRequested:
    return e.DebateRequested("d1", one.request, one.opened.at)


@given(seed=st.integers(0, 200))
def test_a_name_given_twice_gets_two_seats(seed: int) -> None:
    template = find("critique")
    people = [ModelCandidate("a", "x"), ModelCandidate("a", "x"), ModelCandidate("b", "y")]
    for known in ({}, {"b": TrackRecord(9, 9)}):
        script = FORMATS["critique"].compile(template, Plan(rounds=2, voices=3), Random(seed))
        seats = cast(script, people, Random(seed), known)
        assert sorted(seats[s][0] for s in script.voters) == ["a", "a", "b"]
        assert all(len(set(models)) == len(models) for models in seats.values())
