"""Who may ask the tools over HTTP, and how a request is handed over to them."""

from __future__ import annotations

import json
from typing import cast

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from adapters.mcp.http import McpEndpoint, _scope
from adapters.mcp.session import Access, Holder
from adapters.routes import Media, Who

SECRET = "s" * 40
HOLDER = Holder("tok1", ("read",), None)


class _Tokens:
    """Knows the holder of one token."""

    def __init__(self) -> None:
        self.secrets: list[str] = []

    async def holder(self, secret: str) -> Holder | None:
        self.secrets.append(secret)
        return HOLDER if secret == SECRET else None


def _endpoint(tokens: _Tokens, public_url: str = "https://debates.example/room") -> McpEndpoint:
    return McpEndpoint(cast("Access", tokens), (), public_url)


async def _answer(method: str = "POST", **headers: str) -> tuple[int, str, list[str]]:
    tokens = _Tokens()
    request = make_mocked_request(method, "/mcp", headers)
    try:
        answer = await _endpoint(tokens)._answer(request)
    except web.HTTPMethodNotAllowed as error:
        return error.status, "", tokens.secrets
    assert isinstance(answer, web.Response)
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.status, json.loads(answer.text or "")["detail"], tokens.secrets


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://debates.example", 401), ("", 401), ("https://evil.example", 403),
        ("http://debates.example", 403), ("null", 403),
    ],
)  # fmt: skip
async def test_pages_of_other_sites_may_not_ask(origin: str, status: int) -> None:
    assert (await _answer(Origin=origin))[0] == status


@pytest.mark.parametrize(
    ("given", "looked_up"),
    [
        ("", False), (f"Bearer {SECRET}", True), (f"bearer {SECRET}", True),
        (f"Basic {SECRET}", False), ("Bearer " + "s" * 20, False), ("Bearer " + "s" * 21, True),
        ("Bearer " + "s" * 99, True), ("Bearer " + "s" * 100, False),
    ],
)  # fmt: skip
async def test_only_what_can_be_a_token_is_looked_up(given: str, looked_up: bool) -> None:
    status, _, secrets = await _answer("GET", Authorization=given)
    assert bool(secrets) is looked_up
    assert status == (405 if looked_up and given.split()[1] == SECRET else 401)


def test_the_routes_are_for_programs() -> None:
    rows = _endpoint(_Tokens()).routes()
    assert [(row.method, row.path, row.who) for row in rows] == [
        (method, "/mcp", Who.TOOL) for method in ("POST", "GET", "DELETE")
    ]
    assert [row.largest(Media.JSON) for row in rows] == [1_100_000, 0, 0]


async def test_the_token_is_not_handed_over() -> None:
    request = make_mocked_request("POST", "/mcp", {"Authorization": "x", "X-Own": "y"})
    scope = _scope(request)
    assert scope["headers"] == [(b"x-own", b"y")]
    assert (scope["method"], scope["path"], scope["query_string"]) == ("POST", "/mcp", b"")
