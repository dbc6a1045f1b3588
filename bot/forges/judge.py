"""After a merge, judges the findings that are still open: lines that changed before the merge count
for a finding, a merge over them against it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from adapters.material.library import MaterialLibrary
from bot.debates.opening.history import since
from bot.debates.service import DebateService
from bot.forges.bound import hears
from bot.forges.reactions import Reactions
from core.debate import events as e
from core.debate.errors import DebateError
from core.debate.events import Became
from core.debate.ledger import Fate
from core.debate.ports import Clock
from core.debate.state import Debate
from core.debate.verdict.learned.judged import open_findings, outcomes_of
from storage.commands import CommandQueue
from storage.forges.followed import ASKED_AFTER, Followed, FollowedChanges
from storage.places import Places

logger = logging.getLogger(__name__)
_AGAIN = timedelta(minutes=15)
"""The time until the next request to a forge that did not report what was merged."""
_UNTOUCHED = (Fate.SAME, Fate.MOVED)
_RUNNING = timedelta(minutes=1)
"""The time after which a debate is looked at again that was running at the merge."""


@dataclass(frozen=True, slots=True)
class Judges:
    followed: FollowedChanges
    places: Places
    queue: CommandQueue
    service: DebateService
    library: MaterialLibrary
    clock: Clock
    reactions: Reactions

    async def judge_due(self) -> int:
        """Judges the findings of every merged change that is due, and returns how many."""
        count = 0
        for row in await self.followed.to_judge():
            try:
                count += await self._judge(row)
            except DebateError as error:
                facts = {"action": "judge", "change": row.link, "reason": str(error)}
                logger.warning("what was merged can't be read", extra=facts)
                await self._later(row, _AGAIN)
        return count

    async def _judge(self, row: Followed) -> int:
        debate = await self.service.load(row.debate) if row.debate else None
        while debate is not None and debate.opened is None and debate.request.after:
            debate = await self.service.load(debate.request.after)
        if debate is not None and not debate.over:
            await self._later(row, _RUNNING)
            return 0
        judged: Mapping[str, Became] = {}
        if debate is not None and await hears(self.places, row, debate):
            await self.reactions.look(row)
            judged = await self._became(row, debate)
            for mark, became in judged.items():
                await self.judge(debate, mark, became)
        await self.followed.judge_later(row, None)
        return len(judged)

    async def _became(self, row: Followed, debate: Debate) -> Mapping[str, Became]:
        """Returns what became of each open finding, by its mark; of those whose lines can't be
        found again nothing is known.
        """
        findings, earlier = open_findings(debate), since(debate)
        if not findings or earlier is None:
            return {}
        fates = await self.library.fates(row.link, row.key.place, earlier)
        known = {one.mark: one.fate for one in fates}
        return {
            m.mark: Became.MERGED if known[m.mark] in _UNTOUCHED else Became.FIXED
            for m in findings
            if m.mark in known
        }

    async def reverted(self, debate: Debate) -> None:
        """Judges the demands that were merged over, now that the merge was taken back."""
        for one in outcomes_of(debate):
            if one.demanded and one.became == Became.MERGED:
                await self.judge(debate, one.mark, Became.REVERTED)

    async def judge(self, debate: Debate, mark: str, became: Became, by: str = "") -> None:
        """Stores what became of a finding, once."""
        command = e.FindingJudged(mark, became, self.clock.now(), by)
        await self.queue.enqueue(debate.id, command, f"judged:{debate.id}:{mark}:{became}:{by}")

    async def _later(self, row: Followed, wait: timedelta) -> None:
        """Puts a look off, as long as people are still asked about the merge."""
        now = self.clock.now()
        last = row.merged_at is not None and now > row.merged_at + ASKED_AFTER[1]
        await self.followed.judge_later(row, None if last else now + wait)
