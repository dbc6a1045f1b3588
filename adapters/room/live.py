"""Live pages: one reader of a debate's events for everyone who watches it.

A browser sends the state that its page shows, so a browser that comes back after any time, to any
process, gets the difference between that state and now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Any

from aiohttp import HttpVersion11, web

from adapters.processes.threads import make_in_thread
from adapters.room.outgoing.parts import PagePart, parts
from adapters.room.stream import AGAIN, position
from adapters.room.watch import Load, Show, Watch, Watcher
from core.debate.errors import DebateError
from core.debate.state import Debate, replay

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
_SIGN = 15.0
"""Seconds between signs of life, which also show that a browser has gone."""
NOTE = 1.0
"""Seconds between two looks at the reason why debates wait."""
LONGEST, LINKED = 300.0, 45.0
"""Seconds after which a browser must connect again and its right to read the debate is checked
again: for signed-in people, and for links, which may be revoked at any time.
"""
IDENTIFIED = 10.0
"""Seconds between two checks, while a stream is open, that its browser is signed in."""
_LINGER = 20.0
"""Seconds for which a debate is kept in memory after its last watcher has gone."""


Parent = Callable[[Debate], Awaitable[Mapping[str, Any] | None]]
"""The outcome document of the debate that one was forked from."""
IsKnown = Callable[[], Awaitable[bool]]
"""Returns whether the browser of a stream is still the visitor that it was."""


async def _keep_checking(watcher: Watcher, is_known: IsKnown) -> None:
    """Disconnect a browser whose person has signed out, or cannot be identified."""
    known = True
    while known:
        await asyncio.sleep(IDENTIFIED)
        try:
            known = await is_known()
        except DebateError:
            known = False
    watcher.let_go()


class Live:
    """All debates that are watched in this process."""

    def __init__(
        self, load: Load, parent: Parent, show: Show, waiting: Callable[[], str] = str
    ) -> None:
        """``waiting`` gives the reason why all debates wait now, on one line; "" for none."""
        self._load, self._parent, self._show, self.waiting = load, parent, show, waiting
        self._noted = ""
        self._watches: dict[str, Watch] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._opening: dict[str, asyncio.Lock] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self.so_far: Callable[[str], Mapping[str, str]] = lambda _debate: {}
        """Gives the words so far of each turn that is being spoken in a debate of this process."""
        self.opened: Callable[[str], None] = lambda _debate: None
        """Called with the debate's id when a person opens the page of a debate that continues."""

    def start(self) -> None:
        self._keepers = [
            asyncio.create_task(self._keep(), name="room-live"),
            asyncio.create_task(self._keep_noting(), name="room-note"),
        ]

    async def stop(self) -> None:
        """Disconnects every browser; they connect again."""
        for watch in self._watches.values():
            for watcher in watch.watchers:
                watcher.let_go()
        tasks = [*self._tasks.values(), *self._keepers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watches.clear()
        self._tasks.clear()

    def watched(self, debate: str) -> bool:
        return debate in self._watches

    @property
    def watched_debates(self) -> Collection[str]:
        return self._watches.keys()

    def news(self, debate: str) -> None:
        """Reads a debate again in which something happened; "" means any debate."""
        for watch in self._of(debate) if debate else self._watches.values():
            watch.wake.set()

    def speak(self, debate: str, turn: str, text: str) -> None:
        """Adds words to a turn that this process plays."""
        for watch in self._of(debate):
            watch.speak(turn, text)

    def hear(self, debate: str, turn: str, at: int, text: str) -> None:
        """Adds words to a turn that another process plays."""
        for watch in self._of(debate):
            watch.hear(turn, at, text)

    async def stream(
        self, request: web.Request, id: str, lasts: float, is_known: IsKnown
    ) -> web.StreamResponse:
        """Send the events of one debate to one browser that may see it, until either side closes,
        ``is_known`` returns False, or ``lasts`` seconds are over.
        """
        answer = web.StreamResponse(headers=HEADERS)
        watch = await self.take(id)
        after = position(request, watch.debate.count)
        since = await self._shown_at(watch, after) if after != watch.debate.count else None
        if request.version >= HttpVersion11:
            answer.enable_chunked_encoding()
        await answer.prepare(request)
        await answer.write(AGAIN)
        if since is None and after != watch.debate.count:  # it went on meanwhile
            since = await self._shown_at(watch, after)
        if request.transport is None:
            return answer
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        watcher = Watcher(request.transport, bool(answer.chunked), done, loop.time() + lasts)
        watch.join(watcher, since, self.waiting())
        checking = asyncio.create_task(_keep_checking(watcher, is_known), name="room-known")
        try:
            await done
        finally:
            checking.cancel()
            watch.leave(watcher, loop.time())
        return answer

    async def take(self, id: str) -> Watch:
        """Returns the watch over a debate, made if there is none; it is kept for a while even if
        nobody joins.
        """
        async with self._opening.setdefault(id, asyncio.Lock()):
            now = asyncio.get_running_loop().time()
            if (watch := self._watches.get(id)) is not None:
                if watch.idle_since is not None:
                    watch.idle_since = now
            else:
                debate = await make_in_thread(replay, await self._load(id, 0))
                parent = await self._parent(debate)
                page = await make_in_thread(lambda: parts(self._show(debate, parent)))
                watch = Watch(self._load, self._show, parent, debate, page, now)
                watch.spoken.update(self.so_far(id))
                self._watches[id] = watch
                self._tasks[id] = asyncio.create_task(watch.run(), name=f"watch:{id}")
                watch.wake.set()  # what happened while it was read
        return watch

    def _of(self, debate: str) -> Iterable[Watch]:
        watch = self._watches.get(debate)
        if watch is None:
            return ()
        return (watch,)

    async def _shown_at(self, watch: Watch, count: int) -> Mapping[str, PagePart]:
        """Returns the parts of a page after that number of events."""
        events = (await self._load(watch.debate.id, 0))[:count]
        if events:
            return await make_in_thread(lambda: parts(self._show(replay(events), watch.parent)))
        return {}

    async def _keep_noting(self) -> None:
        """Tells every browser when the reason why debates wait changes."""
        while True:
            await asyncio.sleep(NOTE)
            if (note := self.waiting()) != self._noted:
                self._noted = note
                for watch in self._watches.values():
                    watch.note(note)

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SIGN)
            now = loop.time()
            for id, watch in list(self._watches.items()):
                watch.ping(now)
                if watch.idle_since is not None and now - watch.idle_since > _LINGER:
                    self._tasks.pop(id).cancel()
                    del self._watches[id]
                    self._opening.pop(id, None)
