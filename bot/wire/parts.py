"""The debate service, the advancer that plays debates, and the desk: all that a command in a shell
needs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from adapters.forges.plugged import Forge
from adapters.material.library import MaterialLibrary
from adapters.models import Vendors
from adapters.models.similarity import installed
from adapters.ports.chat import Chat
from adapters.processes.workers import Workers
from bot.debates.advance import HEARTBEAT, Advancer
from bot.debates.budgets import SharedBudgets
from bot.debates.changes import Changes
from bot.debates.judged import FindingHistory
from bot.debates.measure import measure_round
from bot.debates.opening.history import History
from bot.debates.opening.prepare import Preparer
from bot.debates.opening.retained import RetainedOpenings
from bot.debates.play import Player
from bot.debates.price import Pricing
from bot.debates.retention import Retention
from bot.debates.service import DebateService
from bot.desk.dispatch import Dispatch
from bot.desk.taking_part.threads import ChatThreads
from bot.forges.remove import Remover
from bot.forges.review import amend_reviews
from bot.hooks.announce import webhook_rows
from bot.quotas import Quotas
from bot.schedules.fire import Firings
from bot.settings import Settings
from bot.wire.base import Base, MakeModels, open_base
from bot.wire.forges import ForgeParts, make_forges
from bot.wire.proofs import make_prover
from bot.work import Worker
from core.application.permissions.applied import refusal_now
from core.debate.engine import AtRest, EventListener, TokenListener, ignore_tokens
from core.debate.ports import Clock, Models
from storage.database import sqlite_file
from storage.database.alone import QUOTAS, Alone
from storage.database.lock import RunnerLock
from storage.forges.followed import FollowedChanges
from storage.forgetting.traces import Traces
from storage.people.tokens import Tokens
from storage.stores import Stores

TRIAL_SEED = 2
"""The random seed of trials with the scripted model, so that the same change gives the same
debate.
"""


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that answers people and plays debates, only for the top of the program."""

    settings: Settings
    clock: Clock
    stores: Stores
    models: Vendors
    library: MaterialLibrary
    service: DebateService
    pricing: Pricing
    advancer: Advancer
    player: Player
    firings: Firings
    forges: ForgeParts
    desk: Dispatch
    retention: Retention
    worker: Worker


@asynccontextmanager
async def open_parts(
    settings: Settings,
    *,
    shell: bool = True,
    clock: Clock | None = None,
    chats: Mapping[str, Chat] | None = None,
    make_models: MakeModels = Vendors,
    workers: Workers | None = None,
    measured: Callable[[Models], Models] = lambda models: models,
    forge: Forge | None = None,
) -> AsyncIterator[Parts]:
    """Opens the parts for one command: no loops run next to it, and a shell connects no ``chats``.

    ``shell`` may read files of this machine, a bot in a chat never may. ``workers`` belong to the
    caller, who has started them ahead; ``measured`` is as in ``make_parts``. ``forge`` is read in
    addition to the configured ones. Raises ``BadInput`` or ``CouldNotFinish`` if the database
    can't be opened.
    """
    async with open_base(
        settings,
        chats=chats or {},
        clock=clock,
        make_models=make_models,
        shell=shell,
        workers=workers,
        forge=forge,
    ) as base:
        at_rest = AtRest.LEAVE
        if shell:
            at_rest = AtRest.STAY
        yield make_parts(base, measured=measured, at_rest=at_rest)


