"""The form that starts a debate, made from the table of options, and the same field for a typed
command.

A price is shown before it is spent: a price above the limit comes back with the form, and only a
second press, which names it, starts the debate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from aiohttp import web

from adapters.forges.links import looks_like_link
from adapters.material.file import is_diff
from adapters.room.live import Live
from adapters.room.outgoing.fields import fields_of
from adapters.room.outgoing.reply import render_page, see_other
from adapters.room.outgoing.shelf import cards
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes.reading import FormEntries, form_of, query_of
from adapters.text.files import decode
from core.application.commands import (
    Leaderboard,
    Listing,
    Request,
    ScheduleAdd,
    ScheduleDo,
    Show,
    Start,
    Status,
    Templates,
    parse,
)
from core.application.commands.help import COMMAND
from core.application.commands.named import change_url
from core.application.commands.options import enter
from core.application.commands.parsing import PANEL, REVIEW, is_change, is_question, is_start
from core.application.commands.pasted import pasted_diff
from core.application.commands.requests.starting import DEBATE_OPTIONS
from core.application.commands.stored import with_consent
from core.application.debates import Debates
from core.application.desk import Desk, DeskAnswer
from core.application.offers import without_words
from core.debate.errors import BadInput
from core.languages import msgid, say

_TEXT = 3
"""Typed words of at least this many lines are a text and no question."""
_LARGE = 20_000
"""Characters of an attached text whose page is made in a thread."""
_PAGES: Mapping[type, str] = {
    Listing: "/",
    Status: "/?status=running",
    Templates: "/templates",
    Leaderboard: "/leaderboard",
}
"""Commands that a page answers better than a sentence."""


class TakenFor(StrEnum):
    """The kind of input that a text was recognised as; ``UNCLEAR`` is too little to begin anything
    with.
    """

    CHANGE = msgid("a change of code")
    LINK = msgid("a link")
    COMMAND = msgid("a command")
    TEXT = msgid("a text")
    QUESTION = msgid("a question")
    UNCLEAR = ""

    @property
    def template(self) -> str:
        """The template that fits it; "" if none does."""
        if self in (TakenFor.CHANGE, TakenFor.LINK):
            return REVIEW
        return PANEL if self in (TakenFor.TEXT, TakenFor.QUESTION) else ""


def taken_words(what: TakenFor, template: str) -> str:
    """Describes the kind: "Taken for a change of code: Code Review." """
    if what is TakenFor.UNCLEAR:
        return say("Too short for a question: give a few more words, a link, a diff or a file.")
    if what is TakenFor.COMMAND:
        return say("Taken for {what}.", what=say(what))
    return say("Taken for {what}: {template}.", what=say(what), template=template)


@dataclass(frozen=True, slots=True)
class Entered:
    """The entries of the form. ``attached`` is the text of a file and ``name`` the file's name."""

    target: str = ""
    template: str = ""
    attached: str = ""
    name: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class StartPages:
    def __init__(self, settings: RoomSettings, desk: Desk, debates: Debates, live: Live) -> None:
        self._settings, self._desk, self._debates, self._live = settings, desk, debates, live

    async def empty(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        query = query_of(request)
        entered = Entered(query.get("target", ""), query.get("template", ""))
        example = self._settings.example
        if query.get("example") == "1" and example is not None:
            text = await asyncio.to_thread(example.read_text, "utf-8")
            entered = Entered(attached=text, name=example.name)
        return await self._form(request, visitor, entered)

    async def sent(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        form = await form_of(request)
        entered = Entered()
        try:
            entered = _entered(form)
            if form.text("do") == "look":
                words = self._taken_words(entered)
                return web.json_response({"text": words})
            wanted = await asyncio.to_thread(self._wanted, entered)
        except BadInput as wrong:
            return await self._form(request, visitor, entered, wrong=wrong)
        what = await asyncio.to_thread(repr, wanted) if entered.attached else repr(wanted)
        caller = visitor.sends(form, what)
        if form.text("do") == "price":
            price = await self._desk.price(wanted, caller) or say("Free: no call can cost money.")
            return await self._form(request, visitor, entered, price=price)
        if form.text("do") == "agree" and isinstance(wanted, Start):
            wanted = with_consent(wanted)
        answer = await self._desk.take(wanted, caller)
        if answer.priced is not None:
            return await self._form(request, visitor, entered, price=answer.text, asks=True)
        if not answer.ok:
            return await self._form(
                request, visitor, entered, wrong=BadInput(without_words(answer).text)
            )
        if answer.debate:
            self._live.opened(answer.debate)
        return self._done(visitor, wanted, answer)

    def _wanted(self, entered: Entered) -> Request:
        """Raises ``BadInput``, for a field ``WrongOption``."""
        known = self._desk.template_names()
        if entered.target.startswith(COMMAND):
            line = entered.target.removeprefix(COMMAND).strip()
            return self._typed(line, known, entered.attached)
        if not (entered.target or entered.attached):
            raise BadInput(say("What is to be debated? Give a link, a text or a file."))
        taken = take(entered.target, entered.attached, entered.name)
        named = not (entered.template or entered.attached) and is_start(entered.target, known)
        pasted = taken is TakenFor.CHANGE and not entered.attached
        if pasted or (named and taken is not TakenFor.TEXT):
            wanted = self._typed(entered.target, known)
            if isinstance(wanted, Start):
                chosen = entered.template or wanted.template
                return enter(replace(wanted, template=chosen), entered.values)
            return wanted
        template = entered.template or taken.template
        if not template:
            raise BadInput(taken_words(taken, ""))
        if template not in known:
            raise BadInput(say("There is no template {name}.", name=repr(template[:40])))
        start = Start(template, entered.target, text=entered.attached)
        return enter(start, entered.values)

    def _typed(self, line: str, known: Sequence[str], attached: str = "") -> Request:
        """Returns the request of a typed line. Raises ``BadInput`` with the nearest right form."""
        wanted = parse(line, templates=known, prefix=COMMAND, attached=bool(attached))
        if isinstance(wanted, Start) and attached:
            return replace(wanted, text=attached)
        return wanted

    def _done(self, visitor: Visitor, wanted: Request, answer: DeskAnswer) -> web.Response:
        """Returns the page that follows an answer: the debate's page, the page of a command, or
        this page with a sentence.
        """
        if isinstance(wanted, Show) or (answer.debate and not answer.files):
            return see_other(f"/d/{answer.debate}", visitor)
        if isinstance(wanted, ScheduleAdd | ScheduleDo):
            return see_other("/schedules", visitor, answer)
        page = _PAGES.get(type(wanted), "")
        note = None if page else answer
        return see_other(page or "/new", visitor, note)

    def _taken_words(self, entered: Entered) -> str:
        """Returns a sentence about how the field was understood; empty while the field is."""
        if not (entered.target.strip() or entered.attached):
            return ""
        taken = take(entered.target, entered.attached, entered.name)
        id = entered.template or taken.template
        name = next((say(t.name) for t in self._desk.templates() if t.id == id), id)
        if taken is TakenFor.UNCLEAR and entered.template:
            return ""
        return taken_words(taken, name)

    async def _form(
        self,
        request: web.Request,
        visitor: Visitor,
        entered: Entered,
        *,
        wrong: BadInput | None = None,
        price: str = "",
        asks: bool = False,
    ) -> web.Response:
        values: dict[str, Any] = {
            "entered": entered,
            "cards": cards(self._settings.templates),
            "taken": self._taken_words(entered),
            "example": self._settings.example is not None,
            "fields": fields_of(DEBATE_OPTIONS, entered.values, wrong),
            "models": await self._debates.models(),
            "price": price,
            "asks": asks,
        }
        if len(entered.attached) <= _LARGE:
            return render_page(request, visitor, "new.html", values, wrong=wrong)
        return await asyncio.to_thread(
            render_page, request, visitor, "new.html", values, wrong=wrong
        )


def _entered(form: FormEntries) -> Entered:
    """Reads the entries of the form. Raises ``BadInput`` for a file that is no text."""
    attached, name = form.material("attached"), form.text("attached_name")
    file = form.file("file")
    if file is not None:
        attached, name = decode(file.name[:80], file.data), file.name
    values = {each.field: form.text(each.field) for each in DEBATE_OPTIONS}
    return Entered(form.material("target"), form.text("template"), attached, name, values)


def take(target: str, attached: str = "", name: str = "") -> TakenFor:
    """Tells apart what a person pasted or typed into the field, or attached, by the shell's
    rules.
    """
    typed = target.strip()
    if typed.startswith(COMMAND):
        return TakenFor.COMMAND
    if attached:
        return TakenFor.CHANGE if is_diff(name, attached.encode()) else TakenFor.TEXT
    if pasted_diff(target):
        return TakenFor.CHANGE
    first = next(iter(typed.split()), "")
    named = typed if change_url(first) else first  # with words after it owner/name#7 is in a text
    if looks_like_link(typed) or is_change(named):
        return TakenFor.LINK
    if not is_question(typed):
        return TakenFor.UNCLEAR
    return TakenFor.TEXT if len(typed.splitlines()) > _TEXT else TakenFor.QUESTION
