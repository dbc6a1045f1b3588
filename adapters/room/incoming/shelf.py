"""The templates: their list, their pages, and a form that checks a person's own template and marks
its faults.
"""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from adapters.processes.workers import Work
from adapters.room.incoming.guard import NotFound
from adapters.room.outgoing.reply import render_page
from adapters.room.outgoing.shelf import cards
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes.reading import form_of
from adapters.templates.catalogue import FOLDER, broken_files, describe, find
from adapters.templates.marked import mark
from core.debate.errors import BadInput
from core.languages import say_error


class ShelfPages:
    """Pages of the templates; ``work`` reads texts that people bring."""

    def __init__(self, settings: RoomSettings, work: Work) -> None:
        self._templates, self._work = settings.templates, work

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        values = {
            "cards": cards(self._templates),
            "broken": broken_files(self._templates),
        }
        return render_page(request, visitor, "templates.html", values)

    async def one(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        try:
            template = find(request.match_info["name"], self._templates)
        except BadInput as error:
            raise NotFound(say_error(error)) from error
        file = FOLDER / f"{template.id}.toml"
        values = {
            "t": template,
            "about": describe(template, self._templates),
            "source": _source_of(file, self._templates.folder, template.id),
        }
        return render_page(request, visitor, "template.html", values, here="/templates")

    async def form(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        values = {"text": "", "marked": None}
        return render_page(request, visitor, "check.html", values, here="/templates")

    async def checked(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        text = (await form_of(request)).document()
        marked = await self._work(mark, text)
        values = {"text": text, "marked": marked}
        return render_page(request, visitor, "check.html", values, here="/templates")


def _source_of(file: Path, own: Path | None, id: str) -> str:
    """Returns a template's file as text; a person's own template comes before a shipped one of the
    same name.
    """
    mine = own / f"{id}.toml" if own is not None else file
    path = mine if mine.is_file() else file
    if path.is_file():
        return path.read_text("utf-8")
    return ""
