"""Plays a debate in this process; in a shell next to a running bot the bot plays it, while the
shell shows it and passes on the person's commands.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from bot.debates.advance import Advancer, Inbox
from core.debate.engine import EventListener, InboxCommand, TokenListener, ignore_event
from core.debate.errors import CouldNotFinish, Fenced, StoreAway
from core.debate.events import Event
from core.debate.state import Debate, evolve, replay

_LOOK = 0.25
"""Seconds between two reads of the events."""
_GONE = 10.0
"""Seconds without a bot, as a restart takes, after which a debate that nobody plays is given up."""


@dataclass(frozen=True, slots=True)
class Player:
    """Plays debates in this process, or follows another that plays them."""

    advancer: Advancer

    async def play(
        self,
        id: str,
        *,
        seen: Debate | None = None,
        event_listener: EventListener = ignore_event,
        token_listener: TokenListener | None = None,
        inbox: Inbox | None = None,
    ) -> Debate:
        """Plays a debate until it is over or paused, and again while commands wait, since one may
        come after the last look of ``advance``; if a bot runs on the same database, hands it over
        and follows it. The listener gets every event after the state ``seen``, also those that a
        bot played before. Raises ``StoreAway`` or ``CouldNotFinish`` with the next step.
        """

        def listener(event: Event, debate: Debate) -> None:
            nonlocal seen
            seen = debate
            event_listener(event, debate)

        advance, queue = self.advancer.advance, self.advancer.queue
        try:
            if await self.advancer.service.bot_plays():
                return await self._follow(id, seen, event_listener, inbox)
            try:
                while True:
                    debate = await advance(
                        id,
                        event_listener=listener,
                        token_listener=token_listener,
                        inbox=inbox,
                    )
                    if (inbox is None or inbox.empty()) and not await queue.load_waiting(id):
                        return debate
            except Fenced:  # a replica was quicker
                return await self._follow(id, seen, event_listener, inbox)
        except StoreAway as away:
            raise StoreAway(
                "{away} Everything so far is stored. When it is back, continue with: debate "
                "resume {id}",
                away=away,
                id=id,
            ) from away

    async def _follow(
        self,
        id: str,
        seen: Debate | None,
        event_listener: EventListener,
        inbox: Inbox | None,
    ) -> Debate:
        """Calls the listeners with every event as it appears, until the debate is over, or is
        paused and no command is on its way to the bot.
        """
        service, debates, queue = self.advancer.service, self.advancer.debates, self.advancer.queue
        queue.notify(id)
        debate = seen or replay(await debates.load(id))
        waiting: list[str] = []
        clock = asyncio.get_running_loop().time
        looked, missed = clock(), False
        while True:
            if inbox is not None:
                waiting += await self._pass_on(id, inbox)
            waiting = [key for key in waiting if await queue.find_answer(key) is None]
            events = await debates.load(id)
            for event in events[debate.count :]:
                debate = evolve(debate, event)
                event_listener(event, debate)
            reopens = debate.over and await queue.load_waiting(id)  # perhaps: an objection
            ended = (debate.over and not reopens) or (debate.paused is not None and not waiting)
            if ended and (inbox is None or inbox.empty()):
                return debate
            if clock() - looked > _GONE / 2:
                gone, looked = await service.nobody_plays(id), clock()
                if gone and missed:
                    raise CouldNotFinish(
                        "The bot that was to play it has stopped. Everything so far is stored. Go "
                        "on with: debate resume {id}",
                        id=id,
                    )
                missed = gone
            await asyncio.sleep(_LOOK)

    async def _pass_on(self, id: str, inbox: Inbox) -> list[str]:
        """Stores the inbox's commands for the bot and returns their source keys."""
        keys: list[str] = []
        while not inbox.empty():
            item = inbox.get_nowait()
            if isinstance(item, InboxCommand):
                keys.append(f"shell:{id}:{secrets.token_hex(8)}")
                await self.advancer.queue.enqueue(id, item.command, keys[-1])
                if item.answer is not None and not item.answer.done():
                    item.answer.set_result("")
        return keys
