"""Nothing is served, read or taken that is not in the table; the page for people is the table."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.routes import Media, Route, Who
from adapters.routes.serving import serve_routes
from bot.desk.bounds import PRESSED, require_bounded, require_press
from core.application.commands.actions import SHORT, TYPED, RouteWork
from core.application.commands.requests import Filters, ScheduleAdd, Start
from core.application.commands.row import most_of
from core.application.permissions.actions import PRESSES
from core.debate.errors import BadInput
from tests.bot.room.serving import served
from tests.project import ROOT
from tests.trust.route_words import BOUNDED, PAGE, every_route, tables, written

_FORM_PAGES = (
    "/", "/new", "/schedules", "/repositories", "/templates/check", "/receipts", "/you", "/tokens",
)  # fmt: skip
_PAGES = Path(ROOT) / "adapters" / "room" / "pages"
_KEY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="
_SURFACES = ("adapters", "bot")


async def test_the_server_answers_at_the_rows_and_nowhere_else(tmp_path: Path) -> None:
    routes = await every_route(tmp_path)
    app = serve_routes(routes)
    answered = {
        (one.method, one.resource.canonical)
        for one in app.router.routes()
        if one.resource is not None and one.method != "HEAD"
    }
    rows = {(each.method, re.sub(r":[^}]*", "", each.path)) for each in routes}
    assert answered == rows
    assert len(rows) == len(routes) >= 49


def test_there_is_no_other_way_to_add_an_address_or_to_read_what_comes() -> None:
    adds = re.compile(r"\.router\b|add_(?:get|post|put|route|static|subapp)\(|web\.RouteTableDef")
    reads = re.compile(
        r"await request\.(?:post|read|text|json|multipart)\("
        r"|request\.(?:content|query|query_string)\b"
    )
    url = re.compile(r"rel_url\.query\b|web\.Application\(")
    for folder in _SURFACES:
        for file in sorted((Path(ROOT) / folder).rglob("*.py")):
            if file.parent.name == "routes":
                continue
            text = file.read_text("utf-8")
            for pattern in (adds, reads, url):
                assert not pattern.search(text), (str(file), pattern.search(text))


_KEPT_OUT = {
    Who.SIGNED_IN: {303, 401},
    Who.LINKED: {303, 401},
    Who.OPERATOR: {401, 303, 404},
    Who.PROGRAM: {401},
    Who.TOOL: {401},
    Who.PLATFORM: {401, 404},
    Who.STATE: {400, 403, 404},
}
"""The answers for somebody who is not named in a row. 404 is for parts that are not set up here."""


async def test_every_row_keeps_out_whom_it_does_not_name(tmp_path: Path) -> None:
    """Nobody, and somebody with the cookies of another bot, at every address, by every method that
    it has: nothing is shown of a debate, and nothing is done.
    """
    word = "Xylophone"
    env: dict[str, Any] = {"DEBATE_SIGNING_KEY": _KEY, "GITHUB_WEBHOOK_SECRET": "s3cret-s3cret"}
    async with served(tmp_path, **env) as room:
        held = await room.debate(target=f"Shall the {word} stay?", rounds=1)
        assert word in (await room.get(f"/d/{held.id}"))[1]
        before = len(await room.parts.stores.debates.load(held.id))
        names = {"id": held.id, "name": held.id, "form": "json", "key": "x", "secret": "x"}
        tried, port = 0, room.bot.address.rpartition(":")[2]
        async with aiohttp.ClientSession() as stranger:
            for row in room.bot.routes:
                path = row.path.replace("{rest:.*}", "nowhere")
                for name, value in (names | {"provider": "slack"}).items():
                    path = path.replace(f"{{{name}}}", value)
                for cookie in ("", f"room-{port}={'a' * 43}"):
                    body = {"token": "a" * 64, "action": "stop", "value": held.id}
                    async with stranger.request(
                        row.method,
                        room.bot.address + path,
                        data=body if row.form else None,
                        headers={"Cookie": cookie} if cookie else {},
                        allow_redirects=False,
                    ) as answer:
                        text = await answer.text()
                    assert word not in text, row.key
                    tried += 1
                    if row.who is not Who.ANYONE:
                        assert answer.status in _KEPT_OUT[row.who], (row.key, answer.status)
        assert tried == 2 * len(room.bot.routes) >= 80
        assert len(await room.parts.stores.debates.load(held.id)) == before
        assert [line.id for line in await room.parts.stores.debates.find_recent()] == [held.id]


class _Forms(HTMLParser):
    """The names that each form of a page sends, by method and address."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, str, set[str]]] = []
        self._in = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "form":
            method = (values.get("method") or "get").upper()
            self.forms.append((method, values.get("action") or "", set()))
            self._in = True
        elif tag in ("input", "textarea", "select", "button") and values.get("name"):
            assert self._in, f"a field outside of a form: {values}"
            self.forms[-1][2].add(str(values["name"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._in = False


def row_of(routes: list[Route], method: str, address: str) -> Route:
    """Returns the row that answers at an address."""
    for each in routes:
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(each.path))
        if each.method == method and re.fullmatch(pattern, address):
            return each
    raise AssertionError(f"{method} {address} is in no row")


async def test_every_field_of_every_form_is_in_its_row(tmp_path: Path) -> None:
    checked: set[tuple[str, str]] = set()
    hold = tmp_path / "hold"
    async with served(tmp_path, DEBATE_SIGNING_KEY=_KEY, DEBATE_SCRIPTED_HOLD=str(hold)) as room:
        routes = [each for each in room.bot.routes if each.path != "/{rest:.*}"]
        ended = (await room.debate("code_review", target="", text=_DIFF, rounds=1)).id
        hold.touch()
        running = (await room.debate(wait=False, vote_window=600.0)).id
        pages = [*_FORM_PAGES, *(f"/d/{id}" for id in (running, ended)), "/costs"]
        for page in (*pages, f"/d/{ended}/review"):
            status, html, _ = await room.get(page)
            assert status == 200, page
            parser = _Forms()
            parser.feed(html)
            for method, action, names in parser.forms:
                row = row_of(routes, method, action)
                known = {each.name for each in (row.form if method == "POST" else row.query)}
                assert names <= known, (page, action, names - known)
                checked.add((method, row.path))
    assert len(checked) >= 9, checked


def test_every_field_that_a_template_writes_is_in_some_row(tmp_path: Path) -> None:
    """The forms that no page above shows."""
    from adapters.room.incoming import fields

    known = {
        each.name for value in vars(fields).values() if isinstance(value, tuple) for each in value
    }
    for file in _PAGES.glob("*.html"):
        for tag in re.findall(r"<(?:input|textarea|select|button)\b[^>]*>", file.read_text()):
            for name in re.findall(r'\bname="([a-z_]+)"', tag):
                assert name in known, (file.name, name)


async def test_every_row_is_bounded_and_what_is_large_is_read_where_it_can_be_ended(
    tmp_path: Path,
) -> None:
    for each in await every_route(tmp_path):
        for field in (*each.form, *each.query):
            assert 0 < field.most <= (2_000_000 if field.large else TYPED), (each.path, field)
            if field.large:
                assert each.work is RouteWork.PROCESS, each.path
        assert not each.takes or each.method == "POST"
        if each.method == "POST":
            assert each.takes
            assert all(0 < each.largest(media) <= 5_000_000 for media in each.takes)
            if each.who in (Who.SIGNED_IN, Who.LINKED):
                assert "token" in each.fields, each.path
            assert each.who is not Who.ANYONE, each.path
        if Media.LINE in each.takes and each.form:
            assert each.largest(Media.LINE) <= 200_000


async def test_the_page_for_people_is_the_table(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, tables(await every_route(tmp_path))) == page


def test_every_button_has_a_row() -> None:
    assert set(PRESSED) == set(PRESSES)
    assert all(most <= TYPED for most in PRESSED.values())


_NEEDED: dict[str, object] = {"start": Start("panel", "x"), "held": True, "useful": True}
"""The fields of some requests beside their texts."""


def within(made: object) -> object:
    """Returns a part of a request inside of one."""
    return ScheduleAdd("", Start("", ""), made) if isinstance(made, Filters) else made


@pytest.mark.parametrize("kind", BOUNDED)
def test_no_text_of_a_command_is_longer_than_its_row_says(kind: type) -> None:
    bounds, kinds = most_of(kind), kind.__annotations__
    words = [name for name, written_as in kinds.items() if written_as == "str"]
    needed = {name: value for name, value in _NEEDED.items() if name in kinds}
    for name in words:
        made = needed | dict.fromkeys(words, "")
        most = bounds.get(name, SHORT)
        require_bounded(within(kind(**made | {name: "x" * most})))
        with pytest.raises(BadInput, match="too long"):
            require_bounded(within(kind(**made | {name: "x" * (most + 1)})))
    for name in [name for name, written_as in kinds.items() if written_as == "tuple[str, ...]"]:
        made = needed | dict.fromkeys(words, "")
        many = tuple("x" for _ in range(bounds.get(name, SHORT)))
        with pytest.raises(BadInput, match="too long"):
            require_bounded(within(kind(**made | {name: many})))


def test_nothing_is_said_with_a_button_beyond_its_row() -> None:
    require_press("challenge", "abc", "x" * TYPED)
    for action, value, text in (
        ("challenge", "abc", "x" * (TYPED + 1)),
        ("challenge", "a" * (SHORT + 1), "x"),
        ("rerun", "abc", "x" * (SHORT + 1)),
        ("nothing", "abc", "x" * (SHORT + 1)),
    ):
        with pytest.raises(BadInput, match="too long"):
            require_press(action, value, text)


_DIFF = (Path(ROOT) / "examples" / "01-retry-payments.diff").read_text("utf-8")
