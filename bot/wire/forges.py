"""All loops and parts that work for the pull requests that places follow."""

from __future__ import annotations

from dataclasses import dataclass

from bot.debates.service import DebateService
from bot.forges.access.app import keep_app
from bot.forges.access.setup import AppSetup
from bot.forges.context import ForgeContext
from bot.forges.desk import EventDesk
from bot.forges.inbox import ForgeWebhooks, Inbox
from bot.forges.merged import MergedChanges
from bot.forges.names import names_in
from bot.forges.poll import Poll
from bot.forges.redeliver import Redeliveries
from bot.forges.runs import Runs
from bot.forges.write import ForgeWriter
from bot.quotas import Quotas
from bot.wire.base import Base
from storage.forges.followed import FollowedChanges
from storage.forges.renamed import RenamedRepositories
from storage.forges.watches import Watches


@dataclass(frozen=True, slots=True)
class ForgeParts:
    context: ForgeContext
    webhooks: ForgeWebhooks
    inbox: Inbox
    writer: ForgeWriter
    poll: Poll
    redeliveries: Redeliveries
    runs: Runs
    setup: AppSetup


def make_forges(base: Base, quotas: Quotas, service: DebateService) -> ForgeParts:
    settings, stores, clock, connections = base.settings, base.stores, base.clock, base.connections
    context = ForgeContext(
        stores.places,
        FollowedChanges(stores.database),
        stores.work,
        stores.queue,
        service,
        connections,
        RenamedRepositories(stores.database),
        clock,
        names_in(base.chats),
        settings.public_url,
    )
    watches = Watches(stores.database)
    runs = Runs(context, base.permissions, quotas)
    desk = EventDesk(context, quotas)
    merged = MergedChanges(context, base.library)

    async def github_secrets() -> dict[str, str]:
        secrets = {"": settings.github_webhook_secret}
        for host, kind in connections.kinds.items():
            if kind == "github" and (app := await connections.app_of(host)) is not None:
                secrets[host] = app.webhook_secret
        return {host: secret for host, secret in secrets.items() if secret}

    async def gitlab_secrets() -> dict[str, str]:
        if not settings.gitlab_webhook_token:
            return {}
        return {"": settings.gitlab_webhook_token}

    async def has_webhook(host: str) -> bool:
        secrets_of = gitlab_secrets
        if connections.kinds[host] == "github":
            secrets_of = github_secrets
        secrets = await secrets_of()
        return settings.public_url.startswith("https://") and bool({"", host} & set(secrets))

    return ForgeParts(
        context,
        ForgeWebhooks(stores.work, clock, github_secrets, gitlab_secrets),
        Inbox(context, desk, runs, merged),
        ForgeWriter(context),
        Poll(context, watches, has_webhook),
        Redeliveries(watches, connections, clock, has_webhook),
        runs,
        AppSetup(
            connections,
            keep_app(settings, stores.database),
            clock,
            settings.public_url or f"http://127.0.0.1:{settings.port}",
            settings.signing_key,
            bool(settings.secret_keys),
            base.stores.messages.take_event,
        ),
    )
