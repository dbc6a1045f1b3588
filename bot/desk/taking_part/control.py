"""The desk's part for controlling a debate: pause, resume, stop; and later, whether its verdict was
useful and whether it held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from adapters.ports.desk import Caller, DeskAnswer
from adapters.redaction import clean
from bot.desk.commanding import Commanding
from bot.permissions import Action
from core.commands import Command, Pause, RateVerdict, ResolveOutcome, Resume, Stop
from core.ports import Clock

_LONGEST = 500
"""The most characters of the reason why a verdict held or did not."""


@dataclass(frozen=True, slots=True)
class _Control:
    command: Callable[[str], Command]
    action: Action
    does: str


CONTROLS: Mapping[str, _Control] = {
    "pause": _Control(Pause, Action.PAUSE, "pausing"),
    "resume": _Control(Resume, Action.RESUME, "going on"),
    "stop": _Control(Stop, Action.STOP, "stopping; the closing report still comes"),
}
"""The controls that a person can type, by their words."""


@dataclass(frozen=True, slots=True)
class ControlDesk:
    commanding: Commanding
    clock: Clock

    async def control(self, word: str, id: str, caller: Caller) -> DeskAnswer:
        """Controls a debate; ``word`` is one of ``CONTROLS``. Raises ``Refused``."""
        control = CONTROLS[word]
        debate, person = await self.commanding.find_with_person(id, caller, control.action)
        if not await self.commanding.give_new(debate, control.command(person), caller):
            status = "stopping" if word == "stop" else debate.status
            return DeskAnswer(f"Debate `{debate.id}` is {status} already.", debate=debate.id)
        await self.commanding.hear(caller)
        return DeskAnswer(f"Debate `{debate.id}`: {control.does}.", debate=debate.id)

    async def resolve(self, id: str, held: bool, caller: Caller, why: str = "") -> DeskAnswer:
        """Records whether a verdict held, which people know later, and why. Raises ``Refused``."""
        debate = await self.commanding.lookup.find(id, caller, Action.RESOLVE)
        person = self.commanding.permissions.person_in(debate, caller)
        because = (await asyncio.to_thread(clean, why.strip()))[:_LONGEST]
        command = ResolveOutcome(held, person, self.clock.now(), because)
        await self.commanding.give(debate, command, caller)
        what = "held" if held else "did not hold"
        return DeskAnswer(
            f"Noted: the verdict of `{debate.id}` {what}. The leaderboard uses it.",
            debate=debate.id,
        )

    async def rate(self, id: str, useful: bool, caller: Caller) -> DeskAnswer:
        """Records whether a verdict was useful to the caller. Raises ``Refused``."""
        debate, person = await self.commanding.find_with_person(id, caller, Action.RATE)
        command = RateVerdict(useful, person, self.clock.now())
        what = "useful" if useful else "not useful"
        text = f"Noted: `{debate.id}` was {what} to you. Say the other to change it."
        await self.commanding.give_new(debate, command, caller)
        return DeskAnswer(text, debate=debate.id)
