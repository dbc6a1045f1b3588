"""The desk's part for votes that are typed or pressed."""

from __future__ import annotations

from dataclasses import dataclass

from bot.desk.commanding import Commanding
from bot.desk.handlers import handles
from core.application.commands import Vote
from core.application.desk import Caller, DeskAnswer
from core.debate.commands import CastVote
from core.debate.events import VoteCast
from core.debate.state import Debate
from core.debate.verdict import same_option
from core.languages import say
from core.words.views.verdict.findings import finding_numbered


@dataclass(frozen=True, slots=True)
class VoteDesk:
    commanding: Commanding

    @handles(Vote)
    async def vote(self, request: Vote, caller: Caller) -> DeskAnswer:
        """Casts a vote. Raises ``Refused`` if the vote is over or the option is unknown."""
        debate, person = await self.commanding.find_with_person(request, caller)
        role = self.commanding.permissions.role_in(debate, person, caller.name)
        command = CastVote(person, *_meant(debate, request.option, request.finding), role)
        events = await self.commanding.give(debate, command, caller)
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


def _meant(debate: Debate, option: str, finding: str) -> tuple[str, str]:
    """Returns the option and the finding's id; a number before an option can also be a part of the
    option.
    """
    whole = f"{finding} {option}"
    opened = debate.opened
    if opened is not None and any(same_option(o.option, whole) for o in opened.template.ballot):
        return whole, ""
    return option, finding_numbered(debate, finding)
