"""Signing in and out, and the page of a person's sessions.

A browser also enters with the link that this machine's shell prints. Opening it stores nothing and
uses nothing up: the browser gets a new cookie and takes the secret along in a second one to the
page that it is sent on to. Only a browser that comes back with both is signed in, and the link is
used then. So previews of links in chats and mails, ``HEAD`` requests and prefetching browsers do
not use it up.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Sequence
from secrets import token_urlsafe
from urllib.parse import quote

from aiohttp import web

from adapters.room.incoming.guard import INVITED, NotFound
from adapters.room.outgoing.reply import render_page, see_other, set_cookie, set_key
from adapters.room.port import BrowserSessions
from adapters.room.settings import RoomSettings
from adapters.room.setup.providers import Attempt, SignInProvider
from adapters.room.visitors import Visitor, browser_of, matches
from adapters.routes.reading import form_of, query_of
from core.application.desk import DeskAnswer
from core.debate.errors import Refused
from core.debate.issued import new_secret
from core.languages import say
from core.words.views.language.grammar import plural

_COOKIE = "sign-in"
OPEN = "/open/"
"""The beginning of the address of a shell's link; the link's secret follows."""
_LIVES = 600
"""Seconds that a sign-in may take, and for which a browser keeps the secret of a link."""


class SignIn:
    """Signs people in and out. ``providers`` are the ways in; without a public address for people
    to come back to, there are none.
    """

    def __init__(
        self, settings: RoomSettings, providers: Sequence[SignInProvider], people: BrowserSessions
    ) -> None:
        self._settings, self._people = settings, people
        self._ways = tuple(providers) if settings.public_url else ()

    async def follow(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        if _ahead(request):
            return web.Response(status=503, headers={"Cache-Control": "no-store"})
        secret = request.match_info["secret"]
        debate = await self._people.invited(secret)
        if debate is None and not visitor.local:
            raise Refused(
                say(
                    "This link is not valid any more: each works once, for half an hour. The "
                    "operator gets a new one in a shell of its machine: `debate open`"
                )
            )
        to = f"/d/{debate}" if debate else "/"
        answer = see_other(to, visitor)
        if visitor.local:
            await self._people.decline(secret)
            return answer
        set_key(request, answer, new_secret(token_urlsafe), self._settings)
        set_cookie(answer, INVITED, secret, seconds=_LIVES)
        return answer

    async def choose(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        to = inside(query_of(request).get("to", "/"))
        if visitor.signed_in:
            return see_other(to, visitor)
        values = {
            "ways": [(p.title, f"/sign-in/{p.name}?to={quote(to, safe='')}") for p in self._ways],
        }
        return render_page(request, visitor, "sign_in.html", values)

    async def begin(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        provider = self._provider(request)
        attempt = Attempt(*(secrets.token_urlsafe(32) for _ in range(3)))
        to = inside(query_of(request).get("to", "/"))
        place = provider.address(attempt, self._back(provider))
        answer = see_other(place, visitor)
        text = json.dumps([provider.name, attempt.state, attempt.nonce, attempt.verifier, to])
        value = base64.urlsafe_b64encode(text.encode()).decode()
        sealed = f"{value}.{visitor.signed(value)}"
        set_cookie(answer, _COOKIE, sealed, seconds=_LIVES, path="/sign-in")
        return answer

    async def finish(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Signs in a person whom the provider sent back."""
        provider = self._provider(request)
        attempt, to = self._attempt(request, visitor, provider)
        query = query_of(request)
        if "error" in query:
            return see_other("/sign-in", visitor, DeskAnswer(say("You did not sign in."), ok=False))
        account = await provider.account(query.get("code", ""), attempt, self._back(provider))
        # A secret that nobody can have put into this browser before.
        key = new_secret(token_urlsafe)
        await self._people.begin(key, account, browser_of(request))
        answer = see_other(to, visitor)
        answer.del_cookie(_COOKIE, path="/sign-in")
        set_key(request, answer, key, self._settings)
        return answer

    async def out(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Signs this browser out, another one, or all of them."""
        form = await form_of(request)
        which = form.text("session")
        if which == "all":
            ended = await self._people.end(visitor, all=True)
            note = DeskAnswer(
                say("Signed out everywhere: {browsers}.", browsers=plural(ended, "browser"))
            )
        else:
            await self._people.end(visitor, which)
            note = DeskAnswer(say("Signed out."))
        mine = which in ("", "all", visitor.session)
        return see_other("/sign-in" if mine else "/you", visitor, note)

    async def you(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        values = {
            "sessions": await self._people.sessions(visitor),
            "visitor_place": visitor.place,
            "workspaces": visitor.workspaces,
            "workspace": visitor.workspace,
            "own": visitor.session,
            "local": visitor.local,
        }
        return render_page(request, visitor, "you.html", values)

    async def look_at(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Switches to another of the person's workspaces."""
        workspace = (await form_of(request)).text("workspace")
        if workspace not in visitor.workspaces:
            raise Refused(say("You are not signed in there."))
        await self._people.look_at(visitor, workspace)
        return see_other("/", visitor)

    def _provider(self, request: web.Request) -> SignInProvider:
        name = request.match_info["provider"]
        provider = next((p for p in self._ways if p.name == name), None)
        if provider is None:
            raise NotFound(say("Nobody can sign in with {name} here.", name=name[:40]))
        return provider

    def _back(self, provider: SignInProvider) -> str:
        return f"{self._settings.public_url}/sign-in/{provider.name}/done"

    def _attempt(
        self, request: web.Request, visitor: Visitor, provider: SignInProvider
    ) -> tuple[Attempt, str]:
        """Returns the attempt that this answer belongs to. Raises ``Refused``."""
        value, _, seal = request.cookies.get(_COOKIE, "").rpartition(".")
        if value and matches(seal, visitor.signed(value)):
            name, state, nonce, verifier, to = json.loads(base64.urlsafe_b64decode(value))
            returned = query_of(request).get("state", "")
            if name == provider.name and matches(returned, state):
                return Attempt(state, nonce, verifier), inside(to)
        raise Refused(say("This sign-in is too old or began in another browser. Begin again."))


def inside(path: str) -> str:
    """Returns one of our paths to continue to; the first page if the given path leads elsewhere."""
    # a browser leaves tabs and line breaks out before it looks for a host
    good = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path[:500] if good and not path.startswith("/sign-in") else "/"


def _ahead(request: web.Request) -> bool:
    """True if the browser fetches the page before a person has asked for it."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return request.method == "HEAD" or any(
        "prefetch" in purpose or "preview" in purpose for purpose in purposes
    )
