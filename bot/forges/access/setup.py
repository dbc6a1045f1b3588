"""Makes and links the GitHub App: one link makes it on GitHub, another installs it for a workspace.
Each comes back with a state that was signed here and a person who proved their identity.

A workspace gets an installation only when the person who installed it administers everything that
it covers; the address to which GitHub returns proves nothing by itself.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from adapters.forges.github.app import AppCredentials, convert, manifest, prove, web_address
from adapters.forges.wire import open_wire
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import person_on
from core.debate.errors import BadInput, DebateError
from core.debate.ports import Clock
from core.languages import accepted, msgid, say, say_error, speaking, spoken
from core.words.views.documents.forge import CREATE_APP
from storage.places import GITHUB

if TYPE_CHECKING:
    from aiohttp import web

    from adapters.routes import Route

logger = logging.getLogger(__name__)
_STATE = 2_000
"""The most characters of a state that was signed here."""
LASTS = timedelta(minutes=30)
"""How long a link stays valid."""
_HUB = "github"

Handler = Callable[["web.Request"], Awaitable["web.Response"]]
Keep = Callable[[str, AppCredentials], Awaitable[None]]
"""Stores the credentials of the App that was just made on a host, sealed."""


@dataclass(frozen=True, slots=True)
class SetupState:
    """The purpose of a link: ``make`` the App of a ``host``, ``install`` it for a workspace's
    person, or ``give`` them the ``installation`` on ``account`` that ``login`` proved to control.
    """

    purpose: str
    workspace: str
    person: str
    until: int
    host: str = GITHUB
    installation: int = 0
    account: str = ""
    login: str = ""

    def sign(self, secret: str) -> str:
        text = json.dumps(astuple(self))
        body = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        return f"{body}.{_mac(body, secret)}"


def read_state(text: str, secret: str, purpose: str, now: datetime) -> SetupState:
    """Returns the state of a link that was made here. Raises ``BadInput`` for any other, and for an
    expired one.
    """
    body, _, mac = text.partition(".")
    if not secret or not hmac.compare_digest(
        mac.encode("utf-8", "replace"), _mac(body, secret).encode()
    ):
        raise BadInput(say("This link was not made here. Ask for a new one: setup github."))
    document = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    state = SetupState(*document)
    if state.purpose != purpose or state.until < now.timestamp():
        raise BadInput(say("This link is too old. Ask for a new one: setup github."))
    return state


def _mac(body: str, secret: str) -> str:
    key = hashlib.sha256(b"forge state\0" + secret.encode()).digest()
    return hmac.new(key, body.encode(), hashlib.sha256).hexdigest()[:40]


@dataclass(frozen=True, slots=True)
class AppSetup:
    """Makes and links Apps. ``secret`` signs the states; without it no link can be made.
    ``sealing`` is true if the App's own secrets can be stored. ``take`` records a key in the store
    and returns whether it was new: a link with an effect works once.
    """

    connections: ForgeConnections
    keep: Keep
    clock: Clock
    public_url: str
    secret: str
    sealing: bool
    take: Callable[[str], Awaitable[bool]]

    def routes(self) -> list[Route]:
        from adapters.routes import Route, RouteField, Who  # a command in a shell serves nothing

        who, state, code = Who.STATE, RouteField("state", _STATE), RouteField("code")
        new = (state, RouteField("organization", 100))
        back = (state, code, RouteField("installation_id", 12), RouteField("setup_action", 20))
        app, link = "the App's credentials, sealed", "which workspace it serves"
        return [
            Route("GET", "/github/app/new", who, _localized(self.new), query=new),
            Route(
                "GET",
                "/github/app/made",
                who,
                _localized(self.made),
                query=(state, code),
                stored=app,
            ),
            Route("GET", "/github/app/installed", who, _localized(self.installed), query=back),
            Route(
                "POST", "/github/app/given", who, _localized(self.given), form=(state,), stored=link
            ),
        ]

    @property
    def hosts(self) -> Sequence[str]:
        """Returns the hosts that can have an App: github.com and configured Enterprise hosts."""
        return [name for name, one in self.connections.library.hosts.items() if one.forge == _HUB]

    def making_link(self, host: str) -> str:
        """Returns the link with which an operator makes the App. Raises ``BadInput`` that lists all
        missing settings, in the order in which to set them.
        """
        if missing := self._missing():
            steps = "".join(f"\n{n}. {say(step)}" for n, step in enumerate(missing, 1))
            raise BadInput(
                "Before the GitHub App on {host} can be made:{steps}", host=host, steps=steps
            )
        state = self._state("make", host, "", "")
        return f"{self.public_url}/github/app/new?state={quote(state)}"

    def _missing(self) -> Sequence[str]:
        steps = []
        if not self.secret:
            steps.append(
                msgid(
                    "Set DEBATE_SIGNING_KEY, which signs the link, to 32 random bytes in hex "
                    "(openssl rand -hex 32)."
                )
            )
        if not self.sealing:
            steps.append(
                msgid(
                    "Set DEBATE_SECRET_KEY, which seals the App's secrets (debate db key makes "
                    "one)."
                )
            )
        if steps and not self.public_url.startswith("https://"):
            steps.append(
                msgid(
                    "If GitHub can reach the bot, set DEBATE_PUBLIC_URL to its https address; else "
                    "pull requests are polled."
                )
            )
        if steps:
            steps.append(msgid("Start the bot with them (debate serve)."))
            steps.append(msgid("Type it again: debate setup github --app"))
        return steps

    async def install_link(self, host: str, workspace: str, person: str) -> str:
        """Returns the link with which a workspace's admin installs the App. Raises ``BadInput`` if
        there is no App yet.
        """
        app = await self.connections.app_of(host)
        if app is None or not (app.page or app.slug):
            raise BadInput(
                "There is no GitHub App on {host} yet. The operator makes it with: debate setup "
                "github",
                host=host,
            )
        page = app.page or f"{self._site(host)}/apps/{quote(app.slug)}"
        query = urlencode({"state": self._state("install", host, workspace, person)})
        return f"{page}/installations/new?{query}"

    def _site(self, host: str) -> str:
        """Returns the site if people sign in. Raises ``BadInput`` for a host that is no longer
        configured.
        """
        host_config = self.connections.library.hosts.get(host)
        if host_config is None:
            raise BadInput("{host} is no GitHub that is configured here.", host=host)
        return web_address(host_config.api)

    def _state(self, purpose: str, host: str, workspace: str, person: str) -> str:
        if not self.secret:
            raise BadInput(
                say(
                    "Links are signed: set DEBATE_SIGNING_KEY to 32 random bytes in hex "
                    "(openssl rand -hex 32)."
                )
            )
        until = int((self.clock.now() + LASTS).timestamp())
        return SetupState(purpose, workspace, person, until, host).sign(self.secret)

    def _opened(self, query: Mapping[str, str], purpose: str) -> SetupState:
        return read_state(query.get("state", ""), self.secret, purpose, self.clock.now())

    async def new(self, request: web.Request) -> web.Response:
        """Returns a page whose only button sends the App's manifest to GitHub."""
        from adapters.routes.reading import query_of

        query = query_of(request)
        base, text = self._site(self._opened(query, "make").host), query.get("state", "")
        wanted = json.dumps(manifest(self.public_url))
        account, path = query.get("organization", ""), ""
        if account:
            path = f"organizations/{quote(account, safe='')}/"
        action = html.escape(f"{base}/{path}settings/apps/new?state={quote(text)}")
        form = (
            f'<form action="{action}" method="post">'
            f'<input type="hidden" name="manifest" value="{html.escape(wanted)}">'
            f"<button>{html.escape(say(CREATE_APP))}</button></form>"
        )
        return _page(form, 200, raw=True)

    async def made(self, request: web.Request) -> web.Response:
        """Receives the operator from GitHub, with a code for the new App's credentials."""
        from adapters.routes.reading import query_of

        query = query_of(request)
        state = self._opened(query, "make")
        async with self.connections.wire(state.host) as wire:
            app = await convert(wire, query.get("code", ""))
        await self._use_up(query.get("state", ""))
        await self.keep(state.host, app)
        logger.info("a GitHub App was made", extra={"action": "app_made", "slug": app.slug})
        return _page(say("The GitHub App is there. In a channel: /debate setup github"), 200)

    async def installed(self, request: web.Request) -> web.Response:
        """Receives the person who installed the App from GitHub, signed in. Somebody else may have
        sent them the link, so a page asks them which workspace gets it.
        """
        from adapters.routes.reading import query_of

        query = query_of(request)
        state, number = self._opened(query, "install"), query.get("installation_id", "")
        if not number.isdecimal() or len(number) > 12:
            raise BadInput(say("GitHub named no installation."))
        account, login = await self._proof(state.host, int(number), query.get("code", ""))
        give = replace(
            state,
            purpose="give",
            installation=int(number),
            account=account,
            login=login,
        )
        text = say(
            "{login}, this lets the workspace {workspace} read and review what the App covers on "
            "{account}. {person} asked for it there.",
            login=login,
            workspace=state.workspace,
            account=f"{state.host}/{account}",
            person=state.person,
        )
        form = (
            f'<p>{html.escape(text)}</p><form action="/github/app/given" method="post">'
            f'<input type="hidden" name="state" value="{html.escape(give.sign(self.secret))}">'
            f"<button>{html.escape(say('Give it to them'))}</button></form>"
        )
        return _page(form, 200, raw=True)

    async def given(self, request: web.Request) -> web.Response:
        """Links the installation after its owner confirmed it."""
        from adapters.routes.reading import form_of

        text = (await form_of(request)).text("state")
        state = read_state(text, self.secret, "give", self.clock.now())
        await self._use_up(text)
        await self.connections.installations.keep(
            state.host,
            state.installation,
            state.account,
            state.workspace,
            state.person,
            person_on(_HUB, state.host, state.login),
        )
        facts = {"action": "app_installed", "account": state.account, "by": state.person}
        logger.info("an installation was linked", extra=facts)
        return _page(say("Linked. In the channel: /debate setup github OWNER/REPO"), 200)

    async def _use_up(self, state: str) -> None:
        """Record that a link had its effect. Raises ``BadInput`` if it had it before."""
        if not await self.take(f"link:{_mac(state, self.secret)}"):
            raise BadInput(say("This link was used already. Ask for a new one: setup github."))

    async def _proof(self, host: str, installation: int, code: str) -> tuple[str, str]:
        app = await self.connections.app_of(host)
        if app is None:
            raise BadInput("There is no GitHub App on {host}.", host=host)
        library = self.connections.library
        base = self._site(host)
        pages = open_wire(library.resolver, base, "GitHub", library.limits, library.now())
        async with self.connections.wire(host) as wire, pages as site:
            return await prove(wire, site, app, code, installation, self.connections.tokens)


def _localized(page: Handler) -> Handler:
    """Returns the page, or the reason why there is none, in the language of the browser."""

    async def localized(request: web.Request) -> web.Response:
        with speaking(accepted(request.headers.get("Accept-Language", ""))):
            try:
                return await page(request)
            except DebateError as error:
                return _page(say_error(error), 400)

    return localized


def _page(text: str, status: int, *, raw: bool = False) -> web.Response:
    from aiohttp import web  # a command in a shell serves nothing

    inner = text if raw else f"<p>{html.escape(text)}</p>"
    policy = (
        "default-src 'none'; form-action 'self' https: http://127.0.0.1:*; frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
    head = f"<!doctype html><html lang={spoken()}><meta charset=utf-8><title>Debatebot</title>"
    return web.Response(text=head + inner, status=status, content_type="text/html", headers=headers)
