"""What could not open: whoever asked is told alone, with the next step. Nothing of it is shown in
the place where it was asked for.
"""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from adapters.posts.brevity import shortened
from adapters.posts.words import option_words
from adapters.text.foreign import literal
from core.debate import Debate
from core.material.since import UNCHANGED

_REASON, _TARGET = 600, 120
_COMMAND = "/debate"


def unopened(debate: Debate, reason: str) -> tuple[Post, ...]:
    """The line to whoever asked, or to the owner of what asked by itself (a schedule, a channel
    that follows a repository); none to an owner where nothing was new, and where they know that
    it fails.
    """
    request = debate.request
    alone = bool(request.schedule or request.owner)
    if alone and (request.told or reason.endswith(UNCHANGED)):
        return ()
    text = _of_schedule(debate, reason) if request.schedule else _of_person(debate, reason)
    post = Post(
        key=f"{debate.id}:refused",
        debate=debate.id,
        shape=Shape.NOTICE,
        body=text,
        to=request.owner or request.asker,
        direct=alone,
    )
    return (post,)


def schedule_failed(schedule: str, template: str, target: str, reason: str) -> str:
    """What the owner of a schedule reads, once, when its runs begin to fail."""
    return (
        f"Schedule `{schedule}` ({literal(template)} on {_shown(target)}) could not "
        f"debate: {_sentence(reason)} Nothing was posted. It tries again at its next time, and you "
        f"hear of it again only after it has worked. Now: `{_COMMAND} schedule run {schedule}`; no "
        f"more: `{_COMMAND} schedule remove {schedule}`."
    )


def _of_schedule(debate: Debate, reason: str) -> str:
    request = debate.request
    return schedule_failed(request.schedule, request.template, request.target, reason)


def _of_person(debate: Debate, reason: str) -> str:
    request = debate.request
    asked = f"{literal(option_words(request.template))} on {_shown(request.target)}"
    return (
        f"Debate `{debate.id}` ({asked}) could not start, and nobody else is told. "
        f"{_sentence(reason)} When that is mended, ask again with `{_COMMAND}`."
    )


def _shown(target: str) -> str:
    return literal(shortened(target, _TARGET)) or "the attached text"


def _sentence(reason: str) -> str:
    told = shortened(reason, _REASON)
    return literal(told if told.endswith((".", "!", "?", "…")) else f"{told}.")
