"""Debates side by side: one row for each aspect of their outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.posts.compare import ShareBar, bars, measured
from adapters.room.outgoing.view import RelatedDebate
from core.languages import say
from core.words.views.documents import beside
from core.words.views.language.grammar import capital


def side_by_side(forks: Sequence[RelatedDebate]) -> list[tuple[str, list[str]]]:
    """Returns the name and cells of every row."""
    return beside.side_by_side([fork.document for fork in forks])


def shares(forks: Sequence[RelatedDebate]) -> list[tuple[str, list[tuple[str, ShareBar | None]]]]:
    """Returns the name and cells of every measure that can be drawn for at least one of them: the
    measure in words, and its bar if it has one.
    """
    measures = [measured(fork.document) for fork in forks]
    drawn = [bars(fork.document) for fork in forks]
    names = dict.fromkeys(name for each in drawn for name in each)
    return [
        (
            capital(say(name)),
            [(t[name], d.get(name)) for t, d in zip(measures, drawn, strict=True)],
        )
        for name in names
    ]
