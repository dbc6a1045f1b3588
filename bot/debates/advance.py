"""``advance(debate)``: fold the log, apply waiting commands, run what is due, and let go. The one
function that both runtimes call.

It claims the debate (so that an older writer is fenced off), opens it if it has only been asked
for, plays it until it is over or paused and releases it. A paused or waiting debate holds no task
and no memory: a command or a time makes the runtime call this again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.debates.prepare import Preparer
from bot.posting.record import PostingLog
from core import commands as c
from core import events as e
from core.budget import Budget, call_cost
from core.debate import Debate, evolve, replay
from core.due import wake_time
from core.engine import (
    EngineContext,
    EventListener,
    InboxCommand,
    Measure,
    TokenListener,
    play,
)
from core.errors import DebateError, Fenced
from core.log import Append, Call
from core.outcome import outcome
from core.ports import Clock, Models
from core.prompting import material_chars
from core.script import Turn
from core.speaking import Redact, TurnResult
from storage.calls import Limit, Spending
from storage.commands import CommandQueue
from storage.debates import Debates
from storage.log import DebateLog
from storage.outcomes import Outcomes

logger = logging.getLogger(__name__)
HEARTBEAT = 10.0
"""Seconds between two signs of life of a writer."""
LAST_LOOK = 20.0
"""Seconds for reading all votes of a debate again."""

TIME_IS_UP = "the debate's time is used up"

Inbox = asyncio.Queue[InboxCommand | TurnResult]
Limits = Callable[[e.DebateRequest], Sequence[Limit]]


def nobody(_event: e.Event, _debate: Debate) -> None:
    """Listens to nothing."""


@dataclass(slots=True)
class Advancer:
    """``owner`` names this process; ``limits`` are the budgets that a request shares with others
    now.
    """

    debates: Debates
    signals: CommandQueue
    outcomes: Outcomes
    preparer: Preparer
    models: Models
    clock: Clock
    owner: str
    redact: Redact
    spending: Spending
    limits: Limits = lambda _request: ()
    measure: Measure | None = None
    scoped: Callable[[], Models] | None = None
    """Models with an allowance of searches that is one debate's own; without it all debates share
    ``models``.
    """
    recount: Callable[[str], Awaitable[None]] | None = None
    """Reads what people show on a debate's messages once more, before the vote is closed over it.
    """
    timeout: float = 90.0
    time_limit: float | None = None
    """Seconds for which a debate may be played at a stretch, then it is brought to its end; a pause
    or a restart begins anew.
    """
    heartbeat: float = HEARTBEAT
    told: list[EventListener] = field(default_factory=list)
    """Everyone in this process who hears of every event (metrics, the poster's bell)."""

    async def advance(
        self,
        id: str,
        *,
        told: EventListener = nobody,
        words: TokenListener = lambda _turn: None,
        inbox: Inbox | None = None,
    ) -> Debate:
        """The debate as it stands when it can go no further now.

        Raises ``Fenced`` when another writer took over.
        """
        log = await self.debates.claim(id, self.owner)
        async with _heartbeats(log, self.heartbeat):
            debate = await self._play(
                log, told, words, inbox if inbox is not None else asyncio.Queue()
            )
            if debate.concluded is not None:
                held = debate.resolved.held if debate.resolved is not None else None
                await self.outcomes.save(id, outcome(debate), debate.concluded.at, held)
        await log.release()
        self.signals.forget(id)
        return debate

    async def _play(
        self, log: DebateLog, told: EventListener, words: TokenListener, inbox: Inbox
    ) -> Debate:
        id, posting = log.debate, PostingLog(log)
        debate = replay(await log.load())
        if debate.opened is None and not debate.failure:
            debate = await self._open(posting, debate)
        given: set[int] = set()
        timed = self._timed(debate)
        if isinstance(timed, c.CloseVotes):
            await self._last_look(id)
        await self._fetch(id, inbox, given)
        if timed is not None:
            inbox.put_nowait(InboxCommand(timed))

        def tell_all(event: e.Event, state: Debate) -> None:
            for listener in (*self.told, told):
                listener(event, state)

        async def reserve(calls: Sequence[Call], needs: float, keep: float) -> bool:
            limits = self.limits(debate.request)
            return not limits or await self.spending.reserve(log, calls, needs, keep, limits)

        table = EngineContext(
            log=posting,
            models=self.models if self.scoped is None else self.scoped(),
            clock=self.clock,
            inbox=inbox,
            budget=Budget(self._cost, reserve),
            event_listener=tell_all,
            token_listener=words,
            measure=self.measure,
            redact=self.redact,
            timeout=self.timeout,
            paid=await log.calls(),
        )
        beside = [asyncio.create_task(self._listen(id, inbox, given), name=f"{id}:listen")]
        if self.time_limit is not None:
            beside.append(asyncio.create_task(self._end(inbox, self.time_limit), name=f"{id}:time"))
        try:
            return await play(debate, table)
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)

    async def _end(self, inbox: Inbox, seconds: float) -> None:
        await self.clock.sleep(seconds)
        inbox.put_nowait(InboxCommand(c.Stop("", e.EndReason.BUDGET.value, TIME_IS_UP)))

    async def _open(self, log: PostingLog, debate: Debate) -> Debate:
        """Prepares what was only asked for.

        A request that cannot be opened ends here, with the reason kept and told.
        """
        event: e.Event
        calls: tuple[Call, ...] = ()
        left = await self.spending.left(self.limits(debate.request), debate.id)
        try:
            prepared = await self.preparer.prepare(
                debate.request, fork=debate.fork, left_today=left
            )
            event, calls = prepared.opened, prepared.calls
        except DebateError as error:
            event = e.OpeningFailed(self.redact(str(error)), self.clock.now())
        except Exception as error:  # what fails once would fail for ever: each try reads and asks
            logger.exception("no opening", extra={"action": "opening_failed", "debate": debate.id})
            why = f"It could not be opened: an unexpected {type(error).__name__}. "
            event = e.OpeningFailed(
                f"{why}Nothing was debated; the bot's log says more.", self.clock.now()
            )
        opened = evolve(debate, event)
        await log.append(
            Append(
                debate.id,
                debate.count,
                (event,),
                calls=calls,
                states=(debate, opened),
                status=opened.status,
            )
        )
        for listener in self.told:
            listener(event, opened)
        return opened

    async def _last_look(self, id: str) -> None:
        """Votes whose events were lost still stand in the chats.

        Where a chat can't be asked in time, what was counted stands.
        """
        if self.recount is None:
            return
        try:
            async with asyncio.timeout(LAST_LOOK):
                await self.recount(id)
        except (
            Exception
        ):  # the vote is closed all the same: a platform that is away must not keep a debate open
            logger.exception(
                "the votes can't be read once more", extra={"action": "recount", "debate": id}
            )

    def _timed(self, debate: Debate) -> c.Command | None:
        """What time asks of a debate whose moment has come."""
        wake, now = wake_time(debate), self.clock.now()
        if wake is None or wake > now:
            return None
        return c.CloseVotes(now) if debate.closed is None else c.FollowUp(now)

    def _cost(self, debate: Debate, turn: Turn, model: str) -> float | None:
        opened = debate.open
        cast = opened.cast.get(turn.seat)
        if not cast:
            return 0.0
        return call_cost(
            turn,
            model or cast[0],
            material_chars(opened.material),
            self.models.price,
            search=opened.terms.search,
        )

    async def _listen(self, id: str, inbox: Inbox, given: set[int]) -> None:
        """Brings stored commands to the running debate as they come.

        A database that is away for a moment deafens nobody for good.
        """
        wake_event = self.signals.wake_event(id)
        while True:
            wake_event.clear()
            try:
                await self._fetch(id, inbox, given)
            except Exception:  # the bell rings again within seconds
                logger.exception("commands can't be read", extra={"action": "listen", "debate": id})
            await wake_event.wait()

    async def _fetch(self, id: str, inbox: Inbox, given: set[int]) -> None:
        """Puts every waiting command into the inbox that has not been ``given`` before."""
        for signal in await self.signals.load_waiting(id):
            if signal.id not in given:
                given.add(signal.id)
                inbox.put_nowait(InboxCommand(signal.command, signal.id))


@asynccontextmanager
async def _heartbeats(log: DebateLog, every: float) -> AsyncIterator[None]:
    """Gives signs of life while something is done to a debate, and lets go of it when that is
    cancelled.

    Whoever was taken for dead and finds another writer stops at once: ``Fenced``.
    """
    owner = asyncio.current_task()
    fenced = False

    async def heartbeat() -> None:
        nonlocal fenced
        while True:
            await asyncio.sleep(every)
            try:
                await log.heartbeat()
            except Fenced:
                fenced = True
                if owner is not None:
                    owner.cancel()
                return
            except Exception:  # a database that is away for a moment: the next beat tries again
                logger.exception(
                    "a sign of life failed", extra={"action": "beat", "debate": log.debate}
                )

    beating = asyncio.create_task(heartbeat(), name=f"{log.debate}:beat")
    try:
        yield
    except asyncio.CancelledError:
        if fenced and owner is not None and owner.uncancel() == 0:
            raise Fenced(log.debate) from None
        with suppress(Fenced):
            await log.release()
        raise
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)
