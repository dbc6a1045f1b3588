"""Watches one debate: it folds the events as they are stored and sends the changes to every browser
that follows it.

A change of the page is made and framed once for all of them. Words that are being spoken are sent
as they come and kept until their turn is settled: then its statement counts. Browsers are written
to through their connection itself: with hundreds of them, a task and a writer for each would cost
more than all the rest.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.processes.threads import make_in_thread
from adapters.room.outgoing.parts import PagePart, parts
from adapters.room.outgoing.view import DebateView
from adapters.room.stream import (
    DONE,
    PING,
    framed,
    from_unit,
    note_event,
    parts_event,
    units,
    words_event,
)
from core.debate.errors import StoreAway
from core.debate.events import Event
from core.debate.script import TurnId
from core.debate.state import Debate, evolve
from core.words.views.course.following import saying

logger = logging.getLogger(__name__)
TOGETHER = 0.02
"""Seconds in which events that come close together become one change of the page."""
BREATH = 0.08
"""Seconds between two deliveries of words."""
AWAY = 1.0
"""Seconds until a debate is read again after the database was away."""
FULL = 1_000_000
"""Bytes that may wait for one browser; a slower one must come again."""

Load = Callable[[str, int], Awaitable[Sequence[Event]]]
"""The events of a debate from a position on."""
Show = Callable[[Debate, Mapping[str, Any] | None], DebateView]
"""The view of a debate, with the outcome of its fork's parent."""


@dataclass(eq=False, slots=True)
class Watcher:
    """One browser. ``done`` is set when it is to be let go of: at the loop's time ``until`` at the
    latest.
    """

    transport: asyncio.Transport
    chunked: bool
    done: asyncio.Future[None]
    until: float

    def send(self, plain: bytes, framed: bytes) -> None:
        if self.transport.is_closing() or self.transport.get_write_buffer_size() > FULL:
            self.let_go()
        else:
            self.transport.write(framed if self.chunked else plain)

    def let_go(self) -> None:
        if not self.done.done():
            self.done.set_result(None)


@dataclass(eq=False, slots=True)
class Watch:
    """``parts`` are the parts of the page for the present ``debate``; ``idle_since`` is when the
    last browser went, None while there is one.
    """

    load: Load
    show: Show
    parent: Mapping[str, Any] | None
    debate: Debate
    parts: Mapping[str, PagePart]
    idle_since: float | None
    watchers: set[Watcher] = field(default_factory=set)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    spoken: dict[str, str] = field(default_factory=dict)
    _fresh: dict[str, int] = field(default_factory=dict)
    _breath: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Reads the debate again whenever it is woken, until cancelled."""
        while True:
            await self.wake.wait()
            await asyncio.sleep(TOGETHER)
            self.wake.clear()
            try:
                await self._catch_up()
            except Exception as error:  # after a defect, the next news tries again
                fields = {"action": "watch", "debate": self.debate.id}
                logger.exception("a watched debate can't be read", extra=fields)
                if isinstance(error, StoreAway):
                    self.wake.set()
                    await asyncio.sleep(AWAY)

    async def _catch_up(self) -> None:
        """Reads the events since the last time and sends the changes to everybody."""
        events = await self.load(self.debate.id, self.debate.count)
        if not events:
            return
        before, parts_before, debate = self.debate, self.parts, self.debate
        for event in events:
            debate = evolve(debate, event)
        now = await make_in_thread(lambda: parts(self.show(debate, self.parent)))
        self.debate, self.parts = debate, now  # a new follower gets both or neither
        for turn in [t for t in self.spoken if TurnId(t) in self.debate.settled]:
            del self.spoken[turn]
            self._fresh.pop(turn, None)
        say = saying(before, events, self.debate)
        self._tell(parts_event(self.debate.count, parts_before, self.parts, say))
        if self.debate.final:
            self._tell(DONE)

    def speak(self, turn: str, text: str) -> None:
        """Adds words to what a seat is saying."""
        if TurnId(turn) in self.debate.settled:
            return
        begun = self.spoken.get(turn, "")
        self._fresh.setdefault(turn, units(begun))
        self.spoken[turn] = begun + text
        if self._breath is None:
            self._breath = asyncio.get_running_loop().call_later(BREATH, self._say)

    def hear(self, turn: str, at: int, text: str) -> None:
        """Takes the words of another process; words after a gap wait until the whole text comes."""
        known = self.spoken.get(turn, "")
        if TurnId(turn) in self.debate.settled or at > units(known):
            return
        kept = known[: len(known) - len(from_unit(known, at))]
        if known != kept + text:
            self.spoken[turn] = kept
            self.speak(turn, text)

    def _say(self) -> None:
        self._breath = None
        fresh, self._fresh = self._fresh, {}
        if fresh and self.watchers:
            texts = {t: (at, from_unit(self.spoken.get(t, ""), at)) for t, at in fresh.items()}
            self._tell(words_event(texts))

    def note(self, text: str) -> None:
        """Sends the reason why all debates wait, "" for none."""
        self._tell(note_event(text))

    def join(self, watcher: Watcher, since: Mapping[str, PagePart] | None, note: str) -> None:
        """Adds a browser whose page shows the parts ``since``; None for the parts of now."""
        text = note_event(note) if note else b""
        if since is not None:
            text += parts_event(self.debate.count, since, self.parts, "")
        if self.spoken:
            text += words_event(
                {turn: (0, text_so_far) for turn, text_so_far in self.spoken.items()}
            )
        if self.debate.final:
            text += DONE
        if text:
            watcher.send(text, framed(text))
        self.watchers.add(watcher)
        self.idle_since = None

    def leave(self, watcher: Watcher, now: float) -> None:
        self.watchers.discard(watcher)
        if not self.watchers:
            self.idle_since = now

    def ping(self, now: float) -> None:
        """Sends a sign of life, and disconnects browsers that are gone or whose time is over."""
        self._tell(PING)
        for watcher in self.watchers:
            if now > watcher.until:
                watcher.let_go()

    def _tell(self, text: bytes) -> None:
        chunk = framed(text)
        for watcher in self.watchers:
            watcher.send(text, chunk)
