"""Recurring debates: their next times, their last runs, and the actions that people have on
them.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from adapters.room.outgoing.fields import fields_of
from adapters.room.outgoing.reply import render_page, see_other
from adapters.room.visitors import Visitor
from adapters.routes.cursors import cursor_of, position_in
from adapters.routes.reading import form_of, query_of
from core.application.commands import Request, ScheduleAdd, ScheduleDo, Start
from core.application.commands.options import enter, options_of
from core.application.commands.requests import Filters
from core.application.commands.requests.scheduling import SCHEDULE_VERBS
from core.application.commands.stored import with_consent
from core.application.debates import Debates
from core.application.desk import Desk
from core.debate.errors import BadInput
from core.languages import say

OPTIONS = (*options_of(ScheduleAdd), *options_of(Filters))
PAGE = 30


class SchedulePages:
    def __init__(self, desk: Desk, debates: Debates) -> None:
        self._desk, self._debates = desk, debates

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return await self._shown(request, visitor, {})

    async def do(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Runs, pauses, resumes or removes a schedule."""
        form = await form_of(request)
        verb = form.text("verb")
        if verb not in SCHEDULE_VERBS:
            raise BadInput(say("This button belongs to an older page: load it again."))
        caller = visitor.sends(form, verb)
        answer = await self._desk.take(ScheduleDo(verb, form.text("schedule")), caller)
        return see_other("/schedules", visitor, answer)

    async def add(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        form = await form_of(request)
        entered = {name: form.text(name) for name in ("when", "template", "target")}
        entered |= {each.field: form.text(each.field) for each in OPTIONS}
        try:
            wanted = self._wanted(entered)
        except BadInput as wrong:
            return await self._shown(request, visitor, entered, wrong=wrong)
        caller = visitor.sends(form, repr(wanted))
        request_made: Request = wanted
        if form.text("do") == "agree":
            request_made = with_consent(wanted)
        answer = await self._desk.take(request_made, caller)
        if answer.priced is not None:
            return await self._shown(request, visitor, entered, price=answer.text)
        if not answer.ok:
            return await self._shown(request, visitor, entered, wrong=BadInput(answer.text))
        return see_other("/schedules", visitor, answer)

    def _wanted(self, entered: dict[str, str]) -> ScheduleAdd:
        """Raises ``BadInput``, for a field ``WrongOption``."""
        if not entered["when"] or not entered["target"]:
            raise BadInput(say('Say when, like "weekdays at 9", and what is to be debated.'))
        start = Start(entered["template"] or "code_review", entered["target"])
        request = ScheduleAdd(entered["when"], start, enter(Filters(), entered))
        return enter(request, {"tz": entered["tz"]})

    async def _shown(
        self,
        request: web.Request,
        visitor: Visitor,
        entered: dict[str, str],
        *,
        wrong: BadInput | None = None,
        price: str = "",
    ) -> web.Response:
        after = position_in(query_of(request).get("after", ""))
        schedules = await self._debates.schedules(visitor.caller(), after, PAGE + 1)
        more = ""
        if len(schedules) > PAGE:
            last = schedules[PAGE - 1].schedule
            more = f"/schedules?{urlencode({'after': cursor_of(last.next_at, last.id)})}"
        values: dict[str, Any] = {
            "schedules": schedules[:PAGE],
            "more": more,
            "first": after is None,
            "templates": [(t.id, say(t.name)) for t in self._desk.templates()],
            "entered": entered,
            "fields": fields_of(OPTIONS, entered, wrong),
            "price": price,
            "open": bool(entered),
        }
        return render_page(request, visitor, "schedules.html", values, wrong=wrong)
