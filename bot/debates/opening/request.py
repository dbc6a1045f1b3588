"""Turns a parsed start into the request that is stored."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from adapters.material.library import storable
from adapters.processes.workers import Work
from core.application.commands.actions import Action
from core.application.commands.options import options_of
from core.application.commands.parsing import REVIEW
from core.application.commands.pasted import pasted_diff
from core.application.commands.requests import Start
from core.application.permissions.audience import Copy
from core.debate.events import DebateRequest
from core.debate.template import Mode, Template

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
    """Builds the core's request; options without a field in it become its ``extras``.

    This is the one translation, for people and for schedules. ``target`` replaces the command's if
    a schedule chose one of many. ``files`` is True for the shell that reads the material itself, at
    once.
    """
    pasted = None if start.text else pasted_diff(start.target)
    words, diff = pasted or ("", "")
    if diff and (start.template == REVIEW or not words):
        start = replace(start, target=words, text=diff)
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


def request_again(copy: Copy, *, asker: str, files: bool) -> DebateRequest:
    """Returns the request of a debate for another run, given the ``Copy`` that permits it.

    ``files`` stays as it was, except that it is off if the new request does not come from a shell.
    In another place the new debate continues no earlier one.
    """
    first = copy.debate.request
    if copy.place != first.place:
        first = replace(first, after="", story="")
    again = ""
    if copy.action is Action.RERUN:
        again = copy.debate.id
    return replace(
        first,
        asker=asker,
        place=copy.place,
        schedule="",
        owner="",
        told=False,
        again=again,
        files=first.files and files,
        quoted=None,
    )


async def without_secrets(
    request: DebateRequest, work: Work, *, read: bool = False
) -> DebateRequest:
    """Returns the request without its secrets, as it may be stored.

    Pasted text is foreign text of any size, so ``work`` reads it in its own process. Raises
    ``BadInput`` for a link that can't be read without its secret, unless it was ``read`` already,
    and what ``Work`` raises.
    """
    texts = (request.text, *request.extras.values())
    target, (text, *extras) = await work(
        storable, request.target, texts, read or bool(request.text)
    )
    named = dict(zip(request.extras, extras, strict=True))
    return replace(request, target=target, text=text, extras=named)


def apply_options(request: DebateRequest, template: Template) -> Template:
    """Returns the template with the request's options applied."""
    if request.consensus:
        template = replace(template, consensus=Mode(request.consensus))
    if request.threshold is not None:
        template = replace(template, consensus_threshold=request.threshold)
    return template


def example_target(template: Template) -> str:
    """Returns an example of a target for this template."""
    if template.material == "pull_request":
        return "<PR link or FILE.diff>"
    if template.material == "question":
        return "<question>"
    return "<link, file or text>"
