"""Implements ``adapters.room.port.BrowserSessions``: sessions in the store, membership checked with
the platforms.

A session is as good as the membership behind it: the platform is queried every hour, and a person
who has left a workspace is signed out of it.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from adapters.room import places
from adapters.room.port import SignedIn
from adapters.room.setup.providers import Account
from adapters.room.visitors import Visitor, from_shell, is_key
from core.application.place import SHELL, Person, platform_of
from core.application.presence import DeliveryError, Membership
from core.debate.errors import CouldNotFinish, Refused
from core.debate.ports import Clock
from storage.people.invitations import Invitations
from storage.people.sessions import Session, Sessions

logger = logging.getLogger(__name__)
LIVES = timedelta(days=30)
"""How long a browser stays signed in."""
CHECKED = timedelta(hours=1)
"""The time after which the membership of a person is checked again."""
TRUSTED = timedelta(hours=24)
"""How long an answer is believed while the platform is unavailable."""
SEEN = timedelta(minutes=5)
"""How exactly a browser's last visit is recorded."""
MOST = 100
"""The most workspaces of one account that are checked."""


@dataclass(slots=True)
class RoomPeople:
    """Signs people in; ``platforms`` by name know who belongs to them."""

    store: Sessions
    invitations: Invitations
    platforms: Mapping[str, Membership]
    clock: Clock

    async def signed_in(self, key: str) -> Visitor | None:
        session = await self.store.find(key) if is_key(key) else None
        if session is None:
            return None
        checked = await self._checked(session)
        if checked is None:
            await self.store.end(session.platform, session.account, session.id)
            return None
        return visitor(key, checked)

    async def begin(self, key: str, account: Account, browser: str) -> None:
        name, admins = await self._belongs(account.platform, account.id, account.workspaces)
        if not admins:
            raise Refused(
                "You are signed in, but to no workspace or server that this bot is in. Ask its "
                "operator to add it to yours."
            )
        known = replace(account, name=name or account.name)
        await self.store.begin(key, self._session(known, next(iter(admins)), admins, browser))
        logger.info("signed in", extra={"action": "sign_in", "platform": account.platform})

    async def invited(self, secret: str) -> str | None:
        invitation = await self.invitations.find(secret) if is_key(secret) else None
        if invitation is None:
            return None
        _, debate = invitation
        return debate

    async def enter(self, key: str, secret: str, browser: str) -> Visitor | None:
        """Opens a session for a link; two tabs of one browser may bring the same link at once, and
        both are let in.
        """
        invitation = None
        if is_key(key) and is_key(secret):
            invitation = await self.invitations.find(secret)
        if invitation is not None:
            who = Person.parse(invitation[0])
            account = Account(who.platform, who.account, who.account, ())
            if await self.invitations.use(secret, key, self._session(account, "", {}, browser)):
                logger.info("signed in", extra={"action": "sign_in", "platform": who.platform})
        return await self.signed_in(key)

    async def decline(self, secret: str) -> None:
        await self.invitations.end(secret)

    def _session(
        self, account: Account, workspace: str, admins: Mapping[str, bool], browser: str
    ) -> Session:
        now = self.clock.now()
        return Session(
            id=secrets.token_urlsafe(6),
            platform=account.platform,
            account=account.id,
            name=account.name,
            workspace=workspace,
            workspaces=admins,
            browser=browser,
            created_at=now,
            seen_at=now,
            checked_at=now,
            expires_at=now + LIVES,
        )

    async def sessions(self, visitor: Visitor) -> Sequence[SignedIn]:
        stored = await self.store.of(*_account(visitor))
        return [SignedIn(s.id, s.browser, s.created_at, s.seen_at) for s in stored]

    async def end(self, visitor: Visitor, session: str = "", *, all: bool = False) -> int:
        return await self.store.end(*_account(visitor), "" if all else session or visitor.session)

    async def look_at(self, visitor: Visitor, workspace: str) -> None:
        await self.store.change(visitor.session, workspace=workspace)

    async def _checked(self, session: Session) -> Session | None:
        """Returns the session as the platform sees it now, or None if no workspace is left. The
        shell's person belongs to this machine and to no platform.
        """
        now = self.clock.now()
        if session.platform == SHELL or now - session.checked_at < CHECKED:
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
        """Returns the person's name, and whether they are an admin, for every workspace that they
        and the bot are both in.
        """
        membership = self.platforms.get(platform)
        if membership is None:
            raise CouldNotFinish(f"{platform.title()} is not connected here. Try it again later.")
        name, admins = "", dict[str, bool]()
        for workspace in [w for w in workspaces if platform_of(w) == platform][:MOST]:
            try:
                member = await membership.member(workspace, account)
            except DeliveryError as error:
                raise CouldNotFinish(
                    f"{platform.title()} can't confirm who you are. Try it again in a moment."
                ) from error
            if member is not None:
                name = name or member.name
                admins[workspace] = member.admin
        return name, admins


def visitor(key: str, session: Session) -> Visitor:
    """Returns a signed-in person in the workspace that they look at; the shell's person is in
    none.
    """
    if session.platform == SHELL:
        return from_shell(key, str(Person(SHELL, "", session.account)), session.id)
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
