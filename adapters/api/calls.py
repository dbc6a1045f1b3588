"""The calls that programs make, done by the desk that every surface shares and by the stores; knows
no HTTP.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.api.lists import filter_of, position_of, row_of_debate, row_of_turn
from adapters.api.operations import BASE, JSON, PAGE, WAIT
from adapters.api.problems import require_done
from adapters.routes.cursors import cursor_of
from adapters.routes.reading import RequestRefused, storable
from adapters.routes.waiting import OpenRequests
from core.application.commands import (
    Challenge,
    Control,
    Export,
    Leaderboard,
    ReceiptRequest,
    Request,
    Start,
    Templates,
    Vote,
)
from core.application.commands.options import enter
from core.application.commands.requests.reading import FORMS
from core.application.commands.requests.starting import DEBATE_OPTIONS
from core.application.desk import Caller, DeskAnswer
from core.application.interface import Application
from core.application.schedules import row_of
from core.application.tokens import Bearer
from core.debate.errors import BadInput, Refused
from core.debate.events import Event
from core.debate.material.escaping import show_hidden
from core.debate.state import Debate
from core.words.views.course.following import news_since

_MOST = 999_999_999
"""The largest number in the query; no database has room for much larger ones."""
_MEDIA = {
    "md": "text/markdown",
    "html": "text/html",
    "play": "text/html",
    "adr": "text/markdown",
    "sarif": "application/sarif+json",
}
_FIELDS = frozenset(each.field for each in DEBATE_OPTIONS)


@dataclass(frozen=True, slots=True)
class ApiCall:
    """One call of a program: its bearer, the id in its address, its query and its body.

    ``key`` is the program's key for work that must happen once; "" without one.
    """

    bearer: Bearer
    id: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""

    @property
    def caller(self) -> Caller:
        return self.bearer.caller(secrets.token_hex(8))

    def text(self, name: str) -> str:
        """Returns a text member of the body."""
        return storable(str(self.body.get(name, "")))


@dataclass(frozen=True, slots=True)
class ApiReply:
    """``value`` is sent as JSON, unless there is a ``text`` of some ``media``."""

    value: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    media: str = JSON
    status: int = 200
    location: str = ""


class Calls:
    """One method for each row of ``adapters.api.operations``, under the row's name. ``wait`` is the
    longest time in seconds that a long poll is kept open.
    """

    def __init__(self, application: Application, wait: float) -> None:
        self._desk, self._debates = application.desk, application.debates
        self._tokens, self._wait = application.tokens, wait
        self._waiting = OpenRequests()

    async def list_debates(self, call: ApiCall) -> ApiReply:
        limit = _limit(call)
        hits = await self._debates.listed(filter_of(call.query), call.caller, limit + 1)
        more = None
        if len(hits) > limit:
            last = hits[limit - 1].line
            more = cursor_of(last.created_at, last.id)
        return ApiReply({"debates": [row_of_debate(one) for one in hits[:limit]], "next": more})

    async def start_debate(self, call: ApiCall) -> ApiReply:
        wanted = wanted_of(call)
        if not wanted.budget:
            raise BadInput("Set `budget`: the most that it may cost, in USD.")
        key = call.key or secrets.token_hex(16)
        what = await asyncio.to_thread(repr, wanted)

        async def start() -> DeskAnswer:
            return await self._desk.take(wanted, call.bearer.caller(key))

        id, answer = await self._once(call, key, what, wanted.budget, start)
        if answer is None:
            return ApiReply({"id": id, "text": "It was started before."})
        where = f"{BASE}/debates/{id}"
        return ApiReply({"id": id, "text": answer.text}, status=201, location=where)

    async def get_debate(self, call: ApiCall) -> ApiReply:
        debate = await self._found(call)
        return ApiReply(text=await self._debates.document(debate, "json", call.caller))

    async def wait_debate(self, call: ApiCall) -> ApiReply:
        after = _whole(call.query, "after", 0)
        seconds = min(self._wait, _whole(call.query, "seconds", WAIT, most=WAIT))
        with self._waiting.one(call.bearer.token.id):
            return await self._waited((await self._found(call)).id, after, seconds)

    async def _waited(self, id: str, after: int, seconds: float) -> ApiReply:
        await self._debates.follow(id, after, seconds)
        debate = await self._debates.state(id)
        every = await self._debates.events(id)
        events, lines = every[after:], await asyncio.to_thread(_lines, every, after)
        happened = [
            {"number": number, "kind": type(event).__name__, "lines": lines.get(number, [])}
            for number, event in enumerate(events, start=after + 1)
        ]
        return ApiReply(
            {
                "id": id,
                "status": debate.status,
                "final": debate.final,
                "after": after + len(events),
                "events": happened,
            }
        )

    async def challenge_debate(self, call: ApiCall) -> ApiReply:
        finding, text = call.text("finding").strip(), call.text("text").strip()
        if not text:
            raise BadInput("What is the objection? Say it in `text`.")
        yes = call.body.get("yes") is True
        return await self._act(call, lambda id: Challenge(text, id, yes, finding))

    async def vote_debate(self, call: ApiCall) -> ApiReply:
        option, finding = call.text("option").strip(), call.text("finding").strip()
        if not option:
            raise BadInput("For which `option`? The debate's template lists them.")
        return await self._act(call, lambda id: Vote(option, id, finding))

    async def list_turns(self, call: ApiCall) -> ApiReply:
        return ApiReply(
            {
                "turns": [
                    await asyncio.to_thread(row_of_turn, debate, turn)
                    for debate, turn in await self._debates.turns(call.caller)
                ]
            }
        )

    async def answer_turn(self, call: ApiCall) -> ApiReply:
        turn, text = call.text("turn").strip(), call.text("text").strip()
        reply = call.body.get("reply")
        if isinstance(reply, Mapping) == bool(text):
            raise BadInput("Send either a `reply` in the turn's schema or a `text` in words.")
        statement = text or storable(json.dumps(reply))
        id = (await self._found(call)).id
        key = f"say:{call.key or secrets.token_hex(16)}"

        async def act() -> DeskAnswer:
            return await self._desk.press("say", f"{id}:{turn}", call.bearer.caller(key), statement)

        return await self._done(call, id, key, f"{turn} {statement}", act)

    async def stop_debate(self, call: ApiCall) -> ApiReply:
        return await self._act(call, lambda id: Control("stop", id))

    async def export_debate(self, call: ApiCall) -> ApiReply:
        form = call.query.get("form", "md")
        if form not in FORMS:
            raise BadInput(f"`form` is one of {', '.join(FORMS)}.")
        text = await self._file(Export((await self._found(call)).id, form), call)
        return ApiReply(text=text, media=_MEDIA.get(form, JSON))

    async def get_receipt(self, call: ApiCall) -> ApiReply:
        return ApiReply(text=await self._file(ReceiptRequest((await self._found(call)).id), call))

    async def list_templates(self, call: ApiCall) -> ApiReply:
        return ApiReply({"templates": json.loads(await self._file(Templates(json=True), call))})

    async def get_template(self, call: ApiCall) -> ApiReply:
        if call.id not in self._desk.template_names():
            raise RequestRefused(
                f"There is no such template: GET {BASE}/templates lists them.", 404
            )
        return ApiReply(text=await self._file(Templates(call.id, json=True), call))

    async def list_schedules(self, call: ApiCall) -> ApiReply:
        after = position_of(call.query.get("after", ""))
        limit = _limit(call)
        rows = await self._debates.schedules(call.caller, after, limit + 1)
        schedules = [one.schedule for one in rows[:limit]]
        more = None
        if len(rows) > limit:
            more = cursor_of(schedules[-1].next_at, schedules[-1].id)
        return ApiReply({"schedules": [row_of(one) for one in schedules], "next": more})

    async def get_leaderboard(self, call: ApiCall) -> ApiReply:
        return ApiReply(text=await self._file(Leaderboard(json=True), call))

    async def _file(self, request: Request, call: ApiCall) -> str:
        """Returns the document in the desk's answer to ``request``. Raises as the desk does."""
        return require_done(await self._desk.take(request, call.caller)).files[0].text

    async def _act(self, call: ApiCall, request: Callable[[str], Request]) -> ApiReply:
        id = (await self._found(call)).id
        wanted = request(id)
        key = f"{type(wanted).__name__}:{call.key or secrets.token_hex(16)}"

        async def act() -> DeskAnswer:
            return await self._desk.take(wanted, call.bearer.caller(key))

        return await self._done(call, id, key, repr(wanted), act)

    async def _done(
        self, call: ApiCall, id: str, key: str, what: str, act: Callable[[], Awaitable[DeskAnswer]]
    ) -> ApiReply:
        """Does something to a debate, once for each key that the program gave."""
        if not call.key:
            return ApiReply({"id": id, "text": require_done(await act()).text})
        _, answer = await self._once(call, key, what, 0.0, act)
        return ApiReply({"id": id, "text": answer.text if answer else "It was taken before."})

    async def _once(
        self,
        call: ApiCall,
        key: str,
        what: str,
        budget: float,
        act: Callable[[], Awaitable[DeskAnswer]],
    ) -> tuple[str, DeskAnswer | None]:
        """Does work once for each key, and returns its debate's id with the answer; the answer is
        missing if the key was used before.

        A refusal frees the key and the reserved money.
        """
        token, done = call.bearer.token.id, ""
        known = await self._tokens.hold(token, key, what, budget)
        if known:
            return known, None
        try:
            answer = require_done(await act())
            done = answer.debate
        finally:
            await self._tokens.settle(token, key, done)
        return done, answer

    async def _found(self, call: ApiCall) -> Debate:
        """Returns the debate. Raises ``Refused``, and ``RequestRefused`` (404)."""
        try:
            return await self._debates.find(call.id, call.caller)
        except Refused:
            raise
        except BadInput:
            raise RequestRefused(
                f"There is no debate {call.id[:40]!r} for this token: GET {BASE}/debates lists "
                "those that it may see.",
                404,
            ) from None


