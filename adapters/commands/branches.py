"""Several branches of one debate at once: each as its own request for a fork."""

from __future__ import annotations

from dataclasses import replace

from adapters.commands.requests import ForkRequest
from core.errors import BadInput
from core.views.documents.beside import STRICT

MOST = 6
"""Branches side by side that a person can still read."""


def branches_of(asked: ForkRequest) -> tuple[ForkRequest, ...]:
    """One request for each branch; the request itself where it names none. Raises ``BadInput``."""
    if not asked.branch:
        return (asked,)
    if len(asked.branch) > MOST:
        raise BadInput(f"At most {MOST} branches at once; these are {len(asked.branch)}.")
    bare = replace(asked, branch=())
    made = tuple(_changed(bare, text) for text in asked.branch)
    if len(set(made)) < len(made):
        raise BadInput("Two branches are the same.")
    return made


def _changed(asked: ForkRequest, text: str) -> ForkRequest:
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "strict" if not rest:
            return replace(asked, assume="\n".join(filter(None, (asked.assume, STRICT))))
        case "without" if rest:
            return replace(asked, without=rest)
        case "models" | "model" if rest:
            names = tuple(name.strip() for name in rest.split(",") if name.strip())
            return replace(asked, models=names)
        case "assume" if rest:
            return replace(asked, assume="\n".join(filter(None, (asked.assume, rest))))
        case _:
            raise BadInput(
                f"{text[:40]!r} is no branch. Write: without SEAT, models a,b, assume TEXT, or "
                "strict."
            )
