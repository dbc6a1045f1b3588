"""Where a debate is played: here, or, in a shell beside a running bot, by the bot, while the shell
shows it and passes on what is typed.
"""

from __future__ import annotations

import asyncio
import secrets

from bot.debates.advance import Inbox, nobody
from bot.wire import House
from core.debate import Debate, evolve, replay
from core.engine import EventListener, InboxCommand, TokenListener
from core.errors import BadInput, Fenced
from core.speaking import TurnResult
from storage.database import sqlite_file
from storage.lock import RunnerLock

LOOK = 0.25
"""Seconds between two looks at the events."""


async def play(
    house: House,
    id: str,
    *,
    told: EventListener = nobody,
    words: TokenListener = lambda _turn: None,
    inbox: Inbox | None = None,
) -> Debate:
    """Plays a debate until it is over or paused; where a bot runs on the same database, hands it
    over and follows it.
    """
    if handed_over(house):
        return await follow(house, id, told, inbox)
    try:
        return await house.advancer.advance(id, told=told, words=words, inbox=inbox)
    except Fenced:  # a replica was quicker
        return await follow(house, id, told, inbox)


def handed_over(house: House) -> bool:
    """Whether a bot is the runner of this database, so that a shell must not run debates beside
    it.
    """
    file = sqlite_file(house.database.url)
    if file is None:
        return False
    lock = RunnerLock(file)
    try:
        lock.acquire()
    except BadInput:
        return True
    lock.release()
    return False


async def follow(house: House, id: str, told: EventListener, inbox: Inbox | None) -> Debate:
    """Tells every event as it appears, until the debate is over, or paused with nothing on its way
    to the bot.
    """
    house.signals.notify(id)
    debate = replay(await house.debates.load(id))
    given: list[str] = []
    while True:
        if inbox is not None:
            given += await _pass_on(house, id, inbox)
        given = [key for key in given if await house.signals.find_answer(key) is None]
        events = await house.debates.load(id)
        for event in events[debate.count :]:
            debate = evolve(debate, event)
            told(event, debate)
        if debate.over or (debate.paused is not None and not given):
            return debate
        await asyncio.sleep(LOOK)


async def _pass_on(
    house: House, id: str, inbox: asyncio.Queue[InboxCommand | TurnResult]
) -> list[str]:
    """Stores what waits in the inbox as commands; their source keys."""
    keys: list[str] = []
    while not inbox.empty():
        item = inbox.get_nowait()
        if isinstance(item, InboxCommand):
            keys.append(f"shell:{id}:{secrets.token_hex(8)}")
            await house.enqueue(id, item.command, keys[-1])
            if item.answer is not None and not item.answer.done():
                item.answer.set_result("")
    return keys
