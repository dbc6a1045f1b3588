"""The desk's part for what a person does in a debate: votes, the hot seat, proofs, the turns of a
seat that they hold, pause, resume and stop, and later whether the verdict held and was useful.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from adapters.redaction import clean
from bot.debates.opening.holders import TOKEN
from bot.desk.commanding import (
    answer_when_taken,
    find_with_person,
    require_readable,
    store_command,
    store_unless_known,
)
from bot.desk.handlers import handles
from bot.desk.lookup import find_meant
from bot.desk.parts import DeskParts
from bot.desk.taking_part.hot_seat import alone
from bot.platforms import same_account
from core.application.commands import Control, Held, HotSeat, Useful, Vote
from core.application.commands import requests as r
from core.application.commands.actions import Action
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import AskSeat, CastVote, Command, Pause, Prove, Resume, Speak, Stop
from core.debate.commands.holders import turns_due
from core.debate.errors import Refused
from core.debate.events import OutcomeResolved, SeatAsked, TurnsAdded, VerdictRated, VoteCast
from core.debate.proof import SECONDS, USD
from core.debate.state import Debate
from core.debate.verdict import same_option
from core.debate.verdict.condition import is_what_if
from core.languages import msgid, say
from core.words.views.course.hot_seat import ASKED_ALREADY, taken_words
from core.words.views.course.invitations import judgement_counts
from core.words.views.language.grammar import dollars
from core.words.views.language.seats import the_seat
from core.words.views.verdict.findings import finding_numbered

_LONGEST = 500
"""The most characters of the reason why a verdict held or did not."""
_HELD = msgid("Noted: the verdict of {id} held.")
_NOT_HELD = msgid("Noted: the verdict of {id} did not hold.")
_USEFUL = msgid("Noted: {id} was useful to you. Say the other to change it.")
_NOT_USEFUL = msgid("Noted: {id} was not useful to you. Say the other to change it.")
CONTROLS: Mapping[str, Callable[[str], Command]] = {"pause": Pause, "resume": Resume, "stop": Stop}
"""The controls that a person can type, by their words."""
_TAKEN = {
    "pause": msgid("Debate {id}: pausing."),
    "resume": msgid("Debate {id}: going on."),
    "stop": msgid("Debate {id}: stopping; the closing report still comes."),
}

SAY = "say:"
"""The beginning of a reply in a thread that is always a statement."""


@handles(Vote)
async def vote(desk: DeskParts, request: Vote, caller: Caller) -> DeskAnswer:
    """Casts a vote. Raises ``Refused`` if the vote is over or the option is unknown."""
    debate, person = await find_with_person(desk, request, caller)
    role = desk.permissions.role_in(debate, person, caller.name)
    command = CastVote(person, *_meant(debate, request.option, request.finding), role)
    events = await store_command(desk, debate, command, caller)
    cast = (event.option for event in events if isinstance(event, VoteCast))
    name = next(cast, request.option)
    text = say(
        "Your vote in {id}: {option}. The last one counts; vote again to change it.",
        id=f"`{debate.id}`",
        option=say(name.replace("_", " ")),
    )
    if role:
        note = say("You wrote this change: your vote is shown apart and not counted.")
        text = f"{text} {note}"
    return DeskAnswer(text, debate=debate.id)


@handles(HotSeat)
async def ask(desk: DeskParts, request: HotSeat, caller: Caller) -> DeskAnswer:
    """Puts a seat on the hot seat. Raises ``Refused`` if no seat can answer now."""
    debate, person = await find_with_person(desk, request, caller)
    await require_readable(desk, debate, caller)
    command = AskSeat(
        person,
        finding_numbered(debate, request.about.lower()),
        alone(debate, desk.permissions.person(caller.person)) or caller.shell,
        caller.source,
    )
    events = await store_unless_known(desk, debate, command, caller)
    requested = next((event for event in events if isinstance(event, SeatAsked)), None)
    if requested is None:
        return DeskAnswer(say(ASKED_ALREADY), debate=debate.id)
    seated = any(isinstance(event, TurnsAdded) for event in events)
    text = taken_words(debate, requested, seated=seated)
    return await answer_when_taken(desk, text, debate, caller)


@handles(r.Prove)
async def prove(desk: DeskParts, request: r.Prove, caller: Caller) -> DeskAnswer:
    """Has a finding proven. Raises ``Refused`` if it can't be."""
    debate, person = await find_with_person(desk, request, caller)
    if not desk.settings.prove:
        raise Refused(
            "A proof runs a test, and the operator has not said where: they set "
            "DEBATE_PROVE=sandbox or DEBATE_PROVE=ci."
        )
    await require_readable(desk, debate, caller)
    command = Prove(person, finding_numbered(debate, request.finding.lower()), caller.source)
    events = await store_unless_known(desk, debate, command, caller)
    if not events:
        return DeskAnswer(say("Its proof was asked for already."), debate=debate.id)
    taken = say(
        "Taken. A seat that holds it writes a test: at most {usd} and {minutes} minutes, with "
        "no proof held against it.",
        usd=dollars(USD),
        minutes=f"{SECONDS / 60:.0f}",
    )
    return await answer_when_taken(desk, taken, debate, caller)