def wanted_of(call: ApiCall) -> Start:
    """Returns the start that the body asks for. Raises ``BadInput``."""
    texts = {name: call.text(name) for name in ("template", "target", "text")}
    if not texts["template"]:
        raise BadInput(f"Which `template`? GET {BASE}/templates lists them.")
    options = {name: _typed(value) for name, value in call.body.items() if name in _FIELDS}
    start = Start(
        texts["template"],
        texts["target"],
        text=texts["text"],
        yes=call.body.get("yes") is True,
    )
    return enter(start, options)


def _limit(call: ApiCall) -> int:
    return _whole(call.query, "limit", PAGE, least=1, most=PAGE)


def _typed(value: object) -> str:
    """Returns a value as it is typed in a form."""
    if isinstance(value, bool):
        return "yes" if value else ""
    return storable(str(value))


def _whole(
    query: Mapping[str, str], name: str, usual: int, *, least: int = 0, most: int = _MOST
) -> int:
    text = query.get(name, "")
    if not text:
        return usual
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise BadInput(f"`{name}` is a whole number from {least} to {most:,}.")
    return int(text)


def _lines(events: Sequence[Event], after: int) -> dict[int, list[dict[str, str]]]:
    """Returns the sentences on each event after that number; a person's words in them are
    quoted.
    """
    lines_of: dict[int, list[dict[str, str]]] = {}
    _, news = news_since(events, after)
    for event, line, quoted in news:
        words = {"text": show_hidden(line), "quoted": show_hidden(quoted)}
        lines_of.setdefault(event, []).append(words)
    return lines_of
