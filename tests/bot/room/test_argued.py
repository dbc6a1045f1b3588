"""A review that was argued, as its page in the browser shows it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from tests.bot.room.serving import served
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import Speakers
from tests.standins.github import GitHubStandIn


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


async def test_each_answer_names_the_finding_and_no_id(tmp_path: Path) -> None:
    async with GitHubStandIn().running() as github:
        github.load_case("py-static-prefix")
        async with served(tmp_path, make_models=Speakers, GITHUB_API_URL=github.url) as room:
            debate = await room.debate("code_review", target=LINK)
            _, page, _ = await room.get(f"/d/{debate.id}")
    section = page.partition('<section id="round-3"')[2].partition("</section>")[0]
    lists = [words(one) for one in re.findall(r"<ul class=\"answers\".*?</ul>", section, re.DOTALL)]
    sibling, missing = "A sibling directory passes the", "A file that is not there ends the request"
    assert len(lists) == 3
    for page in lists:
        assert f"{sibling} containment check (security) is real and must be fixed" in page
        assert missing not in page, "its line was there before the change, so it is not argued"
    assert not re.findall(r"\bt\d+\.f\d+\b", words(section))
