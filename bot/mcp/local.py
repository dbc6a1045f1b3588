"""Debates for the person at this shell: they read the working folder and are played in this
process, unless a bot runs on the same database.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from adapters.material.library import narrowed
from adapters.mcp.session import Begun, Offer
from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import request_of
from bot.debates.origins import Maker, opened_here
from bot.debates.owners import abandoned, this_process
from bot.debates.play import Player
from bot.desk.dispatch import Dispatch
from bot.mcp.reading import (
    PATIENCE,
    MaterialReadings,
    find_earlier,
    head_of,
    new_event,
    offer_of,
    start_of,
)
from core.application.commands import Challenge, Control, Start
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput, CouldNotFinish, DebateError, Refused
from core.debate.events import DebateRequest
from core.debate.state import Debate
from core.debate.status import PLAYED, DebateStatus

logger = logging.getLogger(__name__)
SOURCE = "mcp"
_APPLIED, _LOOK = 5.0, 0.05
"""The most seconds until a command has been applied, and the seconds between two looks."""
_PLAYED = (*PLAYED, DebateStatus.WAITING)


@dataclass(slots=True)
class LocalHost:
    """Implements ``adapters.mcp.session.Host`` at this shell, which may read the files of
    ``folder``.
    """

    desk: Dispatch
    caller: Caller
    player: Player
    folder: Path
    _playing: dict[str, asyncio.Task[Debate]] = field(default_factory=dict)
    _opening: dict[str, asyncio.Task[str]] = field(default_factory=dict)
    _reads: MaterialReadings = field(default_factory=MaterialReadings)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def offer(self, wanted: Start, *, again: bool) -> Offer:
        request = self._request(wanted)
        service = self.desk.service
        if not again and not self._reads.under_way(repr(request)):
            service.retained.take(
                request
            )  # files may have changed since somebody asked for a price
        return await offer_of(self.desk, self.caller, await self._soon(request))

    async def start(self, wanted: Start) -> Begun:
        request = self._request(wanted)
        async with self._starting:
            priced = await self._soon(request)
            head = head_of(priced)
            earlier, key = await find_earlier(self.desk, self.caller, head)
            if earlier:
                self.desk.service.retained.take(request)
                line = await self.desk.service.debates.find(earlier)
                return Begun(earlier, line.status, priced.cost.likely, before=True)
            opening = self._opening.get(head)
            if opening is None:
                opening = asyncio.create_task(self._open(request, head, key), name="open")
                self._opening[head] = opening
        try:
            async with asyncio.timeout(PATIENCE):
                id = await asyncio.shield(opening)
        except TimeoutError:
            raise CouldNotFinish("It is being opened. Start it again in a moment.") from None
        return Begun(id, "running", priced.cost.likely)

    async def _open(self, request: DebateRequest, head: str, key: str) -> str:
        """Opens a debate and plays it, also when nobody waits for its id any more."""
        service = self.desk.service
        try:
            prepared = await service.prepare(request)
            id = await service.open(prepared, opened_here(f"{SOURCE}:{key}"))
        finally:
            del self._opening[head]
        self._play(id)
        return id

    async def take(self, request: Challenge | Control) -> DeskAnswer:
        answer = await self.desk.take(request, new_event(self.caller))
        if answer.ok and answer.priced is None:
            await self._settle(request.debate)
        if isinstance(request, Challenge):
            await self._applied(request.debate)
        return answer

    def require_playing(self, id: str) -> None:
        playing = self._playing.get(id)
        if playing is not None and playing.done() and not playing.cancelled():
            error = playing.exception()
            if error is not None:
                raise CouldNotFinish(f"{error} Go on with: debate resume {id}") from None

    async def play_on(self, debate: Debate) -> None:
        if debate.status not in _PLAYED or debate.id in self._playing:
            return
        line = await self.desk.service.debates.find(debate.id)
        ours = (line.origin_key or "").startswith(f"{Maker.SHELL}:{SOURCE}:")
        if ours and abandoned(line.owner, this_process()):
            self._play(debate.id)

    async def close(self) -> None:
        """Stops playing; all statements are stored, and the next process continues from them."""
        for under_way in (self._opening, self._playing):
            tasks = [*under_way.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._reads.close()

    def _request(self, wanted: Start) -> DebateRequest:
        start = start_of(wanted)
        if not start.text:
            self._require_here(start)
        who = self.caller.person
        return request_of(start, asker=who, place=who, files=not start.text)

    def _require_here(self, start: Start) -> None:
        """Raises ``Refused`` for a file outside the folder: a model names the file, and a
        stranger's text may have told it which one.
        """
        name, _ = narrowed(start.target.strip())
        if name == "-":
            raise BadInput("Standard input is the protocol's: give the text itself as the target.")
        here = self.folder.resolve()
        try:
            there = (here / name).resolve()
        except (OSError, RuntimeError, ValueError):  # no name, or a link that leads to itself
            return
        if not there.is_relative_to(here):
            raise Refused("Only files of the folder that the server was started in are read here.")

    async def _soon(self, request: DebateRequest) -> Prepared:
        """Returns the opening that would be stored."""
        return await self._reads.read(repr(request), partial(self.desk.service.price, request))

    def _play(self, id: str) -> None:
        if id not in self._playing or self._playing[id].done():
            self._playing[id] = asyncio.create_task(self._played(id), name=f"play {id}")

    async def _played(self, id: str) -> Debate:
        try:
            return await self.player.play(id)
        except DebateError:
            raise
        except Exception:
            logger.exception("a debate fell", extra={"action": "play", "debate": id})
            raise

    async def _applied(self, id: str) -> None:
        """Waits a moment until a command has been applied: a client that waits for the debate next
        must not see the state before it.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_APPLIED):
                while await self.desk.stores.queue.load_waiting(id):  # noqa: ASYNC110  a store
                    await asyncio.sleep(_LOOK)

    async def _settle(self, id: str) -> None:
        playing = self._playing.get(id)
        if (playing is None or playing.done()) and await self.desk.service.nobody_plays(id):
            self._play(id)
