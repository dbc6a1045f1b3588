"""Makes and revokes tokens for programs: people make their own, admins also those of the
workspace's services.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from adapters.room.port import TokenEntry
from bot.permissions import Permissions
from bot.platforms import workspace_of
from bot.room.holders import place_of
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.place import PROGRAM, Person, platform_of
from core.application.tokens import SCOPES, TokenTerms
from core.debate.errors import BadInput, Refused
from core.debate.ports import Clock
from storage.audit import acting
from storage.people.tokens import Token, Tokens

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
    return await store.make(person, place, terms.name, scopes, terms.purse, terms.until(now))


@dataclass(frozen=True, slots=True)
class TokenDesk:
    """Implements ``adapters.room.port.Tokens`` for people of a workspace, and for the person who
    came from the shell.
    """

    store: Tokens
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

    async def listed(self, caller: Caller) -> Sequence[TokenEntry]:
        return [_entry(one, caller.person) for one in await self._seen(caller)]

    async def end(self, id: str, caller: Caller) -> None:
        if id not in {one.id for one in await self.listed(caller)}:
            raise BadInput("There is no such token.")
        with _acting(caller):
            await self.store.end(id)

    async def may_serve(self, caller: Caller) -> bool:
        try:
            await self.permissions.require(caller, Action.SERVICE)
        except Refused:
            return False
        return True

    async def _seen(self, caller: Caller) -> Sequence[Token]:
        if caller.shell:
            return await self.store.all()
        return await self.store.of(
            caller.person, caller.place if await self.may_serve(caller) else ""
        )


def _acting(caller: Caller) -> AbstractContextManager[None]:
    return acting(caller.person, "room", caller.place)


def _entry(token: Token, own: str) -> TokenEntry:
    return TokenEntry(
        token.id,
        token.name,
        token.person,
        token.person == own,
        platform_of(token.person) == PROGRAM,
        token.scopes,
        token.purse,
        token.held,
        token.expires_at,
    )
