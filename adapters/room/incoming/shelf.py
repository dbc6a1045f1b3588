"""The templates: read, tried, and one's own checked with its faults marked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from adapters.room.incoming.forms import text_of
from adapters.room.incoming.guard import NotFound
from adapters.room.incoming.visitors import Visitor
from adapters.room.outgoing.reply import notice_of, shown, told
from adapters.room.outgoing.shelf import card, cards
from adapters.room.settings import RoomSettings
from adapters.templates.catalogue import FOLDER, describe, find, read_catalogue
from adapters.templates.loading import LARGEST, check
from adapters.templates.validation import Problem
from core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem, and the line on which its field stands; 0 where that can't be said."""

    line: int
    field: str
    wrong: str
    right: str


class ShelfPages:
    def __init__(self, settings: RoomSettings) -> None:
        self._folder = settings.templates_dir

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        values = {
            "cards": cards(self._folder),
            "broken": read_catalogue(self._folder).broken,
            "notice": notice_of(request, visitor),
        }
        return told(shown("templates.html", visitor, "/templates", values), values)

    async def one(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        try:
            template = find(request.match_info["name"], self._folder)
        except BadInput as error:
            raise NotFound(str(error)) from error
        file = FOLDER / f"{template.id}.toml"
        values = {
            "t": template,
            "card": card(template),
            "about": describe(template),
            "source": _source_of(file, self._folder, template.id),
        }
        return shown("template.html", visitor, "/templates", values)

    async def form(self, _request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return shown("check.html", visitor, "/templates", {"checked": False, "text": ""})

    async def checked(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        form = await request.post()
        text, file = text_of(form, "text"), form.get("file")
        if isinstance(file, web.FileField) and file.filename:
            text = file.file.read(LARGEST + 1).decode("utf-8", "replace")
        found = check(text)
        errors = [fault(text, problem) for problem in found.errors]
        warnings = [fault(text, problem) for problem in found.warnings]
        marked = {f.line: f"{f.wrong}; {f.right}" for f in (*warnings, *errors) if f.line}
        values: dict[str, Any] = {
            "checked": True,
            "text": text,
            "errors": errors,
            "warnings": warnings,
            "lines": [
                (number, line, marked.get(number, ""))
                for number, line in enumerate(text.splitlines(), 1)
            ],
        }
        return shown("check.html", visitor, "/templates", values)


def _source_of(file: Path, own: Path | None, id: str) -> str:
    """A template's file as it is, one of your own first."""
    mine = own / f"{id}.toml" if own is not None else file
    path = mine if mine.is_file() else file
    if path.is_file():
        return path.read_text("utf-8")
    return ""


_ROW = re.compile(r"(?P<table>\w+)\[(?P<row>\d+)\](?:\.(?P<key>\w+))?")
_AT = re.compile(r"\(at line (\d+)")


def fault(text: str, problem: Problem) -> Fault:
    """A problem with its line: a parser's own, else where the field is written."""
    said = _AT.search(problem.wrong) or _AT.search(problem.right)
    line = int(said[1]) if said else _line_of(text.splitlines(), problem.field)
    return Fault(line, problem.field, problem.wrong, problem.right)


def _line_of(lines: list[str], field: str) -> int:
    """The line of ``roles[2].name``, ``rubric.depth`` or ``max_rounds``; 0 for none."""
    found = _ROW.match(field)
    begin = 0
    key = field.rpartition(".")[2] or field
    if found:
        heads = [n for n, line in enumerate(lines, 1) if line.strip() == f"[[{found['table']}]]"]
        row = int(found["row"])
        begin = heads[row] if row < len(heads) else 0
        key = found["key"] or found["table"]
        if not found["key"]:
            return begin
    elif "." in field:
        table = field.rpartition(".")[0]
        begin = next((n for n, line in enumerate(lines, 1) if line.strip() == f"[{table}]"), 0)
    written = re.compile(rf"\s*\"?{re.escape(key)}\"?\s*=")
    after = enumerate(lines[begin:], begin + 1)
    return next((n for n, line in after if written.match(line)), begin)
