"""Draws the cruxes of a verdict as a picture: on the left who holds each point and who disputes it,
the points in the middle, the verdict on the right.

It needs no script and stays readable at twelve nodes; points without room are listed below it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape

from core.debate.script import SeatId
from core.debate.state import Debate
from core.languages import say
from core.words.views.language.seats import holder
from core.words.views.verdict.cruxes import DISPUTED_BY, HELD_BY, CruxView, crux_views
from core.words.views.verdict.decision import decision

_MOST_NODES, _MOST_POINTS = 12, 5
_WIDTH, _SEAT, _POINT, _END = 760, 150, 300, 150
"""Units of the picture, and of a node in each of its three columns."""
_ROW, _LINE, _PAD = 62, 15, 10
_IN_POINT, _IN_END = 44, 21
"""Characters of a line in a node."""
_HELD, _DISPUTED = "#1a7f37", "#cf222e"


def crux_picture(debate: Debate) -> str:
    """Returns the picture, "" if the verdict turns on no single point."""
    if debate.concluded is None or not (views := crux_views(debate)[:_MOST_POINTS]):
        return ""
    sides = (seat for view in views for seat in (*view.seats, *view.against))
    seats = tuple(dict.fromkeys(sides))[: _MOST_NODES - 1 - len(views)]
    height = _ROW * max(len(seats), len(views)) + 2 * _PAD + _LINE
    text = " ".join(view.line for view in views)
    parts = "".join(_parts(debate, views, seats, height))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(text)}" '
        f'class="cruxes">{parts}</svg>'
    )


def _parts(
    debate: Debate, views: tuple[CruxView, ...], seats: tuple[SeatId, ...], height: int
) -> Iterator[str]:
    room = height - _LINE
    rows = {seat: _middle(n, len(seats), room) for n, seat in enumerate(seats)}
    left, right = (_WIDTH - _POINT) / 2 - 10, (_WIDTH + _POINT) / 2 - 10
    end = room / 2
    for n, view in enumerate(views):
        y = _middle(n, len(views), room)
        for seat in seats:
            if seat in view.seats:
                yield _edge(_SEAT, rows[seat], left, y, _HELD, dashed=False)
            elif seat in view.against:
                yield _edge(_SEAT, rows[seat], left, y, _DISPUTED, dashed=True)
        yield _edge(right, y, _WIDTH - _END, end, "currentColor", dashed=False)
        lines = textwrap.wrap(view.title, _IN_POINT, max_lines=2, placeholder="…")
        yield _node(left, y, _POINT, [*lines, *filter(None, (_ending(view.place),))])
    for seat, y in rows.items():
        yield _node(0, y, _SEAT, textwrap.wrap(holder(debate, seat), _IN_END)[:2])
    label = decision(debate).label
    yield _node(_WIDTH - _END, end, _END - 1, textwrap.wrap(label, _IN_END)[:3], bold=True)
    yield _legend(height)


def _ending(place: str) -> str:
    if len(place) <= _IN_POINT:
        return place
    return f"…{place[1 - _IN_POINT :]}"


def _middle(n: int, of: int, room: float) -> float:
    return room * (2 * n + 1) / (2 * of)


def _edge(x: float, y: float, to: float, down: float, colour: str, *, dashed: bool) -> str:
    half = (x + to) / 2
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<path d="M{x:g} {y:.1f}C{half:g} {y:.1f} {half:g} {down:.1f} {to:g} {down:.1f}" '
        f'fill="none" stroke="{colour}" stroke-width="1.5" opacity=".75"{dash}/>'
    )


def _node(x: float, y: float, width: float, lines: list[str], *, bold: bool = False) -> str:
    high = _LINE * max(1, len(lines)) + 2 * 7
    weight = ' font-weight="600"' if bold else ""
    texts = "".join(
        f'<text x="{x + 9:g}" y="{y - high / 2 + 7 + 11 + n * _LINE:.1f}" fill="currentColor" '
        f'font-size="12"{weight}>{escape(line)}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<rect x="{x + 0.5:g}" y="{y - high / 2:.1f}" width="{width - 1:g}" height="{high}" '
        f'rx="6" fill="none" stroke="currentColor" stroke-width="{2 if bold else 1}"/>{texts}'
    )


def _legend(height: int) -> str:
    y = height - 5
    return (
        f'<line x1="1" y1="{y - 4}" x2="26" y2="{y - 4}" stroke="{_HELD}" stroke-width="1.5"/>'
        f'<text x="32" y="{y}" fill="currentColor" font-size="11">{say(HELD_BY)}</text>'
        f'<line x1="90" y1="{y - 4}" x2="115" y2="{y - 4}" stroke="{_DISPUTED}" '
        f'stroke-width="1.5" stroke-dasharray="5 4"/>'
        f'<text x="121" y="{y}" fill="currentColor" font-size="11">{say(DISPUTED_BY)}</text>'
    )
