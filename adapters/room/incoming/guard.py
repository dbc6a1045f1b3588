"""Guards every page: it identifies the visitor, checks that a form comes from our page, and shows a
person what cannot be done.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from secrets import token_urlsafe
from urllib.parse import quote

from aiohttp import web

from adapters.room.outgoing.reply import cookie_name, render_page, secured
from adapters.room.port import BrowserSessions
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor, browser_of, is_key, matches, same_origin
from adapters.routes import Who
from adapters.routes.reading import RequestRefused, form_of
from core.application.debates import Debates
from core.debate.errors import BadInput, DebateError, Refused, StoreAway
from core.debate.issued import new_secret
from core.debate.state import Debate
from core.languages import accepted, say, say_error, speaking

INVITED = "invited"
"""The cookie in which a browser brings the secret of the link that let it in, once."""
logger = logging.getLogger(__name__)

Page = Callable[[web.Request, Visitor], Awaitable[web.StreamResponse]]
Linked = Callable[[web.Request], Awaitable[str]]
Identify = Callable[[web.Request, Who], Awaitable[Visitor]]
Plain = Callable[[web.Request], Awaitable[web.StreamResponse]]


class NotFound(BadInput):
    """The address has no page."""


class Guard:
    """``linked`` names the debate that a browser's link opens, "" for none."""

    def __init__(self, settings: RoomSettings, people: BrowserSessions, linked: Linked) -> None:
        self._settings, self._people, self._linked = settings, people, linked

    def page(self, who: Who, page: Page) -> Plain:
        """Puts ``page`` behind the guard, which lets only visitors of the kinds ``who`` in."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            with speaking(accepted(request.headers.get("Accept-Language", ""))):
                return await spoken_to(request)

        async def spoken_to(request: web.Request) -> web.StreamResponse:
            try:
                visitor = await self.identify(request, who)
            except StoreAway as error:
                return self._away(request, error)
            if not (visitor.signed_in or visitor.link or who is Who.ANYONE):
                answer: web.StreamResponse = _ask_to_sign_in(request)
            else:
                answer = await self._answered(request, visitor, page)
            if not answer.prepared:
                secured(request, answer, visitor, self._settings)
                if INVITED in request.cookies:
                    answer.del_cookie(INVITED, path="/")
            return answer

        return guarded

    async def identify(self, request: web.Request, who: Who) -> Visitor:
        """Return the visitor as the store knows them now."""
        visitor = await self.visitor(request)
        if who is Who.LINKED and not visitor.signed_in:
            return replace(visitor, link=await self._linked(request))
        return visitor

    def _away(self, request: web.Request, error: StoreAway) -> web.Response:
        """Returns the page shown while the visitor cannot be identified; the browser keeps its
        cookie.
        """
        nobody = Visitor(new_secret(token_urlsafe), "", "", "", fresh=False)
        answer = _sorry(nobody, request, say("It did not work"), _later(error), 503)
        secured(request, answer, nobody, self._settings)
        return answer

    async def visitor(self, request: web.Request) -> Visitor:
        key = request.cookies.get(cookie_name(request, self._settings), "")
        if not is_key(key):
            key = ""
        signed_in = await self._people.signed_in(key) if key else None
        if signed_in is None and key and (secret := request.cookies.get(INVITED, "")):
            signed_in = await self._people.enter(key, secret, browser_of(request))
        return signed_in or Visitor(key or new_secret(token_urlsafe), "", "", "", fresh=not key)

    async def _answered(
        self, request: web.Request, visitor: Visitor, page: Page
    ) -> web.StreamResponse:
        try:
            if request.method == "POST":
                await self._check(request, visitor)
            return await page(request, visitor)
        except NotFound as error:
            return _sorry(visitor, request, say("Not found"), say_error(error), 404)
        except Refused as error:
            return _sorry(visitor, request, say("Not possible"), say_error(error), 403)
        except RequestRefused as error:
            return _sorry(visitor, request, say("Not possible"), say_error(error), error.status)
        except BadInput as error:
            return _sorry(visitor, request, say("Not possible"), say_error(error), 400)
        except StoreAway as error:
            return _sorry(visitor, request, say("It did not work"), _later(error), 503)
        except DebateError as error:
            return _sorry(visitor, request, say("It did not work"), say_error(error), 503)

    async def _check(self, request: web.Request, visitor: Visitor) -> None:
        """Checks that one of our pages sent the form. Raises ``Refused``."""
        token = request.headers.get("X-Token", "")
        if not token:
            token = (await form_of(request)).text("token")
        if not (same_origin(request, self._settings.public_url) and matches(token, visitor.token)):
            raise Refused(
                say(
                    "This form is too old or comes from another page. Go back, load the page again "
                    "and send it once more."
                )
            )


def _later(away: StoreAway) -> str:
    logger.warning("a page was not to be had: %s", away, extra={"action": "page_away"})
    return say("{away} Nothing is lost; load the page again in a moment.", away=say_error(away))


def _ask_to_sign_in(request: web.Request) -> web.Response:
    if wants_json(request) or request.method != "GET":
        return web.json_response(
            {"ok": False, "text": say("You are signed out: load the page again.")}, status=401
        )
    return web.Response(
        status=303, headers={"Location": f"/sign-in?to={quote(request.rel_url.path_qs, safe='')}"}
    )


def _sorry(
    visitor: Visitor, request: web.Request, title: str, text: str, status: int
) -> web.Response:
    if wants_json(request):
        return web.json_response({"ok": False, "text": text}, status=status)
    values = {"title": title, "text": text}
    return render_page(request, visitor, "sorry.html", values, status=status)


async def debate_of(debates: Debates, request: web.Request, visitor: Visitor) -> Debate:
    """Returns the debate of the address, if the visitor may see it. Raises ``NotFound``."""
    try:
        return await debates.find(request.match_info["id"], visitor.caller())
    except BadInput as error:
        raise NotFound(say_error(error)) from error


def wants_json(request: web.Request) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")
