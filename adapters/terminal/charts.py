"""Shares as bars with their intervals, for a screen that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from adapters.posts.compare import MEASURES, bars, measured
from adapters.terminal.printing import one_line
from core.debate.verdict.learned.ratings import ENOUGH
from core.languages import say
from core.words.views.history import (
    BY_KIND,
    DISAGREED,
    FEW,
    LIGHTER,
    RIGHT,
    doubted_words,
    range_words,
    tokens_words,
)
from core.words.views.language.grammar import dollars
from core.words.views.language.seats import role_words

_WIDTH = 30
"""Cells of a bar from 0 to 100 %."""
_NAME = 30
_COLOURS = ("cyan", "magenta")


class IntervalBar:
    """A share in [0, 1] as a point on its 95 % interval: ``├────●──┤``."""

    def __init__(self, at: float, low: float, high: float, style: str) -> None:
        self.at, self.low, self.high, self.style = at, low, high, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left, line, right, point, track = "|-|o." if options.ascii_only else "├─┤●·"
        cells = [track] * _WIDTH
        first, last, here = _cell(self.low), _cell(self.high), _cell(self.at)
        for cell in range(first, last + 1):
            cells[cell] = line
        cells[first], cells[last] = left, right
        cells[here] = point
        drawn = "".join(cells)
        yield Text.assemble(
            (drawn[:first], "dim"),
            (drawn[first : last + 1], self.style),
            (drawn[last + 1 :], "dim"),
        )


class Filled:
    """A share as a bar: ``██████▒▒▒▒``; its lighter part reaches to the highest value behind the
    mean.
    """

    def __init__(self, at: float, high: float, style: str) -> None:
        self.at, self.high, self.style = at, high, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        full, light, track = "#=." if options.ascii_only else "█▒·"
        here = round(self.at * _WIDTH)
        over = max(0, round(self.high * _WIDTH) - here)
        bar, rest = full * here + light * over, _WIDTH - here - over
        yield Text.assemble((bar, self.style), (track * rest, "dim"))


def _cell(share: float) -> int:
    return min(_WIDTH - 1, max(0, round(share * (_WIDTH - 1))))


def leaderboard(ratings: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yields the leaderboard's document, drawn. Empty if no verdict was resolved."""
    models, seats = ratings["models"], ratings["seats"]
    if models:
        rows = ((_model(s), *_standing(s, _details(s))) for s in models)
        yield _table(say(RIGHT), rows)
    if seats:
        yield Text("")
        yield _table(say("By role"), ((_seat(s), *_standing(s)) for s in seats))
    if warned := [w for w in ratings["dissent"] if w["failed"]]:
        yield Text("")
        yield _table(say(DISAGREED), map(_warned, warned))
    if panels := ratings["panels"]:
        yield Text("")
        measured = [(one, one["form"], _tokens(one)) for one in panels]
        yield _table(say("Panels by size"), _worth(measured))
    if kinds := ratings["kinds"]:
        yield Text("")
        measured = [(one, one["template"], _price(one)) for one in kinds]
        yield _table(say(BY_KIND), _worth(measured))


def _worth(
    measured: Sequence[tuple[Mapping[str, Any], str, str]],
) -> Iterator[tuple[str, RenderableType, str]]:
    for one, name, took in measured:
        useful, judged = one["useful"], one["judged"]
        bar, sure = _sure(useful / max(judged, 1), judged, one["useful_within"])
        text = say("{useful} of {judged}", useful=useful, judged=judged)
        yield f"{name}, {say('useful')}", bar, f"{text}, {sure}{took}"
        held, resolved = one["held"], one["resolved"]
        bar, sure = _sure(held / max(resolved, 1), resolved, one["held_within"])
        text = say("{held} of {resolved}", held=held, resolved=resolved)
        yield f"{name}, {say('held')}", bar, f"{text}, {sure}"


def _sure(share: float, n: int, span: Mapping[str, float]) -> tuple[IntervalBar, str]:
    """Returns the bar of a share, and its interval in words."""
    low, high = span["low"], span["high"]
    if n < ENOUGH:
        return IntervalBar(share, low, high, ""), say(FEW)
    return IntervalBar(share, low, high, "cyan"), range_words(low, high)


def _tokens(one: Mapping[str, Any]) -> str:
    if one["tokens"] is None:
        return ""
    return f", {tokens_words(one['tokens'])}"


def _price(one: Mapping[str, Any]) -> str:
    if one["usd"] is None:
        return f", {say('price unknown')}"
    usd = dollars(one["usd"])
    return f", {say('{usd} each', usd=usd) if one['usd'] else usd}"


def _table(title: str, rows: Iterable[tuple[str, RenderableType, str]]) -> Group:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=_NAME)
    table.add_column(width=_WIDTH)
    table.add_column()
    for name, bar, text in rows:
        table.add_row(Text(one_line(name)), bar, Text(text))
    return Group(Text(title, "bold"), table)


def _standing(one: Mapping[str, Any], details: str = "") -> tuple[RenderableType, str]:
    bar, sure = _sure(one["right"] / one["n"], one["n"], one["held"])
    text = say("{right} of {n}", right=one["right"], n=one["n"])
    return bar, f"{text}, {sure}{details}"


def _details(one: Mapping[str, Any]) -> str:
    brier = ""
    if one["brier"] is not None:
        brier = f", Brier {one['brier']:.3f}"
    return f"{brier}, {say('moved {n}×', n=one['moved'])}"


def _warned(one: Mapping[str, Any]) -> tuple[str, RenderableType, str]:
    share = one["warned"] / one["failed"]
    doubted = ""
    if one["stood"]:
        doubted = f"; {doubted_words(one['doubted'], one['stood'])}"
    text = say("{warned} of {failed}", warned=one["warned"], failed=one["failed"])
    return role_words(one["role"]), Filled(share, share, "yellow"), f"{text}{doubted}"


def _model(one: Mapping[str, Any]) -> str:
    if one["rank"] is None:
        return str(one["model"])
    return f"{one['rank']}. {one['model']}"


def _seat(one: Mapping[str, Any]) -> str:
    return f"{role_words(one['role'])}, {one['model']}"


def comparison(outcomes: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Two debates side by side: a bar of each for every measure that is a share."""
    measures, drawn = [measured(o) for o in outcomes], [bars(o) for o in outcomes]
    for column, style in zip(measures, _COLOURS, strict=True):
        yield Text.assemble(("■ ", style), one_line(f"{column['id']} ({column['form']})"))
    yield Text("")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(width=_WIDTH)
    table.add_column(overflow="fold")
    for measure in MEASURES:
        for n, style in enumerate(_COLOURS):
            bar = drawn[n].get(measure)
            drawn_bar = Filled(bar.at, bar.high, style) if bar is not None else Text("")
            name = Text(say(measure) if n == 0 else "", "bold")
            table.add_row(name, drawn_bar, Text(one_line(measures[n][measure]), style))
    yield table
    if any(bar.high > bar.at for one in drawn for bar in one.values()):
        yield Text(say(LIGHTER), "dim")
