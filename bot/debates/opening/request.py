"""What is asked for: from a parsed start to the request that is stored."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from adapters.commands.options import options_of
from adapters.commands.requests import Start
from adapters.material.library import storable_target
from adapters.redaction import clean
from core.events import DebateRequest
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


def without_secrets(request: DebateRequest, *, read: bool = False) -> DebateRequest:
    """The request as it may be stored: what people paste is foreign text.

    Raises ``BadInput`` for a link that can't be read without its secret, unless it was ``read``.
    """
    target = storable_target(request.target, read=read or bool(request.text))
    return replace(request, target=target, text=clean(request.text))


def apply_options(request: DebateRequest, template: Template) -> Template:
    """The template under the request's overrides."""
    if request.consensus:
        template = replace(template, consensus=Mode(request.consensus))
    if request.threshold is not None:
        template = replace(template, consensus_threshold=request.threshold)
    return template


def example_target(template: Template) -> str:
    """What a target of this template looks like."""
    if template.material == "pull_request":
        return "<PR link or FILE.diff>"
    if template.material == "question":
        return "<question>"
    return "<link, file or text>"
