"""Coming into the room by the shell's link, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import sqlalchemy as sa

from bot.room.invitations import GOOD_FOR, check_private, reachable
from bot.settings import read
from core.debate.errors import BadInput
from storage.audit import AuditLog
from storage.tables import INVITATION, SESSION
from tests.bot.room.serving import Served, served
from tests.bot.room.test_signing_in import Ahead
from tests.standins.programs import find
from tests.standins.proxies import passing_on

PAGES = (
    "/", "/new", "/costs", "/doctor", "/schedules", "/repositories", "/you", "/receipts", "/tokens",
)  # fmt: skip


def browser() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


async def stored(room: Served, table: sa.Table) -> list[sa.Row[tuple[object, ...]]]:
    database = room.parts.stores.database
    return await database.read(lambda conn: list(conn.execute(sa.select(table)).all()))


async def test_nobody_is_let_in_for_what_a_request_says_or_leaves_out(tmp_path: Path) -> None:
    cases: list[dict[str, str]] = [
        {},
        {"Host": "127.0.0.1:8765"},  # what a plain `proxy_pass` sends for whoever comes
        {"Host": "localhost"},
        {"Host": "evil.example"},
        {"X-Forwarded-For": "203.0.113.7"},
        {"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=127.0.0.1"},
        {"Cookie": "room-8765=" + "A" * 43},
        {"Cookie": "room-8765=" + "A" * 43 + "; invited=" + "A" * 43},
    ]
    async with served(tmp_path, enters=False) as room:
        id = (await room.debate(rounds=1)).id
        for headers in cases:
            for path in (*PAGES, f"/d/{id}", f"/d/{id}/debate-{id}.json", f"/d/{id}/live"):
                status, page, answer = await room.get(path, **headers)
                assert (status, page) == (303, "")
                assert answer["Location"].startswith("/sign-in")
            assert (await room.post("/press", headers, action="pause", value=id))[0] == 401
            assert (await room.post("/new", headers, target="x"))[0] == 401
        async with room.web.get(room.bot.address) as entered:
            assert "<code>debate open</code>" in await entered.text(), "what lets one in"


@pytest.mark.skipif(not find("nginx"), reason="no nginx: `make test` says how to get it")
async def test_behind_a_plain_proxy_pass_everybody_is_nobody_without_the_link(
    tmp_path: Path,
) -> None:
    """The proxy sends the bot's own address as `Host`, and does not say for whom it asks."""
    async with served(tmp_path, enters=False) as room, browser() as far:
        id = (await room.debate(rounds=1)).id
        async with passing_on(tmp_path, urlsplit(room.bot.address).netloc) as address:
            for path in (*PAGES, f"/d/{id}"):
                async with far.get(address + path, allow_redirects=False) as answer:
                    assert (answer.status, await answer.text()) == (303, "")
            for path in ("/metrics", "/readyz"):
                async with far.get(address + path) as answer:
                    assert answer.status == 404
            link = address + urlsplit(await room.link(id)).path
            async with far.get(link) as answer:
                assert (answer.status, answer.url.path) == (200, f"/d/{id}")


async def test_a_link_lets_one_browser_in_and_leaves_a_clean_address(tmp_path: Path) -> None:
    async with served(tmp_path, enters=False) as room, browser() as other:
        link = await room.link()
        status, page, answer = await room.get(urlsplit(link).path)
        assert (status, page, answer["Location"]) == (303, "", "/")
        for cookie in answer.getall("Set-Cookie"):  # type: ignore[attr-defined]  # a multidict
            assert "HttpOnly" in cookie
            assert "SameSite=Lax" in cookie
            assert "Max-Age" in cookie
        status, page, _ = await room.get("/")
        assert status == 200
        assert ">ann</a>" in page
        assert [one.key for one in room.web.cookie_jar if one.key == "invited"] == []
        async with other.get(link) as again:
            assert again.status == 403
            assert "debate open" in await again.text()
        assert (await room.get("/"))[0] == 200
        acts = await AuditLog(room.parts.stores.database).load()
        assert [(act.surface, act.what) for act in acts] == [("room", "sign in")]


async def test_only_a_browser_that_comes_back_uses_a_link_up_and_the_first_is_in(
    tmp_path: Path,
) -> None:
    """A preview, a HEAD request or a prefetch does not use the link up."""
    async with served(tmp_path, enters=False) as room, browser() as other:
        link = await room.link()
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as preview:
            async with preview.get(link, headers={"User-Agent": "Slackbot-LinkExpanding"}) as one:
                assert "Sign in" in await one.text()
            async with preview.head(link) as head:
                assert "invited" not in head.headers["Set-Cookie"]
        for header in ("Sec-Purpose", "Purpose", "X-Moz"):
            async with browser() as ahead:
                async with ahead.get(link, headers={header: "prefetch;prerender"}) as answer:
                    assert answer.status == 503
                assert "invited" not in {one.key for one in ahead.cookie_jar}
        await room.web.head(link)
        await room.get(urlsplit(link).path)
        async with other.get(link) as answer:
            assert (answer.status, answer.url.path) == (200, "/")
        assert (await room.get("/"))[0] == 303


