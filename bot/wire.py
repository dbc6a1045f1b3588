"""Puts the parts together, once, and nowhere else. Nothing is read from the environment here and
nothing happens at import.

A ``House`` holds one open database and everything that works on it. The shell opens one for a
command, ``serve`` for as long as it runs.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.commands.requests import ForkRequest
from adapters.forges.links import looks_like_link
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings, standard_hosts
from adapters.models import Vendors
from adapters.models.similarity import Similarity
from adapters.ports.place import SHELL, platform_of
from adapters.processes.workers import Workers
from adapters.redaction import redact
from bot.debates.advance import Advancer
from bot.debates.fork import fork
from bot.debates.measure import measuring
from bot.debates.prepare import Prepared, Preparer, today
from bot.posting.record import story
from bot.settings import Settings
from core import commands as c
from core import events as e
from core.debate import Debate, replay
from core.errors import BadInput
from core.outcome import outcome
from core.ports import Clock
from core.receipt import receipt
from core.receipt.canonical import chain
from core.receipt.signing import sign
from core.script import SeatId
from core.verdict.ratings import Standing, leaderboard, records
from storage.calls import Limit, Spending
from storage.codec import EVENTS
from storage.commands import CommandQueue, OnNews
from storage.database import Database
from storage.debates import DebateLine, Debates
from storage.messages import Messages
from storage.outbox import Outbox
from storage.outcomes import Outcomes
from storage.places import Places
from storage.schedules import Schedules
from storage.schema import open_database

if TYPE_CHECKING:
    from adapters.models.search import Find
    from adapters.ports.chat import Chat


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def clean(text: str) -> str:
    """Foreign text without the secrets that can be recognised."""
    return redact(text)[0]


def new_id() -> str:
    """Eight characters that are easy to type and read aloud, one digit at least, so that no id is a
    word.
    """
    letters, digits = "abcdefghjkmnpqrstuvwxyz", "23456789"
    drawn = [secrets.choice(letters + digits) for _ in range(7)]
    drawn.insert(secrets.randbelow(8), secrets.choice(digits))
    return "".join(drawn)


@dataclass
class House:
    """``owner`` names this process in the store, as host and process id."""

    settings: Settings
    database: Database
    signals: CommandQueue
    models: Vendors
    library: MaterialLibrary
    clock: Clock
    on_news: list[OnNews] = field(default_factory=list)
    """Whoever wants to hear that a debate has news (the runtime)."""
    chats: dict[str, Chat] = field(default_factory=dict)
    """The connected platforms by name; none in a shell."""
    owner: str = field(default_factory=lambda: f"{socket.gethostname()}:{os.getpid()}")

    def __post_init__(self) -> None:
        self.debates = Debates(self.database)
        self.messages = Messages(self.database)
        self.outbox = Outbox(self.database)
        self.outcomes = Outcomes(self.database)
        self.places = Places(self.database)
        self.schedules = Schedules(self.database)
        self.spending = Spending(self.database)
        self.preparer = Preparer(
            self.library,
            self.models,
            self.clock,
            self.settings.templates_dir,
            self.settings.budget,
            self.settings.models,
            searching=self.settings.search,
        )
        self.advancer = Advancer(
            debates=self.debates,
            signals=self.signals,
            outcomes=self.outcomes,
            preparer=self.preparer,
            models=self.models,
            clock=self.clock,
            owner=self.owner,
            redact=clean,
            measure=measuring(Similarity()),
            scoped=self.models.scoped,
            spending=self.spending,
            limits=self._limits,
            time_limit=self.settings.time_limit,
        )

    @classmethod
    @asynccontextmanager
    async def at(
        cls, settings: Settings, *, shell: bool = True, clock: Clock | None = None
    ) -> AsyncIterator[House]:
        """An open house. ``shell`` may read files of this machine, a bot in a chat never may."""
        async with AsyncExitStack() as stack:
            clock = clock or SystemClock()
            database = await open_database(settings.database_url, clock.now)
            stack.push_async_callback(database.close)
            listeners: list[OnNews] = []
            signals = await stack.enter_async_context(
                CommandQueue(database, lambda debate: _tell(listeners, debate))
            )
            models = Vendors(
                env=settings.env,
                configured=settings.models,
                redact=clean,
                find=_search(settings),
                progress=settings.progress,
            )
            stack.push_async_callback(models.aclose)
            places = Places(database)

            async def bound(place: str, repository: str) -> bool:
                if platform_of(place) == SHELL:
                    return True
                return repository.lower() in await places.repositories(place)

            hosts = standard_hosts(
                github_token=settings.github_token,
                github_api=settings.github_api_url,
                gitlab_token=settings.gitlab_token,
                gitlab_api=settings.gitlab_api_url,
                more=settings.hosts,
            )
            workers = Workers()
            stack.push_async_callback(workers.aclose)
            shelf = MaterialLibrary(
                LibrarySettings(
                    hosts=hosts,
                    work=workers,
                    allow_files=shell,
                    stdin=sys.stdin.buffer if shell else None,
                    cwd=Path.cwd(),
                    bound=bound,
                )
            )
            yield cls(settings, database, signals, models, shelf, clock, listeners)

    # starting

    async def prepare(
        self, request: e.DebateRequest, *, fork: e.Fork | None = None, ask: bool = True
    ) -> Prepared:
        """What would run, with its price; stores nothing.

        ``ask`` allows the one short call that a panel's size is chosen with.
        """
        left = await self.spending.left(self._limits(request))
        prepared = await self.preparer.prepare(request, fork=fork, left_today=left, ask=ask)
        if not request.models and not self.settings.models:
            prepared = replace(
                prepared, lines=(*prepared.lines, f"models chosen: {self.models.choice().reason}")
            )
        return prepared

    async def begin(self, prepared: Prepared, *, source: str = "") -> str:
        """Stores an opened debate; its id."""
        id = new_id()
        first = e.DebateRequested(
            id, self._stored(prepared.request), prepared.opened.at, prepared.fork
        )
        return await self.debates.create(
            first, source or f"shell:{id}", past=(prepared.opened,), calls=prepared.calls
        )

    async def request(self, request: e.DebateRequest, source: str) -> str:
        """Stores what was asked for, to be read and opened by a runner; the id, the same one for
        the same ``source``.
        """
        id = new_id()
        first = e.DebateRequested(id, self._stored(request), self.clock.now())
        kept = await self.debates.create(first, source, posts=story([first], request.place))
        self.signals.notify(kept)
        return kept

    async def fork(
        self, parent: Debate, ask: ForkRequest, *, asker: str, place: str, source: str = ""
    ) -> str:
        """Stores a fork of ``parent``; its id. Raises ``BadInput``."""
        id = new_id()
        condition = e.Fork(
            parent.id, ask.at or 0, SeatId(ask.without), clean(ask.assume), ask.models
        )
        request = replace(parent.request, asker=asker, place=place, schedule="")
        events = fork(
            parent,
            await self.debates.load(parent.id),
            id,
            condition,
            request,
            self.models,
            self.clock.now(),
        )
        first, past = events
        kept = await self.debates.create(
            first, source or f"fork:{id}", past=past, posts=story([first, *past], place)
        )
        self.signals.notify(kept)
        return kept

    def _stored(self, request: e.DebateRequest) -> e.DebateRequest:
        """The request without secrets: what people paste is foreign text."""
        target = request.target if looks_like_link(request.target) else clean(request.target)
        return replace(request, target=target, text=clean(request.text))

    # reading and telling

    async def load(self, id: str) -> Debate:
        """The debate as it stands.

        Raises ``BadInput`` for an id that is none; a unique beginning of an id is enough.
        """
        events = await self.debates.load(id)
        if not events:
            events = await self.debates.load((await self.debates.find(id)).id)
        return replay(events)

    async def list(self, statuses: Sequence[str] = (), limit: int = 50) -> list[DebateLine]:
        return await self.debates.find_recent(statuses=statuses, limit=limit)

    async def enqueue(self, id: str, command: c.Command, source: str) -> bool:
        """Stores a command for the debate's writer; False for a redelivery."""
        return await self.signals.enqueue(id, command, source)

    def outcome(self, debate: Debate, parent: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return outcome(debate, parent)

    async def parent_of(self, debate: Debate) -> dict[str, Any] | None:
        """The outcome of the debate that this one was forked from."""
        if debate.fork is None:
            return None
        events = await self.debates.load(debate.fork.parent)
        return outcome(replay(events)) if events else None

    async def receipt(self, debate: Debate) -> dict[str, Any]:
        """The signed record. Raises ``BadInput`` where no key is configured."""
        if not self.settings.signing_key:
            raise BadInput(
                "Receipts are signed: set DEBATE_SIGNING_KEY (32 bytes, base64). `debate doctor` "
                "says how to make one."
            )
        events = [EVENTS.encode(event) for event in await self.debates.load(debate.id)]
        links = chain({"kind": x.kind, "version": x.version, "payload": x.payload} for x in events)
        now = self.clock.now().isoformat()
        document = receipt(
            outcome(debate, await self.parent_of(debate)), issued_at=now, chain=links
        )
        return sign(document, self.settings.signing_key, signed_at=now)

    async def standings(self) -> tuple[Standing, ...]:
        """How models fared where people said later whether a verdict held."""
        resolved = [o.debate for o in await self.outcomes.documents() if o.held is not None]
        return leaderboard(
            [record for id in resolved for record in records(replay(await self.debates.load(id)))]
        )

    def redact(self, text: str) -> str:
        return clean(text)

    def chat_of(self, place: str) -> Chat | None:
        """The connected platform of a place."""
        return self.chats.get(platform_of(place))

    def person(self, person: str) -> str:
        """One name for one person: accounts that the configuration says are the same count as one
        voter.
        """
        return self.settings.same_person.get(person, person)

    def _limits(self, request: e.DebateRequest) -> Sequence[Limit]:
        """Today's budgets that this request shares with others."""
        start = today(self.clock.now())
        day, own = self.settings.daily_budget, self.settings.person_budget
        limits = [Limit(day, start)] if day is not None else []
        return [*limits, Limit(own, start, request.asker)] if own is not None else limits


def _tell(listeners: Sequence[OnNews], debate: str) -> None:
    for listener in listeners:
        listener(debate)


def _search(settings: Settings) -> Find | None:
    if not settings.search:
        return None
    from adapters.models.search import duckduckgo

    return duckduckgo
