"""The pages' templates, loaded once, with every value escaped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from adapters.room.outgoing import display
from adapters.room.outgoing.assets import asset
from adapters.room.outgoing.markup import escaped, html, inline
from adapters.room.outgoing.shelf import domain_words
from core.debate.formats.draft import heading
from core.debate.replies.tasks import TASKS
from core.debate.replies.wording import SAID_OF_IT
from core.debate.state import Debate
from core.languages import LANGUAGES, day, number, percent, say, speaking, spoken
from core.languages.stored import say_stored
from core.words.views.course.argued import OF_IT, VERBS
from core.words.views.course.cost import calls_words, price_words
from core.words.views.course.drawn import course, decided_by
from core.words.views.course.happenings import why_silent
from core.words.views.course.progress import STATUS, title_words
from core.words.views.documents import page as page_words
from core.words.views.language.grammar import amount, capital, dollars, plural
from core.words.views.language.people import person_name
from core.words.views.language.references import finding_title
from core.words.views.language.seats import role_words
from core.words.views.verdict.coverage import coverage_words
from core.words.views.verdict.findings import place_words
from core.words.views.verdict.labels import document_label

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TOKEN = "\x00token\x00"  # noqa: S105 (a place in a page, no secret)
"""The placeholder in shared pieces of a page for each reader's token."""


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
        "whole": escaped,
        "option": display.option,
        "role": role_words,
        "translated": say,
        "sentence": capital,
        "stored": say_stored,
        "person": person_name,
        "percent": percent,
        "amount": amount,
        "dollars": dollars,
        "seconds": display.clock,
        "when": when,
        "ago": ago,
        "tojson_plain": lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    }
    made.globals |= {
        "asset": asset,
        "course": course,
        "decided_by": decided_by,
        "count": plural,
        "finding_title": finding_title,
        "price_words": price_words,
        "calls_words": calls_words,
        "OF_IT": SpokenTable(OF_IT),
        "say": SpokenWords(page_words),
        "_": phrase,
        "number": number,
        "spoken": spoken,
        "VERBS": SpokenTable(VERBS),
        "POINTED": frozenset(name for name, task in TASKS.items() if task.pointed),
        "SAID_OF_IT": SpokenTable(SAID_OF_IT),
        "why_silent": why_silent,
        "STATUS": SpokenTable(STATUS),
        "title_words": title_words,
        "heading": heading,
        "LANGUAGES": LANGUAGES,
        "document_label": document_label,
        "domain_words": domain_words,
        "place_words": place_words,
        "coverage_words": coverage_words,
        "DUTIES": SpokenTable(display.DUTIES),
        "TOKEN": TOKEN,
    }
    return made


@cache
def template(name: str) -> Template:
    return environment().get_template(name)


def compile_pages() -> None:
    """Reads every page's template once: some tenths of a second that no visitor waits for."""
    for name in environment().list_templates():
        template(name)


def page(name: str, values: Mapping[str, Any]) -> str:
    """Returns a whole page."""
    return template(name).render(values)


def piece(name: str, macro: str, *values: object) -> Markup:
    """Returns one piece of a page; one of a debate is in the debate's language."""
    debate = getattr(values[0], "debate", None) if values else None
    with speaking(debate.language if isinstance(debate, Debate) else spoken()):
        made: Markup = getattr(template(name).module, macro)(*values)
    return made


def phrase(text: str, **fields: object) -> Markup:
    """Writes a text of a page in the current language; its fields are escaped."""
    return Markup(say(text)).format(**fields)  # noqa: S704 (our own text or its translation)


class SpokenWords:
    """The fixed texts of a module, each in the current language."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        value = getattr(self._module, name)
        return say(value) if isinstance(value, str) else value


class SpokenTable(Mapping[str, str]):
    """A table of fixed texts, each in the current language."""

    def __init__(self, table: Mapping[Any, str]) -> None:
        self._table = table

    def __getitem__(self, key: str) -> str:
        return say(self._table[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


def when(at: datetime | str | None) -> Markup:
    """Shows a time with its zone; the browser shows it in the reader's own."""
    moment = display.moment(at)
    if moment is None:
        return Markup("")
    rendered = f"{day(moment)}, {moment:%H:%M} UTC"
    return Markup('<time datetime="{}">{}</time>').format(f"{moment:%Y-%m-%dT%H:%M:%SZ}", rendered)


def ago(at: datetime, distance: str) -> Markup:
    """Shows a time by its distance; the exact one is its title, in the reader's own zone."""
    exact = f"{day(at)}, {at:%H:%M} UTC"
    return Markup('<time class="ago" datetime="{}" title="{}">{}</time>').format(
        f"{at:%Y-%m-%dT%H:%M:%SZ}", exact, distance
    )
