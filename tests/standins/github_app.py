"""The App's side of the stand-in of GitHub: manifests, installations with short-lived tokens, and
people who sign in to prove what is theirs.

A JWT is checked by its signature; an installation's token reads and writes what it covers, until
it ends.
"""

from __future__ import annotations

import hmac
import itertools
import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import jwt
from aiohttp import ClientError, ClientSession, web

from tests.standins.github_state import Installation, Names, Person, Pull

BOT = "debatebot[bot]"
PERSONAL = "bob"
"""The account of the personal tokens."""


@cache
def key() -> str:
    """Returns a private key of an App, in PEM."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    made = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return made.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()


@dataclass
class Token:
    installation: int
    repositories: list[str] | None
    ends: datetime


@dataclass
class Delivery:
    """One attempt at a webhook, as GitHub lists it; ``body`` is sent again when asked for."""

    id: int
    guid: str
    body: bytes
    at: datetime
    status: int
    again: bool = False


@dataclass
class AppSide:
    """``codes`` are given out by the website and taken once: for a manifest, or for a person."""

    pulls: dict[tuple[str, int], Pull]
    names: Names = field(default_factory=Names)
    id: str = "4711"
    slug: str = "debatebot-of-acme"
    page: str = "https://github.com/apps/debatebot-of-acme"
    client_id: str = "Iv1.abc"
    client_secret: str = "the-client-secret"
    webhook_secret: str = "the-webhook-secret"
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, Person] = field(default_factory=dict)
    minted: list[dict[str, Any]] = field(default_factory=list)
    lifetime: timedelta = timedelta(hours=1)
    permissions: dict[str, str] = field(
        default_factory=lambda: {
            "metadata": "read", "contents": "read", "pull_requests": "write", "issues": "write",
            "checks": "write",
        }
    )  # fmt: skip
    hook: str = ""
    """The address to which webhooks are sent."""
    deliveries: list[Delivery] = field(default_factory=list)
    page_size: int = 100
    scopes: str | None = "repo"
    """The scopes of classic tokens; None for fine-grained ones, of which GitHub says nothing."""
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(500))

    def install(self, account: str, *repositories: str) -> Installation:
        made = Installation(next(self._ids), account, list(repositories))
        self.installations[made.id] = made
        return made

    def rename(self, old: str, new: str) -> None:
        """Renames a repository, or its account with it, wherever the App is installed."""
        for one in self.installations.values():
            if old in one.repositories:
                one.account = new.partition("/")[0]
                one.repositories = [new if name == old else name for name in one.repositories]
        for token in self.tokens.values():
            covered = token.repositories or []
            token.repositories = [new if name == old else name for name in covered] or None

    def route(self, app: web.Application) -> None:
        app.router.add_post("/app-manifests/{code}/conversions", self._convert)
        app.router.add_get("/app", self._itself)
        app.router.add_get("/app/hook/deliveries", self._listed)
        app.router.add_post(r"/app/hook/deliveries/{id:\d+}/attempts", self._again)
        app.router.add_get("/rate_limit", self._rates)
        app.router.add_get(r"/app/installations/{id:\d+}", self._installation)
        app.router.add_post(r"/app/installations/{id:\d+}/access_tokens", self._mint)
        app.router.add_get("/installation/repositories", self._own_repositories)
        app.router.add_get("/user", self._user)
        app.router.add_get("/user/installations", self._user_installations)
        app.router.add_get(r"/user/installations/{id:\d+}/repositories", self._user_repositories)
        app.router.add_get("/repos/{owner}/{repo}/installation", self._of_repository)
        app.router.add_post("/login/oauth/access_token", self._sign_in)

    async def tell(self, payload: dict[str, Any], now: datetime) -> Delivery:
        """Sends one webhook about a pull request, tried once and never again by itself."""
        return await self._attempt(secrets.token_hex(8), json.dumps(payload).encode(), now)

    async def _attempt(
        self, guid: str, body: bytes, now: datetime, *, again: bool = False
    ) -> Delivery:
        signed = hmac.digest(self.webhook_secret.encode(), body, "sha256").hex()
        headers = {
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": guid,
            "X-Hub-Signature-256": f"sha256={signed}",
            "Content-Type": "application/json",
        }
        try:
            async with (
                ClientSession() as session,
                session.post(self.hook, data=body, headers=headers) as answer,
            ):
                status = answer.status
        except ClientError:
            status = 0
        made = Delivery(next(self._ids), guid, body, now, status, again)
        self.deliveries.append(made)
        return made

    async def _listed(self, request: web.Request) -> web.Response:
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        newest = self.deliveries[::-1]
        start = int(request.query.get("cursor", "v1_0").removeprefix("v1_"))
        page = newest[start : start + self.page_size]
        headers = {}
        if start + self.page_size < len(newest):
            following = f"{request.url.origin()}/app/hook/deliveries?cursor=v1_"
            headers["Link"] = f'<{following}{start + self.page_size}>; rel="next"'
        body = [
            {
                "id": one.id, "guid": one.guid, "delivered_at": one.at.isoformat(),
                "redelivery": one.again, "status_code": one.status, "event": "pull_request",
            }
            for one in page
        ]  # fmt: skip
        return web.json_response(body, headers=headers)

    async def _again(self, request: web.Request) -> web.Response:
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        id = int(request.match_info["id"])
        delivery = next((one for one in self.deliveries if one.id == id), None)
        if delivery is None:
            return _said(404, "Not Found")
        await self._attempt(delivery.guid, delivery.body, delivery.at, again=True)
        return web.json_response({}, status=202)

    def token_of(self, request: web.Request) -> str:
        return request.headers.get("Authorization", "").rpartition(" ")[2]

    def is_app(self, request: web.Request) -> bool:
        return self.token_of(request) in self.tokens

    def who(self, request: web.Request) -> str:
        return BOT if self.is_app(request) else PERSONAL

    def pushes(self, request: web.Request) -> bool:
        """Says whether the credential may write files, which resolving a thread takes."""
        held = self.tokens.get(self.token_of(request))
        return held is None or self.installations[held.installation].contents == "write"

    def refused(self, request: web.Request) -> web.Response | None:
        """Refuses a call without a credential where one is needed, with one that ended, or with one
        that does not cover the repository.
        """
        token = self.token_of(request)
        if request.method != "GET" and not token and not request.path.startswith(_OPEN):
            return _said(401, "Requires authentication")
        held = self.tokens.get(token)
        if held is None:
            return _said(401, "Bad credentials") if token.startswith("ghs_") else None
        if held.ends <= datetime.now(UTC):
            return _said(401, "Bad credentials")
        if self.installations[held.installation].suspended:
            return _said(403, "This installation has been suspended")
        if request.path.startswith("/repos/"):
            repo = "/".join(request.path.split("/")[2:4])
            if repo not in (
                held.repositories or self.installations[held.installation].repositories
            ):
                return _said(404, "Not Found")
        return None

    def _jwt(self, request: web.Request) -> bool:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        public = load_pem_private_key(key().encode(), None).public_key()
        try:
            claims = jwt.decode(self.token_of(request), public, algorithms=["RS256"])  # type: ignore[arg-type]
        except jwt.PyJWTError:
            return False
        return bool(claims["iss"] == self.id and claims["exp"] - time.time() <= 600)

    async def _convert(self, request: web.Request) -> web.Response:
        manifest = self.manifests.pop(request.match_info["code"], None)
        if manifest is None:
            return _said(404, "Not Found")
        body = {
            "id": int(self.id),
            "slug": self.slug,
            "name": manifest["name"],
            "pem": key(),
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "webhook_secret": self.webhook_secret,
            "html_url": self.page,
        }
        return web.json_response(body, status=201)

    async def _itself(self, request: web.Request) -> web.Response:
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        body = {"slug": self.slug, "permissions": self.permissions}
        return web.json_response({**body, "installations_count": len(self.installations)})

    async def _rates(self, request: web.Request) -> web.Response:
        if self.token_of(request).endswith("of-yesterday"):
            return _said(401, "Bad credentials")
        headers = {} if self.scopes is None else {"X-OAuth-Scopes": self.scopes}
        rates = {"resources": {"core": {"limit": 5000, "remaining": 4999}}}
        return web.json_response(rates, headers=headers)

    async def _installation(self, request: web.Request) -> web.Response:
        installation = self.installations.get(int(request.match_info["id"]))
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        return web.json_response(_shown(installation)) if installation else _said(404, "Not Found")

    async def _of_repository(self, request: web.Request) -> web.Response:
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        repo = f"{request.match_info['owner']}/{request.match_info['repo']}"
        installation = next(
            (i for i in self.installations.values() if repo in i.repositories), None
        )
        return web.json_response(_shown(installation)) if installation else _said(404, "Not Found")

    async def _mint(self, request: web.Request) -> web.Response:
        if not self._jwt(request):
            return _said(401, "A JSON web token could not be decoded")
        installation = self.installations.get(int(request.match_info["id"]))
        if installation is None:
            return _said(404, "Not Found")
        document = json.loads(await request.text() or "{}")
        wanted = document.get("repositories")
        covered = [f"{installation.account}/{name}" for name in wanted or ()] or None
        if ids := document.get("repository_ids"):
            covered = [self.names.of(id) for id in ids]
        if covered and not set(covered) <= set(installation.repositories):
            return _said(422, "There is at least one repository that does not exist")
        token, ends = f"ghs_{secrets.token_hex(12)}", datetime.now(UTC) + self.lifetime
        self.tokens[token] = Token(installation.id, covered, ends)
        self.minted.append({"installation": installation.id, **document})
        body = {"token": token, "expires_at": ends.isoformat().replace("+00:00", "Z")}
        return web.json_response(body, status=201)

    async def _own_repositories(self, request: web.Request) -> web.Response:
        held = self.tokens[self.token_of(request)]
        names = self.installations[held.installation].repositories
        return self._paged(request, [{"full_name": name} for name in names])

    def _paged(self, request: web.Request, rows: list[dict[str, Any]]) -> web.Response:
        begin = (int(request.query.get("page", "1")) - 1) * self.page_size
        some = rows[begin : begin + self.page_size]
        return web.json_response({"total_count": len(rows), "repositories": some})

    async def _sign_in(self, request: web.Request) -> web.Response:
        body = await request.json()
        person = self.codes.pop(body.get("code", ""), None)
        if person is None or body.get("client_secret") != self.client_secret:
            return web.json_response({"error": "bad_verification_code"})
        token = f"ghu_{secrets.token_hex(12)}"
        self.people[token] = person
        return web.json_response({"access_token": token, "token_type": "bearer", "scope": ""})

    async def _user(self, request: web.Request) -> web.Response:
        person = self.people.get(self.token_of(request))
        if person is not None:
            return web.json_response({"login": person.login, "id": person.id})
        if self.is_app(request):
            return _said(403, "Resource not accessible by integration")
        if not self.token_of(request):
            return _said(401, "Requires authentication")
        return web.json_response({"login": PERSONAL, "id": 1})

    async def _user_installations(self, request: web.Request) -> web.Response:
        person = self.people.get(self.token_of(request))
        if person is None:
            return _said(401, "Bad credentials")
        seen = [_shown(self.installations[id]) for id in person.sees]
        return web.json_response({"total_count": len(seen), "installations": seen})

    async def _user_repositories(self, request: web.Request) -> web.Response:
        person = self.people.get(self.token_of(request))
        id = int(request.match_info["id"])
        if person is None or id not in person.sees:
            return _said(404, "Not Found")
        seen = [
            {"full_name": name, "permissions": {"admin": admin, "push": True, "pull": True}}
            for name, admin in person.sees[id].items()
        ]
        return self._paged(request, seen)


_OPEN = ("/app-manifests/", "/login/", "/app/")


def user(login: str) -> dict[str, str]:
    """Returns an account as GitHub shows it."""
    return {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


def _shown(one: Installation) -> dict[str, Any]:
    return {"id": one.id, "account": {"login": one.account}, "app_slug": "debatebot-of-acme"}


def _said(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)
