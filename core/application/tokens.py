"""Tokens by which programs authenticate: their terms, their bearers, and how they are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from core.application.desk import Caller
from core.application.place import PROGRAM, platform_of
from core.application.presence import Member
from core.debate.errors import BadInput, Refused
from core.languages import number

SCOPES = ("read", "start", "act")
MOST_DAYS = 366
MOST_BUDGET = 10_000.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class TokenTerms:
    """A token's rights and lifetime; ``budget`` is USD for all debates that it starts."""

    name: str
    scopes: tuple[str, ...] = ("read",)
    budget: float = 0.0
    days: int = 30

    def __post_init__(self) -> None:
        """Raises ``BadInput`` for invalid terms."""
        if not _NAME.fullmatch(self.name):
            raise BadInput("A token's name has letters, digits and .-_, 40 at most.")
        if not self.scopes or not set(self.scopes) <= set(SCOPES):
            raise BadInput(
                "A token may {scopes}: name one of them at least.", scopes=", ".join(SCOPES)
            )
        if not 0 <= self.budget <= MOST_BUDGET or not 1 <= self.days <= MOST_DAYS:
            raise BadInput(
                "A budget is 0 to {most} USD, a token lives 1 to {days} days.",
                most=number(MOST_BUDGET),
                days=MOST_DAYS,
            )
        if "start" in self.scopes and not self.budget:
            raise BadInput("What may its debates cost together? Give the budget in USD.")

    def until(self, now: datetime) -> datetime:
        return now + timedelta(days=self.days)


@dataclass(frozen=True, slots=True)
class Token:
    """A token: ``budget`` is USD; ``held`` is the part of it that debates have reserved."""

    id: str
    person: str
    place: str
    name: str
    scopes: tuple[str, ...]
    budget: float
    held: float
    created_at: datetime
    expires_at: datetime

    @property
    def service(self) -> bool:
        """True if it is a program's own, of nobody in particular."""
        return platform_of(self.person) == PROGRAM


@dataclass(frozen=True, slots=True)
class Bearer:
    """A valid token, and its ``member`` as their platform knows them now."""

    token: Token
    member: Member

    def require(self, scope: str) -> None:
        """Raises ``Refused`` if the token lacks that scope (read, start, act)."""
        if scope not in self.token.scopes:
            raise Refused("This token may not {scope}: make one with that scope.", scope=scope)

    def caller(self, source: str) -> Caller:
        """Returns the token's person as a caller at the desk, who is shown a price before it is
        spent.
        """
        return Caller(
            self.token.person,
            self.token.place,
            f"api:{self.token.id}:{source}",
            name=self.member.name,
            admin=self.member.admin,
            confirms_price=True,
            program=True,
            token=self.token.id,
        )


class Tokens(Protocol):
    """The tokens by which programs authenticate, and what they have started."""

    async def make(self, terms: TokenTerms, caller: Caller, *, service: bool) -> str:
        """Makes a token for the caller, or for a ``service``, and returns its secret, which is
        shown once. Raises ``Refused``.
        """
        ...

    async def listed(self, caller: Caller) -> Sequence[Token]:
        """Returns the caller's own tokens, and those of services that they may revoke; the oldest
        first.
        """
        ...

    async def end(self, id: str, caller: Caller) -> None:
        """Revokes a token. Raises ``BadInput`` for a token that the caller does not see."""
        ...

    async def may_serve(self, caller: Caller) -> bool:
        """True if the caller may make a service's token."""
        ...

    async def bearer(self, secret: str) -> Bearer | None:
        """Returns the bearer of a secret; None for a secret that is not valid.

        Raises ``CouldNotFinish`` while it can't be known whether its person still belongs to the
        workspace.
        """
        ...

    async def hold(self, token: str, key: str, text: str, budget: float) -> str:
        """Reserves ``budget`` USD of the token's budget. Returns the debate that was started under
        ``key`` before, or "". Raises ``Refused`` and ``BadInput``.
        """
        ...

    async def settle(self, token: str, key: str, debate: str) -> None:
        """Notes the debate that was started; without one, gives back the held budget."""
        ...
