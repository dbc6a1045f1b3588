"""What a call costs at most and as a rule, to the character; what a budget still pays for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from core.debate.budget import DAY_USED_UP, DEBATE_USED_UP, Budget
from core.debate.budget.pricing import call_cost, closing_reserve, estimate_price
from core.debate.events import TurnStarted
from core.debate.log import Call
from core.debate.ports import Price
from core.debate.prompting.size import Size
from core.debate.script import ARGUED, About, Script, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, evolve
from core.debate.usage import Usage
from core.words.views.language.grammar import dollars
from tests.core.table import table

PRICE = Price(3e-6, 1e-6)
"""A millionth of a dollar for a character and for a token of output."""
ABLE = Price(3e-6, 1e-6, thinking=50, tools=True)
FIRST, SECOND = TurnId("t1"), TurnId("t2")


def turn(task: str, reads: int = 0, **fields: Any) -> Turn:
    return Turn(TurnId("x"), SeatId("author"), task, (FIRST,) * reads, **fields)


def millionths(usd: float | None) -> int | None:
    return None if usd is None else round(usd * 1e6)


@pytest.mark.parametrize(
    ("one", "size", "characters"),
    [
        (turn("open"), Size(9000), 2600 + 9000),
        (turn("open", 2), Size(9000), 2600 + 9000 + 1400),
        (turn("debate", 3), Size(1500), 2600 + 1500 + 2100),
        (turn("debate", 3), Size(1501), 2600 + 1000 + 2100),
        (turn("debate", 1), Size(10, (20, 30)), 2600 + 1000 + 700),
        (turn("decide", 3), Size(1000), 2600 + 1000 + 2100),
        (turn("open", about=About(Topic.PART, "1")), Size(10, (20, 30)), 2600 + 10 + 20),
        (turn("open", about=About(Topic.PART, "2")), Size(10, (20, 30)), 2600 + 10 + 30),
    ],
)
def test_a_prompt_is_its_frame_the_material_and_what_each_statement_takes(
    one: Turn, size: Size, characters: int
) -> None:
    assert millionths(call_cost(one, "m", size, lambda _: PRICE, 500)) == characters + 500


@pytest.mark.parametrize(
    ("one", "price", "more", "cost"),
    [
        (turn("open"), PRICE, {}, 3600 + 1400),
        (turn("decide"), PRICE, {}, 3600 + 1000),
        (turn("open"), ABLE, {}, 3600 + 1450),
        (turn("open"), ABLE, {"search": True}, 4 * 3600 + 36000 + 4 * 1450),
        (turn("open"), ABLE, {"lookups": True}, 4 * 3600 + 36000 + 4 * 1450),
        (turn("open"), PRICE, {"search": True, "lookups": True}, 3600 + 1400),
        (turn("close", closing=True), ABLE, {"search": True, "lookups": True}, 3600 + 3050),
        (turn("open"), ABLE, {"output": 100, "lookups": True}, 2 * 3600 + 6000 + 100),
        (turn("open"), ABLE, {"output": 100, "search": True}, 3600 + 100),
        (turn("open"), Price(None, 1e-6), {}, None),
        (turn("open"), Price(1e-6, None), {}, None),
    ],
)
def test_the_bound_counts_every_request_and_the_whole_output(
    one: Turn, price: Price, more: dict[str, Any], cost: int | None
) -> None:
    assert millionths(call_cost(one, "m", Size(1000), lambda _: price, **more)) == cost


def script() -> tuple[Script, dict[SeatId, tuple[str, ...]]]:
    t = table(
        ["author", "critic", "chair:chair"],
        ["t1 author independent task=open", "t2 critic reads=t1 task=decide",
         "end chair round=1 reads=t1,t2 task=close closing"],
    )  # fmt: skip
    return t.debate.script, {seat.id: ("m", "fallback") for seat in t.debate.script.seats}


def test_an_estimate_adds_up_what_is_left_and_what_may_be_added() -> None:
    played, cast = script()
    # open 3600, decide 4300 (one statement), close 2600 + 1000 + 2 * 700
    made = estimate_price(played, cast, Size(1000), lambda _: PRICE)
    assert (made.calls, made.most_calls, made.unknown) == (3, 3, ())
    assert made.prompt_tokens == round((3600 + 4300 + 5000) / 3)
    assert millionths(made.likely) == 3600 + 4300 + 5000 + 500 + 500 + 500
    assert millionths(made.most) == 3600 + 4300 + 5000 + 1400 + 1000 + 3000
    rest = estimate_price(played, cast, Size(1000), lambda _: PRICE, settled={FIRST, SECOND})
    assert (rest.calls, millionths(rest.most)) == (1, 5000 + 3000)
    ahead = (turn("decide"), turn("decide"))
    more = estimate_price(played, cast, Size(1000), lambda _: PRICE, ahead=ahead)
    assert (more.calls, more.most_calls) == (3, 5)
    assert millionths(more.most) == millionths(made.most + 2 * (3600 + 1000) / 1e6)  # type: ignore[operator]


def test_a_turn_that_seldom_takes_place_is_in_the_bound_alone() -> None:
    played, cast = script()
    optional = Turn(TurnId("m"), SeatId("author"), "decide", round=1, when=ARGUED)
    longer = Script(played.format, played.seats, played.rounds, (*played.turns, optional))
    before, made = (
        estimate_price(each, cast, Size(0), lambda _: PRICE) for each in (played, longer)
    )
    assert (made.calls, made.likely) == (before.calls, before.likely)
    assert millionths(made.most) == millionths(before.most + (2600 + 1000) / 1e6)  # type: ignore[operator]


def test_a_price_that_is_not_known_makes_the_whole_unknown_and_is_named_once() -> None:
    played, cast = script()
    cast |= {SeatId("author"): ("new",), SeatId("chair"): ("new",)}
    made = estimate_price(
        played, cast, Size(0), lambda m: Price(None, None) if m == "new" else PRICE
    )
    assert (made.likely, made.most, made.unknown) == (None, None, ("new",))
    assert closing_reserve(played, cast, Size(0), lambda _: Price(None, None)) == 0.0


def test_what_is_kept_for_the_end_is_the_bound_of_the_closing_turns() -> None:
    played, cast = script()
    kept = closing_reserve(played, cast, Size(1000), lambda _: PRICE)
    assert millionths(kept) == 5000 + 3000


@pytest.mark.parametrize(
    ("usd", "words"),
    [
        (None, "unknown"), (0.0, "free"), (0.00001, "$0.00001"), (0.0099, "$0.0099"),
        (0.01, "$0.01"), (1.239, "$1.24"),
    ],
)  # fmt: skip
def test_a_price_is_written_with_as_many_digits_as_say_something(
    usd: float | None, words: str
) -> None:
    assert dollars(usd) == words


CLOSING = "end"


def running(**terms: Any) -> Debate:
    """A debate that spent ten cents and waits for two answers."""
    t = table(["a", "b", "c", "chair:chair"], terms=terms)
    t.says("t1", "approve", usage=Usage(usd=0.1))
    return t.add(TurnStarted(SECOND), TurnStarted(TurnId("t3"))).debate


def costing(usd: float) -> Budget:
    return Budget(lambda _debate, _turn, _model: usd)


@pytest.mark.parametrize(("estimate", "paid"), [(0.5, True), (0.501, False), (None, True)])
async def test_another_try_leaves_what_the_end_needs(estimate: float | None, paid: bool) -> None:
    debate = running(budget=1.0, reserve=0.4)
    call = Call("t2", 2, "m", estimate=estimate)
    assert await costing(9.0).pays_for(debate, debate.script.turn(SECOND), call, {}) is paid


@pytest.mark.parametrize(("spent", "paid"), [(0.2, True), (0.3, False)])
async def test_another_try_of_a_proof_counts_what_its_turn_has_spent(
    spent: float, paid: bool
) -> None:
    turns = ("t1 a independent task=open", "p1 a task=prove about=finding:t1.f1", "end a closing")
    debate = table(("a",), turns).says("t1", "approve").add(TurnStarted(TurnId("p1"))).debate
    proof, call = debate.script.turn(TurnId("p1")), Call("p1", 2, "m", estimate=0.25)
    assert await costing(0.0).pays_for(debate, proof, call, {proof.id: spent}) is paid


@pytest.mark.parametrize(("estimate", "paid"), [(0.9, True), (0.901, False)])
async def test_a_closing_turn_may_use_all_that_is_left(estimate: float, paid: bool) -> None:
    async def never(_calls: Sequence[Call], _needs: float, _keep: float) -> bool:
        raise AssertionError("the day's budget holds what the end needs already")

    debate = running(budget=1.0, reserve=0.4)
    call = Call(CLOSING, 2, "m", estimate=estimate)
    budget = Budget(lambda _debate, _turn, _model: 9.0, never)
    assert await budget.pays_for(debate, debate.script.turn(TurnId(CLOSING)), call, {}) is paid


async def test_the_day_is_asked_for_this_try_the_others_in_flight_and_the_end() -> None:
    requests: list[tuple[int, float, float]] = []

    async def reserve(calls: Sequence[Call], needs: float, keep: float) -> bool:
        requests.append((len(calls), round(needs, 9), keep))
        return len(requests) > 1

    debate = evolve(running(reserve=0.4), TurnStarted(TurnId("u1")))
    costs = {"t2": 7.0, "t3": 0.25}  # what the other costs is not known
    budget = Budget(lambda _debate, turn, _model: costs.get(turn.id), reserve)
    call = Call("t2", 2, "m", estimate=0.5)
    assert not await budget.pays_for(debate, debate.script.turn(SECOND), call, {})
    assert await budget.pays_for(debate, debate.script.turn(SECOND), call, {})
    assert requests == [(1, 0.5 + 0.4 + 0.25, 0.4)] * 2


@pytest.mark.parametrize(
    ("estimates", "short"), [((0.1,), ""), ((0.05, 0.05, None), ""), ((0.101,), DEBATE_USED_UP)]
)
async def test_new_calls_are_paid_beside_those_in_flight_and_the_end(
    estimates: tuple[float | None, ...], short: str
) -> None:
    debate = running(budget=1.0, reserve=0.4)  # 0.1 is spent, twice 0.2 is in flight
    calls = [Call(f"u{n}", 1, "m", estimate=usd) for n, usd in enumerate(estimates)]
    assert await costing(0.2).shortage(debate, calls, {}) == short


@pytest.mark.parametrize(("has", "short"), [(True, ""), (False, DAY_USED_UP)])
async def test_what_the_debate_can_pay_the_day_must_pay_too(has: bool, short: str) -> None:
    requests: list[tuple[float, float]] = []

    async def reserve(_calls: Sequence[Call], needs: float, keep: float) -> bool:
        requests.append((round(needs, 9), keep))
        return has

    budget = Budget(lambda _debate, _turn, _model: 0.2, reserve)
    call = Call("u1", 1, "m", estimate=0.1)
    assert await budget.shortage(running(reserve=0.4), [call], {}) == short
    assert requests == [(0.2 + 0.2 + 0.1 + 0.4, 0.4)]
    assert await budget.shortage(running(budget=0.5, reserve=0.4), [call], {}) == DEBATE_USED_UP
    assert len(requests) == 1, "the day is not asked for what the debate may not spend"


@pytest.mark.parametrize(("spends", "short"), [(0.3, ""), (0.301, DEBATE_USED_UP)])
async def test_new_calls_are_paid_beside_the_second_try_of_a_turn(
    spends: float, short: str
) -> None:
    debate = running(budget=1.0, reserve=0.4)  # 0.1 is spent, 0.2 of another turn is in flight
    call = Call("u1", 1, "m", estimate=0.0)
    assert await costing(0.2).shortage(debate, [call], {SECOND: spends}) == short
