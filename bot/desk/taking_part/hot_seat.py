"""Requests for the hot seat by a reaction, and the people who need no second person."""

from __future__ import annotations

from bot.platforms import is_direct, same_account
from core.debate.commands import AskSeat
from core.debate.commands.decisions import decide
from core.debate.state import Debate
from storage.commands import CommandQueue

SEAT_EMOJI = "fire"
"""The reaction on a statement or a finding that requests the hot seat."""


async def ask_by_reaction(queue: CommandQueue, debate: Debate, about: str, person: str) -> str:
    """Puts a seat on the hot seat for a reaction, whenever the reaction is seen, and returns the
    key of the command, "" if it changes nothing. Raises ``Refused`` if no seat can answer.

    Removing the reaction undoes nothing: the questions may be on their way.
    """
    command = AskSeat(person, about, alone(debate, person))
    source = f"seat:{debate.id}:{about}:{person}"
    if not decide(debate, command):
        return ""
    await queue.enqueue(debate.id, command, source)
    return source


def alone(debate: Debate, person: str) -> bool:
    """True if the caller needs no second person: they started the debate, or are the only person in
    its place.
    """
    asker = debate.request.asker
    return same_account(person, asker) or is_direct(debate.request.place)
