"""After a merge, asks the thread twice whether the verdict held: after two days and after fourteen,
unless code knows what became of everything that it demanded.

The question names the evidence so far: a commit that reverts the merge, later changes on the very
lines of a finding.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from adapters.forges.links import ChangeLink, parse_change
from adapters.forges.port import LaterCommit
from bot.debates.service import DebateService
from bot.forges.access.connect import ForgeConnections
from bot.forges.bound import hears
from bot.forges.judge import Judges
from bot.forges.reactions import SETTLING, Reactions
from core.debate import events as e
from core.debate.errors import DebateError
from core.debate.events import ForgeNote
from core.debate.ports import Clock
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.findings import FindingState, merge_findings
from core.debate.verdict.learned.judged import is_settled
from storage.commands import CommandQueue
from storage.forges.followed import ASKED_AFTER, Followed, FollowedChanges
from storage.places import Places

logger = logging.getLogger(__name__)
_FILES = 5
"""The most files with findings whose later commits are read."""
_NEAR = 3  # lines
_AGAIN = timedelta(minutes=15)
"""The time until the next request to a forge that did not report what happened after a merge."""


@dataclass(frozen=True, slots=True)
class FollowUps:
    followed: FollowedChanges
    places: Places
    queue: CommandQueue
    service: DebateService
    connections: ForgeConnections
    clock: Clock
    judges: Judges
    reactions: Reactions

    async def ask_due(self) -> int:
        """Posts the question in every thread in which it is due, and returns the number of
        threads.
        """
        count = 0
        for row in await self.followed.to_ask():
            try:
                count += await self._ask(row)
            except DebateError as error:
                await self.followed.ask_later(row, self.clock.now() + _AGAIN)
                facts = {"action": "follow_up", "change": row.link, "reason": str(error)}
                logger.warning("what became of a change can't be read", extra=facts)
        return count

    async def _ask(self, row: Followed) -> bool:
        if row.merged_at is None or not row.debate:
            return False
        debate = await self.service.load(row.debate)
        if not await hears(self.places, row, debate):
            return await self.followed.note_asked(row, None)
        if await self.reactions.look(row):
            await self.followed.ask_later(row, self.clock.now() + SETTLING)
            return False
        known, reverted, touched = await self._known(row, debate)
        if reverted:
            note = e.ForgeNoted(ForgeNote.REVERTED, reverted, self.clock.now())
            await self.queue.enqueue(row.debate, note, f"reverted:{row.debate}")
            await self.judges.reverted(debate)
        days = ASKED_AFTER[min(row.asks, 1)].days
        again = row.merged_at + ASKED_AFTER[1] if row.asks == 0 else None
        if is_settled(debate) and (reverted or not touched):
            return await self.followed.note_asked(row, again)
        because = stored(
            "Merged on {why_day}, {days} days ago. {why}",
            why_day=f"{row.merged_at.day} {row.merged_at:%b %Y}",
            days=days,
            why=known,
        )
        command = e.FollowUpDue(stored("Did the verdict hold?"), self.clock.now(), because)
        await self.queue.enqueue(row.debate, command, f"held:{row.debate}:{row.asks}")
        return await self.followed.note_asked(row, again)

    async def _known(self, row: Followed, debate: Debate) -> tuple[str, str, bool]:
        """Describes what happened after the merge, and returns the commit that reverted it and
        whether others changed the lines of a finding.
        """
        link = self._link(row)
        assert row.merged_at is not None  # noqa: S101 (only merged ones are asked about)
        async with self.connections.poster(link.host, link.repo, row.key.place) as poster:
            commits = await poster.commits_since(link, row.merged_at, "")
            reverts = [x for x in commits if row.merge_commit and _takes_back(x, row.merge_commit)]
            fixed: list[str] = []
            for path, lines in _places(debate)[:_FILES]:
                later = await poster.commits_since(link, row.merged_at, path)
                fixed += [
                    stored(
                        "{commit} changed {path} where a finding stands.",
                        commit=x.sha[:7],
                        path=path,
                    )
                    for x in later
                    if x.sha != row.merge_commit and x.touches(path, lines, _NEAR)
                ]
        sentences = [stored("{commit} reverts it.", commit=x.sha[:7]) for x in reverts[:1]]
        sentences += dict.fromkeys(fixed[:3])
        if not sentences:
            sentences = [stored("No commit since names it or changes the lines of a finding.")]
        return " ".join(sentences), reverts[0].sha[:12] if reverts else "", bool(fixed)

    def _link(self, row: Followed) -> ChangeLink:
        hosts = {name: host.forge for name, host in self.connections.library.hosts.items()}
        return parse_change(row.link, hosts)


def _takes_back(commit: LaterCommit, merge_commit: str) -> bool:
    """True if a commit's message reverts the merge, as ``git revert`` writes it."""
    match = re.search(r"revert\w*\s+(?:commit\s+)?([0-9a-f]{7,40})", commit.message, re.IGNORECASE)
    return match is not None and merge_commit.startswith(match[1].lower())


def _places(debate: Debate) -> Sequence[tuple[str, list[int]]]:
    """Returns the files of open findings with their lines, those of the most severe first."""
    lines: dict[str, list[int]] = {}
    if debate.opened is None:
        return ()
    for finding in merge_findings(debate):
        if finding.state is FindingState.OPEN and finding.wording.path and finding.wording.line:
            lines.setdefault(finding.wording.path, []).append(finding.wording.line)
    return list(lines.items())
