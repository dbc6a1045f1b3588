"""Renders the ledger of a change for the seats."""

from __future__ import annotations

from collections.abc import Iterable

from core.debate.ledger import Demand, Fate
from core.debate.material.escaping import show_hidden

_SETTLED = 40
"""The most settled demands that a seat reads."""
_LONGEST = 300
"""The most characters of one demand."""
_FATES = {
    Fate.SAME: "untouched since",
    Fate.MOVED: "untouched since",
    Fate.CHANGED: "its lines changed: still there?",
    Fate.REPLACED: "its lines changed: still there?",
    Fate.GONE: "its lines are gone",
}


def render_demands(demands: Iterable[Demand]) -> str:
    """Renders one line for each demand: those to answer with their ids, then the settled ones, the
    latest first; it names what is not shown.
    """
    every = tuple(demands)
    settled = sorted((d for d in every if not d.listed), key=lambda d: -d.settled_in)
    lines = [f"{d.id} {_demanded(d)} ({_now(d)})" for d in every if d.listed]
    lines += [f"- {_demanded(d)} ({_outcome(d)})" for d in settled[:_SETTLED]]
    if left := len(settled[_SETTLED:]):
        lines.append(f"[{left} more that were settled before are not shown]")
    return "\n".join(lines)


def _demanded(demand: Demand) -> str:
    f = demand.finding
    place = f"{f.path}:{f.line}" if f.line else f.path
    text = f"{f.severity} {place} {f.title} | {f.trigger}"
    line = " ".join(show_hidden(text).split())
    if len(line) <= _LONGEST:
        return line
    return line[: _LONGEST - 1].rsplit(" ", 1)[0] + " [...]"


def _now(demand: Demand) -> str:
    return "people say it is not real" if demand.disputed else _FATES[demand.fate]


def _outcome(demand: Demand) -> str:
    """Describes what became of a settled demand."""
    by = f" by {demand.settled_by.value}" if demand.settled_by is not None else ""
    return f"{demand.state.value}{by} in review {demand.settled_in}"
