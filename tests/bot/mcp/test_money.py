"""Money is asked about as each protocol says: a person sees the price, and nothing is spent before
they agree.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.bot.mcp.talking import called, here, refused
from tests.bot.mcp.test_http import ALL, connected
from tests.bot.room.serving import QUESTION, served
from tests.standins.openai import Fail, OpenAI, Silence, openai

if TYPE_CHECKING:
    from mcp_types import ElicitResult

MODES = ("2026-07-28", "legacy")
TOLD = rf"Start a debate \(triad\) on “{re.escape(QUESTION)}”\? Price: \$.* calls\."
WANTED = {"target": QUESTION, "template": "triad"}


class Person:
    """The person who sits before the assistant: the questions that they got, and their answers."""

    def __init__(
        self, action: Literal["accept", "decline", "cancel"] = "accept", **content: Any
    ) -> None:
        from mcp_types import ElicitResult

        self.answer = ElicitResult(action=action, content=content or None)
        self.messages = list[str]()

    async def __call__(self, context: object, params: Any) -> ElicitResult:
        self.messages.append(params.message)
        return self.answer


def priced(provider: OpenAI) -> dict[str, Any]:
    provider.answers = [Fail(401, "no")]
    return {"DEBATE_ASK_ABOVE": "0.0001", **provider.settings()}


@pytest.mark.parametrize("mode", MODES)
async def test_nothing_is_spent_before_a_person_agrees_who_is_then_asked_once(
    tmp_path: Path, mode: str
) -> None:
    person = Person()
    async with (
        openai() as provider,
        here(tmp_path, mode, person, **priced(provider)) as (client, parts),
    ):
        for number, no in enumerate((Person("decline"), Person("cancel"), Person(start=False)), 1):
            person.answer = no.answer
            assert "nothing was spent" in await refused(client, "start_debate", **WANTED)
            assert len(person.messages) == number
            assert re.fullmatch(TOLD, person.messages[-1]), person.messages
        assert await parts.stores.debates.find_recent() == []
        assert provider.requests == []

        person.answer = Person(start=True).answer
        provider.answers = [Silence()]  # so that it is under way when it is asked for again
        begun = await called(client, "start_debate", **WANTED)
        again = await called(client, "start_debate", **WANTED)
        assert begun["estimate_usd"] > 0.0001
        assert again["started_before"]
        assert len(person.messages) == 4


async def test_who_cannot_be_asked_is_refused_with_the_command_to_type(tmp_path: Path) -> None:
    async with (
        openai() as provider,
        here(tmp_path, "legacy", None, **priced(provider)) as (client, parts),
    ):
        for budget in ({}, {"budget_usd": 0.5}):
            reason = await refused(client, "start_debate", **WANTED, **budget)
            assert reason.endswith(f"a shell, which asks: debate triad '{QUESTION}'")
            assert "$" in reason
        assert await parts.stores.debates.find_recent() == []
        assert provider.requests == []


async def test_below_the_limit_a_budget_is_enough(tmp_path: Path) -> None:
    async with openai() as provider:
        env = priced(provider) | {"DEBATE_ASK_ABOVE": "0.6"}
        async with here(tmp_path, "legacy", None, **env) as (client, _):
            assert await called(client, "start_debate", **WANTED, budget_usd=0.5)


async def test_a_token_agrees_by_its_person_too(tmp_path: Path) -> None:
    no, yes = Person("decline"), Person(start=True)
    wanted = WANTED | {"budget_usd": 0.5}
    async with (
        openai() as provider,
        served(tmp_path, enters=False, **priced(provider)) as room,
    ):
        async with connected(room, *ALL, mode=MODES[0], person=no) as client:
            assert "nothing was spent" in await refused(client, "start_debate", **wanted)
        assert await room.parts.stores.debates.find_recent() == []
        async with connected(room, *ALL, mode=MODES[0], person=yes) as client:
            assert not (await called(client, "start_debate", **wanted))["started_before"]
        assert (len(no.messages), len(yes.messages)) == (1, 1)
