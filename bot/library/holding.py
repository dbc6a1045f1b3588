"""Keeps a program's debate in memory, with nothing written, or in the store that the program names.
Either way it is opened by the same preparer and played by the same engine.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adapters.models import Vendors
from adapters.models.similarity import Similarity
from adapters.ports.model import WrappedModel
from adapters.redaction import clean
from adapters.templates.loading import load
from bot import settings as configuration
from bot.debates.advance import Inbox, cost_of_call
from bot.debates.measure import measure_with
from bot.debates.opening.consent import ConsentRule
from bot.debates.opening.prepare import Prepared, Preparer
from bot.debates.opening.terms import TermDefaults
from bot.debates.opening.tools import Tools
from bot.settings import Settings
from bot.wire.base import SystemClock, make_reader, open_models
from bot.wire.parts import open_parts
from bot.wire.workers import open_workers
from core import events as e
from core.budget import Budget
from core.debate import Debate, replay
from core.engine import EngineContext, EventListener, play
from core.log import Append, Call
from core.ports import CallOptions, Message, Model, Models, OnWords, Price, Reply

Play = Callable[[Inbox, EventListener], Awaitable[Debate]]
"""Plays an opened debate to its end, taking commands out of the inbox."""


@dataclass(frozen=True, slots=True)
class PlayableDebate:
    """An opened debate and the function that plays it on."""

    debate: Debate
    play: Play


@dataclass
class MemoryLog:
    """``core.log.Log`` in memory, which is gone once the program drops it."""

    events: list[e.Event]
    rows: dict[tuple[str, int], Call] = field(default_factory=dict)

    async def load(self) -> Sequence[e.Event]:
        return list(self.events)

    async def calls(self) -> Sequence[Call]:
        return list(self.rows.values())

    async def append(self, append: Append) -> None:
        self.events += append.events
        for call in append.calls:
            self.rows[call.turn, call.attempt] = call


@dataclass
class Gate:
    """Calls no model while the program holds a turn, so that money is spent at the pace at which
    turns are read.
    """

    open: asyncio.Event = field(default_factory=asyncio.Event)

    def around(self, models: Models) -> Models:
        return _GatedModels(models, self)


@dataclass(frozen=True, slots=True)
class _GatedModels:
    models: Models
    gate: Gate

    def get(self, name: str) -> Model:
        return _GatedModel(self.models.get(name), self.gate)

    def price(self, name: str) -> Price:
        return self.models.price(name)

    def default(self) -> Sequence[str]:
        return self.models.default()


@dataclass(eq=False, slots=True)
class _GatedModel(WrappedModel):
    gate: Gate

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        await self.gate.open.wait()
        return await self.inner.reply(messages, asking, on_words)


@asynccontextmanager
async def hold(
    request: e.DebateRequest,
    *,
    own: Mapping[str, Model],
    template: Path | None,
    store: str,
    gate: Gate,
    environ: Mapping[str, str] | None,
) -> AsyncIterator[PlayableDebate]:
    """Opens the debate. Raises ``BadInput`` or ``CouldNotFinish`` with one line."""
    settings = configuration.read(os.environ if environ is None else environ)
    loaded = load(template) if template is not None else None

    def make_models(**given: Any) -> Vendors:
        return Vendors(**given, own=own)

    if store:
        settings = replace(settings, database_url=store)
        async with open_parts(settings, make_models=make_models, measured=gate.around) as parts:
            prepared = await parts.service.preparer.prepare(
                request, template=loaded, left_today=await parts.service.budgets.left(request)
            )
            id = await parts.service.open(prepared)

            async def played(inbox: Inbox, event_listener: EventListener) -> Debate:
                return await parts.player.play(id, event_listener=event_listener, inbox=inbox)

            yield PlayableDebate(await parts.service.load(id), played)
        return
    async with open_models(settings, make_models) as models, open_workers() as workers:
        clock = SystemClock()
        reader = make_reader(settings, clock, workers)
        preparer = Preparer(
            reader,
            models,
            clock,
            settings.templates,
            settings.models,
            tools=Tools(settings.search, settings.lookups),
            consent=ConsentRule.of(settings),
            defaults=TermDefaults.of(settings),
            servers=models,
        )
        prepared = await preparer.prepare(request, template=loaded)
        yield _in_memory(prepared, gate.around(models.scoped()), settings, reader.look_up)


def _in_memory(
    prepared: Prepared,
    models: Models,
    settings: Settings,
    look_up: Callable[..., Awaitable[Any]],
) -> PlayableDebate:
    opened, request = prepared.opened, prepared.request
    first = e.DebateRequested("in-memory", request, opened.at)
    log = MemoryLog([first, opened])
    begun = replay(log.events)

    async def repository(tool: str, arguments: str) -> Any:
        return await look_up(opened.material, request.place, request.files, tool, arguments)

    async def played(inbox: Inbox, event_listener: EventListener) -> Debate:
        context = EngineContext(
            log=log,
            models=models,
            clock=SystemClock(),
            inbox=inbox,
            budget=Budget(lambda state, turn, model: cost_of_call(models, state, turn, model)),
            event_listener=event_listener,
            measure=measure_with(Similarity()),
            redact=clean,
            repository=repository if opened.terms.lookups else None,
        )
        return await play(begun, context)

    return PlayableDebate(begun, played)
