"""The size of a panel follows a model's estimate where that is worth its price; a person's choice
overrules it, and all of it is shown and kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.debates.opening.complexity import ComplexityEstimate, ask_complexity
from bot.debates.opening.prepare import OpeningRefused, Preparer
from bot.settings import Settings
from core.debate import events as e
from core.debate.errors import BadInput, ModelError
from core.debate.material import Material, MaterialKind
from core.debate.material.library import ReadForPrice, ReadRequest
from core.debate.ports import CallOptions, Model, OnWords, Price, Reply
from core.debate.state import replay
from core.debate.usage import Usage
from core.words.outcome import outcome
from core.words.views.course.cost import cost
from tests.bot.parts import NoServers
from tests.core.memory import StandingClock, Voice

SHORT = "Tabs or spaces?"
HARD = (
    "Should we migrate the orders database to a managed cloud service over the next three years? "
    "Customers, support, finance, our "
    "developers and the regulators would all notice; latency and privacy are at stake, and an "
    "outage would cost millions."
)


@dataclass
class Estimator(Voice):
    """A voice that gives a fixed estimate and counts its calls."""

    says: str = '{"estimate": 0.9}'
    raises: ModelError | None = None
    calls: list[CallOptions] = field(default_factory=list)

    async def reply(
        self, messages: object, asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.calls.append(asking)
        if self.raises is not None:
            raise self.raises
        return Reply(self.says, Usage(300, 0, 9, 0.001, 900), self.name)


@dataclass
class Shop:
    """Models with prices of their own."""

    voices: dict[str, Estimator]
    prices: dict[str, Price]

    def get(self, name: str) -> Model:
        return self.voices[name]

    def price(self, name: str) -> Price:
        return self.prices[name]

    def default(self) -> list[str]:
        return list(self.voices)


class Words:
    async def read(self, request: ReadRequest) -> Material:
        return Material(MaterialKind.QUESTION, request.target, request.target)

    async def with_evidence(self, material: Material, name: str, *, files: bool) -> Material:
        raise AssertionError(name)

    async def with_remarks(self, material: Material, place: str) -> Material:
        raise AssertionError(place)

    async def read_for_price(self, request: ReadRequest) -> ReadForPrice:
        return ReadForPrice(await self.read(request))

    def holds_repository(self, material: Material, files: bool) -> bool:
        return False

    async def read_attachment(self, name: str, data: bytes, **_given: Any) -> Material:
        return Material(MaterialKind.DOCUMENT, name, data.decode())


CHEAP = Price(1e-6, 4e-6)


def shop(*, price: Price = CHEAP, **fields: object) -> Shop:
    voices = {name: replace(Estimator(name, name), **fields) for name in ("a", "b")}  # type: ignore[arg-type]  # a test names its fields
    return Shop(voices, dict.fromkeys(voices, price))


def count_calls(people: Shop) -> int:
    return sum(len(v.calls) for v in people.voices.values())


def request(target: str = HARD, **extras: str) -> e.DebateRequest:
    return e.DebateRequest("panel", target, "shell:ann", "shell:ann", extras=extras)


def preparer(people: Shop) -> Preparer:
    return Preparer(Words(), people, StandingClock(), Settings(), NoServers())


async def test_one_bounded_call_decides_with_the_other_factors_and_is_paid_for() -> None:
    """It counts in the debate's cost, and the choice is part of the outcome."""
    people = shop()
    prepared = await preparer(people).prepare(request())
    assert count_calls(people) == 1
    asking = next(v.calls[0] for v in people.voices.values() if v.calls)
    assert (asking.max_tokens, asking.timeout, asking.tools) == (200, 30.0, ())
    sizing = prepared.opened.terms.sizing
    assert sizing is not None
    chosen = (sizing.form, sizing.score, sizing.estimate, sizing.overruled)
    assert chosen == ("extended", 1.0, 0.9, False)
    assert sizing.factors[-1] == "estimated as highly complex"
    assert prepared.opened.script.seats[0].role == "proponent"
    assert {s.role for s in prepared.opened.script.seats} >= {"advocate", "critic", "refiner"}
    lines = [line for line in prepared.lines if "panel:" in line or line.startswith("  standard")]
    assert lines[0].endswith(f"above 0.8; {sizing.estimated_by} estimates 0.90")
    assert "  standard at most $" in lines[1]
    assert lines[1].endswith("the other size: --form standard")
    (call,) = prepared.calls
    assert (call.turn, call.state, call.usage.usd) == ("assess", "done", 0.001)

    debate = replay(
        [e.DebateRequested("d1", prepared.request, prepared.opened.at), prepared.opened]
    )
    assert cost(debate)["usd"] == 0.001
    assert (cost(debate)["calls"], cost(debate)["prompt_tokens"]) == (1, 300)
    row = outcome(debate)["complexity"]
    assert (row["form"], row["estimate"], row["why_not"]) == ("extended", 0.9, "")
    assert row["estimated_by"] in "ab"
    assert 0 < row["standard"] < row["extended"]


