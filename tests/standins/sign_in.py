"""Slack and Discord as those who say who somebody is, over a real socket: the page that asks, the
token endpoint with every check that the real one makes, and who has come.

Both run on one server: ``slack_url`` and ``discord_url`` are what the settings are told.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.typedefs import Handler

CLIENT, SECRET = "client-1", "client-secret-of-the-room"


@dataclass(frozen=True)
class Person:
    """Somebody with accounts at both. ``guilds`` are where Discord says they are."""

    slack: str = "U1"
    team: str = "T1"
    discord: str = "701"
    guilds: tuple[str, ...] = ("900",)
    name: str = "Ann"


@dataclass
class SignInStandIn:
    """``here`` is who sits in front of the browser. ``claims`` replace some of an ID token's,
    ``bodies`` whole answers by the end of their address.
    """

    here: Person = field(default_factory=Person)
    nonce_of_another: bool = False
    claims: Mapping[str, Any] = field(default_factory=dict)
    bodies: Mapping[str, bytes] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    tokens: dict[str, Person] = field(default_factory=dict)
    grants: list[dict[str, str]] = field(default_factory=list)
    _port: int = 0

    async def __aenter__(self) -> Self:
        app = web.Application(middlewares=[self._replaced])
        app.router.add_get("/openid/connect/authorize", self._ask)
        app.router.add_get("/oauth2/authorize", self._ask)
        app.router.add_get("/allow", self._allow)
        app.router.add_post("/api/openid.connect.token", self._slack_token)
        app.router.add_post("/api/v10/oauth2/token", self._discord_token)
        app.router.add_get("/api/v10/users/@me", self._me)
        app.router.add_get("/api/v10/users/@me/guilds", self._guilds)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self._runner.cleanup()

    @web.middleware
    async def _replaced(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        body = self.bodies.get(request.path.rpartition("/")[2])
        if body is not None:
            return web.Response(body=body, content_type="application/json")
        return await handler(request)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def slack_url(self) -> str:
        return f"{self.base}/api/"

    @property
    def discord_url(self) -> str:
        return f"{self.base}/api/v10"

    async def _ask(self, request: web.Request) -> web.Response:
        """Returns the page on which a person allows it or not."""
        grant = dict(request.query)
        assert grant["client_id"] == CLIENT
        assert grant["response_type"] == "code"
        code = secrets.token_hex(8)
        self.codes[code] = grant
        self.grants.append(grant)
        allow = urlencode({"code": code})
        deny = urlencode({"error": "access_denied", "state": grant["state"]})
        return web.Response(
            text=f"<!doctype html><title>Allow?</title><h1>Allow debatebot?</h1>"
            f'<a href="/allow?{allow}">Allow</a> '
            f'<a href="{escape(grant["redirect_uri"])}?{escape(deny)}">Cancel</a>',
            content_type="text/html",
        )

    async def _allow(self, request: web.Request) -> web.Response:
        grant = self.codes[request.query["code"]]
        back = urlencode({"code": request.query["code"], "state": grant["state"]})
        raise web.HTTPFound(f"{grant['redirect_uri']}?{back}")

    async def _taken(self, request: web.Request) -> dict[str, str] | None:
        """Returns the request that belongs to a code; a code is good once, and for the client that
        asked.
        """
        form = await request.post()
        grant = self.codes.pop(str(form.get("code")), None)
        good = (
            grant is not None
            and form.get("client_id") == CLIENT
            and form.get("client_secret") == SECRET
            and form.get("grant_type") == "authorization_code"
            and form.get("redirect_uri") == grant["redirect_uri"]
        )
        if not good or grant is None:
            return None
        return grant | {"verifier": str(form.get("code_verifier", ""))}

    async def _slack_token(self, request: web.Request) -> web.Response:
        grant = await self._taken(request)
        if grant is None:
            return web.json_response({"ok": False, "error": "invalid_code"})
        claims = {
            "iss": "https://slack.com",
            "aud": CLIENT,
            "exp": int(time.time()) + 300,
            "sub": self.here.slack,
            "nonce": "another" if self.nonce_of_another else grant["nonce"],
            "name": self.here.name,
            "https://slack.com/user_id": self.here.slack,
            "https://slack.com/team_id": self.here.team,
            **self.claims,
        }
        token = ".".join((_encoded({"alg": "RS256"}), _encoded(claims), "c2VhbA"))
        return web.json_response({"ok": True, "access_token": "xoxp-1", "id_token": token})

    async def _discord_token(self, request: web.Request) -> web.Response:
        grant = await self._taken(request)
        if grant is None or _challenge(grant["verifier"]) != grant["code_challenge"]:
            return web.json_response({"error": "invalid_grant"}, status=400)
        token = secrets.token_hex(16)
        self.tokens[token] = self.here
        return web.json_response({"access_token": token, "token_type": "Bearer"})

    async def _me(self, request: web.Request) -> web.Response:
        who = self._bearer(request)
        return web.json_response(
            {"id": who.discord, "username": who.name.lower(), "global_name": who.name}
        )

    async def _guilds(self, request: web.Request) -> web.Response:
        return web.json_response([{"id": g} for g in self._bearer(request).guilds])

    def _bearer(self, request: web.Request) -> Person:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.tokens:
            raise web.HTTPUnauthorized
        return self.tokens[token]


def _encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
