"""Signing in with the link that this machine's shell prints.

Opening it stores nothing and uses nothing up: the browser gets a new cookie and takes the secret
along in a second one to the page that it is sent on to. Only a browser that comes back with both is
signed in, and the link is used then. So previews of links in chats and mails, ``HEAD`` requests and
prefetching browsers do not use it up.
"""

from __future__ import annotations

from secrets import token_urlsafe

from aiohttp import web

from adapters.room.incoming.guard import INVITED
from adapters.room.outgoing.reply import see_other, set_cookie, set_key
from adapters.room.port import BrowserSessions
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from core.debate.errors import Refused
from core.debate.issued import new_secret
from core.languages import say

OPEN = "/open/"
"""The beginning of such a link's address; the link's secret follows."""
_LIVES = 600
"""Seconds for which a browser keeps the secret."""


class Entrance:
    def __init__(self, settings: RoomSettings, people: BrowserSessions) -> None:
        self._settings, self._people = settings, people

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


def _ahead(request: web.Request) -> bool:
    """True if the browser fetches the page before a person has asked for it."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return request.method == "HEAD" or any(
        "prefetch" in purpose or "preview" in purpose for purpose in purposes
    )