@pytest.mark.parametrize(
    ("people", "why"),
    [
        (shop(price=Price(None, None)), "no price is known"),
        (shop(price=Price(1e-3, 1e-3)), r"it would cost \$"),
        (shop(demo=True), "only a demonstration model is there"),
    ],
)
async def test_where_an_estimate_is_not_worth_it_nobody_is_asked(people: Shop, why: str) -> None:
    prepared = await preparer(people).prepare(request(SHORT))
    assert count_calls(people) == 0
    sizing = prepared.opened.terms.sizing
    assert sizing is not None
    assert sizing.estimate is None
    assert re.match(why, sizing.why_not)
    assert prepared.calls == ()
    assert any("no estimate (" in line for line in prepared.lines)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"raises": ModelError("timeout", "no answer within 30 s")}, "no answer within 30 s"),
        ({"says": "I would say it is quite complex."}, "the reply has no estimate"),
        (
            {"says": '{"estimate": 7}'},
            "the reply has 7.0 and no number from 0 to 1 for the estimate",
        ),
    ],
)
async def test_a_failed_estimate_is_no_estimate_and_never_one_half(
    fields: dict[str, object], why: str
) -> None:
    voice = replace(Estimator("a", "a"), **fields)  # type: ignore[arg-type]  # a test names its fields
    made = await ask_complexity(voice, Material(MaterialKind.QUESTION, SHORT, SHORT))
    assert (made.estimate, made.why_not) == (None, f"a gave none: {why}")
    people = shop(**fields)  # type: ignore[arg-type]  # a test names its fields
    sizing = (await preparer(people).prepare(request(SHORT))).opened.terms.sizing
    assert sizing is not None
    assert (sizing.score, sizing.estimate) == (0.3, None)


async def test_an_estimate_of_nothing_is_an_estimate() -> None:
    voice = Estimator("a", "a", says='{"estimate": 0}')
    made = await ask_complexity(voice, Material(MaterialKind.QUESTION, SHORT, SHORT))
    assert made == ComplexityEstimate(0.0, "a", "", Usage(300, 0, 9, 0.001, 900))


async def test_a_person_overrules_the_size_and_no_call_is_made_for_it() -> None:
    people = shop()
    prepared = await preparer(people).prepare(request(SHORT, form="extended"))
    assert count_calls(people) == 0
    sizing = prepared.opened.terms.sizing
    assert sizing is not None
    chosen = (sizing.form, sizing.overruled, sizing.why_not)
    assert chosen == ("extended", True, "the size was given")
    assert len([s for s in prepared.opened.script.seats if s.votes]) == 4
    with pytest.raises(BadInput, match="A panel is standard or extended, not huge"):
        await preparer(people).prepare(request(SHORT, form="huge"))


async def test_the_days_budget_forbids_the_large_form_and_says_so() -> None:
    prepared = await preparer(shop()).prepare(request(HARD, importance="critical"), left_today=0.05)
    sizing = prepared.opened.terms.sizing
    assert sizing is not None
    assert sizing.form == "standard"
    assert "$0.05 are left today" in sizing.why


async def test_a_question_is_not_longer_for_being_its_own_title() -> None:
    nothing = preparer(shop(says='{"estimate": 0}'))
    sizing = (await nothing.prepare(request("x" * 150))).opened.terms.sizing
    assert sizing is not None
    assert "detailed topic" not in sizing.factors


async def test_a_demonstration_model_among_real_ones_is_left_out_in_so_many_words() -> None:
    people = shop()
    people.voices["b"].demo = True
    prepared = await preparer(people).prepare(request(SHORT))
    assert {m for models in prepared.opened.cast.values() for m in models} == {"a"}
    assert not prepared.opened.terms.demo
    assert "left out: b: a demonstration model does not count next to a real one" in prepared.lines


async def test_what_the_estimate_cost_is_known_although_the_opening_is_refused() -> None:
    people = shop()
    poor = replace(request(HARD), budget=1e-9)
    with pytest.raises(OpeningRefused, match="cannot hold this debate") as caught:
        await preparer(people).prepare(poor)
    assert count_calls(people) == 1
    assert [(call.turn, call.state) for call in caught.value.calls] == [("assess", "done")]
    assert caught.value.exit_code == 2


async def test_the_estimate_is_charged_although_an_option_turns_out_to_be_unknown() -> None:
    with pytest.raises(OpeningRefused, match="importance") as caught:
        await preparer(shop()).prepare(request(HARD, importance="enormous"))
    assert [call.turn for call in caught.value.calls] == ["assess"]


async def test_a_request_never_raises_the_operators_budget() -> None:
    careful = replace(preparer(shop()), settings=Settings(budget=2.0))
    for wish, holds in ((5.0, 2.0), (1.0, 1.0), (None, 2.0)):
        prepared = await careful.prepare(replace(request(HARD), budget=wish))
        assert prepared.opened.terms.budget == holds
