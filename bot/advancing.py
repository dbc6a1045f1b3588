"""``advance(debate)``: fold the log, apply waiting commands, run what is due, and let go. The one function that both runtimes call.

It claims the debate (so that an older writer is fenced off), opens it if it has only been asked for, plays it until it is over or paused
and releases it. A paused or waiting debate holds no task and no memory: a command or a time makes the runtime call this again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from bot.preparing import Preparer
from bot.recording import TellingLog
from core import commands as c
from core import events as e
from core.budget import call_cost
from core.debate import Debate, replay
from core.engine import Asked, Measure, Table, Told, Words, play, wakes
from core.errors import DebateError
from core.outcome import outcome
from core.ports import Append, Clock, Models
from core.script import Turn
from core.speaking import Redact, Spoken
from storage.debates import Debates
from storage.log import DebateLog
from storage.outcomes import Outcomes
from storage.signals import Signals

logger = logging.getLogger(__name__)
BEAT = 10.0
"""Seconds between two signs of life of a writer."""

Inbox = asyncio.Queue[Asked | Spoken]
Left = Callable[[e.Request], Awaitable[float | None]]


def nobody(_event: e.Event, _debate: Debate) -> None:
    """Listens to nothing."""


@dataclass(slots=True)
class Advancer:
    """``owner`` names this process; ``left`` tells what the day's budgets leave to a request, None without a limit."""

    debates: Debates
    signals: Signals
    outcomes: Outcomes
    preparer: Preparer
    models: Models
    clock: Clock
    owner: str
    redact: Redact
    left: Left | None = None
    measure: Measure | None = None
    timeout: float = 90.0
    told: list[Told] = field(default_factory=list)
    """Everyone in this process who hears of every event (metrics, the poster's bell)."""

    async def advance(self, id: str, *, told: Told = nobody, words: Words = lambda _turn: None, inbox: Inbox | None = None) -> Debate:
        """The debate as it stands when it can go no further now. Raises ``Fenced`` when another writer took over."""
        log = await self.debates.claim(id, self.owner)
        past = list(await log.load())
        telling = TellingLog(log, past)
        debate = replay(past)
        if debate.opened is None and not debate.failure:
            debate = await self._open(telling, debate)
        inbox = inbox if inbox is not None else asyncio.Queue()
        given: set[int] = set()
        await self._fetch(id, inbox, given)
        if self._vote_is_over(debate):
            inbox.put_nowait(Asked(c.CloseVotes(self.clock.now())))

        def tell_all(event: e.Event, state: Debate) -> None:
            for listener in (*self.told, told):
                listener(event, state)

        left = self.left
        table = Table(
            log=telling,
            models=self.models,
            clock=self.clock,
            inbox=inbox,
            told=tell_all,
            words=words,
            measure=self.measure,
            cost=self._cost,
            left=None if left is None else lambda: left(debate.request),
            redact=self.redact,
            timeout=self.timeout,
            paid=await log.calls(),
        )
        keeping = [
            asyncio.create_task(self._listen(id, inbox, given), name=f"{id}:listen"),
            asyncio.create_task(_beat(log), name=f"{id}:beat"),
        ]
        try:
            debate = await play(debate, table)
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
        if debate.concluded is not None:
            held = debate.resolved.held if debate.resolved is not None else None
            await self.outcomes.save(id, outcome(debate), debate.concluded.at, held)
        await log.release()
        self.signals.forget(id)
        return debate

    async def _open(self, log: TellingLog, debate: Debate) -> Debate:
        """Prepares what was only asked for. A request that cannot be opened ends here, with the reason kept and told."""
        event: e.Event
        try:
            left = await self.left(debate.request) if self.left is not None else None
            event = (await self.preparer.prepare(debate.request, fork=debate.fork, left_today=left)).opened
        except DebateError as error:
            event = e.OpeningFailed(self.redact(str(error)), self.clock.now())
        opened = replay([*log.past, event])
        await log.append(Append(debate.id, debate.count, (event,), status=opened.status))
        for listener in self.told:
            listener(event, opened)
        return opened

    def _vote_is_over(self, debate: Debate) -> bool:
        wake = wakes(debate)
        return wake is not None and wake <= self.clock.now()

    def _cost(self, debate: Debate, turn: Turn) -> float | None:
        opened = debate.open
        cast = opened.cast.get(turn.seat)
        return call_cost(turn, cast[0], len(opened.material.text), self.models.price) if cast else 0.0

    async def _listen(self, id: str, inbox: Inbox, given: set[int]) -> None:
        """Brings stored commands to the running debate as they come."""
        bell = self.signals.bell(id)
        while True:
            bell.clear()
            await self._fetch(id, inbox, given)
            await bell.wait()

    async def _fetch(self, id: str, inbox: Inbox, given: set[int]) -> None:
        """Puts every waiting command into the inbox that has not been ``given`` before."""
        for signal in await self.signals.pending(id):
            if signal.id not in given:
                given.add(signal.id)
                inbox.put_nowait(Asked(signal.command, signal.id))


async def _beat(log: DebateLog) -> None:
    while True:
        await asyncio.sleep(BEAT)
        await log.beat()
