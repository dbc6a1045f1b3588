"""All loops and parts that work for the pull requests that places follow."""

from __future__ import annotations

from dataclasses import dataclass

from bot.debates.service import DebateService
from bot.forges.access.app import keep_app
from bot.forges.access.connect import ForgeConnections
from bot.forges.access.setup import AppSetup
from bot.forges.checks import Checks
from bot.forges.desk import EventDesk
from bot.forges.follow import FollowUps
from bot.forges.inbox import ForgeWebhooks, Inbox
from bot.forges.judge import Judges
from bot.forges.names import names_in
from bot.forges.poll import Poll
from bot.forges.reactions import Reactions
from bot.forges.records import Records
from bot.forges.redeliver import Redeliveries
from bot.forges.review import Reviews
from bot.forges.runs import Runs
from bot.forges.write import ForgeWriter
from bot.quotas import Quotas
from bot.wire.base import Base
from storage.forges.followed import FollowedChanges
from storage.forges.watches import Watches


@dataclass(frozen=True, slots=True)
class ForgeParts:
    connections: ForgeConnections
    webhooks: ForgeWebhooks
    inbox: Inbox
    writer: ForgeWriter
    poll: Poll
    redeliveries: Redeliveries
    reviews: Reviews
    records: Records
    runs: Runs
    setup: AppSetup


def make_reviews(base: Base, service: DebateService) -> Reviews:
    stores, public = base.stores, base.settings.public_url.rstrip("/")
    return Reviews(stores.work, stores.places, service, names_in(base.chats), public)


def make_forges(base: Base, service: DebateService, quotas: Quotas, reviews: Reviews) -> ForgeParts:
    settings, stores, clock, connections = base.settings, base.stores, base.clock, base.connections
    database, queue, places, work = stores.database, stores.queue, stores.places, stores.work
    followed, watches = FollowedChanges(database), Watches(database)
    reactions = Reactions(queue, service, connections, clock)
    runs = Runs(
        followed, places, queue, service, connections, base.permissions, quotas, clock, reactions
    )
    public = settings.public_url.rstrip("/")
    checks = Checks(followed, places, work, service, queue, connections, reviews.names_of, public)
    desk = EventDesk(
        places, followed, queue, service, connections, quotas, checks, clock, work, reactions
    )
    judges = Judges(followed, places, queue, service, base.library, clock, reactions)
    follow = FollowUps(followed, places, queue, service, connections, clock, judges, reactions)

    hosts = connections.library.hosts

    async def github_secrets() -> dict[str, str]:
        apps = {name: await connections.app_of(name) for name, one in hosts.items()
                if one.forge == "github"}  # fmt: skip
        own = {name: app.webhook_secret for name, app in apps.items() if app is not None}
        return _given({"": settings.github_webhook_secret, **own})

    async def gitlab_secrets() -> dict[str, str]:
        return _given({"": settings.gitlab_webhook_token})

    async def has_webhook(host: str) -> bool:
        secrets = await (github_secrets if hosts[host].forge == "github" else gitlab_secrets)()
        return public.startswith("https://") and bool({"", host} & set(secrets))

    local = f"http://127.0.0.1:{settings.port}"
    return ForgeParts(
        connections,
        ForgeWebhooks(work, clock, github_secrets, gitlab_secrets),
        Inbox(work, desk, runs, follow, judges, checks, clock),
        ForgeWriter(work, queue, connections, clock),
        Poll(work, watches, places, connections, clock, has_webhook),
        Redeliveries(watches, connections, clock, has_webhook),
        reviews,
        Records(work, places, connections, public),
        runs,
        AppSetup(
            connections,
            keep_app(settings, database),
            clock,
            public or local,
            settings.signing_key,
            bool(settings.secret_keys),
            base.stores.messages.take_event,
        ),
    )


def _given(secrets: dict[str, str]) -> dict[str, str]:
    """Returns the items that are not None."""
    return {host: secret for host, secret in secrets.items() if secret}
