"""The pictures' drawings of threads show what was posted, and nothing foreign becomes markup."""

from __future__ import annotations

import re
from html import escape, unescape
from types import MappingProxyType

import pytest

from adapters.ports.chat import Post
from core.debate.state import replay
from tests.adapters.posts.test_content import review
from tests.adapters.posts.told import posted, standing
from tests.browser.accepted import accepted_page
from tests.browser.threads import Votes, discord_page, slack_page
from tests.core.table import finding, table

EVIL = '<script>alert("x")</script> **b** `c` [l](https://evil.example)'


def drawn(platform: str, posts: list[Post], votes: Votes = MappingProxyType({})) -> str:
    return slack_page(posts, votes) if platform == "slack" else discord_page(posts, votes)


@pytest.mark.parametrize("platform", ["slack", "discord"])
def test_every_title_and_button_is_drawn(platform: str) -> None:
    events = review().events
    posts = standing(posted(events))
    page = unescape(drawn(platform, posts, replay(events).votes))
    for post in posts:
        assert (post.who or post.title) in page
        assert all(f"<button>{b.label}</button>" in page for b in post.buttons if not b.more)
    assert ("💬 2" in page, "✅ 1" in page) == (True, True)


@pytest.mark.parametrize("platform", ["slack", "discord"])
def test_foreign_words_are_words(platform: str) -> None:
    t = table().says("t1", "request_changes", text=EVIL, findings=[finding(EVIL, fix=EVIL)])
    posts = standing(posted(t.says("t2", "approve").says("t3", "approve").events))
    page = drawn(platform, posts)
    assert "<script" not in page
    assert escape("<script>", quote=False) in page
    assert set(re.findall(r'href="([^"]*)"', page)) == {"#"}


async def test_slack_accepts_tables_plans_and_thumbs_and_they_are_drawn() -> None:
    page = unescape(await accepted_page())
    assert page.count("<table>") == 1
    assert "|" not in page
    for text in (
        "✅ Proposer",
        "⏳ Operations critic",
        "○ Cost critic",
        "👍 Useful · 👎 Not useful",
    ):
        assert text in page
