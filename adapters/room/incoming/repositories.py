"""The repositories that channels follow: their bindings are listed, changed, added and removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web

from adapters.room.outgoing.fields import FormField, fields_of
from adapters.room.outgoing.reply import render_page, see_other
from adapters.room.visitors import Visitor
from adapters.routes.reading import form_of
from core.application.commands import Setup
from core.application.commands.named import place_name, repository_name
from core.application.commands.options import enter, options_of, written
from core.application.desk import Desk, DeskAnswer
from core.application.place import FORGES
from core.debate.errors import BadInput
from core.languages import say, say_error
from core.words.views.documents.forge import BIND, CREATE_APP, INSTALL_APP

HERE = "/repositories"
OPTIONS = tuple(each for each in options_of(Setup) if each.field != "app")
"""The options that the form asks for; making the App has a button instead."""
_STEP = re.compile(r"\d+\. (?P<step>.*)")
_APP_LINK = re.compile(
    r"(?P<said>.*): (?P<address>https?://[^/\s]+(?P<path>(?:/\S*)?(?:/installations|/github/app)/new\?\S+))"
)
"""A line of the desk's answer that ends in the address at which the App is made or installed."""


@dataclass(frozen=True, slots=True)
class BindingForm:
    """One binding as a form; without ``repository`` that of a new one. ``number`` tells the forms
    of a page apart.
    """

    number: int
    forge: str
    repository: str
    fields: list[FormField]
    open: bool = False


class RepositoryPages:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return await self._shown(request, visitor)

    async def sent(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Takes a form of the page to the desk: it changes or ends the binding."""
        form = await form_of(request)
        entered = {each.field: form.text(each.field) for each in OPTIONS}
        entered |= {name: form.text(name) for name in ("repository", "forge", "number")}
        try:
            wanted = _wanted(entered)
        except BadInput as wrong:
            return await self._shown(request, visitor, entered, wrong)
        if form.text("do") == "off":
            wanted = replace(wanted, off=True)
        answer = await self._desk.take(wanted, visitor.sends(form, repr(wanted)))
        if not answer.ok:
            return await self._shown(request, visitor, entered, BadInput(answer.text))
        return see_other(HERE, visitor, answer)

    async def _shown(
        self,
        request: web.Request,
        visitor: Visitor,
        entered: Mapping[str, str] | None = None,
        wrong: BadInput | None = None,
    ) -> web.Response:
        answer = await self._desk.take(Setup(), visitor.caller())
        values: dict[str, Any] = {
            "lines": _lines(answer.text),
            "forms": [
                _form(number, setup, entered, wrong) for number, setup in enumerate(answer.changes)
            ],
            "forges": FORGES,
        }
        notice = None
        if wrong is not None:  # also at the top, because its form may be gone
            notice = DeskAnswer(say_error(wrong), ok=False)
        return render_page(
            request, visitor, "repositories.html", values, wrong=wrong, notice=notice
        )


@dataclass(slots=True)
class RepositoryLine:
    """A line of the desk's answer, the steps below it, and its button with label and address."""

    text: str
    label: str = ""
    address: str = ""
    steps: list[str] = field(default_factory=list)


def _lines(text: str) -> list[RepositoryLine]:
    """Returns the lines of the desk's answer, without the line about the command's form."""
    lines: list[RepositoryLine] = []
    for line in text.split("\n"):
        if (step := _STEP.fullmatch(line)) and lines:
            lines[-1].steps.append(step["step"])
        elif not line.startswith(say(BIND)):
            lines.append(_with_button(line))
    return lines


def _with_button(line: str) -> RepositoryLine:
    link = _APP_LINK.fullmatch(line)
    if link is None:
        return RepositoryLine(line)
    label = say(CREATE_APP) if link["path"].startswith("/github/app/new") else say(INSTALL_APP)
    return RepositoryLine(f"{link['said']}.", label, link["address"])


def _wanted(entered: Mapping[str, str]) -> Setup:
    """Raises ``BadInput``, for a field ``WrongOption``."""
    forge = entered["forge"]
    if forge not in FORGES:
        raise BadInput(say("This form belongs to an older page: load it again."))
    if not entered["repository"] or not entered["channel"]:
        raise BadInput(say("Name a repository, OWNER/REPO, and the channel, slack:CHANNEL."))
    place_name(entered["channel"])
    name = repository_name(entered["repository"], forge)
    return enter(Setup(name, forge=forge), {each.field: entered[each.field] for each in OPTIONS})


def _form(
    number: int, setup: Setup, entered: Mapping[str, str] | None, wrong: BadInput | None
) -> BindingForm:
    """Returns the form of a binding with its present values, or with a visitor's wrong entries and
    what is wrong with them.
    """
    if entered is None or entered["number"] != f"{number}":
        return BindingForm(
            number, setup.forge, setup.repository, fields_of(OPTIONS, written(setup), None)
        )
    fields = fields_of(OPTIONS, entered, wrong)
    return BindingForm(number, entered["forge"], entered["repository"], fields, open=True)
