"""Debates side by side: one row for each aspect of their outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.posts.compare import Bar, bars, measured
from adapters.room.outgoing.view import Fork
from core.views.documents import beside


def side_by_side(forks: Sequence[Fork]) -> list[tuple[str, list[str]]]:
    """Name and cells of every row."""
    return beside.side_by_side([fork.document for fork in forks])


@dataclass(frozen=True, slots=True)
class Share:
    """A measure of one debate in words, and its bar where it has one."""

    text: str
    bar: Bar | None


def shares(forks: Sequence[Fork]) -> list[tuple[str, list[Share]]]:
    """Name and cells of every measure that can be drawn for at least one of them."""
    measures = [measured(fork.document) for fork in forks]
    drawn = [bars(fork.document) for fork in forks]
    names = dict.fromkeys(name for each in drawn for name in each)
    return [
        (
            name.capitalize(),
            [Share(t[name], d.get(name)) for t, d in zip(measures, drawn, strict=True)],
        )
        for name in names
    ]
