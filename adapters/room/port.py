"""The interface through which the room reads and acts. ``bot`` implements it; the room decides
nothing about who may see what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol

from adapters.ports.check import PartCheck
from adapters.room.setup.providers import Account
from adapters.room.visitors import Visitor
from core.application.desk import Caller
from core.application.tokens import TokenTerms
from core.debate.budget.pricing import DaySpent
from core.debate.events import Event
from core.debate.state import Debate
from core.debate.verdict.learned.forecasts import FindingRatings
from core.debate.verdict.learned.kinds import KindStanding
from core.debate.verdict.learned.ratings import Ratings
from core.debate.verdict.learned.sizes import FormStanding
from core.words.views.documents.pill import Pill


@dataclass(frozen=True, slots=True)
class ListedDebate:
    """One debate as lists show it. ``cost`` is USD. ``excerpt`` holds the searched words with their
    surroundings, piece by piece, each with whether it was searched for. ``repository`` is
    ``owner/name`` and ``change`` that with the number of a pull request; both may be empty. ``ago``
    is the time since it was asked for.
    """

    id: str
    title: str
    template: str
    status: str
    pill: Pill
    asker: str
    created_at: datetime
    cost: float
    excerpt: tuple[tuple[str, bool], ...] = ()
    repository: str = ""
    change: str = ""
    ago: str = ""


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter of a list; empty members narrow nothing.

    All ``words`` must occur; ``person`` is a part of the asker's name, ``repository`` of
    ``owner/name``; days are UTC, both included; ``blocked`` keeps debates whose verdict keeps a
    change from going in. ``before`` is the time and id of the previous page's last entry.
    """

    words: str = ""
    status: str = ""
    template: str = ""
    mine: bool = False
    blocked: bool = False
    person: str = ""
    repository: str = ""
    decision: str = ""
    since: date | None = None
    until: date | None = None
    department: str = ""
    priority: str = ""
    due_by: date | None = None
    before: tuple[datetime, str] | None = None


@dataclass(frozen=True, slots=True)
class Relative:
    """A debate that was forked from another one, or from which it was forked."""

    debate: Debate
    document: Mapping[str, Any]
    parent: bool


@dataclass(frozen=True, slots=True)
class SignedIn:
    """One browser that someone is signed in with."""

    id: str
    browser: str
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """One recurring debate. ``when`` is its ``cron`` in words. ``coming`` are its next times, none
    while it is paused; ``last`` is the result of the last run, ``debates`` the started debates;
    ``mine`` is True if the caller may change it. ``next_at`` orders the list.
    """

    id: str
    template: str
    target: str
    cron: str
    when: str
    owner: str
    enabled: bool
    coming: tuple[datetime, ...]
    last: str
    debates: tuple[str, ...]
    mine: bool
    next_at: datetime | None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of the log: time (UTC), level, logger, message and fields."""

    at: str
    level: str
    logger: str
    what: str
    more: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CheckedReceipt:
    """A receipt with the results of its check: name, whether it holds, and details. ``claim`` is
    its text; ``document`` is empty for a receipt that someone brought.
    """

    claim: str
    checks: tuple[tuple[str, bool, str], ...]
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        return all(ok for _, ok, _ in self.checks)


class Reports(Protocol):
    """Reads ratings, costs, logs and receipts for one caller."""

    async def schedules(
        self, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
    ) -> Sequence[ScheduleEntry]:
        """Schedules in the order of their next runs, paused ones last, after the given time and
        id.
        """
        ...

    async def panels(self) -> Sequence[FormStanding]:
        """Returns the results of panels, by their size."""
        ...

    async def kinds(self, caller: Caller) -> Sequence[KindStanding]:
        """Returns the costs and ratings of each kind of decision in the caller's workspace."""
        ...

    async def findings(self, caller: Caller) -> FindingRatings:
        """Returns how good the forecasts of findings in the caller's workspace were, and what may
        block.
        """
        ...

    async def ratings(self) -> Ratings:
        """Returns the results of models if people reported later whether a verdict held."""
        ...

    async def costs(self, caller: Caller, days: int) -> Sequence[DaySpent]:
        """Returns the costs by day, the newest first."""
        ...

    async def doctor(self) -> Sequence[PartCheck]: ...

    def log(self) -> Sequence[LogEntry]:
        """Returns the last entries of the log of the process that answers, the newest first."""
        ...

    def operates(self, caller: Caller) -> bool:
        """True if the caller operates the installation."""
        ...

    async def receipt(self, debate: Debate, caller: Caller) -> CheckedReceipt:
        """Returns the signed receipt of a debate, checked. Raises ``BadInput`` if nothing can be
        signed.
        """
        ...

    async def checked(self, text: str, key: str) -> CheckedReceipt:
        """Checks a pasted receipt; ``key`` is its issuer's public key, "" for ours. Raises
        ``BadInput``.
        """
        ...


