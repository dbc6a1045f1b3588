"""What stands before every page: who asks, whether a form comes from a page of ours, and what a
person reads when something cannot be done.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from urllib.parse import quote

from aiohttp import web

from adapters.room.incoming.visitors import (
    Visitor,
    at_machine,
    at_this_machine,
    new_key,
    same_origin,
)
from adapters.room.outgoing.reply import cookie_name, secured, shown
from adapters.room.port import People
from adapters.room.settings import RoomSettings
from core.errors import BadInput, DebateError, Refused

logger = logging.getLogger(__name__)

Handler = Callable[[web.Request, Visitor], Awaitable[web.StreamResponse]]
Linked = Callable[[web.Request], Awaitable[str]]
Plain = Callable[[web.Request], Awaitable[web.StreamResponse]]


class NotFound(BadInput):
    """There is no such page."""


class Guard:
    """``linked`` names the debate that a browser's link opens, "" for none."""

    def __init__(self, settings: RoomSettings, people: People, linked: Linked) -> None:
        self._settings, self._people, self._linked = settings, people, linked

    def page(self, handler: Handler, *, anyone: bool = False, link: bool = False) -> Plain:
        """``handler`` behind the guard. ``anyone`` lets in who is not signed in, ``link`` who has a
        link to this debate.
        """

        async def guarded(request: web.Request) -> web.StreamResponse:
            visitor = await self.visitor(request)
            if link and not visitor.signed_in:
                visitor = replace(visitor, link=await self._linked(request))
            if not (visitor.signed_in or visitor.link or anyone):
                answer: web.StreamResponse = _ask_to_sign_in(request)
            else:
                answer = await self._answered(request, visitor, handler)
            if not answer.prepared:
                secured(answer, visitor, self._settings)
            return answer

        return guarded

    async def visitor(self, request: web.Request) -> Visitor:
        key = request.cookies.get(cookie_name(self._settings), "")
        if not self._settings.public_url and at_this_machine(request):
            return at_machine(self._settings.user, key)
        found = await self._people.signed_in(key) if key else None
        return found or Visitor(key or new_key(), "", "", "", fresh=not key)

    async def _answered(
        self, request: web.Request, visitor: Visitor, handler: Handler
    ) -> web.StreamResponse:
        try:
            if request.method == "POST":
                await self._check(request, visitor)
            return await handler(request, visitor)
        except NotFound as error:
            return _sorry(visitor, request, "Not found", str(error), 404)
        except Refused as error:
            return _sorry(visitor, request, "Not possible", str(error), 403)
        except BadInput as error:
            return _sorry(visitor, request, "Not possible", str(error), 400)
        except DebateError as error:
            return _sorry(visitor, request, "It did not work", str(error), 503)

    async def _check(self, request: web.Request, visitor: Visitor) -> None:
        """Raises ``Refused`` for a form that no page of ours sent."""
        said = request.headers.get("X-Token", "")
        if not said:
            form = await request.post()
            said = str(form.get("token", ""))
        if not (
            same_origin(request, self._settings.public_url)
            and hmac.compare_digest(said.encode(), visitor.token.encode())
        ):
            raise Refused(
                "This form is too old or comes from another page. Go back, load the page again "
                "and send it once more."
            )


def _ask_to_sign_in(request: web.Request) -> web.Response:
    if wants_json(request) or request.method != "GET":
        return web.json_response(
            {"ok": False, "text": "You are signed out: load the page again."}, status=401
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
    return shown("sorry.html", visitor, request.path, values, status)


def wants_json(request: web.Request) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")
