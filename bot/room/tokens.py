"""Makes and revokes tokens for programs: people make their own, admins also those of the
workspace's services.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from bot.platforms import workspace_of
from bot.room.holders import Holders, place_of
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.permissions import Permissions
from core.application.place import PROGRAM, Person
from core.application.tokens import SCOPES, Bearer, Token, TokenTerms
from core.debate.errors import BadInput, Refused
from core.debate.ports import Clock
from storage.audit import acting
from storage.people.tokens import Tokens

_MOST_TOKENS = 50


def service_of(name: str, workspace: str) -> str:
    """Returns the service of that name: of a workspace, or with "" of this machine."""
    return str(Person(PROGRAM, workspace, name))


async def make_token(
    store: Tokens, person: str, terms: TokenTerms, now: datetime
) -> tuple[str, str]:
    """Returns the token's id and its secret, which is shown once."""
    scopes = tuple(one for one in SCOPES if one in terms.scopes)
    place = place_of(person)
    return await store.make(person, place, terms.name, scopes, terms.budget, terms.until(now))


@dataclass(frozen=True, slots=True)
class TokenDesk:
    """Implements ``core.application.tokens.Tokens`` for people of a workspace, and for the person
    who came from the shell.
    """

    store: Tokens
    holders: Holders
    permissions: Permissions
    clock: Clock

    async def make(self, terms: TokenTerms, caller: Caller, *, service: bool) -> str:
        """Makes a token. The person at the machine makes services only, since a program never has
        the rights of the shell.
        """
        service = service or caller.shell
        await self.permissions.require(caller, Action.SERVICE if service else Action.LEND)
        person = caller.person  # in the workspace that they look at, whoever else they are
        if service:
            person = service_of(terms.name, "" if caller.shell else workspace_of(caller.place))
        if len(await self.store.of(person)) >= _MOST_TOKENS:
            raise Refused("There are too many tokens already: take some back.")
        with _acting(caller):
            return (await make_token(self.store, person, terms, self.clock.now()))[1]

    async def listed(self, caller: Caller) -> Sequence[Token]:
        if caller.shell:
            return await self.store.all()
        return await self.store.of(
            caller.person, caller.place if await self.may_serve(caller) else ""
        )

    async def end(self, id: str, caller: Caller) -> None:
        if id not in {one.id for one in await self.listed(caller)}:
            raise BadInput("There is no such token.")
        with _acting(caller):
            await self.store.end(id)

    async def may_serve(self, caller: Caller) -> bool:
        return await self.permissions.may(caller, Action.SERVICE)

    async def bearer(self, secret: str) -> Bearer | None:
        token = await self.store.find(secret)
        return None if token is None else await self.holders.bearer(token)

    async def hold(self, token: str, key: str, text: str, budget: float) -> str:
        return await self.store.hold(token, key, text, budget)

    async def settle(self, token: str, key: str, debate: str) -> None:
        await self.store.settle(token, key, debate)


def _acting(caller: Caller) -> AbstractContextManager[None]:
    return acting(caller.person, "room", caller.place)
