"""Requests are held to their row: bodies by their size and kind, forms by their fields."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import StreamReader, web
from aiohttp.base_protocol import BaseProtocol
from aiohttp.test_utils import make_mocked_request

from adapters.routes import Media, Route, RouteField, Who
from adapters.routes.bodies import BodyRoom, BodyShare
from adapters.routes.reading import (
    ROUTE,
    SHARE,
    RequestRefused,
    Upload,
    body_of,
    describe_no_token,
    form_of,
    names_in_query,
    query_of,
)
from adapters.routes.waiting import MOST, OpenRequests
from core.application.commands.actions import SHORT, TYPED


async def nothing(_request: web.Request) -> web.StreamResponse:
    return web.Response()


def _route(*form: RouteField, query: tuple[RouteField, ...] = (), **more: Any) -> Route:
    return Route("POST", "/x", Who.ANYONE, nothing, query, form, **more)


_NAME, _FILE, _TEXT = (
    RouteField("name", 5),
    RouteField("file", 8, file=True),
    RouteField("text", 6, pasted=True),
)
_FORM = _route(_NAME, _FILE, _TEXT)


def sent(body: bytes, kind: str, route: Route = _FORM, path: str = "/x") -> web.Request:
    reader = StreamReader(Mock(spec=BaseProtocol, _reading_paused=False), 2**16)
    reader.feed_data(body)
    reader.feed_eof()
    headers = {"Content-Type": kind, "Content-Length": str(len(body))}
    request = make_mocked_request("POST", path, headers, payload=reader)
    request[ROUTE], request[SHARE] = route, BodyShare(BodyRoom(), unsigned=True)
    return request


def _part(name: str, data: bytes, *head: str) -> bytes:
    lines = [f'Content-Disposition: form-data; name="{name}"', *head]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def _parts(*parts: bytes, end: bytes = b"--\r\n") -> bytes:
    return b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b" + end


def _upload(name: str, data: bytes) -> bytes:
    return b'Content-Disposition: form-data; name="file"; filename="%s"\r\n\r\n%s' % (
        name.encode(), data
    )  # fmt: skip


_KIND = "multipart/form-data; boundary=b"


async def _refusal(body: bytes, kind: str = _KIND, route: Route = _FORM) -> tuple[int, str]:
    with pytest.raises(RequestRefused) as refused:
        await form_of(sent(body, kind, route))
    return refused.value.status, str(refused.value)


async def test_a_form_in_one_line_is_read() -> None:
    form = await form_of(sent(b"name=+a%20b+&text=%C3%A9%00", Media.LINE))
    assert (form.text("name"), form.text("text"), form.text("other")) == ("a b", "é\ufffd", "")
    assert form.file("file") is None
    empty = await form_of(sent(b"", Media.LINE))
    assert empty.texts == {}


async def test_a_form_in_parts_is_read() -> None:
    body = _parts(_part("name", b"ann"), _upload("a.md", b"12345678"), _part("text", b"x\r\ny"))
    form = await form_of(sent(body, _KIND))
    assert (form.text("name"), form.text("text")) == ("ann", "x\r\ny")
    assert form.file("file") == Upload("a.md", b"12345678")
    none = await form_of(sent(_parts(_upload("", b"")), _KIND))
    assert none.file("file") is None
    plain = await form_of(sent(_parts(_part("file", b"typed")), _KIND))
    assert (plain.file("file"), plain.text("file")) == (None, "typed")
    for how in ("binary", "8BIT", "7bit"):
        head = f"Content-Transfer-Encoding: {how}"
        form = await form_of(sent(_parts(_part("name", b"a", head)), _KIND))
        assert form.text("name") == "a"


async def test_a_form_is_read_once() -> None:
    request = sent(b"name=a", Media.LINE)
    assert await form_of(request) is await form_of(request)


@pytest.mark.parametrize(("length", "fits"), [(4, True), (5, True), (6, False)])
async def test_a_text_has_the_characters_of_its_field(length: int, fits: bool) -> None:
    body = b"name=" + b"x" * length
    if fits:
        assert len((await form_of(sent(body, Media.LINE))).text("name")) == length
    else:
        assert await _refusal(body, Media.LINE) == (
            413, "“name” is too long: at most 5 characters."
        )  # fmt: skip


async def test_line_ends_count_once_and_pasted_texts_by_their_bytes() -> None:
    assert (await form_of(sent(b"name=1%0D%0A2%0D%0A3", Media.LINE))).text("name") == "1\r\n2\r\n3"
    assert (await form_of(sent("text=éé12".encode(), Media.LINE))).text("text") == "éé12"
    assert (await _refusal("text=ééé1".encode(), Media.LINE))[0] == 413
    assert await _refusal(_parts(_upload("a.md", b"123456789"))) == (
        413, "a.md is too large: at most 1 kB."
    )  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        b"other=1", b"name=1&name=2", b"name=1&text=1&name=2&x=1",
    ],
)  # fmt: skip
async def test_fields_that_the_row_does_not_have_are_refused(body: bytes) -> None:
    assert (await _refusal(body, Media.LINE)) == (
        400, "This form belongs to an older page, or to another one: load the page again."
    )  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (_parts(_part("other", b"1")), 400, "older page"),
        (_parts(_part("name", b"1"), _part("name", b"2")), 400, "older page"),
        (_parts(_upload("a", b"1"), _upload("b", b"2")), 400, "older page"),
        (_parts(*[_part("name", b"1")] * 5), 400, "older page"),
        (_parts(_part("name", b"1"), end=b""), 400, "cut short"),
        (b"", 400, "cut short"),
        (b"x--b--", 400, "cut short"),
        (_parts(b"no head"), 400, "broken"),
        (_parts(b"Content-Disposition: attachment\r\n\r\nx"), 400, "broken"),
        (_parts(b"Content-Disposition: form-data\r\n\r\nx"), 400, "broken"),
        (_parts(_part("name", b"1", "Content-Transfer-Encoding: base64")), 415, "as it is"),
        (_parts(_part("name", b"1", "Content-Encoding: gzip")), 415, "as it is"),
    ],
)
async def test_parts_that_are_none_are_refused(body: bytes, status: int, words: str) -> None:
    refused = await _refusal(body)
    assert refused[0] == status
    assert words in refused[1]


@pytest.mark.parametrize(("length", "fits"), [(1_998, True), (1_999, False)])
async def test_the_head_of_a_part_has_a_length(length: int, fits: bool) -> None:
    head = b'Content-Disposition: form-data; name="name"\r\nX-Long: '
    body = _parts(head + b"x" * (length - len(head) - 4) + b"\r\n\r\n1")
    wide = _route(_NAME, RouteField("file", 9_000, file=True))
    if fits:
        assert (await form_of(sent(body, _KIND, wide))).text("name") == "1"
    else:
        assert "broken" in (await _refusal(body, _KIND, wide))[1]


@pytest.mark.parametrize(("length", "fits"), [(0, False), (1, True), (70, True), (71, False)])
async def test_a_boundary_has_a_length(length: int, fits: bool) -> None:
    mark = b"m" * length
    body = b"--%b\r\n%b\r\n--%b--\r\n" % (mark, _part("name", b"1"), mark)
    kind = f"multipart/form-data; boundary={'m' * length}"
    if fits:
        assert (await form_of(sent(body, kind))).text("name") == "1"
    else:
        assert (await _refusal(body, kind))[1] == "This form is broken: load the page again."


async def test_a_body_of_another_kind_or_too_large_is_refused_before_it_is_read() -> None:
    json = _route(body=10, takes=(Media.JSON,))
    assert await body_of(sent(b"0123456789", Media.JSON, json)) == b"0123456789"
    with pytest.raises(RequestRefused) as large:
        await body_of(sent(b"0123456789a", Media.JSON, json))
    assert (large.value.status, str(large.value)) == (413, "That is too large: at most 1 kB here.")
    with pytest.raises(RequestRefused) as other:
        await body_of(sent(b"x", "text/plain", json))
    assert (other.value.status, str(other.value)) == (415, "Send it as application/json.")
    with pytest.raises(RequestRefused) as none:
        await body_of(sent(b"x", "text/plain", _route()))
    assert str(none.value) == "Send it as nothing."


def test_the_largest_body_follows_from_the_fields() -> None:
    around = 512 * 3
    assert _FORM.largest(Media.PARTS) == 5 * 4 + 8 + 6 + around
    assert _FORM.largest(Media.LINE) == 9 * (5 + 8 + 6) + around
    assert _route(RouteField("x", TYPED + 1)).largest(Media.LINE) == 9 * TYPED + 512
    assert _route(RouteField("x", TYPED), RouteField("y", 2_900)).largest(Media.LINE) == 200_000
    assert _route(body=7).largest(Media.JSON) == 7
    assert RouteField("x").most == SHORT
    assert (_NAME.large, _FILE.large, _TEXT.large) == (False, True, True)
    assert _FORM.takes == (Media.LINE, Media.PARTS)
    assert _route(_NAME, takes=(Media.PARTS,)).takes == (Media.PARTS,)
    assert (_route().takes, _FORM.key) == ((), ("POST", "/x"))


async def test_a_query_is_held_to_its_row() -> None:
    row = _route(query=(RouteField("q", 3), RouteField("id")))
    request = sent(b"", Media.LINE, row, "/x?q=abc&other=1")
    assert query_of(request) == {"q": "abc"}
    assert names_in_query(request) == ("q", "other")
    with pytest.raises(RequestRefused):
        query_of(sent(b"", Media.LINE, row, "/x?q=abcd"))
    with pytest.raises(RequestRefused, match="“q” is in the address twice: send one"):
        query_of(sent(b"", Media.LINE, row, "/x?q=abc&q=abc"))


@pytest.mark.parametrize(
    ("most", "words"),
    [(1, "1 kB"), (1_999, "1 kB"), (2_000, "2 kB"), (999_999, "999 kB"), (1_000_000, "1 MB"),
     (1_234_567, "1.23 MB")],
)  # fmt: skip
async def test_sizes_are_told_in_words(most: int, words: str) -> None:
    row = _route(body=most, takes=(Media.JSON,))
    request = make_mocked_request(
        "POST", "/x", {"Content-Type": Media.JSON, "Content-Length": str(most + 1)},
        payload=Mock(at_eof=lambda: False),
    )  # fmt: skip
    request[ROUTE] = row
    with pytest.raises(RequestRefused, match=f"at most {words} here"):
        await body_of(request)


def test_who_has_no_token_is_told_how_to_get_one() -> None:
    assert describe_no_token(make_mocked_request("GET", "/")).startswith("Give a token")
    wrong = make_mocked_request("GET", "/", {"Authorization": "Bearer x"})
    assert describe_no_token(wrong).startswith("This token is none here")


def test_nobody_waits_for_too_many_answers_at_once() -> None:
    waiting = OpenRequests()
    with ExitStack() as stack:
        for _ in range(MOST):
            stack.enter_context(waiting.one("ann"))
        with pytest.raises(RequestRefused) as refused, waiting.one("ann"):
            raise AssertionError
        assert refused.value.status == 429
        with waiting.one("bob", 1), pytest.raises(RequestRefused), waiting.one("bob", 1):
            raise AssertionError
    with waiting.one("ann"), waiting.one("bob", 1):
        assert True
