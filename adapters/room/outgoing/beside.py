"""Debates side by side: what each came to, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.posts.compare import Bar, bars, measured
from adapters.room.outgoing.view import Fork
from adapters.room.outgoing.words import option
from core.views.course.cost import price_words
from core.views.course.progress import STATUS
from core.views.verdict.decision import document_label

Document = Mapping[str, Any]


def _verdict(document: Document) -> str:
    if not document["ended_because"]:
        return STATUS[document["status"]]
    return document_label(document)


def _votes(document: Document) -> str:
    votes = document["votes"]["final"]
    return ", ".join(f"{n} {option(name)}" for name, n in votes.items() if n) or "none"


def _findings(document: Document) -> str:
    stand = [f for f in document["findings"] if f["state"] == "open"]
    return f"{len(stand)}, {sum(f['blocking'] for f in stand)} in the way"


ROWS: Mapping[str, Callable[[Document], str]] = {
    "Verdict": _verdict,
    "Seats' votes": _votes,
    "Findings that stand": _findings,
    "Changes of mind": lambda d: str(len(d["delta"])),
    "Cost": lambda d: price_words(d["cost"]),
}


def side_by_side(forks: Sequence[Fork]) -> list[tuple[str, list[str]]]:
    """Name and cells of every row."""
    return [(name, [of(fork.document) for fork in forks]) for name, of in ROWS.items()]


@dataclass(frozen=True, slots=True)
class Share:
    """A measure of one debate in words, and its bar where it has one."""

    told: str
    bar: Bar | None


def shares(forks: Sequence[Fork]) -> list[tuple[str, list[Share]]]:
    """Name and cells of every measure that can be drawn for at least one of them."""
    told = [measured(fork.document) for fork in forks]
    drawn = [bars(fork.document) for fork in forks]
    names = dict.fromkeys(name for each in drawn for name in each)
    return [
        (name.capitalize(), [Share(t[name], d.get(name)) for t, d in zip(told, drawn, strict=True)])
        for name in names
    ]
