"""What the room needs from the rest of the program. ``bot`` implements it; the room decides nothing
about who may see what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol

from adapters.ports.check import PartCheck
from adapters.ports.desk import Caller
from adapters.room.setup.providers import Account
from adapters.room.visitors import Visitor
from core.budget import DaySpent
from core.debate import Debate
from core.events import Event
from core.verdict.learned.kinds import KindStanding
from core.verdict.learned.ratings import Ratings
from core.verdict.learned.sizes import FormStanding
from core.views.documents.pill import Pill


@dataclass(frozen=True, slots=True)
class Entry:
    """One debate as lists show it. ``cost`` is USD;
    ``excerpt`` is where the words that were asked for stand, piece by piece, each with whether it
    was asked for. ``repository`` is ``owner/name`` and ``change`` that with the number of a pull
    request; both may be empty. ``ago`` is how long ago it was asked for.
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
    """What a list is narrowed to; empty members narrow nothing. All ``words`` are to be there;
    ``person`` is a part of the asker's name, ``repository`` of ``owner/name``; days are UTC, both
    included; ``blocked`` ones say that a change does not go in. ``before`` is when the last entry
    of the page before was asked for, and its id.
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
    """One browser that somebody is signed in with."""

    id: str
    browser: str
    created_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class ScheduleEntry:
    """One recurring debate. ``when`` says its ``cron`` in words. ``coming`` are its next times,
    none while it is paused; ``last`` says how the last run went, ``debates`` what it started;
    ``mine`` that the caller may change it. ``next_at`` is by which it stands in the list.
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
    """One entry of the log: when (UTC), how grave, who says it and what, and all that is noted
    beside it.
    """

    at: str
    level: str
    logger: str
    what: str
    more: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CheckedReceipt:
    """A receipt with what was found when it was checked: name, whether it holds, and what.
    ``claim`` is what it says in its own words; ``document`` is empty for one that somebody brought.
    """

    claim: str
    checks: tuple[tuple[str, bool, str], ...]
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        return all(ok for _, ok, _ in self.checks)


class Reports(Protocol):
    """Reads what stands around the debates, for one caller."""

    async def schedules(
        self, caller: Caller, after: tuple[datetime | None, str] | None, limit: int
    ) -> Sequence[ScheduleEntry]:
        """The next to fire first, paused ones last, from behind a next time and an id on."""
        ...

    async def panels(self) -> Sequence[FormStanding]:
        """How panels of each size did."""
        ...

    async def kinds(self, caller: Caller) -> Sequence[KindStanding]:
        """What each kind of decision cost and was good for, in the caller's workspace."""
        ...

    async def ratings(self) -> Ratings:
        """How models fared where people said later whether a verdict held."""
        ...

    async def costs(self, caller: Caller, days: int) -> Sequence[DaySpent]:
        """The newest day first."""
        ...

    async def doctor(self) -> Sequence[PartCheck]: ...

    def log(self) -> Sequence[LogEntry]:
        """The last entries of the log of the process that answers, the newest first."""
        ...

    def operates(self, caller: Caller) -> bool:
        """Whether the caller looks after the installation."""
        ...

    async def receipt(self, debate: Debate, caller: Caller) -> CheckedReceipt:
        """Raises ``BadInput`` where nothing can be signed."""
        ...

    async def checked(self, text: str, key: str) -> CheckedReceipt:
        """A receipt that somebody brought; ``key`` is the public key of who issued it, "" for ours.
        Raises ``BadInput``.
        """
        ...


