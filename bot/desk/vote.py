"""The desk's part for votes that are typed or pressed."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.ports.desk import Answer, Caller
from adapters.posts.words import name_of
from bot.desk.lookup import Lookup
from bot.desk.permissions import Action, Permissions
from core.commands import CastVote
from core.debate import Debate
from core.decisions import decide
from core.events import VoteCast
from core.verdict.votes import AUTHOR
from storage.commands import CommandQueue


@dataclass(frozen=True, slots=True)
class VoteDesk:
    lookup: Lookup
    queue: CommandQueue
    permissions: Permissions

    async def vote(self, option: str, id: str, finding: str, caller: Caller) -> Answer:
        """Raises ``Refused`` where the vote is over or the option is none."""
        debate = await self.lookup.find_meant(id, caller)
        caller = await self.permissions.require(caller, Action.VOTE, debate)
        role = role_of(debate, caller.person, caller.name)
        command = CastVote(self.permissions.person(caller.person), option, finding, role)
        events = decide(debate, command)
        await self.queue.enqueue(debate.id, command, caller.source)
        name = next((event.option for event in events if isinstance(event, VoteCast)), option)
        text = (
            f"Your vote in `{debate.id}`: {name.replace('_', ' ')}. The last one counts; vote "
            "again to change it."
        )
        if role:
            text += " You wrote this change: your vote is shown apart and not counted."
        return Answer(text, debate=debate.id)


def role_of(debate: Debate, person: str, name: str) -> str:
    """The role in which a person votes: whoever wrote the change is shown apart and not counted."""
    author = debate.open.material.author if debate.opened is not None else ""
    own = {name.lower(), name_of(person).lower()} - {""}
    return AUTHOR if author and author.lower() in own else ""
