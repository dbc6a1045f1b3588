"""Builds the server's addresses from their rows; there is no other way to add one.

If a body was not read, the connection ends with the answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web
from aiohttp.typedefs import Middleware

from adapters.routes import Answer, Route, Who
from adapters.routes.bodies import BodyRoom, BodyShare
from adapters.routes.reading import ROUTE, SHARE, RequestRefused

_STRANGERS = (Who.ANYONE, Who.PLATFORM, Who.STATE)
"""The users of routes that read a body before they know who sent it."""
_LONGEST_NAME = 200
"""Characters of a piece of an address that is a name or an id."""


def serve_routes(
    routes: Iterable[Route], *around: Middleware, room: BodyRoom | None = None
) -> web.Application:
    """Return the application that answers at these addresses and at no other.

    ``around`` wraps every answer with the server's own middleware; ``room`` is what all bodies
    together may take.
    """
    room = room or BodyRoom()
    app = web.Application(middlewares=[*around, _closing_unread])
    for route in routes:
        app.router.add_route(route.method, route.path, _answering(route, room))
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, _answering(route, room))
    return app


def _answering(route: Route, room: BodyRoom) -> Answer:
    unsigned = route.who in _STRANGERS

    async def answer(request: web.Request) -> web.StreamResponse:
        if any(len(name) > _LONGEST_NAME or "\0" in name for name in _names(request)):
            if route.missing is None:
                raise web.HTTPNotFound
            return await route.missing(request)
        share = BodyShare(room, unsigned)
        request[ROUTE], request[SHARE] = route, share
        try:
            return await route.answer(request)
        except RequestRefused as error:
            return refused(error)
        finally:
            share.release()

    return answer


def refused(error: RequestRefused) -> web.Response:
    """Returns the refusal of a request, worded for programs."""
    return web.json_response({"ok": False, "said": str(error)}, status=error.status)


@web.middleware
async def _closing_unread(request: web.Request, handler: Answer) -> web.StreamResponse:
    """Ends the connection with the answer if the body was not read."""
    try:
        answer = await handler(request)
    except web.HTTPException as error:
        _close_unread(request, error)
        raise
    _close_unread(request, answer)
    return answer


def _close_unread(request: web.Request, answer: web.StreamResponse) -> None:
    if not answer.prepared and not request.content.at_eof():
        answer.force_close()


def _names(request: web.Request) -> Iterable[str]:
    """Returns the variable pieces of the address; the rest behind a whole folder is looked up
    nowhere.
    """
    return (value for name, value in request.match_info.items() if name != "rest")
