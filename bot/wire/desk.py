"""The desk: one part for each kind of request."""

from __future__ import annotations

from adapters.templates.catalogue import read_catalogue
from bot.debates.changes import Changes
from bot.debates.judged import FindingHistory
from bot.debates.opening.resolved import ResolvedDebates
from bot.debates.price import Pricing
from bot.debates.receipts import Receipts
from bot.debates.search_texts import SearchTextKeeper
from bot.debates.service import DebateService
from bot.desk.commanding import Commanding
from bot.desk.dispatch import Dispatch
from bot.desk.hooks import HookDesk
from bot.desk.language import LanguageDesk
from bot.desk.lookup import Lookup
from bot.desk.mirror import MirrorDesk
from bot.desk.reading.leaderboard import LeaderboardDesk
from bot.desk.reading.lists import ListDesk
from bot.desk.reading.read import ReadDesk
from bot.desk.reading.readings import ReadingAudit
from bot.desk.reading.search import SearchDesk
from bot.desk.reading.templates import TemplateDesk
from bot.desk.review import ReviewDesk
from bot.desk.schedule import ScheduleDesk
from bot.desk.setup import SetupDesk
from bot.desk.start import StartDesk
from bot.desk.taking_part.challenge import ChallengeDesk
from bot.desk.taking_part.person import PersonDesk
from bot.desk.taking_part.reactions import ReactionDesk
from bot.hooks.keys import HookKeys
from bot.quotas import Quotas
from bot.schedules.fire import Firings
from bot.wire.base import Base
from bot.wire.forges import ForgeParts


def make_desk(
    base: Base,
    service: DebateService,
    pricing: Pricing,
    quotas: Quotas,
    reactions: ReactionDesk,
    firings: Firings,
    changes: Changes,
    forges: ForgeParts,
) -> Dispatch:
    settings, stores, clock = base.settings, base.stores, base.clock
    permissions, queue, templates = base.permissions, stores.queue, settings.templates
    lookup = Lookup(service, stores.debates, stores.messages, permissions)
    commanding = Commanding(lookup, queue, permissions)
    schedules = _make_schedules(base, service, quotas, firings)
    readings = ReadingAudit(stores.audit)
    receipts = Receipts(service, stores.debates, clock, settings.signing_key)
    return Dispatch(
        starts=StartDesk(
            service,
            pricing,
            lookup,
            schedules,
            permissions,
            quotas,
            base.library,
            changes,
            stores.messages,
            templates,
        ),
        challenges=ChallengeDesk(commanding, quotas, pricing, base.chats),
        people=PersonDesk(commanding, clock, proves=bool(settings.prove)),
        reactions=reactions,
        languages=LanguageDesk(stores.places),
        mirrors=MirrorDesk(commanding, base.chats, stores.places.language),
        schedules=schedules,
        setups=_make_setups(base, forges),
        hooks=_make_hooks(base),
        reviews=ReviewDesk(forges.reviews, forges.runs, lookup, permissions, readings),
        reads=ReadDesk(
            lookup, service, receipts, readings, stores.outcomes, forges.records, permissions
        ),
        lists=ListDesk(
            stores.debates, service, schedules, permissions, base.owner, stores.outcomes, clock
        ),
        searches=_make_searches(base),
        leaderboard=LeaderboardDesk(
            stores.outcomes,
            ResolvedDebates(stores.outcomes, stores.debates),
            FindingHistory(stores.judged, *base.settings.gate),
        ),
        template_desk=TemplateDesk(templates),
        messages=stores.messages,
        outbox=stores.outbox,
        permissions=permissions,
    )


def _make_schedules(
    base: Base, service: DebateService, quotas: Quotas, firings: Firings
) -> ScheduleDesk:
    stores = base.stores
    return ScheduleDesk(
        stores.schedules,
        stores.messages,
        stores.places,
        service,
        firings,
        base.permissions,
        quotas,
        base.clock,
        base.owner,
        base.settings.templates,
    )


def _make_searches(base: Base) -> SearchDesk:
    stores, clock = base.stores, base.clock
    keeper = SearchTextKeeper(stores.debates, stores.search, clock)
    sources = base.settings.templates
    return SearchDesk(
        stores.search,
        keeper,
        base.permissions,
        clock,
        lambda: read_catalogue(sources).templates,
    )


def _make_setups(base: Base, forges: ForgeParts) -> SetupDesk:
    stores = base.stores
    return SetupDesk(
        stores.places,
        base.permissions,
        forges.setup,
        stores.debates,
        stores.forgetting,
        stores.queue,
        base.chats,
        forges.poll,
    )


def _make_hooks(base: Base) -> HookDesk:
    settings = base.settings
    return HookDesk(
        base.stores.hooks,
        HookKeys(settings.signing_key),
        base.permissions,
        base.chats,
        base.clock,
        settings.hook_hosts,
    )
