"""An objection to a verdict whose answers cost more than the limit: nobody is asked before the
person has seen the price and agreed, and their words come back.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.debate.events import ChallengeRaised, DebateRequested, Event
from core.debate.verdict.findings import merge_findings
from tests.bot.mcp.talking import called as tool
from tests.bot.mcp.talking import refused
from tests.bot.mcp.test_http import connected
from tests.bot.parts import until
from tests.bot.room.serving import Served, served
from tests.bot.room.test_api import SERVICE, called, made
from tests.bot.room.test_prices import LIMIT, paid_review
from tests.browser.stage import keep
from tests.standins.openai import Fail, openai

WORDS = "The caller holds the lock, so nothing runs twice."


async def objections(room: Served, id: str) -> list[str]:
    events: list[Event] = list(await room.parts.stores.debates.load(id))
    return [event.text for event in events if isinstance(event, ChallengeRaised)]


async def seen_by_program(room: Served) -> str:
    """Keeps a finished review of paid models that a program's service asked for."""
    request, *rest = await paid_review(room.parts)
    assert isinstance(request, DebateRequested)
    request_now = replace(request.request, asker=SERVICE, place=SERVICE)
    return await keep(room.parts, [replace(request, request=request_now), *rest])


async def test_every_way_to_object_shows_the_price_first(tmp_path: Path) -> None:
    async with openai() as provider:
        provider.answers = [Fail(401, "no")]
        env = provider.settings("scripted") | {"DEBATE_ASK_ABOVE": LIMIT}
        async with served(tmp_path, **env) as room:
            id = await seen_by_program(room)
            before = await objections(room, id)
            form = {"token": await room.token(), "action": "challenge", "value": id}
            _, page, _ = await room.post("/press", {}, **form, text=WORDS)
            assert "Price: $" in page
            assert f">{WORDS}</textarea>" in page

            secret = await made(room, "read", "act")
            path = f"/api/v1/debates/{id}/challenges"
            status, reply = await called(room, secret, "POST", path, json={"text": WORDS})
            assert status == 402
            assert "Price: $" in reply["detail"]
            assert '"yes": true' in reply["detail"]
            async with connected(room, secret=secret) as client:
                reason = await refused(client, "challenge", debate=id, text=WORDS)
                assert "Price: $" in reason
                assert "--yes" in reason
            assert await objections(room, id) == before
            assert provider.requests == []

            finding = merge_findings(await room.parts.service.load(id))[0].id
            agreed = {"text": WORDS, "finding": finding, "yes": True}
            status, reply = await called(room, secret, "POST", path, json=agreed)
            assert (status, reply["text"][:6]) == (200, "Taken."), reply
            async with connected(room, secret=secret) as client:
                one = {"debate": id, "text": f"--yes {WORDS}", "finding": finding}
                assert (await tool(client, "challenge", **one))["said"].startswith("Taken.")

            async def both() -> list[str]:
                return (await objections(room, id))[len(before) + 1 :]

            assert await until(both) == [f"On {finding}: {WORDS}"]
            assert (await objections(room, id))[-2:] == [f"On {finding}: {WORDS}"] * 2
