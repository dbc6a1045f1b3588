"""Links for people outside: those who may change a debate make and revoke them, and anyone who has
one can follow it.
"""

from __future__ import annotations

from aiohttp import web

from adapters.room.incoming.guard import NotFound, debate_of
from adapters.room.outgoing.reply import link_cookie, see_other, set_cookie
from adapters.room.port import Links
from adapters.room.settings import RoomSettings
from adapters.room.visitors import Visitor
from adapters.routes.reading import form_of
from core.application.commands.actions import Action
from core.application.debates import Debates
from core.application.desk import DeskAnswer
from core.debate.errors import BadInput, Refused
from core.debate.state import Debate
from core.languages import say

DAYS = (1, 7, 30, 90)


class LinkPages:
    def __init__(self, settings: RoomSettings, debates: Debates, links: Links) -> None:
        self._settings, self._debates, self._links = settings, debates, links

    async def follow(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Follows a link: its key moves into a cookie for this debate, so that no page and no other
        address holds it.
        """
        key, id = request.match_info["key"], request.match_info["id"]
        if not self._settings.links or await self._links.opens(key) != id:
            raise NotFound(
                say("This link is not good any more. Ask the person who gave it to you.")
            )
        answer = see_other(f"/d/{id}", visitor)
        set_cookie(answer, link_cookie(id), key, path=f"/d/{id}")
        return answer

    async def opened(self, request: web.Request) -> str:
        """Returns the debate that this browser's link opens, "" for none."""
        id = request.match_info.get("id", "")
        key = ""
        if id and self._settings.links:
            key = request.cookies.get(link_cookie(id), "")
        if key and await self._links.opens(key) == id:
            return id
        return ""

    async def make(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        debate, form = await self._mine(request, visitor), await form_of(request)
        await self._debates.require(visitor.caller(), Action.SHARE, debate)
        id = debate.id
        days = form.text("days")
        if days not in map(str, DAYS):
            raise BadInput(say("A link is good for {days} days.", days=", ".join(map(str, DAYS))))
        await self._links.make(id, visitor, int(days))
        note = DeskAnswer(
            say("Made. Everybody with the link can read this debate; copy it from the side.")
        )
        return see_other(f"/d/{id}#links", visitor, note)

    async def revoke(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        id, form = (await self._mine(request, visitor)).id, await form_of(request)
        gone = await self._links.revoke(id, form.text("link"), visitor)
        note = DeskAnswer(
            say("Taken back.") if gone else say("That link was not good any more."), ok=gone
        )
        return see_other(f"/d/{id}#links", visitor, note)

    async def _mine(self, request: web.Request, visitor: Visitor) -> Debate:
        """Returns the debate, if this person may share it. Raises ``Refused``."""
        if not self._settings.links:
            raise Refused(say("Links for people outside are not allowed here: DEBATE_ROOM_LINKS."))
        debate = await debate_of(self._debates, request, visitor)
        try:
            await self._debates.require(visitor.caller(), Action.PAUSE, debate)
        except Refused:
            raise Refused(
                say("Only the person who started it, or an admin, may share it.")
            ) from None
        return debate
