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
    """Tells every event as it appears, until the debate is over or paused."""
    house.signals.ring(id)
    debate = replay(await house.debates.load(id))
    while True:
        if inbox is not None:
            await _pass_on(house, id, inbox)
        events = await house.debates.load(id)
        for event in events[debate.count :]:
            debate = evolve(debate, event)
            told(event, debate)
        if debate.over or debate.paused is not None:
            return debate
        await asyncio.sleep(LOOK)


async def _pass_on(house: House, id: str, inbox: asyncio.Queue[Asked | Spoken]) -> None:
    while not inbox.empty():
        item = inbox.get_nowait()
        if isinstance(item, Asked):
            await house.give(id, item.command, f"shell:{id}:{secrets.token_hex(8)}")
            if item.answer is not None and not item.answer.done():
                item.answer.set_result("")