class People(Protocol):
    """Who is signed in with which browser."""

    async def signed_in(self, key: str) -> Visitor | None:
        """The person of a cookie's secret; None where nobody is signed in with it."""
        ...

    async def begin(self, key: str, account: Account, browser: str) -> None:
        """Signs a browser in. Raises ``Refused`` for an account of no workspace that the bot is in,
        ``CouldNotFinish`` while that can't be known.
        """
        ...

    async def invited(self, secret: str) -> str | None:
        """The page that a link of this machine's shell leads to: a debate's id, "" for the first
        page, None where the link is not good.
        """
        ...

    async def enter(self, key: str, secret: str, browser: str) -> Visitor | None:
        """Lets a browser in by such a link, which is used then; None where it is not good."""
        ...

    async def decline(self, secret: str) -> None:
        """Such a link was followed by a browser that is in already: it is used then, too."""
        ...

    async def sessions(self, visitor: Visitor) -> Sequence[SignedIn]:
        """Every browser that the person is signed in with."""
        ...

    async def end(self, visitor: Visitor, session: str = "", *, all: bool = False) -> int:
        """Signs this browser out, another one of the person's, or all; how many."""
        ...

    async def look_at(self, visitor: Visitor, workspace: str) -> None:
        """Another of the person's workspaces is looked at from now on."""
        ...


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that somebody wants, for themself or for a ``service``; ``purse`` is USD."""

    name: str
    scopes: tuple[str, ...]
    purse: float
    days: int
    service: bool


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """A token that is still good; ``held`` is what debates hold of its purse, in USD."""

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
    """What lets programs ask."""

    async def make(self, wanted: NewToken, caller: Caller) -> str:
        """The secret, which is shown once. Raises ``BadInput`` and ``Refused``."""
        ...

    async def listed(self, caller: Caller) -> Sequence[TokenEntry]:
        """The caller's own, and those of services that they may take back; the oldest first."""
        ...

    async def end(self, id: str, caller: Caller) -> None:
        """Takes one back. Raises ``BadInput`` for one that the caller does not see."""
        ...

    async def may_serve(self, caller: Caller) -> bool:
        """Whether the caller may make a service's token."""
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
    """What addresses hear of debates. Raises ``BadInput``, and ``Refused`` for whoever looks after
    none.
    """

    async def listed(self, caller: Caller) -> Sequence[WebhookEntry]:
        """Those that the caller looks after, the oldest first."""
        ...

    async def deliveries(self, id: str, caller: Caller) -> Sequence[DeliveryEntry]:
        """What one of them was sent last, the newest first."""
        ...


@dataclass(frozen=True, slots=True)
class OutsideLink:
    """A link that still opens a debate; ``key`` is what stands in its address."""

    id: str
    key: str
    made_by: str
    expires_at: datetime


class Links(Protocol):
    """Links under which somebody who can't sign in reads one debate."""

    async def make(self, debate: str, visitor: Visitor, days: int) -> OutsideLink: ...

    async def of(self, debate: str) -> Sequence[OutsideLink]:
        """Those that still open it, the newest first."""
        ...

    async def revoke(self, debate: str, id: str, visitor: Visitor) -> bool: ...

    async def opens(self, key: str) -> str:
        """The debate that a key opens, "" for none and where its readers have become fewer since
        the link was made.
        """
        ...


class Log(Protocol):
    """Reads what happened, for pages that are followed. Whoever asks has been let in before."""

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        """What happened from that position on."""
        ...

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        """The outcome document of the debate that this one was forked from."""
        ...


class Records(Protocol):
    """Reads debates for one caller. Raises ``BadInput`` for what is not there and ``Refused`` for
    what the caller may not see.
    """

    async def debate(self, id: str, caller: Caller) -> Debate: ...

    async def linked(self, id: str) -> Debate:
        """A debate that a link has opened already. Raises ``BadInput``."""
        ...

    async def export(self, debate: Debate, form: str, caller: Caller) -> str:
        """The whole debate as a document: md, json or html."""
        ...

    async def parent(self, debate: Debate) -> Mapping[str, Any] | None:
        """The outcome document of the debate that this one was forked from."""
        ...

    async def relatives(self, debate: Debate, caller: Caller) -> Sequence[Relative]:
        """The parent first, then the forks, as far as the caller may see them."""
        ...

    async def listed(self, wanted: Filter, caller: Caller, limit: int) -> Sequence[Entry]:
        """Newest first."""
        ...

    async def models(self) -> str:
        """Who speaks where nobody was named, and why, in a sentence."""
        ...

    async def require_share(self, debate: Debate, caller: Caller) -> None:
        """Raises ``Refused`` where the caller may give out no link to it."""
        ...

    async def may_control(self, debate: Debate, caller: Caller) -> bool:
        """Whether the caller may pause, resume and stop it."""
        ...


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that the room reads and keeps."""

    records: Records
    reports: Reports
    people: People
    links: Links
    tokens: Tokens
    webhooks: Webhooks
