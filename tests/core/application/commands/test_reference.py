"""The help has every command and option, and every example of the help and of the page about
commands can be typed.
"""

from __future__ import annotations

import pytest

from core.application.commands import Challenge, Control, Help, HotSeat, Start, Vote, parse
from core.application.commands.help import SHELL_ONLY, TOPICS, usage
from core.application.commands.parsing import EVERY_OPTION
from core.application.commands.row import commands
from core.debate.errors import BadInput
from tests.project import DOCS

PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
TEMPLATES = ("code_review", "panel")


@pytest.mark.parametrize("name", [*commands(), *SHELL_ONLY])
def test_every_command_has_help(name: str) -> None:
    assert TOPICS[name].does in usage("", prefix="debate")


@pytest.mark.parametrize("option", sorted(EVERY_OPTION))
def test_every_option_has_help(option: str) -> None:
    assert any(
        f"--{option}" in line
        for topic in TOPICS.values()
        for line in (*topic.forms, *topic.more, *(each.typed for each in topic.explained))
    )


@pytest.mark.parametrize(
    "typed",
    [typed for name, topic in TOPICS.items() if not topic.local for typed in topic.examples],
)
def test_every_example_can_be_typed(typed: str) -> None:
    assert not isinstance(parse(typed, templates=TEMPLATES), Help) or typed.startswith("help")


@pytest.mark.parametrize(
    "line", [x for x in PAGE.split("```")[1].strip().splitlines() if x.startswith("debate ")]
)
def test_every_start_on_the_page_can_be_typed(line: str) -> None:
    assert isinstance(parse(line.removeprefix("debate "), templates=TEMPLATES), Start)


@pytest.mark.parametrize("line", PAGE.split("```")[3].strip().splitlines())
def test_every_line_on_the_page_that_a_person_types_is_understood(line: str) -> None:
    assert isinstance(parse(line, templates=()), Challenge | HotSeat | Vote | Control)


def test_a_chat_is_not_shown_what_only_a_shell_has() -> None:
    chat, shell = usage(), usage(prefix="debate")
    assert "doctor" not in chat
    assert "doctor" in shell
    assert "```" in chat
    assert "```" not in shell


def test_help_on_an_unknown_command_names_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"^There is no help on 'hold'\. Did you mean held\? All"):
        usage("hold")
