"""The grammar's commands and options are all there as Discord's own, with the same values; the form
keeps every one of them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.discord.incoming.forms import views
from adapters.discord.outgoing.components import ID_LIMIT, read_press
from core.application.commands import Start
from core.application.commands.kinds import Whole, WordKind
from core.application.commands.options import CommandOption, OptionSurface, options_of
from core.application.commands.row import commands
from tests.adapters.desk import TEMPLATES
from tests.adapters.discord.test_manifest import FILE

REFUSED_IN_CHATS = {"compare"}
"""Takes a start's options only for a question, which runs in the shell."""
NO_SUBCOMMAND = {name for name, row in commands().items() if not row.subcommand}
"""Discord takes 25 subcommands, which are all taken: these are a reaction, a button, or typed."""


def leaves() -> dict[str, dict[str, Any]]:
    """Discord's subcommands by their words: each with its options by name."""
    (root,) = (
        command
        for command in json.loads(FILE.read_text(encoding="utf-8"))["commands"]
        if command["name"] == "debate"
    )
    options: dict[str, dict[str, Any]] = {}
    for option in root["options"]:
        inner = {
            f"{option['name']} {each['name']}": each
            for each in option.get("options", ())
            if option["type"] == 2
        }
        options |= inner or {option["name"]: option}
    return {
        name: {each["name"]: each for each in leaf.get("options", ())}
        for name, leaf in options.items()
    }


def chat_options(command: str) -> list[CommandOption]:
    options = {"start": options_of(Start), "schedule add": commands()["schedule"].options}
    taken = options.get(command) or commands()[command].options
    if command == "schedule add":
        taken = tuple(each for each in taken if each.scheduled)
    return [each for each in taken if OptionSurface.CHAT in each.surfaces]


def test_every_command_and_option_of_the_grammar_is_there() -> None:
    offered = leaves()
    assert {name.partition(" ")[0] for name in offered} == {"start", *commands()} - NO_SUBCOMMAND
    names = {"start", "schedule add", *commands()} - {"schedule"} - NO_SUBCOMMAND
    for name in names - REFUSED_IN_CHATS:
        assert {each.field for each in chat_options(name)} <= set(offered[name]), name


@pytest.mark.parametrize("command", ["start", "schedule add", "fork"])
def test_their_values_are_the_grammars(command: str) -> None:
    for option in chat_options(command):
        leaf = leaves()[command][option.field]
        assert leaf["description"].lower() == option.help.lower()
        assert not leaf.get("required", False)
        if isinstance(option.kind, WordKind):
            values = [choice["value"] for choice in leaf["choices"]]
            assert values == [str(each) for each in option.kind.values]
        if isinstance(option.kind, Whole):
            limits = (option.kind.least, option.kind.most)
            assert (leaf["min_value"], leaf["max_value"]) == limits


def test_what_a_form_has_no_field_for_has_a_letter_of_its_own() -> None:
    kept = [each for each in chat_options("start") if OptionSurface.FORM not in each.surfaces]
    assert len({each.letter for each in kept}) == len(kept)
    assert all(len(each.letter) == 1 for each in kept)


def test_the_form_carries_what_it_has_no_field_for() -> None:
    longest = Start(
        "code_review", "x", rounds=9, models=("a", "b"), consensus="supermajority",
        threshold=0.123457, budget=1.5, format="adversarial", vote_window=604_799.0, quiet=True,
        search=True, yes=True, form="extended", importance="critical", debate_anyway=True,
        timeout=3599.0, fresh=True, department="payments", priority="urgent",
        target_date="2027-01-31",
    )  # fmt: skip
    form = views.start_form(TEMPLATES, longest)
    assert len(form.custom_id) <= ID_LIMIT
    press = read_press(form.custom_id)
    assert press is not None
    fields = {
        "template": "code_review",
        "target": "x",
        "rounds": "9",
        "models": "a,b",
        "budget": "1.5",
    }
    assert views.read_start(press, fields) == (longest, "")
