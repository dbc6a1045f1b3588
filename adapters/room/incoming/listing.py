"""The list of debates, with the filters that its address holds."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from urllib.parse import urlencode

from aiohttp import web

from adapters.room.outgoing.reply import render_page
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes.cursors import cursor_of, moment_in
from adapters.routes.reading import query_of
from adapters.templates.catalogue import read_catalogue
from core.application.commands.requests.shared import PRIORITIES
from core.application.debates import Debates
from core.application.desk import Desk
from core.application.listing import Filter, Hit
from core.languages import say
from core.words.views.course.progress import STATUS

PAGE = 30
"""Debates of one page of the list."""


class ListPages:
    def __init__(self, settings: RoomSettings, desk: Desk, debates: Debates) -> None:
        self._settings, self._desk, self._debates = settings, desk, debates

    async def listed(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        query = query_of(request)
        wanted = filter_of(query)
        rows = await self._debates.listed(wanted, visitor.caller(), PAGE + 1)
        entries = rows[:PAGE]
        more = ""
        if len(rows) > PAGE:
            last = entries[-1].line
            before = cursor_of(last.created_at, last.id)
            more = str(request.rel_url.update_query(before=before))
        templates = self._desk.templates()
        known = {one.id: one for one in read_catalogue(self._settings.templates)}
        values = {
            "entries": [(one, one.pill(known.get(one.line.template))) for one in entries],
            "more": more,
            "wanted": wanted,
            "narrowed": wanted != Filter(),
            "priorities": PRIORITIES,
            "statuses": [("", say("all")), *((value, say(name)) for value, name in STATUS.items())],
            "templates": [(t.id, say(t.name)) for t in templates],
            "decisions": sorted({option for t in templates for option in t.ballot}),
            "more_filters": _is_narrow(wanted),
            "example": self._settings.example is not None,
            "chips": list(_chips(query, wanted, entries)),
        }
        return render_page(request, visitor, "debates.html", values)


def filter_of(query: Mapping[str, str]) -> Filter:
    """Returns the filter that the address asks for; values that can't be read narrow nothing."""
    due_by = _day(query.get("due_by", ""))
    labels = {
        "department": query.get("department", "").strip()[:30],
        "priority": _known(query.get("priority", ""), PRIORITIES),
        "target-date": str(due_by or ""),
    }
    return Filter(
        words=query.get("q", "").strip()[:200],
        status=_known(query.get("status", ""), STATUS),
        template=query.get("template", "")[:80],
        mine=query.get("mine") == "1",
        blocked=query.get("blocked") == "1",
        person=query.get("person", "").strip()[:80],
        repository=query.get("repository", "").strip()[:200],
        decision=query.get("decision", "")[:80],
        labels={name: value for name, value in labels.items() if value},
        since=_day(query.get("since", "")),
        until=_day(query.get("until", "")),
        before=moment_in(query.get("before", "")),
    )


def _known(text: str, words: Container[str]) -> str:
    if text in words:
        return text
    return ""


def _is_narrow(wanted: Filter) -> bool:
    """True if the list is narrowed by more than its words and its chips."""
    status = "" if wanted.status == "running" else wanted.status
    bare = replace(wanted, words="", before=None, mine=False, blocked=False, repository="")
    return replace(bare, status=status) != Filter()


def _chips(
    fields: Mapping[str, str], wanted: Filter, entries: Sequence[Hit]
) -> Iterator[tuple[str, str, bool]]:
    """Yields the filters that one press sets: each with its words, its address, and whether it is
    set; the address of a set one unsets it.
    """
    repository = wanted.repository or next((e.repository for e in entries if e.repository), "")
    for words, field, value in (
        (say("Running"), "status", "running"),
        (say("Blocked"), "blocked", "1"),
        (say("Mine"), "mine", "1"),
        (repository, "repository", repository),
    ):
        is_set = fields.get(field, "").strip() == value
        query = {k: v for k, v in fields.items() if v and k not in (field, "before")}
        if not is_set:
            query[field] = value
        if words:
            yield words, f"/?{urlencode(query)}" if query else "/", is_set


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
