"""Keeps the forge's check of a change equal to its latest debate, and answers merge queues and
people's replies to the posted review.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.forges.links import ChangeLink
from adapters.review import ThreadAnswer
from adapters.review.amendment import objectors
from adapters.review.check import CommitCheck, ended, queued, running
from adapters.review.text import not_now, objection_answer, reply_answer
from bot.debates.changes import head_of
from bot.debates.service import DebateService
from bot.forges.access.connect import ForgeConnections
from bot.forges.names import NamesOf, repository_key
from bot.forges.rules import rules_of
from bot.forges.write import check_post, reply_post
from core.debate.material.since import UNCHANGED
from core.debate.state import Debate
from core.debate.verdict.condition import is_what_if
from core.languages import ENGLISH, speaking
from storage.commands import CommandQueue
from storage.forges.followed import Followed, FollowedChanges
from storage.places import Places
from storage.work import WorkQueue


@dataclass(frozen=True, slots=True)
class Checks:
    followed: FollowedChanges
    places: Places
    work: WorkQueue
    service: DebateService
    queue: CommandQueue
    connections: ForgeConnections
    names_of: NamesOf
    public_url: str = ""

    async def tell(self) -> int:
        """Stores new results for the forge's checks if the debates have changed since."""
        count = 0
        for row, digest in await self.followed.untold():
            debate = await self.service.load(row.debate)
            if await self._checked(row):
                link = ""
                if self.public_url:
                    link = f"{self.public_url}/d/{row.debate}"
                check = await self._check(debate, row.head, link)
                place = row.key.place
                head = check.head or row.head
                if head and not (is_what_if(debate) or (debate.opened and debate.open.terms.demo)):
                    text = f"{digest}:{len(debate.endings)}" if debate.endings else digest
                    post = check_post(replace(check, head=head), row.link, place, text)
                    count += await self.work.add(post)
            await self.followed.tell(row, digest)
        return count

    async def answer_objections(self) -> int:
        """Stores the answers to people's replies that the seats have answered, for the comments
        under which they were written.
        """
        count = 0
        for row in await self.followed.objected_to():
            mine = [one for one in row.objections if one.get("debate") == row.debate]
            if not mine:
                continue
            debate = await self.service.load(row.debate)
            taken = {challenge.source: challenge.id for challenge in debate.challenges}
            for one in mine:
                id = taken.get(one["source"], "")
                if id:
                    answer = objection_answer(debate, id, one["mark"])
                else:
                    id = one["source"].rpartition(":")[2]
                    answer = await self._put_off(row, one, id)
                if answer is not None:
                    post = reply_post(row.debate, id, row.link, row.key.place, answer)
                    count += await self.work.add(post)
        return count

    async def _put_off(
        self, row: Followed, objection: Mapping[str, str], about: str
    ) -> ThreadAnswer | None:
        """Leaves an objection to the next run that the debate refused when it came to it, since
        others had come first. Returns the reason as an answer; None while it waits.
        """
        try:
            refusal = await self.queue.find_answer(f"{objection['source']}:{row.debate}")
        except KeyError:
            return None
        if not refusal:
            return None
        await self.followed.put_off(row, objection["source"])
        return reply_answer(row.debate, about, objection["mark"], not_now(refusal))

    async def _check(self, debate: Debate, head: str, link: str) -> CommitCheck:
        """Returns a debate's check. If a run had nothing new to read, the last run's result holds
        for the new head.
        """
        with speaking(await self._language(debate)):
            return await self._check_spoken(debate, head, link)

    async def _check_spoken(self, debate: Debate, head: str, link: str) -> CommitCheck:
        if not debate.over:
            return running(debate.id, head, link)
        held = debate
        while held.opened is None and held.failure.endswith(UNCHANGED) and held.request.after:
            held = await self.service.load(held.request.after)
        check = ended(held, link, await self.names_of(objectors(held)))
        if held is debate:
            return check
        return replace(check, mark=debate.id, head=head)

    async def _language(self, debate: Debate) -> str:
        """Returns the language of checks on the debate's repository."""
        if debate.opened is None:
            return ENGLISH
        facts, place = debate.open.material.facts, debate.request.place
        key = repository_key(facts.get("host", ""), facts.get("repo", ""))
        bound = await self.places.bindings(place=place, repository=key)
        return rules_of(bound[0].rules).language if bound else ENGLISH

    async def _checked(self, row: Followed) -> bool:
        key = repository_key(row.key.host, row.key.repository)
        bound = await self.places.bindings(place=row.key.place, repository=key)
        return bool(bound) and rules_of(bound[0].rules).checks

    async def answer_queue(self, link: ChangeLink, head: str) -> str:
        """Puts the verdict on a change, or a neutral check, on the commit ``head`` that a merge
        queue tests. Raises ``CouldNotFinish``.
        """
        key = repository_key(link.host, link.repo)
        bound = [b for b in await self.places.bindings(repository=key) if rules_of(b.rules).checks]
        if not bound:
            return "no place puts checks there"
        rows = await self.followed.of(link.host, link.repo, link.number)
        async with self.connections.poster(link.host, link.repo, bound[0].place) as poster:
            now = (await poster.change(link)).head
            check = queued(await self._verdict(rows, now), head)
            known = await poster.find_check(link, check)
            await poster.put_check(link, check, known.id if known is not None else "")
        return f"{check.conclusion.value} for the merge queue"

    async def _verdict(self, rows: Sequence[Followed], head: str) -> CommitCheck | None:
        """Returns the check of the debate about the commit ``head``; None without a verdict."""
        for row in rows:
            if not (row.debate and await self._checked(row)):
                continue
            debate = await self.service.load(row.debate)
            if head_of(row, debate) == head and debate.over:
                link = f"{self.public_url}/d/{row.debate}" if self.public_url else ""
                return await self._check(debate, head, link)
        return None
