"""Words and options that several requests have."""

from __future__ import annotations

from typing import Any

from core.application.commands.kinds import Day, Flag, Names, Tag, WordKind
from core.application.commands.named import debate_id
from core.application.commands.options import OptionSurface, option
from core.application.commands.row import REQUIRED, word
from core.languages import msgid

PRIORITIES = (msgid("low"), msgid("normal"), msgid("high"), msgid("urgent"))
DAY = 86400.0  # seconds
_THIS_THREAD = "; leave it out for the one in this thread"


def a_debate(*, optional: bool = False) -> Any:
    """Returns the word for a debate's id, as typed: a unique prefix will do. An ``optional`` one
    may be left out for the debate of the thread in which the request was made.
    """
    wants = "the id of one debate" + ", or none inside its thread" * optional
    hint = f"Which debate{_THIS_THREAD * optional}"
    return word(hint, read=debate_id, wants=wants, default="" if optional else REQUIRED)


def models() -> Any:
    """Returns the option that chooses models, for every request that has it."""
    return option(
        Names(),
        "who speaks, by litellm's names",
        sign="a,b,c",
        label="Models, with commas between",
        surfaces=OptionSurface.everywhere(),
        most=1_000,
    )


def as_json() -> Any:
    return option(Flag(), "one JSON document", surfaces=OptionSurface.SHELL, of_debate=False)


def plain() -> Any:
    return option(
        Flag(), "for pipes: no colour, nothing moves", surfaces=OptionSurface.SHELL, of_debate=False
    )


def department(help: str, **more: Any) -> Any:
    return option(Tag("a name"), help, sign="NAME", **more)


def priority(help: str, **more: Any) -> Any:
    return option(WordKind(PRIORITIES), help, sign="P", **more)


def target_date(help: str, **more: Any) -> Any:
    return option(Day(), help, sign="DAY", **more)


def yes() -> Any:
    return option(Flag(), "do not ask before spending", letter="y", of_debate=False)
