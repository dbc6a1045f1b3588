"""Implements ``adapters.room.port.People``: sessions in the store, membership asked of the
platforms.

A session is as good as the membership behind it: it is asked for again every hour, and who has left
a workspace is signed out of it.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from adapters.ports.chat import DeliveryError
from adapters.ports.people import Membership
from adapters.ports.place import Person, platform_of
from adapters.room import places
from adapters.room.incoming.visitors import Visitor, is_key
from adapters.room.port import SignedIn
from adapters.room.setup.providers import Account
from core.errors import CouldNotFinish, Refused
from core.ports import Clock
from storage.sessions import Session, Sessions

logger = logging.getLogger(__name__)
_LIVES = timedelta(days=30)
CHECKED = timedelta(hours=1)
"""After which the platform is asked again whether somebody still belongs."""
TRUSTED = timedelta(hours=24)
"""For which an answer is believed while the platform can't be asked."""
SEEN = timedelta(minutes=5)
"""How exactly the time is noted at which a browser was last here."""
MOST = 100
"""Workspaces of one account that are looked at."""


@dataclass(slots=True)
class RoomPeople:
    """``platforms`` by name are those that can be asked who belongs to them."""

    store: Sessions
    platforms: Mapping[str, Membership]
    clock: Clock

    async def signed_in(self, key: str) -> Visitor | None:
        found = await self.store.find(key) if is_key(key) else None
        if found is None:
            return None
        checked = await self._checked(found)
        if checked is None:
            await self.store.end(found.platform, found.account, found.id)
            return None
        return visitor(key, checked)

    async def begin(self, key: str, account: Account, browser: str) -> None:
        name, admins = await self._belongs(account.platform, account.id, account.workspaces)
        if not admins:
            raise Refused(
                "You are signed in, but to no workspace or server that this bot is in. Ask whoever "
                "runs it to add it to yours."
            )
        now = self.clock.now()
        session = Session(
            id=secrets.token_urlsafe(6),
            platform=account.platform,
            account=account.id,
            name=name or account.name,
            workspace=next(iter(admins)),
            workspaces=admins,
            browser=browser,
            created_at=now,
            seen_at=now,
            checked_at=now,
            expires_at=now + _LIVES,
        )
        await self.store.begin(key, session)
        logger.info("signed in", extra={"action": "sign_in", "platform": account.platform})

    async def sessions(self, visitor: Visitor) -> Sequence[SignedIn]:
        if visitor.local:
            return ()
        found = await self.store.of(*_account(visitor))
        return [SignedIn(s.id, s.browser, s.created_at, s.seen_at) for s in found]

    async def end(self, visitor: Visitor, session: str = "", *, all: bool = False) -> int:
        if visitor.local:
            return 0
        return await self.store.end(*_account(visitor), "" if all else session or visitor.session)

    async def look_at(self, visitor: Visitor, workspace: str) -> None:
        await self.store.change(visitor.session, workspace=workspace)

    async def _checked(self, session: Session) -> Session | None:
        """The session as the platform sees it now, None where nothing is left of it."""
        now = self.clock.now()
        if now - session.checked_at < CHECKED:
            if now - session.seen_at >= SEEN:
                await self.store.change(session.id, seen_at=now)
            return session
        try:
            name, admins = await self._belongs(
                session.platform, session.account, tuple(session.workspaces)
            )
        except CouldNotFinish:
            if now - session.checked_at < TRUSTED:
                return session
            return None
        if not admins:
            return None
        left = session.workspace not in admins
        values = {
            "workspaces": admins,
            "workspace": next(iter(admins)) if left else session.workspace,
            "name": name or session.name,
            "checked_at": now,
            "seen_at": now,
        }
        await self.store.change(session.id, **values)
        return await self.store.get(session.id)

    async def _belongs(
        self, platform: str, account: str, workspaces: Sequence[str]
    ) -> tuple[str, dict[str, bool]]:
        """The person's name, and where they are an admin, for every workspace that they and the bot
        are both in.
        """
        asked = self.platforms.get(platform)
        if asked is None:
            raise CouldNotFinish(f"{platform.title()} is not connected here. Try it again later.")
        name, admins = "", dict[str, bool]()
        for workspace in [w for w in workspaces if platform_of(w) == platform][:MOST]:
            try:
                member = await asked.member(workspace, account)
            except DeliveryError as error:
                raise CouldNotFinish(
                    f"{platform.title()} can't be asked who you are. Try it again in a moment."
                ) from error
            if member is not None:
                name = name or member.name
                admins[workspace] = member.admin
        return name, admins


def visitor(key: str, session: Session) -> Visitor:
    """Somebody signed in, in the workspace that they look at."""
    platform, _, inside = session.workspace.partition(":")
    return Visitor(
        key,
        str(Person(platform, inside, session.account)),
        str(places.place(session.workspace)),
        session.name,
        admin=bool(session.workspaces.get(session.workspace)),
        session=session.id,
        workspaces=tuple(session.workspaces),
    )


def _account(visitor: Visitor) -> tuple[str, str]:
    who = Person.parse(visitor.person)
    return who.platform, who.account
