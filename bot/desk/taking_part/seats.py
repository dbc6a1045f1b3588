"""The desk's part for seats that people and programs hold: it takes the statements of their turns,
by a button's form, by a reply in the thread or through the API.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from adapters.redaction import clean
from bot.debates.opening.holders import TOKEN
from bot.desk.commanding import Commanding
from bot.platforms import same_account
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import Speak
from core.debate.commands.holders import turns_due
from core.debate.state import Debate
from core.languages import say
from core.words.views.language.seats import the_seat

SAY = "say:"
"""The beginning of a reply in a thread that is always a statement."""


@dataclass(frozen=True, slots=True)
class SeatDesk:
    commanding: Commanding

    async def speak(self, text: str, id: str, turn: str, caller: Caller) -> DeskAnswer:
        """Takes the statement of a turn; "" for ``turn`` is the first that is due. Raises
        ``Refused`` with what is missing.
        """
        debate = await self.commanding.lookup.find_meant(id, caller, Action.SPEAK)
        words = await asyncio.to_thread(clean, text.strip())
        holder = holder_id(debate, caller)
        due = turns_due(debate, holder)
        command = Speak(holder, turn, words)
        await self.commanding.give(debate, command, caller)
        seat = next((t.seat for t in due if turn in ("", t.id)), None)
        taken = say("Taken as it.")
        if seat:
            taken = say("Taken as the words of {seat}.", seat=the_seat(debate, seat))
        return await self.commanding.answer(taken, debate, caller)

    async def is_due(self, id: str, caller: Caller) -> bool:
        """Return whether a turn of the caller is waited for in a debate."""
        debate = await self.commanding.lookup.service.load(id)
        return bool(turns_due(debate, holder_id(debate, caller)))


def holder_id(debate: Debate, caller: Caller) -> str:
    """Returns the id under which the caller holds a seat: a program's by its token, a person's as
    the debate names them.
    """
    if caller.program and caller.token:
        return f"{TOKEN}{caller.token}"
    held = debate.open.terms.held.values() if debate.opened is not None else ()
    return next((h.id for h in held if same_account(h.id, caller.person)), caller.person)