async def speak(desk: DeskParts, text: str, id: str, turn: str, caller: Caller) -> DeskAnswer:
    """Takes the statement of a turn; "" for ``turn`` is the first that is due. Raises
    ``Refused`` with what is missing.
    """
    debate = await find_meant(desk, id, caller, Action.SPEAK)
    words = await asyncio.to_thread(clean, text.strip())
    holder = _holder_id(debate, caller)
    due = turns_due(debate, holder)
    command = Speak(holder, turn, words)
    await store_command(desk, debate, command, caller)
    seat = next((t.seat for t in due if turn in ("", t.id)), None)
    taken = say("Taken as it.")
    if seat:
        taken = say("Taken as the words of {seat}.", seat=the_seat(debate, seat))
    return await answer_when_taken(desk, taken, debate, caller)


async def is_due(desk: DeskParts, id: str, caller: Caller) -> bool:
    """Return whether a turn of the caller is waited for in a debate."""
    debate = await desk.service.load(id)
    return bool(turns_due(debate, _holder_id(debate, caller)))


@handles(Control)
async def control(desk: DeskParts, request: Control, caller: Caller) -> DeskAnswer:
    """Pauses, resumes or stops a debate. Raises ``Refused``."""
    debate, person = await find_with_person(desk, request, caller)
    if request.verb == "resume":
        await require_readable(desk, debate, caller)
    if not await store_unless_known(desk, debate, CONTROLS[request.verb](person), caller):
        status = say("stopping") if request.verb == "stop" else say(debate.status)
        text = say("Debate {id} is {status} already.", id=f"`{debate.id}`", status=status)
        return DeskAnswer(text, debate=debate.id)
    taken = say(_TAKEN[request.verb], id=f"`{debate.id}`")
    return await answer_when_taken(desk, taken, debate, caller)


@handles(Held)
async def resolve(desk: DeskParts, request: Held, caller: Caller) -> DeskAnswer:
    """Records whether a verdict held, which people know later, and why. Raises ``Refused``."""
    debate, person = await find_with_person(desk, request, caller)
    because = (await asyncio.to_thread(clean, request.why.strip()))[:_LONGEST]
    command = OutcomeResolved(request.held, person, desk.clock.now(), because)
    await store_command(desk, debate, command, caller)
    text = say(_HELD if request.held else _NOT_HELD, id=f"`{debate.id}`")
    use = say("The leaderboard uses it.")
    if not judgement_counts(debate) or is_what_if(debate):
        use = say("The leaderboard leaves demonstrations and what-ifs out.")
    return DeskAnswer(f"{text} {use}", debate=debate.id)


@handles(Useful)
async def rate(desk: DeskParts, request: Useful, caller: Caller) -> DeskAnswer:
    """Records whether a verdict was useful to the caller. Raises ``Refused``."""
    debate, person = await find_with_person(desk, request, caller)
    command = VerdictRated(request.useful, person, desk.clock.now())
    text = say(_USEFUL if request.useful else _NOT_USEFUL, id=f"`{debate.id}`")
    await store_unless_known(desk, debate, command, caller)
    return DeskAnswer(text, debate=debate.id)


def _meant(debate: Debate, option: str, finding: str) -> tuple[str, str]:
    """Returns the option and the finding's id; a number before an option can also be a part of the
    option.
    """
    whole = f"{finding} {option}"
    opened = debate.opened
    if opened is not None and any(same_option(o.option, whole) for o in opened.template.ballot):
        return whole, ""
    return option, finding_numbered(debate, finding)


def _holder_id(debate: Debate, caller: Caller) -> str:
    """Returns the id under which the caller holds a seat: a program's by its token, a person's as
    the debate names them.
    """
    if caller.program and caller.token:
        return f"{TOKEN}{caller.token}"
    held = debate.open.terms.held.values() if debate.opened is not None else ()
    return next((h.id for h in held if same_account(h.id, caller.person)), caller.person)
