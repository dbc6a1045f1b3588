"""Makes and revokes tokens for programs: people make their own, admins also those of the
workspace's services.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.ports.desk import Caller
from adapters.ports.place import PROGRAM, Person, platform_of
from adapters.room.port import NewToken, TokenEntry
from bot.permissions import Action, Permissions
from bot.platforms import workspace_of
from bot.room.holders import place_of
from core.errors import BadInput, Refused
from core.ports import Clock
from storage.audit import acting
from storage.people.tokens import Token, Tokens

SCOPES = ("read", "start", "act")
MOST_DAYS = 366
MOST_PURSE = 10_000.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_MOST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """A token's rights and lifetime; ``purse`` is USD for all debates that it starts."""

    name: str
    scopes: tuple[str, ...] = ("read",)
    purse: float = 0.0
    days: int = 30

    def __post_init__(self) -> None:
        """Raises ``BadInput`` for invalid terms."""
        if not _NAME.fullmatch(self.name):
            raise BadInput("A token's name has letters, digits and .-_, 40 at most.")
        if not self.scopes or not set(self.scopes) <= set(SCOPES):
            raise BadInput(f"A token may {', '.join(SCOPES)}: name one of them at least.")
        if not 0 <= self.purse <= MOST_PURSE or not 1 <= self.days <= MOST_DAYS:
            raise BadInput(
                f"A purse holds 0 to {MOST_PURSE:,.0f} USD, a token lives 1 to {MOST_DAYS} days."
            )
        if "start" in self.scopes and not self.purse:
            raise BadInput("What may its debates cost together? Say it in the purse, in USD.")

    def until(self, now: datetime) -> datetime:
        return now + timedelta(days=self.days)


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

    async def make(self, wanted: NewToken, caller: Caller) -> str:
        """Makes a token. The person at the machine makes services only, since a program never has
        the rights of the shell.
        """
        service = wanted.service or caller.shell
        await self.permissions.require(caller, Action.SERVICE if service else Action.LEND)
        terms = TokenTerms(wanted.name, wanted.scopes, wanted.purse, wanted.days)
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