def make_parts(
    base: Base,
    *,
    measured: Callable[[Models], Models] = lambda models: models,
    event_listeners: Sequence[EventListener] = (),
    token_listener: TokenListener = ignore_tokens,
    heartbeat: float = HEARTBEAT,
    posts: bool = False,
    at_rest: AtRest = AtRest.LEAVE,
) -> Parts:
    """Returns the parts. ``measured`` wraps all models that are called; ``posts`` is True if this
    process posts to chats; ``at_rest`` is as in ``EngineContext``.
    """
    settings, stores, models = base.settings, base.stores, base.models
    history = _make_history(base)
    service = _make_service(base, measured(models), history)
    changes = _make_changes(base)
    quotas = _make_quotas(base)
    firings = _make_firings(base, service, quotas, changes)
    forges = make_forges(base, quotas, service)
    desk = _make_desk(base, service, quotas, firings, changes, history, forges)
    advancer = Advancer(
        debates=stores.debates,
        queue=stores.queue,
        outcomes=stores.outcomes,
        findings=history.findings,
        service=service,
        models=models,
        clock=base.clock,
        owner=base.owner,
        refusal=partial(refusal_now, base.permissions, service.load),
        measure=partial(measure_round, installed()),
        wrap_models=measured,
        threads=ChatThreads(desk, stores.outbox if posts else None) if base.chats else None,
        event_listeners=event_listeners,
        token_listener=token_listener,
        time_limit=settings.time_limit,
        look_up=base.library.look_up,
        prover=make_prover(base),
        announce=partial(webhook_rows, stores, base.clock),
        heartbeat=heartbeat,
        at_rest=at_rest,
        kept=partial(amend_reviews, forges.context),
    )
    return Parts(
        settings=settings,
        clock=base.clock,
        stores=stores,
        models=models,
        library=base.library,
        service=service,
        pricing=desk.pricing,
        advancer=advancer,
        player=Player(advancer),
        firings=firings,
        forges=forges,
        retention=_make_retention(base, service),
        worker=_make_worker(base, forges),
        desk=desk,
    )


def _make_history(base: Base) -> History:
    stores = base.stores
    findings = FindingHistory(stores.judged, stores.places, *base.settings.gate)
    return History(stores, base.search_texts, findings)


def _make_changes(base: Base) -> Changes:
    stores = base.stores
    followed = FollowedChanges(stores.database)
    return Changes(stores.places, followed, stores.debates, base.connections.kinds)


def _make_desk(
    base: Base,
    service: DebateService,
    quotas: Quotas,
    firings: Firings,
    changes: Changes,
    history: History,
    forges: ForgeParts,
) -> Dispatch:
    return Dispatch(
        settings=base.settings,
        clock=base.clock,
        owner=base.owner,
        stores=base.stores,
        permissions=base.permissions,
        library=base.library,
        service=service,
        pricing=Pricing(service),
        quotas=quotas,
        firings=firings,
        changes=changes,
        history=history,
        forges=forges.context,
        runs=forges.runs,
        app=forges.setup,
        poll=forges.poll,
    )


def _make_quotas(base: Base) -> Quotas:
    return Quotas(
        base.settings.limits,
        Alone(base.stores.database, QUOTAS),
        base.stores.debates,
        base.stores.schedules,
        base.stores.queue,
        base.clock,
    )


def _make_firings(base: Base, service: DebateService, quotas: Quotas, changes: Changes) -> Firings:
    return Firings(
        base.stores.schedules,
        service,
        base.library,
        base.chats,
        base.permissions,
        quotas,
        base.clock,
        changes,
        base.settings.templates,
    )


def _make_retention(base: Base, service: DebateService) -> Retention:
    return Retention(
        base.stores.forgetting,
        base.stores.outcomes,
        service,
        Traces(base.stores.database),
        base.stores.removals,
        base.permissions.policy,
        base.clock,
        base.settings.keep,
        base.settings.keep_removed,
    )


def _make_worker(base: Base, forges: ForgeParts) -> Worker:
    stores = base.stores
    remover = Remover(
        stores.work,
        stores.removals,
        stores.messages,
        base.chats,
        base.connections,
        stores.debates,
    )
    return Worker(stores.work, (forges.writer, forges.inbox, remover), base.clock, base.owner)


async def _find_token(tokens: Tokens, name: str, person: str, place: str) -> str:
    """Finds a token by its name, among a person's own and those of services."""
    return next((t.id for t in await tokens.of(person, place) if t.name == name), "")


def _make_service(base: Base, models: Models, history: History) -> DebateService:
    settings, stores = base.settings, base.stores
    file = sqlite_file(stores.database.url)
    lock = RunnerLock(file) if file is not None else None
    preparer = Preparer(
        base.library,
        models,
        base.clock,
        settings,
        servers=base.models,
        history=history,
        seed=TRIAL_SEED if base.models.on_trial else None,
        find_token=partial(_find_token, Tokens(stores.database)),
        find_language=stores.places.language,
        lock=lock,
    )
    budgets = SharedBudgets(
        stores.spending, base.clock, settings.daily_budget, settings.person_budget
    )
    retained = RetainedOpenings(base.clock)
    return DebateService(stores.debates, stores.queue, preparer, budgets, retained, base.work)
