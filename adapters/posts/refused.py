"""A debate that could not open: only its asker gets a message, with the next step. The place of the
request sees nothing.
"""

from __future__ import annotations

from adapters.ports.chat import Post, Shape
from adapters.text.foreign import literal
from core.application.commands.help import COMMAND
from core.debate.material.since import UNCHANGED
from core.debate.state import Debate
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.course.happenings import (
    paused_schedule,
    person_sentences,
    schedule_sentences,
)
from core.words.views.language.grammar import option_words, shortened

_REASON, _TARGET = 600, 120


def unopened(debate: Debate, reason: str) -> tuple[Post, ...]:
    """Returns the line to the asker, or to the owner of a schedule or of a channel that follows a
    repository.

    An owner gets no line if nothing was new, or if they know already that the runs fail.
    """
    request = debate.request
    alone = bool(request.schedule or request.owner)
    if alone and (request.told or reason.endswith(UNCHANGED)):
        return ()
    if request.schedule:
        text = schedule_failed(request.schedule, request.template, request.target, reason)
    else:
        what = _what(option_words(request.template), request.target)
        text = person_sentences(COMMAND, debate.id, what, _sentence(reason))
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
    """Returns the post to a schedule's owner, sent once when its runs begin to fail."""
    return schedule_sentences(COMMAND, schedule, _what(template, target), _sentence(reason))


def schedule_paused(schedule: str, template: str, target: str, reason: str) -> str:
    """Returns the post to a schedule's owner, sent when it is paused because it can't work."""
    return paused_schedule(COMMAND, schedule, _what(template, target), _sentence(reason))


def _what(template: str, target: str) -> str:
    about = literal(shortened(target, _TARGET)) or say("the attached text")
    return say("{what} on {target}", what=literal(template), target=about)


def _sentence(reason: str) -> str:
    sentence = shortened(say_stored(reason), _REASON)
    if not sentence.endswith((".", "!", "?", "…")):
        sentence += "."
    return literal(sentence)
