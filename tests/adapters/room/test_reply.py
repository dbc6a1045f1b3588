"""Cookies, notices and headers of the room's answers, and who a visitor is."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import AsyncIterator
from secrets import token_urlsafe

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from adapters.room.outgoing.reply import (
    HEADERS,
    Frame,
    end_notice,
    notice_of,
    secured,
    see_other,
    streamed,
)
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor, from_shell, is_key, matches, same_origin
from core.application.desk import DeskAnswer
from core.debate.issued import new_secret

ANN = Visitor("k" * 43, "slack:T1/U1", "room:slack:T1/main", "Ann")
NOBODY = Visitor("n" * 43, "", "", "")
TLS = RoomSettings("https://debates.example")


def _asked(path: str = "/", **headers: str) -> web.Request:
    return make_mocked_request("GET", path, {k.replace("_", "-"): v for k, v in headers.items()})


def _sent_back(answer: web.Response) -> web.Request:
    """The browser's next request, with the notice that it was given."""
    return _asked("/", Cookie=f"notice={answer.cookies['notice'].value}")


@pytest.mark.parametrize("notice", [DeskAnswer("Paused."), DeskAnswer("It is over.", ok=False)])
def test_a_notice_is_shown_on_the_next_page_of_the_same_browser_alone(notice: DeskAnswer) -> None:
    answer = see_other("/d/d1", ANN, notice)
    assert (answer.status, answer.headers["Location"]) == (303, "/d/d1")
    assert notice_of(_sent_back(answer), ANN) == notice
    assert notice_of(_sent_back(answer), NOBODY) is None
    cookie = answer.cookies["notice"]
    assert (cookie["max-age"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (
        "60", True, "Strict", "/"
    )  # fmt: skip
    assert not see_other("/", ANN).cookies


def test_a_notice_has_fifteen_hundred_characters_at_most() -> None:
    for length, kept in ((1499, 1499), (1500, 1500), (1501, 1500)):
        shown_next = notice_of(_sent_back(see_other("/", ANN, DeskAnswer("x" * length))), ANN)
        assert shown_next == DeskAnswer("x" * kept)


def test_a_notice_that_is_none_is_not_shown() -> None:
    for value in ("", ".", "x.", f".{ANN.signed('')}", f"é.{ANN.signed('é')}"):
        assert notice_of(_asked("/", Cookie=f"notice={value}"), ANN) is None
    for text in (b"no json", b"[1]", b"\xff"):
        value = base64.urlsafe_b64encode(text).decode()
        assert notice_of(_asked("/", Cookie=f"notice={value}.{ANN.signed(value)}"), ANN) is None
    value = base64.urlsafe_b64encode(json.dumps(["a", True]).encode()).decode()
    assert notice_of(_asked("/", Cookie=f"notice={value}.{ANN.signed('other')}"), ANN) is None


def test_a_notice_ends_where_a_page_shows_it() -> None:
    sent = _sent_back(see_other("/", ANN, DeskAnswer("x")))
    assert end_notice(sent, ANN, web.Response()).cookies["notice"].value == ""
    assert not end_notice(sent, NOBODY, web.Response()).cookies, "it waits for the next page"
    assert not end_notice(_asked("/"), ANN, web.Response()).cookies


def test_every_answer_has_the_headers_and_a_new_browser_a_cookie() -> None:
    answer = web.Response(headers={"Cache-Control": "max-age=1"})
    secured(_asked("/", Host="localhost:8765"), answer, ANN, RoomSettings())
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert answer.headers["Cache-Control"] == "max-age=1"
    assert "Strict-Transport-Security" not in answer.headers
    assert not answer.cookies
    fresh = Visitor("f" * 43, "", "", "", fresh=True)
    answer = web.Response()
    secured(_asked("/", Host="localhost:8765"), answer, fresh, RoomSettings())
    assert answer.headers["Cache-Control"] == "no-store"
    cookie = answer.cookies["room-8765"]
    assert (cookie.value, cookie["max-age"], cookie["path"]) == ("f" * 43, str(30 * 86400), "/")
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, "", "Lax")


def test_over_tls_every_cookie_is_for_tls() -> None:
    answer = see_other("/", ANN, DeskAnswer("x"))
    secured(_asked(), answer, Visitor("f" * 43, "", "", "", fresh=True), TLS)
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert {name: cookie["secure"] for name, cookie in answer.cookies.items()} == {
        "notice": True, "__Host-room": True
    }  # fmt: skip


async def _pieces() -> AsyncIterator[str]:
    yield "first "
    yield "second "
    yield "third"


async def test_the_first_piece_of_a_packed_page_does_not_wait() -> None:
    plain = streamed(_asked(), _pieces())
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Cache-Control"] == "no-store"
    packed = streamed(_asked("/", Accept_Encoding="gzip, br"), _pieces())
    assert packed.headers["Content-Encoding"] == "gzip"
    chunks = [chunk async for chunk in packed.body._value]  # type: ignore[union-attr]  # a payload
    unpacked = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    assert [unpacked.decompress(chunk) for chunk in chunks] == [b"first ", b"second third"]
    assert [chunk async for chunk in plain.body._value] == [b"first ", b"second ", b"third"]  # type: ignore[union-attr]


def test_who_a_visitor_is() -> None:
    local = from_shell("k" * 43, "shell:ann", "s1")
    admin = Visitor("k" * 43, "discord:9/7", "room:discord:9/main", "Bob", admin=True)
    assert [(v.local, v.signed_in, v.workspace) for v in (ANN, NOBODY, local, admin)] == [
        (False, True, "slack:T1"), (False, False, ""), (True, True, ""), (False, True, "discord:9"),
    ]  # fmt: skip
    assert (local.name, local.place, local.session) == ("ann", "shell:ann", "s1")
    assert [Frame(v).binds for v in (ANN, NOBODY, local, admin)] == [False, False, True, True]
    caller = admin.caller("room:1")
    assert (caller.person, caller.place, caller.source) == (admin.person, admin.place, "room:1")
    assert (caller.name, caller.admin, caller.confirms_price) == ("Bob", True, True)
    assert ANN.caller().source != ANN.caller().source
    assert len(ANN.token) == len(ANN.signed("x")) == 32
    assert len({ANN.token, NOBODY.token, ANN.signed("form2")}) == 3


def test_a_cookie_that_can_be_no_secret_of_ours_is_not_looked_up() -> None:
    assert is_key(new_secret(token_urlsafe))
    assert [is_key(n * "a") for n in (39, 40, 64, 65)] == [False, True, True, False]
    assert is_key("a-_" * 15)
    assert not is_key("é" * 43)
    assert not is_key("a b" * 15)
    assert not is_key("-" * 43)


def test_secrets_are_compared_whole() -> None:
    assert matches("abc", "abc")
    assert not matches("abcd", "abc")
    assert not matches("", "abc")
    assert not matches("\udcff", "abc")


@pytest.mark.parametrize(
    ("headers", "public", "own"),
    [
        ({}, "", True),
        ({"Origin": "http://localhost:1"}, "", True),
        ({"Origin": "http://localhost:2"}, "", False),
        ({"Origin": "https://debates.example"}, "https://debates.example", True),
        ({"Origin": "http://localhost:1"}, "https://debates.example", False),
        ({"Origin": "null"}, "", False),
        ({"Origin": "http://[x"}, "", False),
        ({"Sec_Fetch_Site": "same-origin"}, "", True),
        ({"Sec_Fetch_Site": "none"}, "", True),
        ({"Sec_Fetch_Site": "cross-site"}, "", False),
        ({"Sec_Fetch_Site": "same-site", "Origin": "http://localhost:1"}, "", False),
    ],
)
def test_a_form_comes_from_a_page_of_ours(headers: dict[str, str], public: str, own: bool) -> None:
    assert same_origin(_asked("/", Host="localhost:1", **headers), public) is own
