"""A review whose price was shown first reads all that a review reads that begins at once."""

from __future__ import annotations

from pathlib import Path

from core.debate.events import DebateRequest
from tests.adapters.material.test_surroundings import DIFF, FILES, LINK
from tests.bot.debates.provider import Provider, hosted
from tests.standins.github import HEAD, GitHubStandIn, Pull

RULES = {
    "a/AGENTS.md": "Totals are sums of cents.\n",
    "docs/adr/0007-cents.md": "# 7. Cents\n\nStatus: accepted\n\nSee a/total.py.\n",
}


async def test_a_priced_review_reads_the_rules_and_records_below_the_root_too(
    tmp_path: Path,
) -> None:
    request = DebateRequest("code_review", LINK, "slack:T1/U1", "slack:T1/C1")
    async with GitHubStandIn().running() as forge:
        forge.pulls["o/r", 412] = Pull(diff=DIFF)
        forge.trees[HEAD] = FILES | RULES
        async with hosted(tmp_path, Provider(), GITHUB_API_URL=forge.url) as parts:
            at_once = (await parts.service.prepare(request)).opened.material
            priced = await parts.service.price(request)
            after_price = (await parts.service.prepare(request)).opened.material
    assert "a/AGENTS.md" in at_once.facts["guidelines"]
    assert at_once.records
    assert after_price == at_once
    assert priced.read.around
