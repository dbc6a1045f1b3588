"""The pages' templates, loaded once, with every value escaped where it is put in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from adapters.posts.words import plural
from adapters.room.outgoing import words
from adapters.room.outgoing.assets import asset
from adapters.room.outgoing.markup import html, inline
from adapters.room.outgoing.view import ON_TURN, POSITIONS, READ, STATES
from core.budget import dollars

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TOKEN = "\x00token\x00"  # noqa: S105 (a place in a page, no secret)
"""Stands in shared pieces of a page where each reader's own token is put in."""


@cache
def environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("adapters.room", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "markdown": html,
        "inline": inline,
        "option": words.option,
        "sentence": words.sentence,
        "person": words.person,
        "percent": words.percent,
        "dollars": dollars,
        "seconds": words.clock,
        "when": when,
        "tojson_plain": lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    }
    made.globals |= {
        "asset": asset,
        "count": plural,
        "cost_line": words.cost_line,
        "POSITIONS": POSITIONS,
        "ON_TURN": ON_TURN,
        "STATES": STATES,
        "READ": READ,
        "STATUS": words.STATUS,
        "DUTIES": words.DUTIES,
        "TOKEN": TOKEN,
    }
    return made


@cache
def template(name: str) -> Template:
    return environment().get_template(name)


def page(name: str, values: Mapping[str, Any]) -> str:
    """A whole page."""
    return template(name).render(values)


def piece(name: str, macro: str, *values: object) -> Markup:
    """One piece of a page."""
    made: Markup = getattr(template(name).module, macro)(*values)
    return made


def when(at: datetime | str | None) -> Markup:
    """A time that says its zone; the browser shows it in the reader's own."""
    moment = words.moment(at)
    if moment is None:
        return Markup("")
    shown = f"{moment.day} {moment:%b %Y, %H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(f"{moment:%Y-%m-%dT%H:%M:%SZ}", shown)
