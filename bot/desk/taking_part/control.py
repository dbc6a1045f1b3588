"""The desk's part for controlling a debate: pause, resume, stop; and later, whether its verdict was
useful and whether it held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from adapters.redaction import clean
from bot.desk.commanding import Commanding
from bot.desk.handlers import handles
from core.application.commands import Control, Held, Useful
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import Command, Pause, Resume, Stop
from core.debate.events import OutcomeResolved, VerdictRated
from core.debate.ports import Clock
from core.debate.verdict.condition import is_what_if
from core.languages import msgid, say
from core.words.views.course.invitations import judgement_counts

_LONGEST = 500
"""The most characters of the reason why a verdict held or did not."""


@dataclass(frozen=True, slots=True)
class _Control:
    command: Callable[[str], Command]
    does: str


_HELD = msgid("Noted: the verdict of {id} held.")
_NOT_HELD = msgid("Noted: the verdict of {id} did not hold.")
_USEFUL = msgid("Noted: {id} was useful to you. Say the other to change it.")
_NOT_USEFUL = msgid("Noted: {id} was not useful to you. Say the other to change it.")
CONTROLS: Mapping[str, _Control] = {
    "pause": _Control(Pause, msgid("Debate {id}: pausing.")),
    "resume": _Control(Resume, msgid("Debate {id}: going on.")),
    "stop": _Control(Stop, msgid("Debate {id}: stopping; the closing report still comes.")),
}
"""The controls that a person can type, by their words."""


@dataclass(frozen=True, slots=True)
class ControlDesk:
    commanding: Commanding
    clock: Clock

    @handles(Control)
    async def control(self, request: Control, caller: Caller) -> DeskAnswer:
        """Pauses, resumes or stops a debate. Raises ``Refused``."""
        control = CONTROLS[request.verb]
        debate, person = await self.commanding.find_with_person(request, caller)
        if not await self.commanding.give_new(debate, control.command(person), caller):
            status = say("stopping") if request.verb == "stop" else say(debate.status)
            text = say("Debate {id} is {status} already.", id=f"`{debate.id}`", status=status)
            return DeskAnswer(text, debate=debate.id)
        taken = say(control.does, id=f"`{debate.id}`")
        return await self.commanding.answer(taken, debate, caller)

    @handles(Held)
    async def resolve(self, request: Held, caller: Caller) -> DeskAnswer:
        """Records whether a verdict held, which people know later, and why. Raises ``Refused``."""
        debate, person = await self.commanding.find_with_person(request, caller)
        because = (await asyncio.to_thread(clean, request.why.strip()))[:_LONGEST]
        command = OutcomeResolved(request.held, person, self.clock.now(), because)
        await self.commanding.give(debate, command, caller)
        text = say(_HELD if request.held else _NOT_HELD, id=f"`{debate.id}`")
        use = say("The leaderboard uses it.")
        if not judgement_counts(debate) or is_what_if(debate):
            use = say("The leaderboard leaves demonstrations and what-ifs out.")
        return DeskAnswer(f"{text} {use}", debate=debate.id)

    @handles(Useful)
    async def rate(self, request: Useful, caller: Caller) -> DeskAnswer:
        """Records whether a verdict was useful to the caller. Raises ``Refused``."""
        debate, person = await self.commanding.find_with_person(request, caller)
        command = VerdictRated(request.useful, person, self.clock.now())
        text = say(_USEFUL if request.useful else _NOT_USEFUL, id=f"`{debate.id}`")
        await self.commanding.give_new(debate, command, caller)
        return DeskAnswer(text, debate=debate.id)
