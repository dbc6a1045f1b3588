"""The room: its pages, and what is built for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from adapters.processes.workers import Work as Reading
from adapters.processes.workers import in_thread
from adapters.room.incoming import fields as f
from adapters.room.incoming.debates import DebatePages
from adapters.room.incoming.guard import Guard, NotFound, Page
from adapters.room.incoming.links import LinkPages
from adapters.room.incoming.listing import ListPages
from adapters.room.incoming.reports import ReportPages
from adapters.room.incoming.repositories import RepositoryPages
from adapters.room.incoming.schedules import SchedulePages
from adapters.room.incoming.shelf import ShelfPages
from adapters.room.incoming.signing_in import OPEN, SignIn
from adapters.room.incoming.starting import StartPages
from adapters.room.incoming.tokens import TokenPages
from adapters.room.incoming.webhooks import HERE as HOOKS
from adapters.room.incoming.webhooks import WebhookPages
from adapters.room.live import Live
from adapters.room.outgoing.assets import PREFIX, assets
from adapters.room.outgoing.reply import HEADERS
from adapters.room.port import BrowserSessions, Links
from adapters.room.settings import RoomSettings
from adapters.room.setup.providers import SignInProvider
from adapters.room.visitors import Visitor
from adapters.routes import Route, Who
from core.application.commands.actions import RouteWork
from core.application.interface import Application
from core.languages import say

_YEAR = 31_536_000


class Room:
    """The room's web application, built from the application that every surface shares; ``work``
    reads texts that people bring.
    """

    def __init__(
        self,
        settings: RoomSettings,
        application: Application,
        people: BrowserSessions,
        links: Links,
        live: Live,
        providers: Sequence[SignInProvider] = (),
        work: Reading = in_thread,
    ) -> None:
        desk, debates, records = application.desk, application.debates, application.records
        self._share = LinkPages(settings, debates, links)
        self._guard = Guard(settings, people, self._share.opened)
        self._sign_in = SignIn(settings, providers, people)
        self._schedules = SchedulePages(desk, debates)
        self._repositories = RepositoryPages(desk)
        self._tokens = TokenPages(application.tokens)
        self._webhooks = WebhookPages(desk, application.webhooks)
        self._reports = ReportPages(records, debates)
        self._list = ListPages(settings, desk, debates)
        self._start = StartPages(settings, desk, debates, live)
        self._shelf = ShelfPages(settings, work)
        self._debates = DebatePages(settings, desk, debates, live, links, self._guard.identify)

    def routes(self) -> list[Route]:
        """Returns the room's addresses."""
        return [
            Route("GET", PREFIX + "{name}", Who.ANYONE, asset),
            *self._reading(),
            *self._asking(),
            *self._signing_in(),
            self._row("GET", "/{rest:.*}", Who.ANYONE, _nothing_here),
        ]

    def _row(self, method: str, path: str, who: Who, page: Page, **more: Any) -> Route:
        """Returns a route to one page behind the guard; ``more`` as in ``Route``."""
        return Route(method, path, who, self._guard.page(who, page), **more)

    def _reading(self) -> list[Route]:
        """Routes of pages that only show."""
        row, here, linked = self._row, Who.SIGNED_IN, Who.LINKED
        debates, shelf, reports = self._debates, self._shelf, self._reports
        return [
            row("GET", "/", here, self._list.listed, query=f.LIST),
            row("GET", "/d/{id}", linked, debates.one),
            row("GET", "/d/{id}/change", linked, debates.change),
            row("GET", "/d/{id}/review", here, debates.review),
            row("GET", "/d/{id}/record", here, debates.record),
            row("GET", "/d/{id}/live", linked, debates.live, query=f.LIVE),
            row("GET", "/d/{id}/debate-{name}.{form}", linked, debates.file),
            row("GET", "/d/{id}/forks", here, debates.beside),
            row("GET", "/d/{id}/receipt", here, reports.receipt),
            row("GET", "/d/{id}/receipt-{name}.json", here, reports.receipt_file),
            row("GET", OPEN + "{secret}", Who.ANYONE, self._sign_in.follow),
            row("GET", "/d/{id}/open/{key}", Who.ANYONE, self._share.follow),
            row("GET", "/new", here, self._start.empty, query=f.NEW),
            row("GET", "/templates", here, shelf.all),
            row("GET", "/templates/check", here, shelf.form),
            row("GET", "/templates/{name}", here, shelf.one),
            row("GET", "/schedules", here, self._schedules.all, query=f.SCHEDULES),
            row("GET", "/repositories", here, self._repositories.all),
            row("GET", "/leaderboard", here, reports.leaderboard),
            row("GET", "/costs", here, reports.costs, query=f.COSTS),
            row("GET", "/doctor", Who.OPERATOR, reports.doctor),
            row("GET", "/log", Who.OPERATOR, reports.log, query=f.LOG),
            row("GET", "/receipts", here, reports.receipts),
        ]

    def _asking(self) -> list[Route]:
        """Routes of forms that change something, cost something, or have a text read."""
        row, here, ended = self._row, Who.SIGNED_IN, RouteWork.PROCESS
        debates, share, schedules = self._debates, self._share, self._schedules
        debate, check = "a debate", self._reports.check
        return [
            row("POST", "/new", here, self._start.sent, form=f.START, work=ended, stored=debate),
            row("POST", "/press", here, debates.pressed, form=f.PRESS, stored="what was said"),
            row("POST", "/fork", here, debates.forked, form=f.FORK, stored=debate),
            row("POST", "/d/{id}/links", here, share.make, form=f.LINK, stored="a link"),
            row("POST", "/d/{id}/links/end", here, share.revoke, form=f.LINK_END),
            row("POST", "/schedules", here, schedules.add, form=f.SCHEDULE, stored="a schedule"),
            row("POST", "/schedules/do", here, schedules.do, form=f.SCHEDULE_DO),
            row(
                *("POST", "/repositories", here, self._repositories.sent),
                form=f.REPOSITORY,
                stored="a binding",
            ),
            row("POST", "/templates/check", here, self._shelf.checked, form=f.CHECK, work=ended),
            row("POST", "/receipts", here, check, form=f.RECEIPT, work=ended),
        ]

    def _signing_in(self) -> list[Route]:
        row, sign_in, anyone = self._row, self._sign_in, Who.ANYONE
        return [
            row("GET", "/you", Who.SIGNED_IN, sign_in.you),
            row("GET", "/tokens", Who.SIGNED_IN, self._tokens.all),
            row(
                *("POST", "/tokens", Who.SIGNED_IN, self._tokens.make),
                form=f.TOKEN,
                stored="a token's digest",
            ),
            row("GET", HOOKS, Who.SIGNED_IN, self._webhooks.all, query=f.WEBHOOKS),
            row(
                *("POST", HOOKS, Who.SIGNED_IN, self._webhooks.add),
                form=f.WEBHOOK,
                stored="a webhook",
            ),
            row("POST", f"{HOOKS}/do", Who.SIGNED_IN, self._webhooks.do, form=f.WEBHOOK_DO),
            row("POST", "/tokens/end", Who.SIGNED_IN, self._tokens.end, form=f.TOKEN_END),
            row("POST", "/you/workspace", Who.SIGNED_IN, sign_in.look_at, form=f.WORKSPACE),
            row("GET", "/sign-in", anyone, sign_in.choose, query=f.GO_ON),
            row("GET", "/sign-in/{provider}", anyone, sign_in.begin, query=f.GO_ON),
            row(
                *("GET", "/sign-in/{provider}/done", anyone, sign_in.finish),
                query=f.CAME_BACK,
                stored="who signed in",
            ),
            row("POST", "/sign-out", Who.SIGNED_IN, sign_in.out, form=f.SIGN_OUT),
        ]


async def _nothing_here(_request: web.Request, _visitor: Visitor) -> web.StreamResponse:
    raise NotFound(say("There is no such page here."))


async def asset(request: web.Request) -> web.Response:
    """Returns a file that never changes under its name."""
    file = assets().get(request.match_info["name"])
    if file is None:
        raise web.HTTPNotFound(headers=HEADERS)
    headers = HEADERS | {
        "Content-Type": file.type,
        "Cache-Control": f"public, max-age={_YEAR}, immutable",
        "Vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return web.Response(body=file.packed, headers=headers | {"Content-Encoding": "gzip"})
    return web.Response(body=file.plain, headers=headers)
