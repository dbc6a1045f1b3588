"""The command ``eval`` of the shell: the cases to measure, and the arms to measure them with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import date
from functools import partial

from core.application.commands.arguments import split_options
from core.application.commands.kinds import Dollars, Flag, Names, TextKind, Whole, WordKind
from core.application.commands.options import OptionSurface, option, options_of
from core.application.commands.tokens import tokenize
from core.debate.errors import BadInput
from core.debate.formats import FORMATS
from core.evaluation import Arm
from core.words.views.language.grammar import did_you_mean

_option = partial(option, surfaces=OptionSurface.SHELL)
_MOST_REPEATS = 20
_MOST_CASES = 1000


@dataclass(frozen=True, slots=True)
class Evaluate:
    """``target`` is a folder of cases; ``set`` a set of real changes; ``mine`` a repository on this
    machine: one of the three. No ``arms`` means the usual ones, no ``repeat`` one run of each, no
    ``out`` a folder in the user's data folder.
    """

    target: str = ""
    _: KW_ONLY
    set: str = _option(
        TextKind("history or a file"),
        "real changes: history (ships), or a file of rows like it",
        sign="history|FILE",
    )
    clones: str = _option(
        TextKind("a folder"),
        "clones for --set, as OWNER/NAME.git below it, or for the ranges of a folder's cases",
        sign="FOLDER",
    )
    languages: tuple[str, ...] = _option(
        Names(), "only changes of a set in these languages", sign="a,b"
    )
    fixed_since: str = _option(
        TextKind("a day like 2026-01-31"),
        "changes of a set that were fixed since then, like a model's training cut-off",
        sign="DATE",
    )
    mine: str = _option(
        TextKind("a repository"),
        "changes of your history that a later commit names as the cause of a fault",
        sign="REPO",
    )
    yes_from: str = _option(
        TextKind("a file"),
        "answers to what was mined, from a file instead of questions",
        sign="FILE",
    )
    models: tuple[str, ...] = _option(
        Names(), "who speaks; names as litellm has them", sign="a,b,c"
    )
    arms: tuple[str, ...] = _option(
        Names(),
        "single, union, vote and debate, or some of them; reviewer makes additional calls",
        sign="a,b",
    )
    format: str = _option(
        WordKind(tuple(FORMATS)),
        "how turns of the debate are taken, if not as the template has them",
        sign="F",
    )
    repeat: int | None = _option(
        Whole(1, _MOST_REPEATS), "runs of each change; seats change places", sign="N"
    )
    cases: int | None = _option(
        Whole(1, _MOST_CASES), "the most changes, clean ones included", sign="N"
    )
    budget: float | None = _option(Dollars(10_000), "never spend more than this now", sign="USD")
    at_once: int | None = _option(Whole(1, 100), "debates at the same time, usually 3", sign="N")
    out: str = _option(TextKind("a folder"), "the folder of reports and runs", sign="FOLDER")
    json: bool = _option(Flag(), "the report as one JSON document")
    yes: bool = _option(Flag(), "do not ask before spending")

    @property
    def since(self) -> date | None:
        """The day of ``fixed_since``. Raises ``BadInput`` for what is no day."""
        if not self.fixed_since:
            return None
        try:
            return date.fromisoformat(self.fixed_since)
        except ValueError:
            raise BadInput(
                "--fixed-since takes a day like 2026-01-31, not {day}.",
                day=repr(self.fixed_since[:40]),
            ) from None


def read_evaluate(typed: Sequence[str]) -> Evaluate:
    """Reads the line after ``eval``. Raises ``BadInput``."""
    line = tokenize(typed)
    given = split_options(line, line.tokens, options_of(Evaluate))
    words = given.exactly(0, 1, "one folder of cases or one repository")
    request = given.fill(Evaluate(*words))
    sources = [bool(request.target), bool(request.set), bool(request.mine)]
    if sum(sources) != 1:
        raise BadInput("It needs one of: a folder of cases, --set history, --mine REPO.")
    for name, value, needs, there in (
        ("--languages", request.languages, "--set", request.set),
        ("--fixed-since", request.fixed_since, "--set", request.set),
        ("--yes-from", request.yes_from, "--mine", request.mine or request.target),
    ):
        if value and not there:
            raise BadInput("{name} belongs to {needs}.", name=name, needs=needs)
    if request.clones and request.mine:
        raise BadInput("--clones belongs to --set, or to a folder of cases.")
    _ = request.since
    known = [arm.value for arm in Arm]
    for name in request.arms:
        if name not in known:
            raise BadInput(
                "There is no arm {name}: arms are {known}.{meant}",
                name=repr(name[:40]),
                known=", ".join(known),
                meant=did_you_mean(name, known),
            )
    return request
