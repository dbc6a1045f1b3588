"""Slack's own MCP client calls the tools for a person whom a signed request names."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import aiohttp

from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn
from tests.standins.slack import signed

QUESTION = "panel Should we split the billing service before the migration?"


async def call(
    place: Office, tool: str, who: Any = None, *, headers: Any = None, **arguments: Any
) -> tuple[int, str]:
    """Calls a tool as Slack does, and returns the status and the answer's text."""
    meta = {"_meta": {"slack": who}} if who else {}
    params = {"name": tool, "arguments": arguments, **meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    both = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    both |= {"MCP-Protocol-Version": "2025-06-18", **(signed(body) if headers is None else headers)}
    assert place.bot is not None
    async with (
        aiohttp.ClientSession() as web,
        web.post(f"{place.bot.address}/mcp", data=body, headers=both) as answer,
    ):
        return answer.status, await answer.text()


def of(user: str, team: str | None = "T1") -> dict[str, Any]:
    return {"user_id": user, "team_id": team, "enterprise_id": None}


async def test_a_person_reads_by_the_signature_of_slack_what_they_may_read(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """A request without the signature or without a person of the workspace is refused."""
    async with office(tmp_path, github, http=True) as place:
        place.slack.world.channel("C2").private = True
        place.slack.world.channel("C2").people = ("U2",)
        open_to_all = await place.debate(QUESTION)
        closed = await place.finished(QUESTION, channel="C2", user="U2")
        status, text = await call(place, "list_debates", of("U1"))
        assert (status, open_to_all in text, closed in text) == (200, True, False)
        assert closed in (await call(place, "list_debates", of("U2")))[1]
        for user, readable in (("U1", False), ("U2", True)):
            verdict = (await call(place, "get_verdict", of(user), debate=closed))[1]
            assert ("decision" in verdict) is readable
        start = (await call(place, "start_debate", of("U1"), target="x", budget_usd=1.0))[1]
        assert "in a channel of Slack" in start

        place.slack.world.user("U8", is_restricted=True)
        place.slack.world.user("U9", deleted=True)
        old = signed("{}", at=time.time() - 301)
        for headers in ({}, {"X-Slack-Signature": "v0=1"}, signed("{}"), signed("{}", "x"), old):
            assert (await call(place, "list_debates", of("U1"), headers=headers))[0] == 401
        for who in (of("U8"), of("U9"), of("U1", "T2")):
            assert (await call(place, "list_debates", who))[0] in (401, 503)
        for nobody in (None, of("U1", None), of("../U1"), {"user_id": "U1"}, "U1"):
            status, text = await call(place, "list_debates", nobody)
            assert (status, open_to_all in text, "for whom it asks" in text) == (200, False, True)
