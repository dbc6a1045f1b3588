"""A new command costs two places, its row and its handler; every surface has it then."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import discord
import pytest

import bot.desk
from adapters.discord.incoming.answers import Interactions
from adapters.discord.incoming.commands import Commands
from adapters.discord.incoming.forms import Forms
from adapters.discord.incoming.listener import Listener
from adapters.discord.settings import DiscordSettings
from bot.desk.dispatch import Dispatch
from bot.desk.handlers import handlers_of, handles
from bot.desk.lookup import find
from bot.desk.parts import DeskParts
from core.application.commands import parse, usage
from core.application.commands.actions import Action
from core.application.commands.help import completion
from core.application.commands.requests.shared import a_debate
from core.application.commands.row import ROWS, Group, Request, word
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput
from tests.adapters.desk import RecordingDesk
from tests.trust.test_permissions import PEOPLE, desk, started


@pytest.fixture
def why() -> Iterator[type[Request]]:
    """The first place: the row."""
    rows = dict(ROWS)
    ROWS["replay"] = replace(rows["replay"], subcommand=False)  # Discord has room for twenty-five

    summary, examples = "the reason of the verdict", ("why d4k7q2xy",)

    @Group.LOOK.command("why", summary, "why ID [SEAT]", examples=examples, in_thread=True)
    @dataclass(frozen=True, slots=True)
    class Why(Request):
        action = Action.SEE
        stored = "who read it"
        debate: str = a_debate()
        seat: str = word("Whose reason", wants="perhaps a seat", default="")

    yield Why
    ROWS.clear()
    ROWS.update(rows)


def with_handler(dispatch: Dispatch, why: type[Request]) -> None:
    """The second place: the handler."""

    @handles(why)
    async def answer(desk: DeskParts, request: Request, caller: Caller) -> DeskAnswer:
        debate = await find(desk, getattr(request, "debate"), caller)  # noqa: B009
        return DeskAnswer(f"Because of {debate.id}.", debate=debate.id)

    module = ModuleType("why")
    module.__dict__["answer"] = answer
    more = handlers_of([module])
    object.__setattr__(dispatch, "handlers", {**dispatch.handlers, **more})


def test_it_can_be_typed_in_every_chat_the_room_and_the_shell(why: type[Request]) -> None:
    wanted = why.of("why", debate="d4k7q2xy", seat="skeptic")
    assert parse("why d4k7q2xy skeptic", templates=()) == wanted
    needs = "It needs the id of one debate and perhaps a seat. Like this: /debate why d4k7q2xy"
    for line, says in (
        ("why", needs),
        ("why d1 a b", "nothing more. Like this: /debate why d4k7q2xy"),
        ("why d4k7q2xy --rounds 2", "--rounds does not belong here."),
        ("wyh d4k7q2xy", "Did you mean why?"),
    ):
        with pytest.raises(BadInput) as wrong:
            parse(line, templates=())
        assert says in str(wrong.value)


def test_the_help_and_the_completion_of_a_shell_name_it(why: type[Request]) -> None:
    assert "why          the reason of the verdict" in usage()
    assert "/debate why ID [SEAT]" in usage("why")
    assert " why " in completion("bash", {"panel": "a question"})


def test_discord_has_a_subcommand_with_its_words_as_options(why: type[Request]) -> None:
    client = discord.Client(intents=discord.Intents.none())
    listener = Listener(DiscordSettings(token=""), RecordingDesk(), Interactions())
    tree = Commands(listener, Forms(listener)).tree(client)
    (debate,) = (each for each in tree.get_commands() if each.name == "debate")
    (made,) = (each for each in debate.to_dict(tree)["options"] if each["name"] == "why")
    assert made["description"] == "The reason of the verdict"
    assert [(x["name"], x["description"], x["required"]) for x in made["options"]] == [
        ("debate", "Which debate", True),
        ("seat", "Whose reason", False),
    ]


async def test_the_desk_rules_bounds_and_answers_it(why: type[Request], tmp_path: Path) -> None:
    async with desk(tmp_path) as (parts, _):
        with_handler(parts.desk, why)
        id = await started(parts)
        here, request = PEOPLE["starter"], why.of("why", debate=id)
        assert (await parts.desk.take(request, here)).text == f"Because of {id}."
        outside = await parts.desk.take(request, PEOPLE["outside, private channel"])
        assert "There is no debate" in outside.text
        bot = await parts.desk.take(request, PEOPLE["bot"])
        assert bot.text.startswith("I take nothing from bots")
        long = why.of("why", debate=id, seat="x" * 301)
        assert "seat is too long" in (await parts.desk.take(long, here)).text
        typed = await parts.desk.take_message(here, f"why {id}", True, "m1")
        assert typed is not None
        assert typed.text == f"Because of {id}."


def test_every_request_has_one_handler() -> None:
    kinds = {kind for row in ROWS.values() for kind in row.requests}
    assert set(Dispatch.handlers) == kinds
    named = [
        kind
        for module in Path(bot.desk.__file__).parent.rglob("*.py")
        for kind in re.findall(r"^@handles\((?:r\.)?(\w+)\)$", module.read_text(), re.MULTILINE)
    ]
    assert sorted(named) == sorted(kind.__name__ for kind in kinds)
