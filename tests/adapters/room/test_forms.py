"""The room's forms, sent to a desk in memory: what they ask of it, and where they lead."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from adapters.room.incoming import fields
from adapters.room.incoming.reports import ReportPages, Sum, summed
from adapters.room.incoming.schedules import SchedulePages
from adapters.room.incoming.shelf import ShelfPages
from adapters.room.incoming.starting import StartPages
from adapters.room.live import Live
from adapters.room.outgoing.reply import notice_of
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes import Media, Route, RouteField, Who
from adapters.templates.sources import TemplateSources
from core.application.commands import Help, Listing, ScheduleAdd, ScheduleDo, Show, Start, Status
from core.application.commands.requests import Filters
from core.application.debates import Debates
from core.application.desk import Caller, ChatFile, DeskAnswer
from core.application.records import Records
from core.application.schedules import ListedSchedule
from core.debate.budget.pricing import DaySpent
from core.debate.errors import BadInput
from tests.adapters.desk import RecordingDesk
from tests.adapters.routes.test_reading import nothing, sent

_T = TypeVar("_T")
ANN = Visitor("k" * 43, "slack:T1/U1", "room:slack:T1/main", "Ann")


def _request(form: tuple[RouteField, ...], body: bytes, kind: str, path: str) -> web.Request:
    query = (*fields.SCHEDULES, *fields.NEW, *fields.COSTS)
    return sent(body, kind, Route("POST", "/", Who.SIGNED_IN, nothing, query, form), path)


def _sent(form: tuple[RouteField, ...], path: str = "/x", **entered: str) -> web.Request:
    return _request(form, urlencode(entered).encode(), Media.LINE, path)


def _with_file(form: tuple[RouteField, ...], name: str, data: bytes) -> web.Request:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"'.encode()
    body = b"--b\r\n" + head + b"\r\n\r\n" + data + b"\r\n--b--\r\n"
    return _request(form, body, "multipart/form-data; boundary=b", "/x")


def _leads(answer: web.StreamResponse) -> tuple[str, str]:
    """Where a form leads, and the sentence that is shown there."""
    assert isinstance(answer, web.Response)
    assert answer.status == 303
    cookie = answer.cookies.get("notice")
    if cookie is None:
        return answer.headers["Location"], ""
    request = make_mocked_request("GET", "/", {"Cookie": f"notice={cookie.value}"})
    notice = notice_of(request, ANN)
    assert notice is not None
    return answer.headers["Location"], notice.text


def _page(answer: web.StreamResponse, status: int = 200) -> str:
    assert isinstance(answer, web.Response)
    assert answer.status == status
    return answer.text or ""


class _Room:
    """Reports, records and what is watched, of a room in which nothing has happened."""

    def __init__(self) -> None:
        self.entries: list[ListedSchedule] = []
        self.spent: list[DaySpent] = []
        self.days: list[int] = []
        self.limits: list[int] = []
        self.opened_pages: list[str] = []

    async def schedules(
        self, caller: Caller, after: object, limit: int
    ) -> Sequence[ListedSchedule]:
        self.limits.append(limit)
        return self.entries[:limit]

    async def models(self) -> str:
        return "scripted"

    async def costs(self, caller: Caller, days: int) -> Sequence[DaySpent]:
        self.days.append(days)
        return self.spent

    def opened(self, debate: str) -> None:
        self.opened_pages.append(debate)


def _schedules(desk: RecordingDesk, room: _Room | None = None) -> SchedulePages:
    return SchedulePages(desk, cast("Debates", room or _Room()))


async def test_a_schedule_is_made_by_its_form() -> None:
    desk = RecordingDesk()
    filled = {"when": "weekdays at 9", "template": "", "target": "o/r", "tz": "UTC", "at_most": "3"}
    leads = await _schedules(desk).add(_sent(fields.SCHEDULE, **filled), ANN)
    assert _leads(leads) == ("/schedules", "Taken.")
    wanted = ScheduleAdd("weekdays at 9", Start("code_review", "o/r"), Filters(at_most=3), "UTC")
    assert [request for request, _ in desk.taken] == [wanted]
    agreed = _sent(fields.SCHEDULE, **filled, do="agree", once="2")
    await _schedules(desk).add(agreed, ANN)
    assert desk.taken[1][0] == replace(wanted, start=replace(wanted.start, yes=True))


@pytest.mark.parametrize("missing", ["when", "target"])
async def test_a_schedule_needs_a_time_and_a_target(missing: str) -> None:
    desk = RecordingDesk()
    filled = {"when": "daily", "target": "o/r"} | {missing: ""}
    page = _page(await _schedules(desk).add(_sent(fields.SCHEDULE, **filled), ANN), 400)
    assert "Say when, like" in page
    assert desk.taken == []
    filled = {"when": "daily", "target": "o/r", "at_most": "many"}
    assert "at-most" in _page(
        await _schedules(desk).add(_sent(fields.SCHEDULE, **filled), ANN), 400
    )


async def test_a_schedules_price_is_shown_before_it_is_agreed_to() -> None:
    desk = RecordingDesk(
        answer=lambda request, caller: DeskAnswer("Price: $3.", ok=False, priced=request)  # type: ignore[arg-type]
    )
    form = _sent(fields.SCHEDULE, when="daily", target="o/r")
    page = _page(await _schedules(desk).add(form, ANN))
    assert "Price: $3." in page
    refusing = RecordingDesk(answer=DeskAnswer("Not here.", ok=False))
    form = _sent(fields.SCHEDULE, when="daily", target="o/r")
    assert "Not here." in _page(await _schedules(refusing).add(form, ANN), 400)


async def test_the_buttons_of_a_schedule_do_what_they_say() -> None:
    desk = RecordingDesk()
    for verb in ("run", "pause", "resume", "remove"):
        form = _sent(fields.SCHEDULE_DO, verb=verb, schedule="s1")
        assert _leads(await _schedules(desk).do(form, ANN)) == ("/schedules", "Taken.")
        assert desk.taken[-1][0] == ScheduleDo(verb, "s1")
    with pytest.raises(BadInput, match="older page"):
        await _schedules(desk).do(_sent(fields.SCHEDULE_DO, verb="add"), ANN)


def _start(
    desk: RecordingDesk, room: _Room | None = None, settings: RoomSettings | None = None
) -> StartPages:
    room = room or _Room()
    return StartPages(settings or RoomSettings(), desk, cast("Debates", room), cast("Live", room))


def _form(**entered: str) -> web.Request:
    return _sent(fields.START, **entered)


async def test_a_debate_starts_and_its_page_is_next() -> None:
    desk = RecordingDesk(answer=DeskAnswer("Taken.", debate="d1"))
    room = _Room()
    form = _form(template="code_review", target="https://github.com/o/r/pull/1", rounds="2")
    assert _leads(await _start(desk, room).sent(form, ANN)) == ("/d/d1", "")
    wanted = Start("code_review", "https://github.com/o/r/pull/1", rounds=2)
    assert [request for request, _ in desk.taken] == [wanted]
    assert room.opened_pages == ["d1"]
    form = _form(template="code_review", target="https://github.com/o/r/pull/1", do="agree")
    await _start(desk, room).sent(form, ANN)
    assert desk.taken[1][0] == Start("code_review", "https://github.com/o/r/pull/1", yes=True)


@pytest.mark.parametrize(
    ("typed", "wanted", "leads", "sentence"),
    [
        ("/debate list", Listing(), "/", ""),
        ("/debate status", Status(), "/?status=running", ""),
        ("/debate help", Help(), "/new", "Taken."),
        ("/debate show d1k7q2xy", Show("d1k7q2xy"), "/d/", ""),
        ("/debate schedule list", ScheduleDo("list"), "/schedules", "Taken."),
    ],
)
async def test_a_typed_command_leads_to_its_page(
    typed: str, wanted: object, leads: str, sentence: str
) -> None:
    desk = RecordingDesk()
    assert _leads(await _start(desk).sent(_form(target=typed), ANN)) == (leads, sentence)
    assert [taken for taken, _ in desk.taken] == [wanted]


async def test_a_file_that_is_answered_stays_on_the_page() -> None:
    desk = RecordingDesk(answer=DeskAnswer("Here.", debate="d1", files=(ChatFile("a.md", "a"),)))
    form = _form(target="/debate export d1k7q2xy")
    assert _leads(await _start(desk).sent(form, ANN)) == ("/new", "Here.")


async def test_a_file_is_the_material() -> None:
    desk = RecordingDesk()
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    for name, text in (("plan.md", "# Plan\n\nWe move."), ("x.diff", diff)):
        await _start(desk).sent(_with_file(fields.START, name, text.encode()), ANN)
    starts = [request for request, _ in desk.taken if isinstance(request, Start)]
    assert [(start.template, start.text) for start in starts] == [
        ("panel", "# Plan\n\nWe move."), ("code_review", diff)
    ]  # fmt: skip
    page = _page(await _start(desk).sent(_with_file(fields.START, "a.md", b"\xff"), ANN), 400)
    assert "a.md is not UTF-8 text" in page


@pytest.mark.parametrize(
    ("entered", "words"),
    [
        ({}, "What is to be debated? Give a link, a text or a file."),
        ({"target": "https://github.com/o/r/pull/1", "template": "none"}, "no template"),
        ({"target": "x", "template": "code_review", "rounds": "many"}, "rounds takes"),
        ({"target": "hm"}, ""),
    ],
)
async def test_what_cannot_start_is_said_beside_the_form(
    entered: dict[str, str], words: str
) -> None:
    desk = RecordingDesk()
    assert words in _page(await _start(desk).sent(_form(**entered), ANN), 400)
    assert desk.taken == []


async def test_the_price_is_told_before_anything_is_taken() -> None:
    desk = RecordingDesk()
    form = _form(template="code_review", target="https://github.com/o/r/pull/1", do="price")
    assert "About $0.10" in _page(await _start(desk).sent(form, ANN))
    assert desk.taken == []
    refusing = RecordingDesk(answer=DeskAnswer("Not here.", ok=False))
    form = _form(template="code_review", target="https://github.com/o/r/pull/1")
    assert "Not here." in _page(await _start(refusing).sent(form, ANN), 400)


async def test_how_the_field_is_understood_is_told_while_people_type() -> None:
    async def words(**entered: str) -> str:
        answer = await _start(RecordingDesk()).sent(_form(**entered, do="look"), ANN)
        return str(json.loads(_page(answer))["text"])

    assert await words() == ""
    assert "Code review" in await words(target="https://github.com/o/r/pull/1")
    assert await words(target="hm") != ""
    assert await words(target="hm", template="code_review") == ""


async def test_the_form_is_filled_in_by_its_address(tmp_path: Path) -> None:
    example = tmp_path / "example.diff"
    example.write_text("--- a/x\n+++ b/x\n", "utf-8")
    pages = _start(RecordingDesk(), settings=RoomSettings(example=example))
    page = _page(await pages.empty(_sent((), "/new?target=Why%3F&template=design_doc"), ANN))
    assert "Why?" in page
    assert "+++ b/x" not in page
    assert "+++ b/x" in _page(await pages.empty(_sent((), "/new?example=1"), ANN))
    assert "+++ b/x" not in _page(await pages.empty(_sent((), "/new?example=2"), ANN))
    without = _start(RecordingDesk())
    assert "+++ b/x" not in _page(await without.empty(_sent((), "/new?example=1"), ANN))


async def _work(function: Callable[..., _T], *arguments: Any) -> _T:
    return function(*arguments)


async def test_a_template_is_checked_typed_or_as_a_file(tmp_path: Path) -> None:
    shelf = ShelfPages(RoomSettings(), _work)
    assert "<textarea" in _page(await shelf.form(_sent(()), ANN))
    typed = _page(await shelf.checked(_sent(fields.CHECK, text="id = 1"), ANN))
    assert "id = 1" in typed
    file = _page(await shelf.checked(_with_file(fields.CHECK, "a.toml", b"id = 2"), ANN))
    assert "id = 2" in file


async def test_a_persons_own_template_is_shown_as_it_is_written(tmp_path: Path) -> None:
    def page(name: str, own: Path | None) -> web.Request:
        request = _sent((), f"/templates/{name}")
        request.match_info["name"] = name
        return request

    shipped = ShelfPages(RoomSettings(), _work)
    text = _page(await shipped.one(page("panel", None), ANN))
    assert "id = &#34;panel&#34;" in text or "id = &quot;panel&quot;" in text
    source = Path(__file__).parents[3] / "core" / "debate" / "templates" / "panel.toml"
    (tmp_path / "panel.toml").write_text(source.read_text("utf-8") + "\n# our own words\n", "utf-8")
    own = ShelfPages(RoomSettings(templates=TemplateSources(tmp_path)), _work)
    assert "# our own words" in _page(await own.one(page("panel", tmp_path), ANN))
    assert "# our own words" not in _page(await own.one(page("triad", tmp_path), ANN))


def _spent(day: int, who: str, model: str, usd: float, calls: int, unpriced: int = 0) -> DaySpent:
    at = (datetime(2026, 11, 1, tzinfo=UTC) + timedelta(days=day)).date().isoformat()
    return DaySpent(at, who, model, usd, calls, unpriced)


def test_costs_are_added_up_and_compared_with_the_highest() -> None:
    costs = [
        _spent(2, "a", "m/x", 0.5, 2, 1),
        _spent(2, "b", "m/y", 1.5, 3),
        _spent(1, "a", "m/y", 0.5, 9),
    ]
    assert summed(costs, lambda cost: cost.asker) == [
        Sum("b", 1.5, 3, 0, 1.0), Sum("a", 1.0, 11, 1, 1.0 / 1.5)
    ]  # fmt: skip
    by_day = summed(costs, lambda cost: cost.day, in_order=True)
    assert [(one.name, one.usd, one.share) for one in by_day] == [
        ("2026-11-03", 2.0, 1.0), ("2026-11-02", 0.5, 0.25)
    ]  # fmt: skip
    assert summed([], lambda cost: cost.day) == []
    free = [_spent(1, "a", "m", 0.0, 2), _spent(1, "b", "m", 0.0, 3), _spent(1, "c", "m", 0.0, 3)]
    assert [(s.name, s.share) for s in summed(free, lambda cost: cost.asker)] == [
        ("b", 0.0), ("c", 0.0), ("a", 0.0)
    ]  # fmt: skip


async def test_costs_are_those_of_a_number_of_days_that_can_be_chosen() -> None:
    room = _Room()
    pages = ReportPages(cast("Records", room), cast("Debates", room))
    for days in ("", "7", "30", "90", "8", "x", "-7"):
        _page(await pages.costs(_sent((), f"/costs?days={days}"), ANN))
    assert room.days == [30, 7, 30, 90, 30, 30, 30]
