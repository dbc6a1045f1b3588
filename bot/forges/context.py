"""The stores and services that all parts for pull requests share, and the questions that several of
them ask.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from adapters.forges.refusals import NotAllowed
from bot.debates.service import DebateService
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import NamesOf
from bot.forges.rules import Rules, rules_of
from core.debate.errors import BadInput
from core.debate.ports import Clock
from core.debate.state import Debate
from storage.commands import CommandQueue
from storage.forges.followed import Followed, FollowedChanges
from storage.forges.renamed import RenamedRepositories, SeenRepository
from storage.places import Binding, Places, repository_id, repository_key
from storage.work import WorkQueue


@dataclass(frozen=True, slots=True)
class ForgeContext:
    places: Places
    followed: FollowedChanges
    work: WorkQueue
    queue: CommandQueue
    service: DebateService
    connections: ForgeConnections
    renamed: RenamedRepositories
    clock: Clock
    names_of: NamesOf
    public_url: str = ""

    def page_of(self, debate: str) -> str:
        """Returns the address of a debate's page, "" if people reach none."""
        if not self.public_url:
            return ""
        return f"{self.public_url}/d/{debate}"

    async def see(
        self, host: str, name: str, id: str, at: datetime | None = None, *, address: str = ""
    ) -> None:
        """Takes note of a repository as its forge names it at a time: its bindings get its id, and
        what is stored under a former name gets this one. The forge is asked whether an
        event is right about that, because everybody who knows a webhook's secret can send one; with
        ``address``, the name in a request that the forge answered, it has said so. Raises
        ``CouldNotFinish``.
        """
        if not id:
            return
        key, when = repository_key(host, name), (at or self.clock.now()).isoformat()
        seen = SeenRepository(host, name, key, repository_id(host, id), when)
        known = {key, repository_key(host, address or name)}
        names = await self.renamed.former_names(seen)
        if not names and not await self.renamed.without_id(known):
            return
        for former in names:
            owner = former.partition("/")[0]
            if owner != name.lower().partition("/")[0]:
                await self.connections.follow_account(host, owner)
        if address or await self._is_so(seen, id):
            await self.renamed.learn(known, seen.id)
            await self.renamed.rename(seen)

    async def _is_so(self, seen: SeenRepository, id: str) -> bool:
        """True if the forge itself gives a repository this name and this id. It finds one under
        other names too: a former one, or a path that leads to it.
        """
        bound = await self.places.bindings(repository=seen.key, id=seen.id)
        if not bound:
            return False
        try:
            known, its_id = await self.connections.named(seen.host, seen.name, bound[0].place)
        except (BadInput, NotAllowed):  # the forge shows no repository of that name
            return False
        return (known.lower(), its_id) == (seen.name.lower(), id)

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
