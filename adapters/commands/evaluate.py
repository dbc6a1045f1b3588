"""``eval``: what is to be measured, and with what. A command of the shell alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from adapters.commands.arguments import split_options
from adapters.commands.kinds import Dollars, Flag, Names, Whole, Words
from adapters.commands.options import Surface, option, options_of
from adapters.commands.tokens import tokenize
from adapters.text.nearest import did_you_mean
from core.errors import BadInput
from core.evaluation import Arm

_MOST_REPEATS = 20
_MOST_CASES = 1000


@dataclass(frozen=True, slots=True)
class Evaluate:
    """``target`` is a folder of cases or a repository on this machine. No ``arms`` means all,
    no ``repeat`` one run of each, no ``out`` a folder beside where the command was given.
    """

    target: str
    _: KW_ONLY
    models: tuple[str, ...] = option(
        Names(), "who speaks; names as litellm has them", sign="a,b,c", surfaces=Surface.SHELL
    )
    arms: tuple[str, ...] = option(
        Names(), "single, vote and debate, or some of them", sign="a,b", surfaces=Surface.SHELL
    )
    repeat: int | None = option(
        Whole(1, _MOST_REPEATS),
        "runs of each change; seats change places",
        sign="N",
        surfaces=Surface.SHELL,
    )
    cases: int | None = option(
        Whole(1, _MOST_CASES), "at most so many changes", sign="N", surfaces=Surface.SHELL
    )
    budget: float | None = option(
        Dollars(10_000), "never spend more than this now", sign="USD", surfaces=Surface.SHELL
    )
    at_once: int | None = option(
        Whole(1, 32), "debates at the same time, usually 3", sign="N", surfaces=Surface.SHELL
    )
    out: str = option(
        Words("a folder"), "where reports and runs are kept", sign="FOLDER", surfaces=Surface.SHELL
    )
    json: bool = option(Flag(), "the report as one JSON document", surfaces=Surface.SHELL)
    yes: bool = option(Flag(), "do not ask before spending", surfaces=Surface.SHELL)


def read_evaluate(typed: Sequence[str]) -> Evaluate:
    """What was typed behind ``eval``. Raises ``BadInput``."""
    line = tokenize(typed)
    given = split_options(line, line.tokens, options_of(Evaluate))
    (target,) = given.exactly(1, 1, "one folder of cases or one repository")
    asked = given.fill(Evaluate(target))
    known = [arm.value for arm in Arm]
    for name in asked.arms:
        if name not in known:
            raise BadInput(
                f"There is no arm {name[:40]!r}: arms are {', '.join(known)}."
                f"{did_you_mean(name, known)}"
            )
    return asked
