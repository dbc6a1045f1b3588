"""The words of turns under way, for the pages of this process and of the other replicas.

Words are streamed only if someone watches: an open page announces itself, here and to the replica
that plays the debate, and repeats that as long as it is open. The replica that plays sends words
and news to the others only while one of them has announced a page. All of this may be lost without
harm: statements are read from the store.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.room.live import Live
from adapters.room.stream import from_unit, units
from bot.jobs import Jobs, Periodic
from core.debate import events as e
from core.debate.ports import OnWords
from core.debate.script import Turn
from core.debate.state import Debate
from storage.database import Database
from storage.database.broadcast import Broadcast

logger = logging.getLogger(__name__)
_INTEREST = 30.0
"""Seconds for which an opened page counts as watched."""
AGAIN = 8.0
"""Seconds between two announcements of a replica that it still watches."""
BREATH = 0.08
"""Seconds in which words that come close together become one message."""
PIECE = 1_500
"""The most characters of one message."""
LOOK = 0.25
"""Seconds between two searches for news that came from no listener of this process."""


@dataclass
class LiveSpeech:
    """Passes words on. ``live`` are this process's pages; ``counts`` returns how many events
    debates have.
    """

    live: Live
    database: Database
    owner: str
    counts: Callable[[list[str]], Awaitable[Mapping[str, int]]]
    jobs: Jobs
    _words: dict[str, dict[str, str]] = field(default_factory=dict)
    _opened: dict[str, float] = field(default_factory=dict)
    _elsewhere: dict[str, float] = field(default_factory=dict)
    _fresh: dict[tuple[str, str], int] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.broadcast = Broadcast(self.database, self.owner, self._heard)
        self.live.so_far = self.so_far
        self.live.opened = self.expect

    async def start(self) -> None:
        self.live.start()
        await self.broadcast.__aenter__()
        self.jobs.add("watching", Periodic(self._announce, AGAIN))
        self.jobs.add("watched", Periodic(self._look, LOOK, after_changes=True))

    async def stop(self) -> None:
        """Closes the pages first, then stops."""
        await self.live.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.broadcast.__aexit__(None, None, None)

    def expect(self, debate: str) -> None:
        """Announces that a page of a debate is being opened here."""
        now = asyncio.get_running_loop().time()
        fresh = self._opened.get(debate, 0.0) < now
        self._opened[debate] = now + _INTEREST
        if fresh:
            self._send({"kind": "watch", "debate": debate})

    def so_far(self, debate: str) -> Mapping[str, str]:
        """Returns the seats' words so far in turns that are not settled."""
        return self._words.get(debate, {})

    def listener(self, debate: str, turn: Turn) -> OnWords | None:
        """Returns the listener for the words of a turn, or None if nobody watches."""
        if not self._watched(debate):
            return None
        self._words.setdefault(debate, {})[turn.id] = ""
        return lambda words: self._speak(debate, turn.id, words)

    def note_event(self, event: e.Event, debate: Debate) -> None:
        """Passes on that this process has stored an event."""
        self.live.news(debate.id)
        if isinstance(event, e.TurnFinished | e.TurnFailed):
            self._words.get(debate.id, {}).pop(event.turn, None)
        if debate.over or debate.paused is not None:
            self._words.pop(debate.id, None)
        if self._elsewhere.get(debate.id, 0.0) > asyncio.get_running_loop().time():
            self._send({"kind": "news", "debate": debate.id})

    def _watched(self, debate: str) -> bool:
        now = asyncio.get_running_loop().time()
        until = max(self._opened.get(debate, 0.0), self._elsewhere.get(debate, 0.0))
        return until > now or self.live.watched(debate)

    def _speak(self, debate: str, turn: str, text: str) -> None:
        words = self._words.setdefault(debate, {})
        before = words.get(turn, "")
        words[turn] = before + text
        self.live.speak(debate, turn, text)
        if self._elsewhere.get(debate, 0.0) > asyncio.get_running_loop().time():
            if not self._fresh:
                asyncio.get_running_loop().call_later(BREATH, self._pass_on)
            self._fresh.setdefault((debate, turn), units(before))

    def _pass_on(self) -> None:
        fresh, self._fresh = self._fresh, {}
        for (debate, turn), at in fresh.items():
            words = self._words.get(debate, {}).get(turn, "")
            self._send_words(debate, turn, at, from_unit(words, at))

    def _send_words(self, debate: str, turn: str, at: int, text: str) -> None:
        for begin in range(0, len(text), PIECE):
            piece = text[begin : begin + PIECE]
            place = at + units(text[:begin])
            self._send(
                {"kind": "words", "debate": debate, "turn": turn, "at": place, "text": piece}
            )

    def _heard(self, message: Mapping[str, Any]) -> None:
        """Takes another replica's message: that it watches, or news of a debate that it plays."""
        debate = str(message.get("debate", ""))
        match message.get("kind"):
            case "watch":
                self._elsewhere[debate] = asyncio.get_running_loop().time() + _INTEREST
                for turn, words in self._words.get(debate, {}).items():
                    self._send_words(debate, turn, 0, words)
            case "news":
                self.live.news(debate)
            case "words":
                turn, at, text = message["turn"], message["at"], message["text"]
                self.live.hear(debate, str(turn), int(at), str(text))
            case _:
                logger.warning("another version of me says something", extra={"action": "speech"})

    def _send(self, message: Mapping[str, Any]) -> None:
        if self.broadcast.reaches_others:
            self._begin(self.broadcast.send(message))

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work, name="room-speech")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _announce(self) -> None:
        """Announces to the others the debates watched here, and drops those that nobody watches."""
        now = asyncio.get_running_loop().time()
        for debate in self.live.watched_debates:
            self._send({"kind": "watch", "debate": debate})
        for known in (self._opened, self._elsewhere):
            for id in [id for id, until in known.items() if until < now]:
                del known[id]

    async def _look(self) -> None:
        """Looks for news that came from no listener: news of a shell next to this bot, or of a
        replica whose message was lost.
        """
        counts: Mapping[str, int] = {}
        if watched := list(self.live.watched_debates):
            counts = await self.counts(watched)
        for debate, count in counts.items():
            if self._counts.get(debate) != count:
                self.live.news(debate)
        self._counts = dict(counts)
