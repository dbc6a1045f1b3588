"""How the seats' stances moved, as a picture that needs no script: a lane for each option, a column
for each round, a line for each seat.
"""

from __future__ import annotations

from html import escape

from adapters.posts.words import option_words, seat_name
from core.debate import Debate
from core.outcome.account import models_hidden
from core.script import SeatId

_LEFT, _TOP, _COLUMN = 130, 26, 110
_NAME = 15
"""Height of a seat's name."""
_COLOURS = ("#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#cf222e", "#57606a")


def picture(debate: Debate) -> str:
    """Empty where no seat took a stance, or where who spoke is still a secret."""
    if debate.opened is None or models_hidden(debate):
        return ""
    held = _held(debate)
    if not held:
        return ""
    options = [o.option for o in debate.open.template.ballot]
    rounds = sorted({number for path in held.values() for number, _ in path})
    width = _LEFT + _COLUMN * len(rounds) + 170
    lane = _NAME * (len(held) + 1)
    height = _TOP + lane * len(options) + 8
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="How stances moved">']
    for n, option in enumerate(options):
        y = _TOP + lane * n
        parts.append(f'<text x="0" y="{y + lane / 2 + 4:g}">{escape(option_words(option))}</text>')
        parts.append(f'<path d="M{_LEFT - 10} {y}H{width}" stroke="#8c959f" stroke-width=".5"/>')
    for n, number in enumerate(rounds):
        parts.append(f'<text x="{_LEFT + _COLUMN * n}" y="14">Round {number + 1}</text>')
    for n, (seat, path) in enumerate(held.items()):
        parts.append(_line(debate, n, seat, path, rounds, options, lane))
    return "".join([*parts, "</svg>"])


def _held(debate: Debate) -> dict[SeatId, list[tuple[int, str]]]:
    """For each seat the option it took in each round in which it took one."""
    known = {o.option for o in debate.open.template.ballot}
    held: dict[SeatId, list[tuple[int, str]]] = {}
    for turn, said in debate.statements(debate.voters):
        if said.stance is not None and said.stance.option in known:
            held.setdefault(turn.seat, []).append((turn.round, said.stance.option))
    return held


def _line(
    debate: Debate,
    number: int,
    seat: SeatId,
    path: list[tuple[int, str]],
    rounds: list[int],
    options: list[str],
    lane: int,
) -> str:
    """One seat's way: a dot for each stance, its name beside the last."""
    colour, top = _COLOURS[number % len(_COLOURS)], _TOP + _NAME * (number + 1)
    points = [
        (_LEFT + _COLUMN * rounds.index(at) + 6, top + lane * options.index(option))
        for at, option in path
    ]
    way = "L".join(f"{x:g} {y:g}" for x, y in points)
    dots = "".join(f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>' for x, y in points)
    x, y = points[-1]
    name = f'<text x="{x + 10:g}" y="{y + 4:g}">{escape(seat_name(debate, seat))}</text>'
    return f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}{name}'
