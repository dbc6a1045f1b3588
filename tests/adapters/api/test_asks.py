"""What each call of a program asks of the desk, and how its answer is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from adapters.api.calls import ApiCall, ApiReply, Calls
from adapters.routes.reading import RequestRefused
from core.application.commands import (
    Challenge,
    Control,
    Export,
    Request,
    Start,
    Templates,
    Vote,
)
from core.application.desk import Caller, ChatFile, DeskAnswer
from core.application.interface import Application
from core.application.listing import DebateLine, Filter, Hit
from core.application.presence import Member
from core.application.schedules import ListedSchedule, Schedule
from core.application.tokens import Bearer, Token
from core.debate.errors import BadInput, Refused
from core.debate.state import Debate
from tests.adapters.desk import RecordingDesk
from tests.core.table import START, table

TOKEN = Token(
    *("tok1", "slack:T1/U1", "room:slack:T1/main", "ci", ("read", "start", "act")),
    *(5.0, 0.0, START, START),
)
BEARER = Bearer(TOKEN, Member("Ann", admin=False))


def hit(id: str) -> Hit:
    line = DebateLine(
        *(id, "running", "Why?", "panel", "slack:T1/C1", "slack:T1/U1", False, 1, 1, ""),
        *(None, None, 0.0, 0.0, None, "", START, START),
    )
    return Hit(line, "", False, "")


def schedule(id: str) -> Schedule:
    return Schedule(
        id, "0 9 * * *", "UTC", 60.0, None, "panel", "o/r", "slack:T1/C1", "slack:T1/U1", START
    )


class _Store:
    """The stored side of one debate, ``d1``, and the keys that were used."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}
        self.settled: list[tuple[str, str, str]] = []
        self.queries: list[tuple[object, int]] = []

    async def find(self, id: str, caller: Caller) -> Debate:
        if id == "secret":
            raise Refused("Not yours.")
        if id != "d1":
            raise BadInput("There is none.")
        return replace(table().debate, id="d1")

    async def document(self, debate: Debate, form: str, caller: Caller) -> str:
        return json.dumps({"id": debate.id})

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[Hit]:
        self.queries.append((wanted, limit))
        return [hit(f"d{n}") for n in range(1, 4)][:limit]

    async def schedules(
        self, caller: Caller, after: object, limit: int
    ) -> Sequence[ListedSchedule]:
        self.queries.append((after, limit))
        return [ListedSchedule(schedule(f"s{n}"), "") for n in range(1, 4)][:limit]

    async def hold(self, token: str, key: str, what: str, budget: float) -> str:
        return self.held.get((token, key), "")

    async def settle(self, token: str, key: str, done: str) -> None:
        self.settled.append((token, key, done))
        self.held[token, key] = done


def _calls(
    desk: RecordingDesk | None = None, store: _Store | None = None
) -> tuple[Calls, RecordingDesk]:
    desk = desk or RecordingDesk(
        answer=DeskAnswer("Taken.", debate="d1", files=(ChatFile("a", '{"a": 1}'),))
    )
    stored: Any = store or _Store()
    return Calls(Application(desk, stored, stored, stored, stored), 0.05), desk


def _call(
    id: str = "d1", query: Mapping[str, str] | None = None, key: str = "", **body: Any
) -> ApiCall:
    return ApiCall(BEARER, id, query or {}, body, key)


CASES: list[tuple[str, ApiCall, Request, ApiReply]] = [
    ("export_debate", _call(), Export("d1", "md"),
     ApiReply(text='{"a": 1}', media="text/markdown")),
    ("list_templates", _call(), Templates(json=True), ApiReply({"templates": {"a": 1}})),
    ("challenge_debate", _call(text=" why? ", finding=" t1.f1 "),
     Challenge("why?", "d1", finding="t1.f1"), ApiReply({"id": "d1", "text": "Taken."})),
    ("vote_debate", _call(option="real", finding="t1.f1"), Vote("real", "d1", "t1.f1"),
     ApiReply({"id": "d1", "text": "Taken."})),
    ("stop_debate", _call(), Control("stop", "d1"), ApiReply({"id": "d1", "text": "Taken."})),
]  # fmt: skip
"""What ``tests.bot.room.test_api`` does not ask a bot itself."""


