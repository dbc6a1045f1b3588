"""What servers say of their models, read to the last fact."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

import pytest

from adapters.models.catalogue.lists import ServerAnswer, read_list, read_litellm
from adapters.models.catalogue.prices import THINKING_ROOM, Facts, Tariff, window_for
from core.debate.ports import Price

TARIFF = Tariff(0.000001, 0.000002)


FACTS: dict[str, tuple[dict[str, Any], ServerAnswer]] = {
    "nothing": ({}, ServerAnswer()),
    "the first place counts": ({"max_model_len": 4096, "context_length": 1}, ServerAnswer(4096)),
    "a window of nothing is none": ({"max_model_len": 0, "context_length": 819}, ServerAnswer(819)),
    "a window in other words": ({"context_window": 819}, ServerAnswer(819)),
    "words": ({"max_model_len": "many", "pricing": "dear"}, ServerAnswer()),
    "a window of one": ({"context_size": 1}, ServerAnswer(1)),
    "no tools": (
        {"supported_parameters": ["reasoning"]},
        ServerAnswer(tools=False, thinks=True),
    ),
    "tools": ({"supported_parameters": ["tools"]}, ServerAnswer(tools=True)),
    "parameters that are no list": ({"supported_parameters": "tools"}, ServerAnswer()),
}
PRICES: dict[str, tuple[dict[str, Any], Tariff | None]] = {
    "by the token": ({"prompt": "0.001", "completion": 0.0005}, Tariff(0.001, 0.0005)),
    "by the million": (
        {"prompt": 0.0002, "completion": 0.0011, "input_cache_read": 0.5, "input_cache_write": 2},
        Tariff(0.0002e-6, 0.0011e-6, 0.5e-6, 2e-6),
    ),
    "one side free": ({"prompt": 0, "completion": 0.0005}, Tariff(0.0, 0.0005)),
    "zero is no price": ({"prompt": 0, "completion": 0}, None),
    "one side missing": ({"prompt": 0.0005}, None),
    "the other side missing": ({"completion": 0.0005}, None),
    "beyond all": ({"prompt": 1e6, "completion": 1}, None),
    "below it": ({"prompt": 999_999, "completion": 1}, Tariff(0.999999, 1e-6)),
    "the first name counts": ({"prompt": -1, "input": 1e-4, "completion": 1e-4}, None),
    "a name that can't be read is passed over": (
        {"prompt": "dear", "input": 1e-4, "completion": None, "output": 2e-4},
        Tariff(1e-4, 2e-4),
    ),
    "requests cost": ({"prompt": 1e-4, "completion": 1e-4, "request": 0.01}, None),
    "requests are free": ({"prompt": 1e-4, "completion": 1e-4, "request": 0}, Tariff(1e-4, 1e-4)),
}


def test_a_list_is_read_to_the_last_fact() -> None:
    rows = dict(FACTS)
    for case, (pricing, tariff) in PRICES.items():
        rows[case] = {"pricing": pricing}, ServerAnswer(tariff=tariff)
    for case, (row, answer) in rows.items():
        read = read_list(json.dumps([{"id": "m"} | row]).encode())["m"]
        facts = (read.window, read.tools, read.thinks)
        assert facts == (answer.window, answer.tools, answer.thinks), case
        got, expected = (one.tariff and astuple(one.tariff)[:4] for one in (read, answer))
        assert got == (expected and pytest.approx(expected)), case


def test_a_model_that_is_called_free_costs_nothing() -> None:
    row = {"id": "m:free", "pricing": {"prompt": "0", "completion": "0"}}
    assert read_list(json.dumps([row]).encode())["m:free"].tariff == Tariff(0.0, 0.0)


def info(**facts: Any) -> dict[str, Any]:
    return {"model_name": "m", "model_info": facts}


CHEAP = {"input_cost_per_token": 1e-6, "output_cost_per_token": 5e-6, "max_input_tokens": 9000}
DEAR = {"input_cost_per_token": 2e-6, "output_cost_per_token": 4.5e-6, "max_input_tokens": 8000}
LITELLM: dict[str, tuple[list[dict[str, Any]], ServerAnswer]] = {
    "nothing": ([info()], ServerAnswer()),
    "no facts": ([{"model_name": "m", "model_info": 3}], ServerAnswer()),
    "a price of zero": ([info(input_cost_per_token=0, output_cost_per_token=0)], ServerAnswer()),
    "one side free": (
        [info(input_cost_per_token=0, output_cost_per_token=1e-6)],
        ServerAnswer(tariff=Tariff(0.0, 1e-6)),
    ),
    "one side missing": ([info(output_cost_per_token=1e-6)], ServerAnswer()),
    "cached tokens": (
        [info(**CHEAP, cache_read_input_token_cost=1e-7, cache_creation_input_token_cost=2e-6)],
        ServerAnswer(9000, Tariff(1e-6, 5e-6, 1e-7, 2e-6)),
    ),
    "it thinks and has tools": (
        [info(supports_reasoning=True, supports_function_calling=True)],
        ServerAnswer(tools=True, thinks=True),
    ),
    "what is no yes is none": (
        [info(supports_reasoning="yes", supports_function_calling="yes")],
        ServerAnswer(),
    ),
    "the worst of two": ([info(**CHEAP), info(**DEAR)], ServerAnswer(8000, Tariff(2e-6, 4.5e-6))),
    "one of two says nothing": (
        [info(**CHEAP, supports_function_calling=True), info(supports_reasoning=True)],
        ServerAnswer(tools=True, thinks=True),
    ),
    "one of two has no tools": (
        [info(supports_function_calling=True), info(supports_function_calling=False)],
        ServerAnswer(tools=False),
    ),
}


@pytest.mark.parametrize("case", LITELLM)
def test_of_several_models_of_one_name_the_worst_holds(case: str) -> None:
    rows, answer = LITELLM[case]
    for ordered in (rows, rows[::-1]):
        assert read_litellm(json.dumps({"data": [3, *ordered]}).encode()) == {"m": answer}


def test_an_answer_is_complete_with_window_and_price() -> None:
    assert ServerAnswer(1, TARIFF).complete
    assert not ServerAnswer(1).complete
    assert not ServerAnswer(tariff=TARIFF).complete


def test_a_server_s_facts_stand_in_place_of_those_known() -> None:
    known = Facts(
        "openai", known=True, window=7000, tools=True, tariff=Tariff(1.0, 2.0), thinking=5
    )
    assert ServerAnswer().describe(known).window == 7000
    assert ServerAnswer().describe(known).price.thinking == 5
    answer = ServerAnswer(64_000, TARIFF, tools=False, thinks=True)
    made = answer.describe(known)
    assert (made.window, made.tools, made.tariff) == (window_for(64_000), False, TARIFF)
    assert made.price == Price(1e-6, 2e-6, thinking=THINKING_ROOM)
