"""Brings a person's command to a debate, for every part of the desk.

The debate that they mean is looked up, they get the name by which that debate knows them, the
debate decides whether it takes the command now, and the command is stored once for each action of
the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adapters.posts.keys import root_key
from bot.desk.lookup import find_meant
from bot.desk.parts import DeskParts
from bot.posting.record import chats
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.application.place import platform_of
from core.application.presence import DeliveryError, DeliveryFailure, Threads
from core.debate.commands import Command
from core.debate.commands.decisions import decide
from core.debate.errors import Refused
from core.debate.events import Event
from core.debate.state import Debate
from core.languages import msgid, say
from core.languages.stored import say_stored

_ANSWERED_WITHIN = 5.0
"""Seconds that a person's command waits for the debate's answer. A bot answers within milliseconds
unless its machine is overloaded.
"""
_STORED = msgid(
    "Stored. The debate is busy and has not answered yet: do not send it again: its thread and "
    "`show {id}` show the result."
)


class AboutDebate(Protocol):
    """A request about one debate, "" for the debate of the caller's thread."""

    @property
    def debate(self) -> str: ...

    def asks_for(self) -> Action: ...


async def find_with_person(
    desk: DeskParts, request: AboutDebate, caller: Caller
) -> tuple[Debate, str]:
    """Returns the debate that a request means, and the caller's name in it. Raises as
    ``find_meant``.
    """
    debate = await find_meant(desk, request.debate, caller, request.asks_for())
    return debate, desk.permissions.person_in(debate, caller)


async def require_readable(desk: DeskParts, debate: Debate, caller: Caller) -> None:
    """Raises ``Refused`` for answers that cost money and that a person in a chat could not read
    there, because no thread of the debate takes a post.
    """
    if caller.program or not chats((caller.place,)):
        return
    why = ""
    for place in chats(debate.places):
        chat: object = desk.chats.get(platform_of(place))
        if not isinstance(chat, Threads):
            return
        root = await desk.stores.outbox.find_sent(place, root_key(debate.id))
        if root is None:
            return
        try:
            await chat.require_open(root)
        except DeliveryError as problem:
            if problem.kind != DeliveryFailure.DEAD:
                return
            why = say_stored(f"{str(problem).rstrip('.')}.")
        else:
            return
    if why:
        raise Refused("No seat was asked, because I can't post its answer: {why}", why=why)


async def store_command(
    desk: DeskParts, debate: Debate, command: Command, caller: Caller
) -> Sequence[Event]:
    """Stores the command and returns the events that it would lead to now. One that would change
    nothing is stored too, because another one may still wait before it. Raises ``Refused`` if the
    debate does not take it.
    """
    events = decide(debate, command)
    await desk.stores.queue.enqueue(debate.id, command, caller.source)
    return events


async def store_unless_known(
    desk: DeskParts, debate: Debate, command: Command, caller: Caller
) -> Sequence[Event]:
    """Stores the command as ``store_command`` does, unless it would change nothing now."""
    events = decide(debate, command)
    if events:
        await desk.stores.queue.enqueue(debate.id, command, caller.source)
    return events


async def answer_when_taken(
    desk: DeskParts, taken: str, debate: Debate, caller: Caller
) -> DeskAnswer:
    """Returns ``taken`` as the answer to the command that was given, once the debate itself has
    taken it: others may have stopped it meanwhile. If nobody plays the debate, a shell plays it
    next, so it does not wait. Raises ``Refused`` with the debate's reason.
    """
    if await desk.service.nobody_plays(debate.id):
        return DeskAnswer(taken, debate=debate.id)
    try:
        refusal = await desk.stores.queue.wait_for_answer(caller.source, _ANSWERED_WITHIN)
    except KeyError:  # the debate was deleted meanwhile, and the command with it
        raise Refused("The debate was deleted.") from None
    if refusal:
        raise Refused(refusal)
    if refusal is None:
        taken = say(_STORED, id=debate.id)
    return DeskAnswer(taken, debate=debate.id)
