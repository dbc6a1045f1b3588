"""The desk's part for challenges, which come by command, by button or by a reply in the thread.

One after the verdict is an objection: its price is shown first if someone has to agree to it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from adapters.redaction import clean
from bot.debates.price import FREE, Quote
from bot.desk.commanding import (
    answer_when_taken,
    find_with_person,
    require_readable,
    store_command,
)
from bot.desk.handlers import handles
from bot.desk.parts import DeskParts
from core.application.commands import Challenge
from core.application.desk import Caller, DeskAnswer
from core.application.place import platform_of
from core.application.presence import DeliveryError
from core.debate.commands import RaiseChallenge
from core.debate.commands.decisions import decide
from core.debate.errors import Refused
from core.debate.events import TurnsAdded
from core.debate.state import Debate
from core.languages import say
from core.words.views.course.happenings import challenge_taken

CONSENT = "--yes "
"""What a challenge begins with whose author agrees to its price."""


@handles(Challenge)
async def challenge(desk: DeskParts, request: Challenge, caller: Caller) -> DeskAnswer:
    """Challenges a debate. Raises ``Refused`` if it takes no challenge now."""
    debate, person = await find_with_person(desk, request, caller)
    yes = request.yes or request.text.startswith(CONSENT)
    text = await asyncio.to_thread(clean, request.text.removeprefix(CONSENT).strip())
    if request.finding and text:
        text = f"On {request.finding}: {text}"
    demo = debate.opened is not None and debate.opened.terms.demo
    if debate.over and demo and not caller.program:
        again = f"{caller.prefix} fork {debate.id} --models NAME"
        raise Refused(
            "It was a demonstration, whose models cannot judge an objection. With other "
            "models: {command}",
            command=again,
        )
    await require_readable(desk, debate, caller)
    command = RaiseChallenge(person, text, source=caller.source)
    price = await _price(desk, debate, command, yes=yes)
    if price.asks and not caller.confirms_price:
        raise Refused(
            "{price} Begin with {consent} to agree to it.",
            price=price.sentence,
            consent=CONSENT.strip(),
        )
    if price.asks:
        priced = Challenge(text, debate.id)
        return DeskAnswer(
            f"{price.sentence} {say('No seat answers yet.')}", ok=False, priced=priced
        )
    async with desk.quotas.challenge(caller, person, debate):
        events = await store_command(desk, debate, command, caller)
    taken = f"{challenge_taken(debate, events)} {price.sentence}".strip()
    return await answer_when_taken(desk, taken, debate, caller)


async def challenge_by_reply(
    desk: DeskParts, text: str, debate: str, caller: Caller, message: str
) -> DeskAnswer | None:
    """Challenges as ``challenge`` does; returns None if the reply itself shows that it was
    taken.
    """
    source = f"said:{caller.place}:{message}"
    answer = await challenge(desk, Challenge(text, debate), replace(caller, source=source))
    chat = desk.chats.get(platform_of(caller.place))
    if chat is None or not answer.ok:
        return answer
    try:
        await chat.acknowledge(caller.place, message, "eyes")
    except DeliveryError:
        return answer  # the reaction could not be set: the answer says it in words instead
    return None


async def _price(desk: DeskParts, debate: Debate, command: RaiseChallenge, *, yes: bool) -> Quote:
    """Returns the price of the answers to an objection; a challenge before the verdict is
    within the debate's own price. Raises ``Refused`` and as ``Pricing.quote_objection``.
    """
    if not debate.over:
        return FREE
    added = [x for x in decide(debate, command) if isinstance(x, TurnsAdded)]
    turns = [turn for event in added for turn in event.turns]
    return await desk.pricing.quote_objection(debate, turns, yes=yes)
