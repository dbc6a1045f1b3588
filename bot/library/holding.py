"""Keeps a program's debate in memory, with nothing written, or in the store that the program names.
Either way it is opened by the same preparer and played by the same engine.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from adapters.models import Vendors
from adapters.models.similarity import installed
from adapters.ports.model import WrappedModel, WrappedModels
from adapters.redaction import clean
from bot import settings as configuration
from bot.debates.advance import Inbox
from bot.debates.budgets import turn_cost
from bot.debates.measure import measure_round
from bot.debates.opening.prepare import Prepared, Preparer
from bot.seats import Saying, Says, ScriptedSeats
from bot.settings import Settings
from bot.wire.base import SystemClock, open_models
from bot.wire.library import make_reader
from bot.wire.parts import Parts, open_parts
from bot.wire.workers import open_workers
from core.application.commands import ForkRequest
from core.application.commands.actions import Action
from core.application.desk import Caller
from core.application.listing import DebateLine
from core.application.place import SHELL, Person
from core.debate import events as e
from core.debate.budget import Budget
from core.debate.commands import Resume
from core.debate.commands.decisions import decide
from core.debate.engine import EngineContext, EventListener, InboxCommand, play
from core.debate.errors import BadInput
from core.debate.log import Append
from core.debate.ports import CallOptions, Message, Model, Models, OnWords, Reply
from core.debate.replies.tasks import TASKS
from core.debate.speaking import Speaker
from core.debate.state import Debate, replay
from core.debate.template import Template
from core.debate.verdict.convergence import should_stop
from core.words.views.language.grammar import did_you_mean

ME = str(Person(SHELL, "", "library"))
"""The person on whose behalf a program acts."""
Play = Callable[[Inbox, EventListener], Awaitable[Debate]]
"""Plays an opened debate to its end, taking commands out of the inbox."""
Held = tuple[Debate, Play]
"""An opened debate and the function that plays it on."""


class _NoLog:
    """``core.debate.log.Log`` of a debate that is in memory only: it stores nothing."""

    async def append(self, append: Append) -> None:
        return


@dataclass(eq=False, slots=True)
class _GatedModel(WrappedModel):
    """Answers only while ``gate`` is set."""

    gate: asyncio.Event

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        await self.gate.wait()
        return await self.inner.reply(messages, asking, on_words)


@dataclass(frozen=True, slots=True)
class Setting:
    """How a debate is held: with the program's ``own`` models, in the ``store`` at an address, with
    the environment in place of the process's. No model is called while the program holds a turn and
    ``gate`` is not set, so that money is spent at the pace at which turns are read.
    """

    own: Mapping[str, Model] = field(default_factory=dict)
    store: str = ""
    environ: Mapping[str, str] | None = None
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    def around(self, models: Models) -> Models:
        return WrappedModels(models, lambda model: _GatedModel(model, self.gate))

    def settings(self) -> Settings:
        settings = configuration.read(self.environ)
        return replace(settings, database_url=self.store or settings.database_url)

    def make_models(self, **given: Any) -> Vendors:
        return Vendors(**given, own=self.own)

    def require_known(self, opened: e.DebateOpened) -> None:
        """Raises ``BadInput`` for a role, or an option, that written answers name and the debate
        does not have.
        """
        template = opened.template
        roles = [*(s.role for s in opened.script.seats), *(role.name for role in template.roles)]
        ballot = [option.option for option in template.ballot]
        for model in self.own.values():
            if not isinstance(model, ScriptedSeats):
                continue
            for role, says in model.says.items():
                _require(role, roles, "No seat has the role {name!r}; the roles are {known}.")
                for name in (name for reply in _replies(role, says) for name in reply):
                    _require(name, _FIELDS, "A reply has no field {name!r}; it has {known}.")
            if model.stance:
                _require(model.stance, ballot, "The ballot has no option {name!r}; it has {known}.")


_FIELDS = ("text", *dict.fromkeys(name for task in TASKS.values() for name in task.asks))


def _replies(role: str, says: Says) -> Sequence[Saying]:
    """Returns the replies that are written down for a role; a function writes them later."""
    if callable(says):
        return ()
    replies = [says] if isinstance(says, Mapping) else says
    if isinstance(replies, Sequence) and all(isinstance(one, Mapping) for one in replies):  # type: ignore[redundant-expr]  # a caller may not check types
        return replies
    raise BadInput(f"{role} answers with a reply's fields, a list of them or a function.")


def _require(name: str, known: Sequence[str], wrong: str) -> None:
    if name not in known:
        names = ", ".join(dict.fromkeys(known))
        raise BadInput(f"{wrong.format(name=name, known=names)}{did_you_mean(name, known)}")


@asynccontextmanager
async def hold(
    request: e.DebateRequest, template: Template | None, setting: Setting
) -> AsyncIterator[Held]:
    """Opens a debate. Raises ``BadInput`` or ``CouldNotFinish`` with one line."""
    if setting.store:
        async with _stored(setting) as parts:
            prepared = await parts.service.preparer.prepare(
                request, template=template, left_today=await parts.service.budgets.left(request)
            )
            setting.require_known(prepared.opened)
            yield await _playable(parts, await parts.service.open(prepared))
        return
    settings = setting.settings()
    async with open_models(settings, setting.make_models) as models, open_workers() as workers:
        clock = SystemClock()
        reader = make_reader(settings, clock, workers)
        preparer = Preparer(
            reader,
            models,
            clock,
            replace(settings, prove=""),  # no part of it runs tests
            servers=models,
        )
        prepared = await preparer.prepare(request, template=template)
        setting.require_known(prepared.opened)
        yield _in_memory(prepared, setting.around(models.scoped()), reader.look_up)


@asynccontextmanager
async def hold_stored(id: str, setting: Setting) -> AsyncIterator[Held]:
    """Takes up a stored debate, to be played on. Raises ``BadInput`` for an unknown one."""
    async with _stored(setting) as parts:
        debate = await parts.service.load(id)
        setting.require_known(debate.open)
        yield await _playable(parts, debate.id)


@asynccontextmanager
async def hold_fork(wanted: ForkRequest, setting: Setting) -> AsyncIterator[Held]:
    """Opens a fork of a stored debate. Raises ``BadInput`` and ``Refused``."""
    me = Caller(ME, ME, f"library:{secrets.token_hex(8)}", admin=True, private=True)
    async with _stored(setting) as parts:
        parent = await parts.service.load(wanted.debate)
        setting.require_known(parent.open)
        copy = await parts.desk.permissions.copy(me, Action.FORK, parent)
        yield await _playable(parts, await parts.service.fork(copy, wanted, asker=ME))


async def list_stored(setting: Setting, limit: int) -> Sequence[DebateLine]:
    """Returns the newest debates of the store."""
    async with _stored(setting) as parts:
        return await parts.stores.debates.find_recent(limit=limit)


def _stored(setting: Setting) -> AbstractAsyncContextManager[Parts]:
    settings = setting.settings()
    return open_parts(settings, make_models=setting.make_models, measured=setting.around)


async def _playable(parts: Parts, id: str) -> Held:
    """Returns a stored debate; playing it continues after a pause."""
    debate = await parts.service.load(id)

    async def played(inbox: Inbox, event_listener: EventListener) -> Debate:
        if debate.final:
            return debate
        if debate.paused is not None:
            inbox.put_nowait(InboxCommand(Resume(debate.request.asker)))
        return await parts.player.play(id, seen=debate, event_listener=event_listener, inbox=inbox)

    return debate, played


def _in_memory(
    prepared: Prepared,
    models: Models,
    look_up: Callable[..., Awaitable[Any]],
) -> Held:
    opened, request = prepared.opened, prepared.request
    first = e.DebateRequested("in-memory", request, opened.at)
    begun = replay([first, opened])

    async def repository(tool: str, arguments: str) -> Any:
        return await look_up(opened.material, request.place, request.files, tool, arguments)

    lookups = None
    if opened.terms.lookups:
        lookups = repository

    async def played(inbox: Inbox, event_listener: EventListener) -> Debate:
        context = EngineContext(
            log=_NoLog(),
            clock=SystemClock(),
            inbox=inbox,
            speaking=Speaker(models, clean, repository=lookups),
            decide=decide,
            should_stop=should_stop,
            budget=Budget(partial(turn_cost, models)),
            event_listener=event_listener,
            measure=partial(measure_round, installed()),
            redact=clean,
        )
        return await play(begun, context)

    return begun, played
