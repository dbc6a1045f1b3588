"""A price above the limit: shown with a button, which starts exactly what was asked for, once, also
after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from core.application.commands import ForkRequest, PricedRequest, ScheduleAdd, Start
from core.application.commands.stored import with_consent
from core.application.desk import Caller, DeskAnswer
from tests.adapters.discord.conftest import Town

PRICE = "Price: $3.00, 40 calls. Nothing has started yet."


@dataclass
class PricedAnswers:
    """A desk that asks for consent before it spends. ``agreed`` holds the requests that it carried
    out, each with its key.
    """

    agreed: list[tuple[PricedRequest, str]] = field(default_factory=list)

    def __call__(self, ask: object, caller: Caller) -> DeskAnswer:
        assert isinstance(ask, Start | ForkRequest | ScheduleAdd)
        if not (ask.start.yes if isinstance(ask, ScheduleAdd) else ask.yes):
            return DeskAnswer(PRICE, ok=False, priced=ask)
        self.agreed.append((ask, caller.source))
        return DeskAnswer("Started.")


@pytest.fixture
def asking(town: Town) -> PricedAnswers:
    town.desk.answer = made = PricedAnswers()
    return made


WISHES: list[tuple[str, dict[str, object], PricedRequest]] = [
    (
        "start",
        {
            "template": "design_doc",
            "target": 'Is "this" -- the --plan?\nYes',
            "rounds": 3,
            "vote_window": "10m",
            "debate_anyway": True,
        },
        Start(
            "design_doc",
            'Is "this" -- the --plan?\nYes',
            rounds=3,
            vote_window=600.0,
            debate_anyway=True,
        ),
    ),
    (
        "schedule add",
        {
            "when": "0 9 * * mon",
            "template": "code_review",
            "target": "https://github.com/o/r/pull/7",
            "tz": "Europe/Berlin",
        },
        ScheduleAdd(
            "0 9 * * mon", Start("code_review", "https://github.com/o/r/pull/7"), tz="Europe/Berlin"
        ),
    ),
]


@pytest.mark.parametrize(("name", "options", "wish"), WISHES)
async def test_the_button_starts_what_was_asked_for_once(
    town: Town, asking: PricedAnswers, name: str, options: dict[str, object], wish: PricedRequest
) -> None:
    discord = town.discord
    command = await discord.command(name, options)
    assert (
        await discord.answer(command) == f"{PRICE} It starts when you press the button.\n[Start it]"
    )
    assert command.ephemeral
    assert command.original is not None
    await town.restart()
    for _ in range(2):
        pressed = await discord.press(discord.general, command.original, "Start it")
        assert await discord.answer(pressed) == "Started."
        assert pressed.ephemeral
    agreed = with_consent(wish)
    assert (
        asking.agreed == [(agreed, f"discord:{command.id}")] * 2
    )  # one key: the desk does it once


async def test_what_is_gone_is_said(town: Town, asking: PricedAnswers) -> None:
    discord = town.discord
    command = await discord.command("start", {"template": "code_review", "target": "x"})
    await discord.answer(command)
    assert command.original is not None
    bare = command.original | {"attachments": []}
    answer = await discord.answer(await discord.press(discord.general, bare, "Start it"))
    assert answer == "What was to start is not here any more: give the command again."
    discord.world.uploads.clear()
    answer = await discord.answer(
        await discord.press(discord.general, command.original, "Start it")
    )
    assert answer == "Discord did not hand out debate.json. Try again."
    assert asking.agreed == []
