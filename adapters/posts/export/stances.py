"""Shows how the seats' stances moved from round to round, as a picture that needs no script and as
the numbers behind it.

A lane is an option of the ballot, a column a round; a seat is a dot with its letters, joined to its
place before. Seats that hold the same option in the same round are below each other in the order of
the seats, so that no dot hides another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from core.debate.script import SeatId
from core.debate.state import Debate
from core.debate.verdict.votes import NONE, find_option
from core.languages import say
from core.words.views.language.grammar import stance_name, uncapital
from core.words.views.language.seats import SeatName, models_hidden, seat_names
from core.words.views.verdict.stances import Standing, stance_words, stances_by_round

LEFT, RIGHT, TOP = 138, 24, 30
"""Units of the picture before the first column, after the last, and above the first lane."""
STEP, PAD, WIDTH = 24, 10, 640
_LEGEND = 18
"""Height of a line of the legend."""
_COLOURS = ("#1d5bb8", "#a8440b", "#14713f", "#8a2f8f", "#7d5000", "#0b7285", "#b3261e", "#51457c")
"""The seats' colours in the room."""

Rounds = Sequence[tuple[str, Mapping[SeatId, Standing]]]


@dataclass(frozen=True, slots=True)
class Dot:
    """A seat's stance after a round. ``curve`` leads here from the column before, if the seat had a
    stance there.
    """

    seat: SeatName
    x: float
    y: float
    curve: str
    title: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A horizontal strip for one option; ``label`` is the option in words."""

    option: str
    label: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart's lanes and dots; ``rows`` are its numbers: a seat, then its stance after each
    round.
    """

    width: float
    height: float
    lanes: tuple[Lane, ...]
    columns: tuple[tuple[float, str], ...]
    dots: tuple[Dot, ...]
    rows: tuple[tuple[SeatName, tuple[str, ...]], ...]


def chart(debate: Debate, seats: Mapping[str, SeatName]) -> Chart | None:
    """Returns the picture of a debate in which stances were taken; None if there were none."""
    rounds, voters = stances_by_round(debate), debate.voters
    if not rounds:
        return None
    ballot = debate.open.template.ballot
    placed = [
        (title, {seat: _lane_of(debate, after.get(seat)) for seat in voters})
        for title, after in rounds
    ]
    used = {option for _, options in placed for option in options.values()}
    lanes = _lanes(placed, [*(o.option for o in ballot), *({NONE} & used)])
    width = max(WIDTH, LEFT + RIGHT + 90 * len(rounds))
    gap = (width - LEFT - RIGHT) / len(rounds)
    columns = tuple((LEFT + gap * (n + 0.5), title) for n, (title, _) in enumerate(rounds))
    return Chart(
        width,
        TOP + sum(lane.height for lane in lanes),
        lanes,
        columns,
        tuple(_dots(rounds, placed, seats, {lane.option: lane for lane in lanes}, columns)),
        tuple(
            (seats[seat], tuple(stance_words(after.get(seat)) for _, after in rounds))
            for seat in voters
        ),
    )


def _lane_of(debate: Debate, standing: Standing | None) -> str:
    if standing is None:
        return NONE
    return find_option(standing[0], debate.open.template.ballot) or NONE


Placed = Sequence[tuple[str, Mapping[SeatId, str]]]
"""One entry a round: its title, and each voter's lane after it."""


def _lanes(placed: Placed, options: Sequence[str]) -> tuple[Lane, ...]:
    """Lanes in order; each is high enough for the most seats that are ever in it."""
    lanes: list[Lane] = []
    at = float(TOP)
    for option in options:
        most = max(list(lane_of.values()).count(option) for _, lane_of in placed)
        height = PAD * 2 + STEP * max(1, most)
        lanes.append(Lane(option, stance_name(option), at, height))
        at += height
    return tuple(lanes)


def _dots(
    rounds: Rounds,
    placed: Placed,
    seats: Mapping[str, SeatName],
    lanes: Mapping[str, Lane],
    columns: Sequence[tuple[float, str]],
) -> Sequence[Dot]:
    dots: list[Dot] = []
    before: dict[str, tuple[float, float]] = {}
    for (title, after), (_, lane_of), (x, _) in zip(rounds, placed, columns, strict=True):
        taken: dict[str, int] = {}
        for seat, option in lane_of.items():
            lane = lanes[option]
            y = lane.y + PAD + STEP * (taken.get(option, 0) + 0.5)
            taken[option] = taken.get(option, 0) + 1
            text = f"{seats[seat].name}, {uncapital(title)}: {stance_words(after.get(seat))}"
            dots.append(Dot(seats[seat], x, y, _curve(before.get(seat), x, y), text))
            before[seat] = (x, y)
    return dots


def _curve(start: tuple[float, float] | None, x: float, y: float) -> str:
    if start is None:
        return ""
    middle = (start[0] + x) / 2
    return f"M{start[0]:g} {start[1]:g}C{middle:g} {start[1]:g} {middle:g} {y:g} {x:g} {y:g}"


def picture(debate: Debate) -> str:
    """Returns the chart as a self-contained drawing with a legend; empty if no seat took a stance,
    or the speakers are still secret.
    """
    if debate.opened is None or models_hidden(debate):
        return ""
    drawn = chart(debate, seat_names(debate))
    return "" if drawn is None else _svg(drawn)


def _svg(drawn: Chart) -> str:
    height = drawn.height + 8 + _LEGEND * len(drawn.rows)
    label = say("How stances moved")
    box = f'viewBox="0 0 {drawn.width:g} {height:g}" role="img" aria-label="{label}"'
    parts = [f'<svg {box} font-size="12" fill="currentColor">']
    for lane in drawn.lanes:
        middle = lane.y + lane.height / 2 + 4
        parts.append(f'<text x="0" y="{middle:g}">{escape(lane.label)}</text>')
        parts.append(f'<path d="M0 {lane.y:g}H{drawn.width:g}" stroke="#8c959f"/>')
    for x, title in drawn.columns:
        parts.append(f'<text x="{x:g}" y="18" text-anchor="middle">{title}</text>')
    parts += [
        f'<path d="{dot.curve}" fill="none" stroke="{_colour(dot.seat)}"/>'
        for dot in drawn.dots
        if dot.curve
    ]
    parts += [_mark(dot.seat, dot.x, dot.y, dot.title) for dot in drawn.dots]
    for n, (seat, _) in enumerate(drawn.rows):
        y = drawn.height + 16 + _LEGEND * n
        parts.append(_mark(seat, 11, y, seat.name))
        parts.append(f'<text x="28" y="{y + 4:g}">{escape(seat.name)}</text>')
    return "".join([*parts, "</svg>"])


def _mark(seat: SeatName, x: float, y: float, text: str) -> str:
    """Draws a dot with a seat's letters; the pointer shows its ``title``."""
    return (
        f'<g><title>{escape(text)}</title><circle cx="{x:g}" cy="{y:g}" r="9" '
        f'fill="{_colour(seat)}"/><text x="{x:g}" y="{y + 3:g}" text-anchor="middle" '
        f'style="fill:#fff;font-size:9px">{escape(seat.short)}</text></g>'
    )


def _colour(seat: SeatName) -> str:
    return _COLOURS[seat.colour % len(_COLOURS)]
