"""Debates side by side: what each came to, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adapters.room.outgoing.view import Fork
from adapters.room.outgoing.words import STATUS, cost_line, option, percent, sentence

Document = Mapping[str, Any]


def _verdict(document: Document) -> str:
    if not document["ended_because"]:
        return STATUS[document["status"]]
    verdict = document["verdict"]
    reached = "" if verdict["reached"] else " (not reached)"
    return f"{sentence(option(verdict['decision']))}{reached}"


def _votes(document: Document) -> str:
    votes = document["votes"]["final"]
    return ", ".join(f"{n} {option(name)}" for name, n in votes.items() if n) or "none"


def _findings(document: Document) -> str:
    stand = [f for f in document["findings"] if f["state"] == "open"]
    return f"{len(stand)}, {sum(f['blocking'] for f in stand)} in the way"


ROWS: Mapping[str, Callable[[Document], str]] = {
    "Verdict": _verdict,
    "Agreement": lambda d: percent(d["verdict"]["agreement"]),
    "Seats' votes": _votes,
    "Findings that stand": _findings,
    "Changes of mind": lambda d: str(len(d["delta"])),
    "Cost": lambda d: cost_line(d["cost"]),
}


def side_by_side(forks: Sequence[Fork]) -> list[tuple[str, list[str]]]:
    """Name and cells of every row."""
    return [(name, [of(fork.document) for fork in forks]) for name, of in ROWS.items()]
