"""Implements ``adapters.room.port.Links``: links under which a person who can't sign in reads one
debate.

A link is a row with an expiry, and a seal under the operator's signing key. Both must hold: a
reader of the database can make no link, and a revoked one opens nothing although its seal is good.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from adapters.room.port import OutsideLink
from adapters.room.visitors import Visitor
from bot.desk.parts import DeskParts
from core.application.commands.actions import Action
from core.application.permissions.audience import Copy
from core.application.place import ROOM, SHELL, platform_of
from core.debate.issued import link_key
from storage.audit import acting
from storage.people.sessions import Link, Links

_SEAL = 16  # bytes


@dataclass(slots=True)
class RoomLinks:
    """Makes and opens links. The key of each purpose is derived from the operator's signing key."""

    store: Links
    desk: DeskParts

    async def make(self, debate: str, visitor: Visitor, days: int) -> OutsideLink:
        until = self.desk.clock.now() + timedelta(days=days)
        with acting(visitor.person, ROOM, visitor.place):
            return self._shown(await self.store.make(debate, visitor.person, until))

    async def of(self, debate: str) -> Sequence[OutsideLink]:
        now = self.desk.clock.now()
        return [
            self._shown(link)
            for link in await self.store.of(debate)
            if link.revoked_at is None and link.expires_at > now
        ]

    async def revoke(self, debate: str, id: str, visitor: Visitor) -> bool:
        with acting(visitor.person, ROOM, visitor.place):
            return await self.store.revoke(debate, id)

    async def opens(self, key: str) -> str:
        id, _, seal = key.partition(".")
        link = await self.store.get(id) if id and seal and len(key) < 100 else None
        if link is None or not hmac.compare_digest(
            self._key(link).encode(), key.encode("utf-8", "replace")
        ):
            return ""
        debate = await self.desk.service.load(link.debate)
        by_shell = platform_of(link.made_by) == SHELL
        audiences = self.desk.permissions.audiences
        ruled = await audiences.rule(debate, Action.SHARE, "", by_shell=by_shell)
        if not isinstance(ruled, Copy):
            return ""
        return link.debate

    def _shown(self, link: Link) -> OutsideLink:
        return OutsideLink(link.id, self._key(link), link.made_by, link.expires_at)

    def _key(self, link: Link) -> str:
        secret = self.desk.settings.signing_key.encode()
        key = hashlib.sha256(b"debatebot room link\n" + secret).digest()
        message = f"{link.id}\n{link.debate}\n{link.expires_at.isoformat()}".encode()
        digest = hmac.new(key, message, hashlib.sha256).digest()[:_SEAL]
        return link_key(link.id, digest)
