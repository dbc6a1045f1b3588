"""The page of a debate, as it goes to a browser."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from markupsafe import escape

from tests.bot.parts import until
from tests.bot.room.serving import served
from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import Speakers
from tests.standins.github import GitHubStandIn


async def test_it_is_the_same_for_every_reader_packed_or_not_until_the_debate_is_deleted(
    tmp_path: Path,
) -> None:
    """After the deletion the page says so and offers nothing."""
    async with served(tmp_path) as room:
        debate = await room.settled()
        await room.get("/")  # a cookie: with it all forms say the same
        pages = [
            await room.get(f"/d/{debate.id}", **{"Accept-Encoding": how})
            for how in ("identity", "gzip", "identity")
        ]
        assert [headers.get("Content-Encoding") for *_, headers in pages] == [None, "gzip", None]
        first, *others = [page for _, page, _ in pages]
        assert others == [first, first]
        _, _, transcript = first.partition('<div id="rounds">')
        spoken = [f"turn-{turn.id}" for turn in debate.turns if turn.id in debate.finished]
        assert re.findall(r'<article class="turn" id="([^"]*)"', transcript) == spoken
        assert first.rstrip().endswith("</html>")
        async with room.web.head(f"{room.bot.address}/d/{debate.id}") as answer:  # its head alone
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert await answer.read() == b""

        await until(lambda: room.parts.retention.delete(debate, "they asked for it"))
        status, page, _ = await room.get(f"/d/{debate.id}")
        assert status == 200
        assert '<p class="about">Triad</p>' in page
        assert page.count("Its texts were deleted on ") == 1
        assert re.search(r'id="p-fork"[^>]* hidden', page)
        assert "did this verdict hold" not in page
        assert debate.request.target not in page
        assert (await room.get(f"/d/{debate.id}/forks"))[0] == 200


async def test_what_could_not_start_says_why_once(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        debate = await room.debate("code_review", target="github:no body")
        _, page, _ = await room.get(f"/d/{debate.id}")
        assert '<h1 id="verdict-title">It could not start.</h1>' in page
        assert debate.failure
        assert page.count(str(escape(debate.failure))) == 1


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
