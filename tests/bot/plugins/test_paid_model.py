"""A plugin's model is held to the contract of every model: what it costs, how long it may take, and
what of its faults is told.
"""

from __future__ import annotations

import asyncio

import pytest

from adapters.models.exchange import LONGEST_TEXT
from bot.plugins.models import PaidModel, PluginModel, is_our_model
from bot.seats import AskModel, Prompt
from core.debate.errors import CouldNotFinish, ModelError
from core.debate.ports import CallOptions, Message, Price, Reply
from core.debate.usage import Usage

ASKED = (Message("user", "x" * 300),)


def answers(text: str) -> AskModel:
    async def ask(prompt: Prompt) -> str:
        return text

    return ask


def raises(error: Exception) -> AskModel:
    async def ask(prompt: Prompt) -> str:
        raise error

    return ask


async def ask_of(model: PluginModel, seconds: float = 30.0) -> Reply:
    return await model.reply(ASKED, CallOptions(timeout=seconds))


def test_a_token_is_three_characters_and_its_price_is_for_a_million() -> None:
    paid = PaidModel(answers(""), 3.0, 15.0)
    assert paid.price == Price(3e-6, 15e-6)
    assert paid.usage(3_000, "x" * 600) == Usage(1000, 0, 200, (1000 * 3 + 200 * 15) / 1e6, 3_000)
    assert paid.usage(0, "") == Usage(0, 0, 0, 0.0, 0)


async def test_an_answer_costs_what_its_model_says_and_a_free_one_nothing() -> None:
    free = PluginModel("acme", answers("y" * 30), "acme")
    paid = PluginModel("acme", free.ask, "acme", paid=PaidModel(free.ask, 3.0, 15.0))
    reply, bought = await ask_of(free), await ask_of(paid)
    assert (reply.text, reply.model, bought.text) == ("y" * 30, "acme", "y" * 30)
    assert not reply.usage.usd
    read = bought.usage.prompt_chars
    assert read >= 300
    assert bought.usage.usd == paid.paid.usage(read, "y" * 30).usd if paid.paid else False
    assert bought.usage.completion_tokens == 10


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (answers(" \n"), "the answer is empty"),
        (answers("x" * (LONGEST_TEXT + 1)), "longer"),
        (raises(ValueError("key-123")), "it raised ValueError"),
    ],
)
async def test_a_fault_is_told_without_its_own_text(ask: AskModel, says: str) -> None:
    """An answer of exactly the longest length is accepted."""
    with pytest.raises(ModelError, match=says) as error:
        await ask_of(PluginModel("acme", ask, "acme"))
    assert "key-123" not in str(error.value)
    reply = await ask_of(PluginModel("acme", answers("x" * LONGEST_TEXT), "acme"))
    assert len(reply.text) == LONGEST_TEXT


async def test_what_it_refuses_in_our_words_stands_as_it_is() -> None:
    with pytest.raises(CouldNotFinish, match=r"^Closed today\.$"):
        await ask_of(PluginModel("acme", raises(CouldNotFinish("Closed today.")), "acme"))


async def test_one_that_hangs_is_left_after_the_call_s_own_time() -> None:
    async def hang(prompt: Prompt) -> str:
        await asyncio.Event().wait()
        return ""

    with pytest.raises(ModelError, match=r"no answer within 0\.01 s"):
        await ask_of(PluginModel("acme", hang, "acme"), 0.01)


def test_a_name_of_ours_needs_no_plugin() -> None:
    assert is_our_model("scripted")
    assert not is_our_model("acme-house")
