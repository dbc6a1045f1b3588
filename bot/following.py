"""A shell beside a running bot: the bot runs the debate, the shell shows it and passes on what the person types."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from core.debate import Debate, evolve, replay
from core.engine import Asked, Told
from core.speaking import Spoken

if TYPE_CHECKING:
    from bot.wiring import House

LOOK = 0.25
"""Seconds between two looks at the events."""


async def follow(house: House, id: str, told: Told, inbox: asyncio.Queue[Asked | Spoken] | None) -> Debate:
    """Tells every event as it appears, until the debate is over, or paused with nothing on its way to the bot."""
    house.signals.ring(id)
    debate = replay(await house.debates.load(id))
    given: list[str] = []
    while True:
        if inbox is not None:
            given += await _pass_on(house, id, inbox)
        given = [key for key in given if await house.signals.answer(key) is None]
        events = await house.debates.load(id)
        for event in events[debate.count :]:
            debate = evolve(debate, event)
            told(event, debate)
        if debate.over or (debate.paused is not None and not given):
            return debate
        await asyncio.sleep(LOOK)


async def _pass_on(house: House, id: str, inbox: asyncio.Queue[Asked | Spoken]) -> list[str]:
    """Stores what waits in the inbox as commands; their source keys."""
    keys: list[str] = []
    while not inbox.empty():
        item = inbox.get_nowait()
        if isinstance(item, Asked):
            keys.append(f"shell:{id}:{secrets.token_hex(8)}")
            await house.give(id, item.command, keys[-1])
            if item.answer is not None and not item.answer.done():
                item.answer.set_result("")
    return keys
