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


def priced(**pricing: Any) -> dict[str, Any]:
    return {"id": "m", "pricing": pricing}


PLAIN = {
    "a bare list": ([{"id": "m"}], ServerAnswer()),
    "the first place counts": (
        [{"id": "m", "max_model_len": 4096, "context_length": 1}],
        ServerAnswer(4096),
    ),
    "a window of nothing is none": (
        [{"id": "m", "max_model_len": 0, "context_length": 8192}],
        ServerAnswer(8192),
    ),
    "a window in other words": ([{"id": "m", "context_window": 8192}], ServerAnswer(8192)),
    "words": ([{"id": "m", "max_model_len": "many", "pricing": "dear"}], ServerAnswer()),
    "a window of one": ([{"id": "m", "context_size": 1}], ServerAnswer(1)),
    "no tools": ([{"id": "m", "supported_parameters": ["reasoning"]}], ServerAnswer(
        tools=False, thinks=True
    )),
    "tools": ([{"id": "m", "supported_parameters": ["tools"]}], ServerAnswer(tools=True)),
    "parameters that are no list": ([{"id": "m", "supported_parameters": "tools"}], ServerAnswer()),
    "a price by the token": (
        [priced(prompt="0.001", completion=0.0005)],
        ServerAnswer(tariff=Tariff(0.001, 0.0005)),
    ),
    "a price by the million": (
        [priced(prompt=0.0002, completion=0.0011, input_cache_read=0.5, input_cache_write=2)],
        ServerAnswer(tariff=Tariff(0.0002e-6, 0.0011e-6, 0.5e-6, 2e-6)),
    ),
    "one side free": (
        [priced(prompt=0, completion=0.0005)],
        ServerAnswer(tariff=Tariff(0.0, 0.0005)),
    ),
    "zero is no price": ([priced(prompt=0, completion=0)], ServerAnswer()),
    "one side missing": ([priced(prompt=0.0005)], ServerAnswer()),
    "the other side missing": ([priced(completion=0.0005)], ServerAnswer()),
    "an amount beyond all": ([priced(prompt=1e6, completion=1)], ServerAnswer()),
    "an amount below it": (
        [priced(prompt=999_999, completion=1)],
        ServerAnswer(tariff=Tariff(0.999999, 1e-6)),
    ),
    "the first name counts": (
        [priced(prompt=-1, input=1e-4, completion=1e-4)],
        ServerAnswer(),
    ),
    "a name that can't be read is passed over": (
        [priced(prompt="dear", input=1e-4, completion=None, output=2e-4)],
        ServerAnswer(tariff=Tariff(1e-4, 2e-4)),
    ),
    "requests cost": ([priced(prompt=1e-4, completion=1e-4, request=0.01)], ServerAnswer()),
    "requests cost nothing": (
        [priced(prompt=1e-4, completion=1e-4, request=0)],
        ServerAnswer(tariff=Tariff(1e-4, 1e-4)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", PLAIN)
def test_a_list_is_read_to_the_last_fact(case: str) -> None:
    rows, answer = PLAIN[case]
    read = read_list(json.dumps(rows).encode())["m"]
    assert (read.window, read.tools, read.thinks) == (answer.window, answer.tools, answer.thinks)
    got, expected = (one.tariff and astuple(one.tariff)[:4] for one in (read, answer))
    assert got == (expected and pytest.approx(expected))


def test_a_model_that_is_called_free_costs_nothing() -> None:
    row = priced(prompt="0", completion="0") | {"id": "m:free"}
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
