"""The bot as it runs for weeks: the parts of a shell's command, connected to the chats, with all
background loops.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from adapters.api import ApiRoutes
from adapters.mcp.http import McpEndpoint
from adapters.models import Vendors
from adapters.ports.chat import Chat
from adapters.ports.platform import Platform, PlatformConnection
from adapters.processes.workers import Work
from adapters.room.live import Live
from adapters.routes import Route
from bot.debates.advance import HEARTBEAT
from bot.debates.opening.terms import allowed_tools
from bot.debates.retention import LOOK as RETENTION_EVERY
from bot.debates.search_texts import LOOK as WORDS_EVERY
from bot.hooks.send import HookSender, tell_why_it_ended
from bot.jobs import Jobs, Periodic
from bot.posting.deliver import LOOK, PACE, Poster
from bot.room.speech import LiveSpeech
from bot.room.waiting import Waiting
from bot.schedules.tick import FORGET_EVERY, TICK, Ticker
from bot.serve import journal
from bot.serve.http import HttpServer
from bot.serve.lost_place import LostPlaces
from bot.serve.metrics import BotMetrics
from bot.serve.platforms import Connect, Routed, configured_platforms
from bot.serve.process import Bot, Run
from bot.serve.runtime.base import Runtime
from bot.serve.runtime.local import LocalRuntime
from bot.serve.runtime.procrastinate import ReplicaRuntime, Rhythm
from bot.settings import Settings
from bot.settings.choices import ProcessRole, needs_postgres
from bot.wire.base import Base, MakeModels, open_base
from bot.wire.parts import Parts, make_parts
from bot.wire.room import make_application, make_live, make_mcp, make_room
from bot.wire.workers import open_form_workers
from core.application.interface import Application
from core.debate.errors import BadInput
from core.debate.ports import Clock
from storage.claims import LEASE, UNPACED, Pace
from storage.database import Database, sqlite_file
from storage.database.running import RunningBots
from storage.places import Installations
from storage.sealing import Seal

_SUM_EVERY = 3600.0
"""Seconds between two looks for days whose costs are not summed yet."""
_WAKE_EVERY = 1.0
"""Seconds between two looks at whether the store has changed, which wakes all workers."""
_POLL_EVERY = 20.0
_REDELIVER_EVERY = 60.0


@dataclass(frozen=True, slots=True)
class Timing:
    """The intervals of a bot; tests have their own.

    ``paces`` are what platforms allow; ``idle`` is in seconds between two reads of the outbox,
    ``heartbeat`` between two heartbeats. ``lease`` is how long a delivery is
    claimed, ``rhythm`` is that of replicas.
    """

    paces: Mapping[str, Pace] = field(default_factory=lambda: PACE)
    idle: float = LOOK
    heartbeat: float = HEARTBEAT
    lease: timedelta = LEASE
    rhythm: Rhythm = field(default_factory=Rhythm)


@asynccontextmanager
async def open_bot(
    settings: Settings,
    *,
    connect: Connect = configured_platforms,
    clock: Clock | None = None,
    make_models: MakeModels = Vendors,
    timing: Timing | None = None,
) -> AsyncIterator[tuple[Parts, Bot]]:
    """Returns the bot, not started, and its parts. Raises ``BadInput`` or ``CouldNotFinish`` if it
    can't be made.
    """
    timing, waiting = timing or Timing(), Waiting()
    settings = replace(settings, progress=waiting.note)
    chats: dict[str, Chat] = {}  # known to those who ask them before they are connected
    async with (
        open_base(
            settings, chats=chats, clock=clock, make_models=make_models, lease=timing.lease
        ) as base,
        open_form_workers() as forms,
    ):
        stores, models, clock = base.stores, base.models, base.clock
        vault, pace = _vault(settings, stores.database), timing.paces.get("slack", UNPACED)
        connections = connect(settings, vault, models.default, pace.posts.seconds)
        chats.update({name: connection.chat for name, connection in connections.items()})
        plays_only = _plays_only(settings, stores.database)
        metrics = BotMetrics(clock.now)
        metrics.watch_circuits(models.shared.breakers)
        live, jobs = make_live(settings, stores, waiting), Jobs(stores.database.version)
        speech = LiveSpeech(live, stores.database, base.owner, stores.debates.count_events, jobs)
        parts = make_parts(
            base,
            measured=metrics.around,
            event_listeners=(metrics.count_event, journal.log_event, speech.note_event),
            token_listener=metrics.hearing(speech.listener),
            heartbeat=timing.heartbeat,
            posts=True,
        )
        platforms = _platforms(connections, parts, plays_only=plays_only)
        poster = _make_poster(base, parts, metrics, timing)
        application = make_application(parts, platforms, forms)
        tools = make_mcp(parts, application, platforms)
        ticker = Ticker(parts.firings, stores.messages, base.owner)
        routes: Sequence[Route] = ()
        workers: dict[str, Run] = {}
        periodic: Mapping[str, Periodic] = {}
        if not plays_only:
            routes = _routes(parts, application, live, platforms, forms, tools)
            workers = _workers(base, parts, poster, tools)
            periodic = _periodic(base, parts, ticker)
        server = _make_server(base, metrics, routes)
        runtime = make_runtime(parts, timing.rhythm, jobs)
        metrics.here.set_function(runtime.playing)
        running = RunningBots(stores.database, base.owner, settings.secret_keys)
        workers["loop watch"] = metrics.measure_loop
        bot = Bot(
            runtime, poster, ticker, server, platforms, speech, running, jobs, periodic, workers
        )
        yield parts, bot


def _plays_only(settings: Settings, database: Database) -> bool:
    """True if this process takes no requests in. Raises ``BadInput`` if no other process would."""
    if settings.part is not ProcessRole.ALL and database.sqlite:
        raise BadInput(
            f"{needs_postgres(settings.part)}: set DEBATE_DATABASE_URL, or unset DEBATE_PART."
        )
    return settings.part is ProcessRole.WORKER


def _platforms(
    connections: Mapping[str, PlatformConnection], parts: Parts, *, plays_only: bool
) -> dict[str, Platform]:
    if plays_only:
        return {name: one.speak() for name, one in connections.items()}
    return {name: one.listen(parts.desk) for name, one in connections.items()}


def _make_poster(base: Base, parts: Parts, metrics: BotMetrics, timing: Timing) -> Poster:
    lost = LostPlaces(base.chats, parts.service, base.stores.outbox, parts.firings)
    return Poster(
        base.stores.outbox,
        base.chats,
        base.owner,
        lost.report,
        metrics.count_delivery,
        timing.paces,
        timing.idle,
        base.settings.public_url,
    )


def _make_server(base: Base, metrics: BotMetrics, routes: Sequence[Route]) -> HttpServer:
    stores = base.stores
    return HttpServer(
        partial(
            metrics.exposition, stores.debates, stores.outbox, stores.schedules, stores.spending
        ),
        stores.database.require_writes,
        routes,
        watch_token=base.settings.watch_token,
        watch_port=base.settings.watch_port,
    )


def _workers(base: Base, parts: Parts, poster: Poster, tools: McpEndpoint | None) -> dict[str, Run]:
    stores, settings = base.stores, base.settings
    hooks = HookSender(
        stores.hooks,
        stores.outbox,
        base.clock,
        base.owner,
        settings.signing_key,
        settings.hook_hosts,
        partial(tell_why_it_ended, base.chats),
    )
    workers: dict[str, Run] = {
        "poster": poster.run,
        "webhooks": hooks.run,
        "worker": parts.worker.run,
        "forge inbox": parts.forges.inbox.run,
    }
    if tools is not None:
        workers["mcp"] = tools.run
    return workers


def _periodic(base: Base, parts: Parts, ticker: Ticker) -> dict[str, Periodic]:
    stores, forges = base.stores, parts.forges
    woken = [stores.outbox.wake_event]
    if stores.database.sqlite:  # PostgreSQL tells no changes; people wait only for the posts
        woken += [stores.work.wake_event, forges.inbox.wake_event]

    async def wake() -> None:
        for worker in woken:
            worker.set()

    return {
        "wake": Periodic(wake, _WAKE_EVERY, after_changes=True),
        "tick": Periodic(ticker.tick, TICK),
        "forget events": Periodic(ticker.forget, FORGET_EVERY),
        "forget deliveries": Periodic(forges.inbox.forget, FORGET_EVERY),
        "words": Periodic(base.search_texts.look, WORDS_EVERY, after_changes=True),
        "retention": Periodic(parts.retention.look, RETENTION_EVERY),
        "day sums": Periodic(stores.spending.sum_days, _SUM_EVERY),
        "poll": Periodic(forges.poll.look, _POLL_EVERY),
        "redeliver": Periodic(forges.redeliveries.look, _REDELIVER_EVERY),
    }


def _routes(
    parts: Parts,
    application: Application,
    live: Live,
    platforms: Mapping[str, Platform],
    forms: Work,
    tools: McpEndpoint | None,
) -> list[Route]:
    routed = [one for one in platforms.values() if isinstance(one, Routed)]
    return [
        *(route for one in routed for route in one.routes()),
        *parts.forges.webhooks.routes(),
        *parts.forges.setup.routes(),
        *ApiRoutes(application).routes(),
        *(tools.routes() if tools is not None else ()),
        *make_room(parts, live, application, platforms, forms).routes(),
    ]


def make_runtime(parts: Parts, rhythm: Rhythm, jobs: Jobs) -> Runtime:
    """Returns the runtime for the database: on a SQLite file only this process, on PostgreSQL any
    number of replicas.
    """
    settings, database = parts.settings, parts.stores.database
    if database.sqlite:
        file, allows = sqlite_file(database.url), allowed_tools(settings)
        return LocalRuntime(parts.advancer, parts.stores.outbox, file, allows, jobs)
    return ReplicaRuntime(
        parts.advancer,
        database.session_address,
        rhythm,
        plays=settings.part is not ProcessRole.CHAT,
        migrates=settings.migrates,
        jobs=jobs,
    )


def _vault(settings: Settings, database: Database) -> Installations | None:
    if not settings.slack_client_secret:
        return None
    return Installations(database, Seal(settings.secret_keys, settings.older_secrets))
