"""The room: its addresses, and what stands behind each."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import web

from adapters.ports.desk import Desk
from adapters.room.incoming.debates import DebatePages
from adapters.room.incoming.guard import Guard, NotFound
from adapters.room.incoming.links import LinkPages
from adapters.room.incoming.reports import ReportPages
from adapters.room.incoming.repositories import RepositoryPages
from adapters.room.incoming.schedules import SchedulePages
from adapters.room.incoming.shelf import ShelfPages
from adapters.room.incoming.signing_in import SignIn
from adapters.room.incoming.starting import StartPages
from adapters.room.incoming.visitors import Visitor
from adapters.room.live import Live
from adapters.room.outgoing.assets import PREFIX, assets
from adapters.room.outgoing.reply import HEADERS
from adapters.room.port import Stored
from adapters.room.settings import RoomSettings
from adapters.room.setup.providers import Provider

_YEAR = 31_536_000


class Room:
    """Built from what is there already: the desk that every surface shares, and what is stored."""

    def __init__(
        self,
        settings: RoomSettings,
        desk: Desk,
        stored: Stored,
        live: Live,
        providers: Sequence[Provider] = (),
    ) -> None:
        records, reports, links = stored.records, stored.reports, stored.links
        self._share = LinkPages(settings, records, links)
        self._guard = Guard(settings, stored.people, self._share.opened)
        self._sign_in = SignIn(settings, providers, stored.people)
        self._schedules = SchedulePages(desk, reports)
        self._repositories = RepositoryPages(desk)
        self._reports = ReportPages(reports, records)
        self._start = StartPages(settings, desk, records, live)
        self._shelf = ShelfPages(settings)
        self._debates = DebatePages(settings, desk, records, live, links)

    def route(self, app: web.Application) -> None:
        """Adds the room's addresses."""
        page, add = self._guard.page, app.router
        add.add_get(PREFIX + "{name}", asset)
        add.add_get("/", page(self._debates.listed))
        add.add_get("/d/{id}", page(self._debates.one, link=True))
        add.add_get("/d/{id}/review", page(self._debates.review))
        add.add_get("/d/{id}/live", page(self._debates.live, link=True))
        add.add_get("/d/{id}/debate-{name}.{form}", page(self._debates.file, link=True))
        add.add_get("/d/{id}/open/{key}", page(self._share.follow, anyone=True))
        add.add_post("/d/{id}/links", page(self._share.make))
        add.add_post("/d/{id}/links/end", page(self._share.revoke))
        add.add_get("/new", page(self._start.empty))
        add.add_post("/new", page(self._start.sent))
        add.add_get("/templates", page(self._shelf.all))
        add.add_get("/templates/check", page(self._shelf.form))
        add.add_post("/templates/check", page(self._shelf.checked))
        add.add_get("/templates/{name}", page(self._shelf.one))
        add.add_get("/schedules", page(self._schedules.all))
        add.add_post("/schedules", page(self._schedules.add))
        add.add_post("/schedules/do", page(self._schedules.do))
        add.add_get("/repositories", page(self._repositories.all))
        add.add_post("/repositories", page(self._repositories.sent))
        add.add_get("/leaderboard", page(self._reports.leaderboard))
        add.add_get("/costs", page(self._reports.costs))
        add.add_get("/doctor", page(self._reports.doctor))
        add.add_get("/receipts", page(self._reports.receipts))
        add.add_post("/receipts", page(self._reports.check))
        add.add_get("/d/{id}/receipt", page(self._reports.receipt))
        add.add_get("/d/{id}/receipt-{name}.json", page(self._reports.receipt_file))
        add.add_get("/d/{id}/forks", page(self._debates.beside))
        add.add_post("/press", page(self._debates.pressed))
        add.add_post("/fork", page(self._debates.forked))
        add.add_get("/you", page(self._sign_in.you))
        add.add_post("/you/workspace", page(self._sign_in.look_at))
        add.add_get("/sign-in", page(self._sign_in.choose, anyone=True))
        add.add_get("/sign-in/{provider}", page(self._sign_in.begin, anyone=True))
        add.add_get("/sign-in/{provider}/done", page(self._sign_in.finish, anyone=True))
        add.add_post("/sign-out", page(self._sign_in.out))
        add.add_get("/{rest:.*}", page(_nothing_here, anyone=True))


async def _nothing_here(_request: web.Request, _visitor: Visitor) -> web.StreamResponse:
    raise NotFound("There is no such page here.")


async def asset(request: web.Request) -> web.Response:
    """A file that never changes under its name."""
    found = assets().get(request.match_info["name"])
    if found is None:
        raise web.HTTPNotFound(headers=HEADERS)
    headers = HEADERS | {
        "Content-Type": found.type,
        "Cache-Control": f"public, max-age={_YEAR}, immutable",
        "Vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return web.Response(body=found.packed, headers=headers | {"Content-Encoding": "gzip"})
    return web.Response(body=found.plain, headers=headers)
