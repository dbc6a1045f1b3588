"""What is asked for: from a parsed start to the request that is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from adapters.commands.options import options_of
from adapters.commands.requests import Start
from adapters.material.library import storable
from adapters.processes.workers import Work
from bot.permissions.actions import Action
from bot.permissions.audience import Copy
from core.events import DebateRequest
from core.formats.plan import LEAST_OPENINGS, MORE_OPENINGS
from core.ports import Model
from core.template import Mode, Template

_FIELDS = frozenset(each.name for each in fields(DebateRequest))


def request_of(
    start: Start,
    *,
    asker: str,
    place: str,
    target: str = "",
    schedule: str = "",
    files: bool = False,
) -> DebateRequest:
    """What the core is asked for; options that it has no field for are its ``extras``. The one
    translation, for people and for schedules.

    ``target`` replaces the command's own, where a schedule chose one of many. ``files`` is for the
    shell that reads the material itself, at once.
    """
    known: dict[str, Any] = {}
    extras: dict[str, str] = {}
    for option in options_of(Start):
        value = getattr(start, option.field)
        if option.field in _FIELDS:
            known[option.field] = value
        elif option.of_debate and (text := option.write(value)):
            extras[option.name] = text
    return DebateRequest(
        template=start.template,
        target=target or start.target,
        asker=asker,
        place=place,
        text=start.text,
        schedule=schedule,
        extras=extras,
        files=files,
        **known,
    )


def request_again(copy: Copy, *, asker: str, files: bool = False) -> DebateRequest:
    """The request of a debate once more, where there is leave for it. ``files`` as it was, and
    never where it was not asked at a shell again. In another place it goes on from no debate.
    """
    first = copy.debate.request
    if copy.place != first.place:
        first = replace(first, after="", story="")
    return replace(
        first,
        asker=asker,
        place=copy.place,
        schedule="",
        owner="",
        told=False,
        again=copy.debate.id if copy.action is Action.RERUN else "",
        files=first.files and files,
    )


async def without_secrets(
    request: DebateRequest, work: Work, *, read: bool = False
) -> DebateRequest:
    """The request as it may be stored: what people paste is foreign text, up to whole files of it,
    so it is ``work``.

    Raises ``BadInput`` for a link that can't be read without its secret, unless it was ``read``,
    and as ``Work`` does.
    """
    texts = (request.text, *request.extras.values())
    target, (text, *extras) = await work(
        storable, request.target, texts, read or bool(request.text)
    )
    named = dict(zip(request.extras, extras, strict=True))
    return replace(request, target=target, text=text, extras=named)


def apply_options(request: DebateRequest, template: Template) -> Template:
    """The template under the request's overrides."""
    if request.consensus:
        template = replace(template, consensus=Mode(request.consensus))
    if request.threshold is not None:
        template = replace(template, consensus_threshold=request.threshold)
    return template


def openings_of(request: DebateRequest, voices: Sequence[Model]) -> int:
    """How many seats open a review: as asked, else more where models of several vendors do."""
    asked = request.extras.get("openings", "")
    if asked:
        return int(asked)
    return MORE_OPENINGS if len({m.family for m in voices}) > 1 else LEAST_OPENINGS


def refuters_of(request: DebateRequest) -> int:
    """How many refuters a lone finding meets, where that was asked for; else 0."""
    return int(request.extras.get("refuters", "") or 0)


def example_target(template: Template) -> str:
    """What a target of this template looks like."""
    if template.material == "pull_request":
        return "<PR link or FILE.diff>"
    if template.material == "question":
        return "<question>"
    return "<link, file or text>"
