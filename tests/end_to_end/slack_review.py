"""A webhook of GitHub as it reaches the bot's own address."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from aiohttp import ClientSession

from tests.bot.forges.town import EXAMPLES, NUMBER, REPO, SECRET
from tests.end_to_end.discord_city import City
from tests.end_to_end.slack_office import Office
from tests.standins.openai import TWO_MODELS, OpenAI


def following(provider: OpenAI) -> dict[str, Any]:
    """Returns the settings of a bot that GitHub tells what happens, with two paid models."""
    return {
        "GITHUB_TOKEN": "personal",
        "GITHUB_WEBHOOK_SECRET": SECRET,
        "DEBATE_PUBLIC_URL": "https://bot.example",
        **provider.settings(TWO_MODELS),
    }


async def tell(place: Office | City, action: str, **more: Any) -> int:
    """Delivers a webhook about the pull request to the bot's own address, as GitHub does."""
    payload = json.loads(json.dumps(EXAMPLES[f"pull_request.{action}"]))
    payload["repository"] |= {"full_name": REPO, "html_url": f"https://github.com/{REPO}"}
    pull = place.github.pulls[REPO, NUMBER]
    payload["pull_request"] |= {
        "number": NUMBER, "draft": False, "updated_at": place.time.now().isoformat(),
    }  # fmt: skip
    payload["pull_request"]["head"]["sha"] = pull.head
    body = json.dumps(payload | more).encode()
    digest = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "X-GitHub-Event": "pull_request",
        "X-Hub-Signature-256": f"sha256={digest}",
        "Content-Type": "application/json",
    }
    assert place.bot is not None
    async with (
        ClientSession() as session,
        session.post(f"{place.bot.address}/github/events", data=body, headers=headers) as answer,
    ):
        return answer.status
