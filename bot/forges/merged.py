"""After a merge: judges the findings that are still open, and asks the thread whether the verdict
held.

Lines that changed before the merge count for a finding, a merge over them against it. The bot asks
after two days and after fourteen, unless code knows what became of everything that the review
demanded. The question names the evidence so far: a commit that reverts the merge, later changes on
the very lines of a finding.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.forges.port import LaterCommit
from adapters.material.library import MaterialLibrary
from bot.debates.opening.history import since
from bot.forges.bound import hears
from bot.forges.context import ForgeContext
from bot.forges.reactions import SETTLING, try_reactions
from core.debate import events as e
from core.debate.errors import CouldNotFinish, DebateError
from core.debate.events import Became, ForgeNote
from core.debate.ledger import Fate
from core.debate.state import Debate
from core.debate.stored import stored
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.learned.judged import is_settled, open_findings, outcomes_of
from storage.forges.followed import ASKED_AFTER, Followed

logger = logging.getLogger(__name__)
_FILES = 5
"""The most files with findings whose later commits are read."""
_NEAR = 3  # lines
_AGAIN = timedelta(minutes=15)
"""The shortest time until the next request to a forge that did not answer."""
_SELDOM = timedelta(days=1)
"""The longest."""
_UNTOUCHED = (Fate.SAME, Fate.MOVED)
_RUNNING = timedelta(minutes=1)
"""The time after which a debate is looked at again that was running at the merge."""


@dataclass(frozen=True, slots=True)
class MergedChanges:
    context: ForgeContext
    library: MaterialLibrary

    async def judge_due(self) -> int:
        """Judges the findings of every merged change that is due, and returns how many."""
        count = 0
        for row in await self.context.followed.to_judge():
            try:
                count += await self._judge(row)
            except DebateError as error:
                facts = {"action": "judge", "change": row.link, "reason": str(error)}
                logger.warning("what was merged can't be read", extra=facts)
                if isinstance(error, CouldNotFinish):
                    await self._judge_later(row, self._wait(row.merged_at))
                else:
                    await self.context.followed.judge_later(row, None)
        return count

    async def _judge(self, row: Followed) -> int:
        debate = await self.context.last_opened(row)
        if debate is not None and not debate.over:
            await self._judge_later(row, _RUNNING)
            return 0
        judged: Mapping[str, Became] = {}
        if debate is not None and await hears(self.context.places, row, debate):
            await try_reactions(self.context, row)
            judged = await self._became(row, debate)
            for mark, became in judged.items():
                await self._note(debate, mark, became)
        await self.context.followed.judge_later(row, None)
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
        judged = {m.mark: Became.FIXED for m in findings if m.mark in known}
        untouched = [mark for mark in judged if known[mark] in _UNTOUCHED]
        return judged | dict.fromkeys(untouched, Became.MERGED)

    async def _reverted(self, debate: Debate) -> None:
        """Judges the demands that were merged over, now that the merge was taken back."""
        for one in outcomes_of(debate):
            if one.demanded and one.became == Became.MERGED:
                await self._note(debate, one.mark, Became.REVERTED)

    async def _note(self, debate: Debate, mark: str, became: Became) -> None:
        command = e.FindingJudged(mark, became, self.context.clock.now(), "")
        await self.context.queue.enqueue(debate.id, command, f"judged:{debate.id}:{mark}:{became}:")

    async def _judge_later(self, row: Followed, wait: timedelta) -> None:
        """Puts a look off, as long as people are still asked about the merge."""
        at: datetime | None = self.context.clock.now() + wait
        if row.merged_at is not None and self.context.clock.now() > row.merged_at + ASKED_AFTER[1]:
            at = None
        await self.context.followed.judge_later(row, at)

    async def ask_due(self) -> int:
        """Posts the question in every thread in which it is due, and returns the number of
        threads.
        """
        count = 0
        for row in await self.context.followed.to_ask():
            try:
                count += await self._ask(row)
            except DebateError as error:
                facts = {"action": "follow_up", "change": row.link, "reason": str(error)}
                if isinstance(error, CouldNotFinish):
                    logger.warning("what became of a change can't be read", extra=facts)
                    at = self.context.clock.now() + self._wait(
                        row.merged_at and row.merged_at + _ask_delay(row)
                    )
                    await self.context.followed.ask_later(row, at)
                else:
                    logger.warning("nobody is asked what became of a change", extra=facts)
                    await self.context.followed.ask_later(row, None)
        return count

    def _wait(self, since: datetime | None) -> timedelta:
        """Returns the time until the next request to a forge that did not answer ``since`` then: as
        long again, within limits.
        """
        now = self.context.clock.now()
        return min(max(now - (since or now), _AGAIN), _SELDOM)

    async def _ask(self, row: Followed) -> bool:
        if row.merged_at is None or not row.debate:
            return False
        debate = await self.context.service.load(row.debate)
        if not await hears(self.context.places, row, debate):
            return await self.context.followed.note_asked(row, None)
        if await try_reactions(self.context, row):
            await self.context.followed.ask_later(row, self.context.clock.now() + SETTLING)
            return False
        known, reverted, touched = await self._known(row, debate)
        if reverted:
            note = e.ForgeNoted(ForgeNote.REVERTED, reverted, self.context.clock.now())
            await self.context.queue.enqueue(row.debate, note, f"reverted:{row.debate}")
            await self._reverted(debate)
        days = _ask_delay(row).days
        again = None
        if row.asks == 0:
            again = row.merged_at + ASKED_AFTER[1]
        if is_settled(debate) and (reverted or not touched):
            return await self.context.followed.note_asked(row, again)
        because = stored(
            "Merged on {why_day}, {days} days ago. {why}",
            why_day=f"{row.merged_at.day} {row.merged_at:%b %Y}",
            days=days,
            why=known,
        )
        command = e.FollowUpDue(stored("Did the verdict hold?"), self.context.clock.now(), because)
        await self.context.queue.enqueue(row.debate, command, f"held:{row.debate}:{row.asks}")
        return await self.context.followed.note_asked(row, again)

    async def _known(self, row: Followed, debate: Debate) -> tuple[str, str, bool]:
        """Describes what happened after the merge, and returns the commit that reverted it and
        whether others changed the lines of a finding.
        """
        assert row.merged_at is not None  # noqa: S101 (only merged ones come here)
        async with self.context.connections.change(row.link, row.key.place) as (poster, link):
            commits = await poster.commits_since(link, row.merged_at, "")
            reverts = [x for x in commits if _takes_back(x, row)]
            fixed: list[str] = []
            for path, lines in _places(debate)[:_FILES]:
                later = await poster.commits_since(link, row.merged_at, path)
                fixed += [
                    stored(
                        "{commit} changed {path} at or near a finding.",
                        commit=x.sha[:7],
                        path=path,
                    )
                    for x in later
                    if x.sha != row.merge_commit and x.touches(path, lines, _NEAR)
                ]
        sentences: list[str] = []
        reverted = ""
        for revert in reverts[:1]:
            reverted = revert.sha[:12]
            sentences.append(stored("{commit} reverts it.", commit=revert.sha[:7]))
        sentences += dict.fromkeys(fixed[:3])
        if not sentences:
            sentences = [stored("No commit since names it or changes the lines of a finding.")]
        return " ".join(sentences), reverted, bool(fixed)


_REVERTS = re.compile(
    r"\brevert\w*\s+(?:(?:commit\s+)?([0-9a-f]{7,40})\b|"
    r"(?:(?:pull|merge) request\s+)?([\w./-]*)[#!](\d+))",
    re.IGNORECASE,
)
"""What ``git revert`` writes of a commit, and what forges write of a change."""


def _ask_delay(row: Followed) -> timedelta:
    """Returns how long after the merge people are asked next."""
    return ASKED_AFTER[min(row.asks, 1)]


def _takes_back(commit: LaterCommit, row: Followed) -> bool:
    """True if a commit's message reverts the merge, or the change by its number."""
    repo, number = row.key.repository.lower(), f"{row.key.number}"
    for merge, where, change in _REVERTS.findall(commit.message):
        if merge and row.merge_commit.startswith(merge.lower()):
            return True
        if change == number and where.lower() in ("", repo):
            return True
    return False


def _places(debate: Debate) -> Sequence[tuple[str, list[int]]]:
    """Returns the files of open findings with their lines, those of the most severe first."""
    lines: dict[str, list[int]] = {}
    if debate.opened is None:
        return ()
    for finding in merge_findings(debate):
        if finding.state is FindingState.OPEN and finding.wording.path and finding.wording.line:
            lines.setdefault(finding.wording.path, []).append(finding.wording.line)
    return list(lines.items())
