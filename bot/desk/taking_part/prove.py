"""The desk's part for proofs that people ask for, by command or by button."""

from __future__ import annotations

from dataclasses import dataclass

from bot.debates.opening.terms import NOT_ALLOWED
from bot.desk.commanding import Commanding
from bot.desk.handlers import handles
from core.application.commands import requests
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import Prove
from core.debate.errors import Refused
from core.debate.proof import SECONDS, USD
from core.languages import say
from core.words.views.money import dollars
from core.words.views.verdict.findings import finding_numbered


@dataclass(frozen=True, slots=True)
class ProveDesk:
    """``allowed`` is true if the operator said where tests may be run."""

    commanding: Commanding
    allowed: bool

    @handles(requests.Prove)
    async def prove(self, request: requests.Prove, caller: Caller) -> DeskAnswer:
        """Has a finding proven. Raises ``Refused`` if it can't be."""
        debate, person = await self.commanding.find_with_person(request, caller)
        if not self.allowed:
            raise Refused(NOT_ALLOWED)
        command = Prove(person, finding_numbered(debate, request.finding.lower()), caller.source)
        events = await self.commanding.give_new(debate, command, caller)
        if not events:
            return DeskAnswer(say("Its proof was asked for already."), debate=debate.id)
        taken = say(
            "Taken. A seat that holds it writes a test: at most {usd} and {minutes} minutes, with "
            "no proof held against it.",
            usd=dollars(USD),
            minutes=f"{SECONDS / 60:.0f}",
        )
        return await self.commanding.answer(taken, debate, caller)
