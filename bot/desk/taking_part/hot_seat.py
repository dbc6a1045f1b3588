"""The desk's part for the hot seat, which is requested by command, by button or by a reaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.desk.commanding import Commanding
from bot.desk.handlers import handles
from bot.platforms import is_direct, same_account
from core.application.commands import HotSeat
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import AskSeat
from core.debate.commands.decisions import decide
from core.debate.events import Event, SeatAsked, TurnsAdded
from core.debate.state import Debate
from core.languages import say
from core.words.views.course.hot_seat import ASKED_ALREADY, taken_words
from core.words.views.verdict.findings import finding_numbered
from storage.commands import CommandQueue

SEAT_EMOJI = "fire"
"""The reaction on a statement or a finding that requests the hot seat."""


@dataclass(frozen=True, slots=True)
class HotSeatDesk:
    commanding: Commanding

    @handles(HotSeat)
    async def ask(self, request: HotSeat, caller: Caller) -> DeskAnswer:
        """Puts a seat on the hot seat. Raises ``Refused`` if no seat can answer now."""
        debate, person = await self.commanding.find_with_person(request, caller)
        command = AskSeat(
            person,
            finding_numbered(debate, request.about.lower()),
            _alone(debate, self.commanding.permissions.person(caller.person)) or caller.shell,
            caller.source,
        )
        events = await self.commanding.give_new(debate, command, caller)
        text = _describe_taken(debate, events)
        if not events:
            return DeskAnswer(text, debate=debate.id)
        return await self.commanding.answer(text, debate, caller)


async def ask_by_reaction(queue: CommandQueue, debate: Debate, about: str, person: str) -> str:
    """Puts a seat on the hot seat for a reaction, whenever the reaction is seen, and returns the
    key of the command, "" if it changes nothing. Raises ``Refused`` if no seat can answer.

    Removing the reaction undoes nothing: the questions may be on their way.
    """
    command = AskSeat(person, about, _alone(debate, person))
    source = f"seat:{debate.id}:{about}:{person}"
    if not decide(debate, command):
        return ""
    await queue.enqueue(debate.id, command, source)
    return source


def _alone(debate: Debate, person: str) -> bool:
    """True if the caller needs no second person: they started the debate, or are the only person in
    its place.
    """
    asker = debate.request.asker
    return same_account(person, asker) or is_direct(debate.request.place)


def _describe_taken(debate: Debate, events: Sequence[Event]) -> str:
    request = next((event for event in events if isinstance(event, SeatAsked)), None)
    if request is None:
        return say(ASKED_ALREADY)
    return taken_words(debate, request, seated=any(isinstance(x, TurnsAdded) for x in events))