async def test_a_browser_that_is_in_uses_a_link_up_and_stays_who_it_is(room: Served) -> None:
    """A stolen database is not enough to sign in."""
    id = (await room.debate(rounds=1)).id
    before = await stored(room, SESSION)
    async with room.web.get(await room.link(id)) as answer:
        assert (answer.status, answer.url.path) == (200, f"/d/{id}")
    assert [row.key_hash for row in before] == [row.key_hash for row in await stored(room, SESSION)]
    assert await stored(room, INVITATION) == []
    waiting = await room.link()
    keys = {one.value for one in room.web.cookie_jar}
    kept = str([*await stored(room, INVITATION), *await stored(room, SESSION)])
    assert keys
    assert all(key not in kept for key in (*keys, urlsplit(waiting).path[6:]))


async def test_links_and_sessions_have_an_end(tmp_path: Path) -> None:
    """A browser that followed the link in time and comes back too late is not signed in."""
    clock = Ahead()
    async with served(tmp_path, clock=clock, enters=False) as room:
        await room.get(urlsplit(await room.link()).path)
        clock.ahead += GOOD_FOR
        assert (await room.get("/"))[0] == 303
        link = await room.link()
        clock.ahead += GOOD_FOR
        async with room.web.get(link) as answer:
            assert answer.status == 403
        await room.enter()
        clock.ahead += timedelta(days=29, hours=23)
        assert (await room.get("/"))[0] == 200
        clock.ahead += timedelta(hours=1)
        assert (await room.get("/"))[0] == 303


async def test_two_bots_of_one_machine_have_a_cookie_each_that_outlives_them(
    tmp_path: Path,
) -> None:
    """A restart and a second tab need no new link."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    async with served(one) as first, served(two, enters=False) as second:
        cookies: Mapping[str, str] = {each.key: each.value for each in first.web.cookie_jar}
        assert set(cookies) == {f"room-{urlsplit(first.bot.address).port}"}
        async with first.web.get(await second.link()) as answer:
            assert answer.status == 200
        assert (await first.get("/"))[0] == 200
    async with served(one, enters=False) as room:
        port = urlsplit(room.bot.address).port
        again = f"room-{port}={next(iter(cookies.values()))}"
        assert (await room.get("/", Cookie=again))[0] == 200
        assert (await room.get("/new", Cookie=again))[0] == 200


async def test_the_person_of_the_shell_signs_browsers_out(tmp_path: Path) -> None:
    async with served(tmp_path) as room, browser() as other:
        async with other.get(await room.link()) as answer:
            assert answer.status == 200
        _, page, _ = await room.get("/you")
        assert page.count("this one") == 1
        assert page.count(">Sign out<") == 2
        await room.post("/sign-out", {}, token=await room.token(), session="all")
        for web in (room.web, other):
            async with web.get(room.bot.address, allow_redirects=False) as answer:
                assert answer.status == 303


async def test_who_is_forgotten_is_in_no_browser_any_more(room: Served) -> None:
    waiting = await room.link()
    await room.parts.retention.forget_person("shell:ann")
    assert (await room.get("/"))[0] == 303
    async with room.web.get(waiting) as answer:
        assert answer.status == 403


async def test_no_link_where_another_account_could_write_one(tmp_path: Path) -> None:
    place = tmp_path / "here"
    place.mkdir()
    async with served(place, enters=False) as room:
        for mode, folder, command in (
            (0o660, 0o700, "chmod 600"),
            (0o602, 0o700, "chmod 600"),
            (0o600, 0o777, "chmod o-w"),
        ):
            place.chmod(folder)
            (place / "debate.db").chmod(mode)
            with pytest.raises(BadInput, match=command):
                await room.link()


def test_a_database_server_has_accounts_of_its_own(tmp_path: Path) -> None:
    settings = read({"DEBATE_DATABASE_URL": "postgresql+psycopg://a:b@db.example/x"}, tmp_path)
    check_private(settings)


@pytest.mark.parametrize(
    ("bound", "link"),
    [
        ("http://127.0.0.1:8765", "http://127.0.0.1:8765"),
        ("http://0.0.0.0:8765", "http://127.0.0.1:8765"),
        ("http://[::]:8765", "http://[::1]:8765"),
        ("http://192.0.2.7:80", "http://192.0.2.7:80"),
    ],
)
def test_a_link_names_an_address_that_a_browser_reaches(bound: str, link: str) -> None:
    assert reachable(bound) == link
