"""The grammar's commands and options are all there as Discord's own, with the same values; the form
keeps every one of them.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from adapters.commands import Start
from adapters.commands.grammar import COMMANDS, OPTIONS
from adapters.commands.starting import FORMATS, FORMS, IMPORTANCE, SCHEDULE, START
from adapters.discord.incoming import forms
from adapters.discord.incoming.options import TEMPLATE_ROOM
from adapters.discord.outgoing.components import ID_LIMIT, meaning
from core.template import Mode
from tests.adapters.discord.desk import TEMPLATES
from tests.adapters.discord.test_manifest import FILE
from tests.standins.discord_rules import _command_text

SHELL_ONLY = {"json", "check"}
"""Options that are for machines: exports are files here."""
REFUSED_IN_CHATS = {"compare"}
"""Takes a start's options only for a question, which runs in the shell."""


def leaves() -> dict[str, dict[str, Any]]:
    """Discord's subcommands by their words: each with its options by name."""
    (root,) = (
        command
        for command in json.loads(FILE.read_text(encoding="utf-8"))["commands"]
        if command["name"] == "debate"
    )
    found: dict[str, dict[str, Any]] = {}
    for option in root["options"]:
        inner = {
            f"{option['name']} {each['name']}": each
            for each in option.get("options", ())
            if option["type"] == 2
        }
        found |= inner or {option["name"]: option}
    return {
        name: {each["name"]: each for each in leaf.get("options", ())}
        for name, leaf in found.items()
    }


def test_every_command_and_option_of_the_grammar_is_there() -> None:
    offered = leaves()
    assert {name.partition(" ")[0] for name in offered} == {"start", *COMMANDS}
    wanted = {"start": set(START), "schedule add": set(SCHEDULE)}
    wanted |= {
        name: set(OPTIONS.get(name, ()))
        for name in COMMANDS
        if name != "schedule" and name not in REFUSED_IN_CHATS
    }
    for name, options in wanted.items():
        assert {option.replace("-", "_") for option in options - SHELL_ONLY} <= set(
            offered[name]
        ), name


@pytest.mark.parametrize("command", ["start", "schedule add"])
def test_their_values_are_the_grammars(command: str) -> None:
    options = leaves()[command]
    values = {
        name: {choice["value"] for choice in options[name].get("choices", ())} for name in options
    }
    assert values["consensus"] == set(Mode)
    assert values["format"] == set(FORMATS)
    assert values["form"] == set(FORMS)
    assert values["importance"] == set(IMPORTANCE)
    assert (options["rounds"]["min_value"], options["rounds"]["max_value"]) == (1, 9)


def test_it_fits_into_one_command_whatever_an_owners_templates_are_called() -> None:
    """Discord allows 8000 characters; templates stand in it twice."""
    (root, _) = json.loads(FILE.read_text(encoding="utf-8"))["commands"]
    choices = [
        choice
        for options in leaves().values()
        for choice in options.get("template", {}).get("choices", ())
    ]
    assert (
        _command_text(root)
        - sum(len(each["name"]) + len(each["value"]) for each in choices)
        + 2 * TEMPLATE_ROOM
        <= 8000
    )


def test_the_form_carries_what_it_has_no_field_for() -> None:
    longest = Start(
        "code_review", "x", 9, ("a", "b"), "supermajority", 0.123457, 1.5, "adversarial", 604800.0,
        True, True,
        yes=True, extras=(("form", "extended"), ("importance", "critical"), ("debate-anyway",
        "yes")),
    )  # fmt: skip
    form = forms.start_form(TEMPLATES, longest)
    assert len(form.custom_id) <= ID_LIMIT
    press = meaning(form.custom_id)
    assert press is not None
    fields = {
        "template": "code_review",
        "target": "x",
        "rounds": "9",
        "models": "a,b",
        "budget": "1.5",
    }
    assert forms.start_of(press, fields) == (longest, "")