class BrowserSessions(Protocol):
    """Sessions of people in browsers."""

    async def signed_in(self, key: str) -> Visitor | None:
        """Returns the person whom a cookie's secret identifies; None for a secret without a
        session.
        """
        ...

    async def begin(self, key: str, account: Account, browser: str) -> None:
        """Signs a browser in. Raises ``Refused`` for an account in no workspace of the bot's,
        ``CouldNotFinish`` while that can't be known.
        """
        ...

    async def invited(self, secret: str) -> str | None:
        """Returns the page that a link of this machine's shell leads to: a debate's id, "" for the
        first page, None for a link that is not valid.
        """
        ...

    async def enter(self, key: str, secret: str, browser: str) -> Visitor | None:
        """Signs a browser in by such a link, which is used up; None if the link is not valid."""
        ...

    async def decline(self, secret: str) -> None:
        """Uses up a link that a browser followed which is signed in already."""
        ...

    async def sessions(self, visitor: Visitor) -> Sequence[SignedIn]:
        """Returns every browser that the person is signed in with."""
        ...

    async def end(self, visitor: Visitor, session: str = "", *, all: bool = False) -> int:
        """Signs out this browser, another browser of the person, or all; returns the number."""
        ...

    async def look_at(self, visitor: Visitor, workspace: str) -> None:
        """Switches the session to another of the person's workspaces."""
        ...


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """A valid token; ``held`` is the part of its purse, in USD, that debates have reserved."""

    id: str
    name: str
    person: str
    mine: bool
    service: bool
    scopes: tuple[str, ...]
    purse: float
    held: float
    expires_at: datetime


class Tokens(Protocol):
    """Tokens by which programs authenticate."""

    async def make(self, terms: TokenTerms, caller: Caller, *, service: bool) -> str:
        """Makes a token for the caller, or for a ``service``, and returns its secret, which is
        shown once. Raises ``Refused``.
        """
        ...

    async def listed(self, caller: Caller) -> Sequence[TokenEntry]:
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


@dataclass(frozen=True, slots=True)
class WebhookEntry:
    """An address that hears of debates ``where``; ``ended`` is why nothing is sent any more."""

    id: str
    address: str
    where: str
    kinds: tuple[str, ...]
    full: bool
    ended: str


@dataclass(frozen=True, slots=True)
class DeliveryEntry:
    """One message to an address; ``state`` says in words how it went."""

    kind: str
    debate: str
    state: str
    attempts: int
    reason: str
    at: datetime


class Webhooks(Protocol):
    """The webhooks of a workspace. Raises ``BadInput``, and ``Refused`` for people who administer
    none.
    """

    async def listed(self, caller: Caller) -> Sequence[WebhookEntry]:
        """Returns the webhooks that the caller administers, the oldest first."""
        ...

    async def deliveries(self, id: str, caller: Caller) -> Sequence[DeliveryEntry]:
        """Returns the last deliveries of one webhook, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link that still opens a debate; ``key`` is the secret in its address."""

    id: str
    key: str
    made_by: str
    expires_at: datetime


class Links(Protocol):
    """Links under which people without an account read one debate."""

    async def make(self, debate: str, visitor: Visitor, days: int) -> OutsideLink: ...

    async def of(self, debate: str) -> Sequence[OutsideLink]:
        """Returns the valid links of a debate, the newest first."""
        ...

    async def revoke(self, debate: str, id: str, visitor: Visitor) -> bool: ...

    async def opens(self, key: str) -> str:
        """Returns the debate that a key opens; "" for an invalid key, or if the debate's audience
        has become smaller since the link was made.
        """
        ...


class EventReader(Protocol):
    """Reads a debate's events for pages that follow it. The visitor's right to see it has been
    checked before.
    """

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        """Returns the events from that position on."""
        ...

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        """Returns the outcome document of the debate that this one was forked from."""
        ...


class Records(Protocol):
    """Reads debates for one caller. Raises ``BadInput`` for what is not there and ``Refused`` for
    what the caller may not see.
    """

    async def debate(self, id: str, caller: Caller) -> Debate: ...

    async def linked(self, id: str) -> Debate:
        """Returns a debate that a link has opened already. Raises ``BadInput``."""
        ...

    async def export(self, debate: Debate, form: str, caller: Caller) -> str:
        """Returns the whole debate as a document: md, json or html."""
        ...

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        """Returns the outcome document of the debate that this one was forked from."""
        ...

    async def relatives(self, debate: Debate, caller: Caller) -> Sequence[Relative]:
        """Returns the parent first, then the forks, as far as the caller may see them."""
        ...

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[ListedDebate]:
        """Returns debates that match the filter, the newest first."""
        ...

    async def models(self) -> str:
        """Returns the models that speak if nobody named any, and the reason in a sentence."""
        ...

    async def require_share(self, debate: Debate, caller: Caller) -> None:
        """Raises ``Refused`` if the caller may make no link to the debate."""
        ...

    async def may_control(self, debate: Debate, caller: Caller) -> bool:
        """True if the caller may pause, resume and stop it."""
        ...


@dataclass(frozen=True, slots=True)
class RoomStore:
    """Everything that the room reads and keeps."""

    records: Records
    reports: Reports
    people: BrowserSessions
    links: Links
    tokens: Tokens
    webhooks: Webhooks
