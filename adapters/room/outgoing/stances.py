"""How the seats' stances moved from round to round, as a picture and as the numbers behind it.

A lane is an option of the ballot, a column a round; a seat is a dot with its letters, joined to
where it was before. Seats that hold the same option in the same round stand under each other in the
order of the table, so that no dot hides another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.room.outgoing.words import SeatName, option

NONE = "none"
LEFT, RIGHT, TOP = 138, 24, 30
"""Units of the picture before the first column, after the last, and above the first lane."""
STEP, PAD, WIDTH = 24, 10, 640


@dataclass(frozen=True, slots=True)
class Dot:
    """A seat's stance after a round. ``curve`` leads here from the column before, if it stood
    there.
    """

    seat: SeatName
    x: float
    y: float
    curve: str
    told: str


@dataclass(frozen=True, slots=True)
class Lane:
    name: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn; ``rows`` are the numbers: a seat, then its stance after each round."""

    width: float
    height: float
    lanes: tuple[Lane, ...] = ()
    columns: tuple[tuple[float, str], ...] = ()
    dots: tuple[Dot, ...] = ()
    rows: tuple[tuple[SeatName, tuple[str, ...]], ...] = ()
    moved: int = field(default=0)


def chart(
    document: Mapping[str, Any], seats: Mapping[str, SeatName], ballot: Sequence[str]
) -> Chart | None:
    """The picture of a debate in which stances were taken; None where there were none."""
    voters = [s["seat"] for s in document["seats"] if s["duty"] == "debater"]
    held = stances(document, voters)
    if not held:
        return None
    titles = [title for title, _ in held]
    used = {after.get(seat, (NONE, None))[0] for _, after in held for seat in voters}
    lanes = _lanes(held, voters, [*ballot, *([NONE] if NONE in used else [])])
    width = max(WIDTH, LEFT + RIGHT + 90 * len(held))
    gap = (width - LEFT - RIGHT) / max(1, len(held))
    columns = tuple((LEFT + gap * (n + 0.5), title) for n, title in enumerate(titles))
    dots = _dots(held, voters, seats, {lane.name: lane for lane in lanes}, columns)
    height = TOP + sum(lane.height for lane in lanes)
    rows = tuple(
        (seats[seat], tuple(_told(after.get(seat)) for _, after in held)) for seat in voters
    )
    moved = len(document.get("delta", ()))
    return Chart(width, height, lanes, columns, dots, rows, moved)


Held = Mapping[str, tuple[str, float | None]]
"""Seat -> the option it holds and how sure it is."""


def stances(document: Mapping[str, Any], voters: Sequence[str]) -> list[tuple[str, Held]]:
    """Every round in which somebody took a stance, with what each seat holds after it."""
    held: dict[str, tuple[str, float | None]] = {}
    found: list[tuple[str, Held]] = []
    for number, at in enumerate(document["rounds"], 1):
        taken = {
            t["seat"]: (t["stance"], t["confidence"])
            for t in at["turns"]
            if t["stance"] and t["seat"] in voters
        }
        if taken:
            held |= taken
            found.append((f"Round {number}", dict(held)))
    return found


def _lanes(
    held: Sequence[tuple[str, Held]], voters: Sequence[str], options: Sequence[str]
) -> tuple[Lane, ...]:
    """A lane is as high as the most seats that ever stood in it need."""
    lanes: list[Lane] = []
    at = float(TOP)
    for name in options:
        most = max(
            (sum(after.get(s, (NONE, None))[0] == name for s in voters) for _, after in held),
            default=0,
        )
        height = PAD * 2 + STEP * max(1, most)
        lanes.append(Lane(name, at, height))
        at += height
    return tuple(lanes)


def _dots(
    held: Sequence[tuple[str, Held]],
    voters: Sequence[str],
    seats: Mapping[str, SeatName],
    lanes: Mapping[str, Lane],
    columns: Sequence[tuple[float, str]],
) -> tuple[Dot, ...]:
    dots: list[Dot] = []
    before: dict[str, tuple[float, float]] = {}
    for (title, after), (x, _) in zip(held, columns, strict=True):
        placed: dict[str, int] = {}
        for seat in voters:
            name = after.get(seat, (NONE, None))[0]
            if (lane := lanes.get(name)) is None:
                continue
            y = lane.y + PAD + STEP * (placed.get(name, 0) + 0.5)
            placed[name] = placed.get(name, 0) + 1
            told = f"{seats[seat].name}, {title.lower()}: {_told(after.get(seat))}"
            dots.append(Dot(seats[seat], x, y, _curve(before.get(seat), x, y), told))
            before[seat] = (x, y)
    return tuple(dots)


def _curve(start: tuple[float, float] | None, x: float, y: float) -> str:
    if start is None:
        return ""
    middle = (start[0] + x) / 2
    return f"M{start[0]:g} {start[1]:g}C{middle:g} {start[1]:g} {middle:g} {y:g} {x:g} {y:g}"


def _told(held: tuple[str, float | None] | None) -> str:
    if held is None or held[0] == NONE:
        return "no stance"
    sure = "" if held[1] is None else f", {held[1]:.0%} sure"
    return f"{option(held[0])}{sure}"
