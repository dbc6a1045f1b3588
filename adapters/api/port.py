"""The interface through which the API reads and writes; ``bot`` implements it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from adapters.ports.following import EventReader
from core.application.desk import Caller


@dataclass(frozen=True, slots=True)
class Bearer:
    """A valid token: its id, its person, its scopes (read, start, act), and that person's rights on
    their platform now.
    """

    id: str
    person: str
    place: str
    scopes: tuple[str, ...]
    name: str = ""
    admin: bool = False

    def caller(self, source: str) -> Caller:
        """Returns the token's person as a caller at the desk, who is shown a price before it is
        spent.
        """
        return Caller(
            self.person,
            self.place,
            f"api:{self.id}:{source}",
            name=self.name,
            admin=self.admin,
            confirms_price=True,
            program=True,
            token=self.id,
        )


class StoredDebates(EventReader, Protocol):
    """Tokens, and debates as one caller may see them."""

    async def bearer(self, secret: str) -> Bearer | None:
        """Returns the bearer of a secret; None for a secret that is not valid.

        Raises ``CouldNotFinish`` while it can't be known whether its person still belongs to the
        workspace.
        """
        ...

    async def hold(self, token: str, key: str, text: str, budget: float) -> str:
        """Reserves ``budget`` of the token's purse. Returns the debate that was started under
        ``key`` before, or "". Raises ``Refused`` and ``BadInput``.
        """
        ...

    async def settle(self, token: str, key: str, debate: str) -> None:
        """Notes the debate that was started; without one, gives back the held budget."""
        ...

    async def listed(
        self, caller: Caller, query: Mapping[str, str], limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], str]:
        """Returns debates, the newest first, and the cursor of the next page, "" after the last.
        ``query`` narrows them, by the fields of ``list_debates``. Raises ``BadInput`` for a value
        that can't be read.
        """
        ...

    async def schedules(
        self, caller: Caller, after: str, limit: int
    ) -> tuple[Sequence[Mapping[str, Any]], str]:
        """Recurring debates, the next to fire first, and the next cursor. Raises ``BadInput``."""
        ...

    async def debate(self, id: str, caller: Caller) -> str:
        """Returns the id of a debate that the caller may see. Raises ``BadInput``."""
        ...

    async def document(self, id: str, caller: Caller) -> str:
        """Returns the outcome document, as JSON. Raises ``BadInput``."""
        ...

    async def turns(self, caller: Caller) -> Sequence[Mapping[str, Any]]:
        """Returns the turns for which the caller's token is waited for."""
        ...

    async def status(self, id: str) -> tuple[str, bool]:
        """Returns the status of a debate, and whether no more events will come."""
        ...
