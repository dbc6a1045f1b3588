"""The review of a pull request in the room: its exact text first, then one press."""

from __future__ import annotations

import asyncio
import html
import re
from pathlib import Path
from typing import Any

from bot.forges.review import preview_review
from tests.bot.debates.provider import Provider
from tests.bot.forges.town import NUMBER, REPO, diff, reply
from tests.bot.room.serving import served
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai


async def test_the_exact_text_is_shown_and_that_is_posted(tmp_path: Path) -> None:
    provider = Provider(reply)
    async with GitHubStandIn().running() as github, openai(provider):
        github.pulls[REPO, NUMBER] = Pull(diff=diff(a=["x = 1 # BUG <one>"]))
        env: dict[str, Any] = {
            "GITHUB_TOKEN": "personal",
            "GITHUB_API_URL": github.url,
            **provider.settings("openai/gpt-4.1,openai/gpt-4.1-mini"),
        }
        async with served(tmp_path, **env) as room:
            link = f"https://github.com/{REPO}/pull/{NUMBER}"
            debate = await room.debate("code_review", target=link)
            _, page, _ = await room.get(f"/d/{debate.id}")
            assert f'href="/d/{debate.id}/review"' in page
            _, page, _ = await room.get(f"/d/{debate.id}/review")
            _, review = await preview_review(room.parts.forges.context, debate.id)
            match = re.search(r"<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
            assert match is not None
            assert html.unescape(match[1]).strip() == review.render().strip()
            value = f"{debate.id}:{review.digest}"
            assert f'value="approve"><input type="hidden" name="value" value="{value}"' in page
            _, record, _ = await room.get(f"/d/{debate.id}/record")
            assert "Chosen option:" in record
            assert 'name="action" value="propose"' in record
            assert not github.written.reviews[REPO, NUMBER]
            form: dict[str, Any] = {"token": await room.token(), "value": value}
            assert (await room.post("/press", action="approve", **form))[0] == 303
            async with asyncio.timeout(PATIENCE):
                while not github.written.reviews[REPO, NUMBER]:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            (posted,) = github.written.reviews[REPO, NUMBER]
            assert posted.body == review.body