@pytest.mark.parametrize(("name", "call", "wanted", "reply"), CASES)
async def test_a_call_asks_the_desk(
    name: str, call: ApiCall, wanted: Request, reply: ApiReply
) -> None:
    calls, desk = _calls()
    assert await getattr(calls, name)(call) == reply
    [(request, caller)] = desk.taken
    assert request == wanted
    assert (caller.person, caller.place, caller.name) == (TOKEN.person, TOKEN.place, "Ann")
    assert caller.source.startswith("api:tok1:")


@pytest.mark.parametrize(
    ("name", "call", "words"),
    [
        ("export_debate", _call(query={"form": "exe"}), "`form` is one of"),
        ("challenge_debate", _call(text=" "), "What is the objection"),
        ("vote_debate", _call(option=" "), "For which `option`"),
        ("get_template", _call("none"), "no such template"),
        ("stop_debate", _call("d2"), "no debate 'd2' for this token"),
        ("start_debate", _call(template="panel", target="Why?"), "Set `budget`: the most that it"),
    ],
)
async def test_what_is_missing_is_told_and_nothing_is_taken(
    name: str, call: ApiCall, words: str
) -> None:
    calls, desk = _calls()
    with pytest.raises(BadInput, match=words):
        await getattr(calls, name)(call)
    assert desk.taken == []


async def test_a_debate_that_is_not_there_and_one_that_is_closed_differ() -> None:
    calls, _ = _calls()
    with pytest.raises(RequestRefused) as unknown:
        await calls.get_debate(_call("d2"))
    assert unknown.value.status == 404
    with pytest.raises(Refused):
        await calls.get_debate(_call("secret"))
    assert await calls.get_debate(_call()) == ApiReply(text='{"id": "d1"}')


async def test_a_start_is_done_once_for_its_key() -> None:
    store = _Store()
    calls, desk = _calls(store=store)
    call = _call(key="k1", template="code_review", target="o/r", budget=0.5)
    first, again = await calls.start_debate(call), await calls.start_debate(call)
    taken = {"id": "d1", "text": "Taken."}
    assert first == ApiReply(taken, status=201, location="/api/v1/debates/d1")
    assert again == ApiReply({"id": "d1", "text": "It was started before."})
    assert [request for request, _ in desk.taken] == [Start("code_review", "o/r", budget=0.5)]
    assert store.settled == [("tok1", "k1", "d1")]
    await calls.start_debate(_call(template="code_review", target="o/r", budget=0.5))
    assert len(desk.taken) == 2, "without a key it is another"


async def test_lists_say_where_they_go_on() -> None:
    store = _Store()
    calls, _ = _calls(store=store)
    whole = (await calls.list_debates(_call())).value
    assert ([row["id"] for row in whole["debates"]], whole["next"]) == (["d1", "d2", "d3"], None)
    page = (await calls.list_debates(_call(query={"q": "x", "limit": "2"}))).value
    assert [row["id"] for row in page["debates"]] == ["d1", "d2"]
    assert page["next"] == f"{START.isoformat()}~d2"
    later = (await calls.list_debates(_call(query={"before": page["next"]}))).value
    assert later["next"] is None
    rows = (await calls.list_schedules(_call(query={"limit": "1"}))).value
    assert ([row["id"] for row in rows["schedules"]], rows["next"]) == (["s1"], "never~s1")
    await calls.list_schedules(_call(query={"after": "never~s1"}))
    assert store.queries == [
        (Filter(), 51), (Filter(words="x"), 3), (Filter(before=(START, "d2")), 51), (None, 2),
        ((None, "s1"), 51),
    ]  # fmt: skip
    for query in ({"mine": "1"}, {"before": "x"}, {"since": "soon"}):
        with pytest.raises(BadInput):
            await calls.list_debates(_call(query=query))
