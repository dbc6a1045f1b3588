"""The stores and services that all parts for pull requests share, and the questions that several of
them ask.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.debates.service import DebateService
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import NamesOf, repository_key
from bot.forges.rules import Rules, rules_of
from core.debate.ports import Clock
from core.debate.state import Debate
from storage.commands import CommandQueue
from storage.forges.followed import Followed, FollowedChanges
from storage.places import Binding, Places
from storage.work import WorkQueue


@dataclass(frozen=True, slots=True)
class ForgeContext:
    places: Places
    followed: FollowedChanges
    work: WorkQueue
    queue: CommandQueue
    service: DebateService
    connections: ForgeConnections
    clock: Clock
    names_of: NamesOf
    public_url: str = ""

    def page_of(self, debate: str) -> str:
        """Returns the address of a debate's page, "" if people reach none."""
        if not self.public_url:
            return ""
        return f"{self.public_url}/d/{debate}"

    async def binding(self, row: Followed) -> Binding | None:
        """Returns the binding by which the place follows the repository, or None if it no longer
        does.
        """
        key = repository_key(row.key.host, row.key.repository)
        bound = await self.places.bindings(place=row.key.place, repository=key)
        return next(iter(bound), None)

    async def rules(self, debate: Debate) -> Rules:
        """Returns the rules of the debate's place for the repository of its change."""
        if debate.opened is not None:
            facts = debate.open.material.facts
            key = repository_key(facts.get("host", ""), facts.get("repo", ""))
            if bound := await self.places.bindings(place=debate.request.place, repository=key):
                return rules_of(bound[0].rules)
        return Rules()

    async def last_opened(self, row: Followed) -> Debate | None:
        """Returns the last debate about a change, if it read the change, else the one before it
        that did.
        """
        debate, id = None, row.debate
        while id:
            debate = await self.service.load(id)
            if debate.opened is not None:
                break
            id = debate.request.after
        return debate
