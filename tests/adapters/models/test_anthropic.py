"""What reaches Anthropic through litellm: cache marks where the bill depends on them, a bound on
the answer, and no other traffic.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import web

from adapters.models import prices
from adapters.models.litellm import Hosted
from core.ports import CallOptions, Message
from tests.patience import PATIENCE

PROMPT = (
    Message("system", "Argue."),
    Message("user", "the material", cache=True),
    Message("user", "the transcript", cache=True),
    Message("user", "Your turn."),
)
USAGE = {
    "input_tokens": 20,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 900,
    "output_tokens": 1,
}
EVENTS: tuple[dict[str, Any], ...] = (
    {
        "type": "message_start",
        "message": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [],
            "usage": USAGE,
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": '{"text": "Fi'},
    },
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 'ne."}'}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 30}},
    {"type": "message_stop"},
)


@pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")
async def test_prefixes_are_marked_for_the_cache_and_read_from_it() -> None:
    asked: list[dict[str, Any]] = []

    async def messages(request: web.Request) -> web.StreamResponse:
        asked.append(await request.json())
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in EVENTS:
            await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        return response

    app = web.Application()
    app.router.add_post("/v1/messages", messages)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    facts = prices.facts("anthropic/claude-sonnet-4-5")
    assert facts is not None
    env = {
        "ANTHROPIC_API_KEY": "sk-ant-0123456789",
        "ANTHROPIC_API_BASE": f"http://127.0.0.1:{runner.addresses[0][1]}",
    }
    words: list[str] = []
    try:
        asking = CallOptions(
            max_tokens=300,
            timeout=PATIENCE,
            schema={"type": "object", "properties": {"text": {"type": "string"}}},
        )
        reply = await Hosted("anthropic/claude-sonnet-4-5", facts, env, clean=str).reply(
            PROMPT, asking, words.append
        )
    finally:
        await runner.cleanup()
    assert (reply.text, words) == ('{"text": "Fine."}', ["Fi", "ne."])
    assert (
        reply.usage.prompt_tokens,
        reply.usage.cached_tokens,
        reply.usage.completion_tokens,
    ) == (920, 900, 30)
    assert reply.usage.usd == pytest.approx(20 * 3e-06 + 900 * 3e-07 + 30 * 1.5e-05)
    (request,) = asked
    assert request["max_tokens"] == 300
    assert [b["text"] for b in request["system"]] == ["Argue."]
    blocks = [b for m in request["messages"] for b in m["content"]]
    assert [(b["text"], b.get("cache_control")) for b in blocks] == [
        ("the material", {"type": "ephemeral"}),
        ("the transcript", {"type": "ephemeral"}),
        ("Your turn.", None),
    ]
    assert "tools" not in request, "the answer is bound by a schema, not by a forced tool"
