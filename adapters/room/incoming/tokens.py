"""Tokens for programs: a person's list of them, a form for a new one, and buttons that revoke
them.
"""

from __future__ import annotations

from aiohttp import web

from adapters.room.outgoing.reply import render_page, see_other
from adapters.room.visitors import Visitor
from adapters.routes.reading import form_of
from core.application.desk import DeskAnswer
from core.application.tokens import SCOPES, Tokens, TokenTerms
from core.debate.errors import BadInput
from core.languages import say

DAYS = (7, 30, 90, 365)
_EMPTY = dict.fromkeys(("name", "budget", "days", "service", *SCOPES), "")


class TokenPages:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    async def all(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        return await self._shown(request, visitor)

    async def make(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        """Makes a token. Only this answer holds its secret: no address, no cookie and no store
        does.
        """
        form = await form_of(request)
        entered = {name: form.text(name) for name in _EMPTY}
        try:
            service = entered["service"] == "yes"
            make = self._tokens.make
            secret = await make(_terms(entered), visitor.caller(), service=service)
        except BadInput as wrong:
            return await self._shown(request, visitor, entered, wrong=wrong)
        return await self._shown(request, visitor, secret=secret)

    async def end(self, request: web.Request, visitor: Visitor) -> web.StreamResponse:
        id = (await form_of(request)).text("id")
        await self._tokens.end(id, visitor.caller())
        return see_other(
            "/tokens", visitor, DeskAnswer(say("Taken back: it opens nothing any more."))
        )

    async def _shown(
        self,
        request: web.Request,
        visitor: Visitor,
        entered: dict[str, str] | None = None,
        *,
        wrong: BadInput | None = None,
        secret: str = "",
    ) -> web.Response:
        caller = visitor.caller()
        values = {
            "own": caller.person,
            "tokens": await self._tokens.listed(caller),
            "serves": await self._tokens.may_serve(caller),
            "local": visitor.local,
            "days": DAYS,
            "entered": entered or _EMPTY | {"read": "yes", "days": "30"},
            "secret": secret,
        }
        return render_page(request, visitor, "tokens.html", values, wrong=wrong)


def _terms(entered: dict[str, str]) -> TokenTerms:
    """Returns the terms that the form has. Raises ``BadInput``."""
    if entered["days"] not in map(str, DAYS):
        raise BadInput(say("A token is good for {days} days.", days=", ".join(map(str, DAYS))))
    budget = entered["budget"].replace(",", ".").removeprefix("$") or "0"
    whole, _, part = budget.partition(".")
    if len(budget) > 9 or not (whole + part).isascii() or not (whole + part).isdigit():
        raise BadInput(say("The budget is an amount in USD, like 5 or 2.50."))
    scopes = tuple(one for one in SCOPES if entered[one])
    return TokenTerms(entered["name"], scopes, float(budget), int(entered["days"]))
