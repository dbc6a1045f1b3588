"""Several branches of one debate at once: each as its own request for a fork."""

from __future__ import annotations

from dataclasses import replace

from core.application.commands.requests import ForkRequest
from core.debate.errors import BadInput
from core.words.views.verdict.decision import STRICT

MOST = 6
"""Branches side by side that a person can still read."""


def branches_of(request: ForkRequest) -> tuple[ForkRequest, ...]:
    """Returns one request for each branch; the request itself if it names none. Raises
    ``BadInput``.
    """
    if not request.branch:
        return (request,)
    if len(request.branch) > MOST:
        raise BadInput(
            "At most {most} branches at once; these are {count}.",
            most=MOST,
            count=len(request.branch),
        )
    bare = replace(request, branch=())
    made = tuple(_changed(bare, text) for text in request.branch)
    if len(set(made)) < len(made):
        raise BadInput("Two branches are the same.")
    return made


def _changed(request: ForkRequest, text: str) -> ForkRequest:
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    match word.lower():
        case "strict" if not rest:
            return replace(request, assume="\n".join(filter(None, (request.assume, STRICT))))
        case "without" if rest:
            return replace(request, without=rest)
        case "models" | "model" if rest:
            names = tuple(name.strip() for name in rest.split(",") if name.strip())
            return replace(request, models=names)
        case "assume" if rest:
            return replace(request, assume="\n".join(filter(None, (request.assume, rest))))
        case _:
            raise BadInput(
                "{text} is no branch. Write: without SEAT, models a,b, assume TEXT, or strict.",
                text=repr(text[:40]),
            )
