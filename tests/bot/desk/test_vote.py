"""A vote on a finding, by its number in the report."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from bot.shell.playing.run import shell_caller
from bot.wire.parts import open_parts
from core.application.commands import Vote
from core.debate.commands import CastVote
from core.debate.state import replay
from core.debate.verdict.findings import merge_findings
from tests.browser.questions import ASKER
from tests.browser.stage import keep, unfinished_review
from tests.end_to_end.played import configured


async def test_a_finding_is_voted_by_its_number(tmp_path: Path) -> None:
    async with open_parts(configured(tmp_path, {})) as parts:
        events = await unfinished_review(parts, "rnng5t8w", datetime.now(UTC))
        await keep(parts, events)
        for number, finding in enumerate(merge_findings(replay(events)), 1):
            answer = await parts.desk.take(
                Vote("not_real", "rnng5t8w", str(number)), shell_caller(ASKER)
            )
            assert answer.ok, answer.text
            taken = await parts.stores.queue.load_waiting("rnng5t8w")
            assert isinstance(taken[-1].command, CastVote)
            assert (taken[-1].command.subject, taken[-1].command.option) == (finding.id, "not_real")
        answer = await parts.desk.take(Vote("real", "rnng5t8w", "99"), shell_caller(ASKER))
        assert (answer.ok, answer.text) == (False, "There is no finding 99.")
