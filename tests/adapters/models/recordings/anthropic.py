"""Anthropic's own protocol."""

from __future__ import annotations

from typing import Any

from adapters.models.tokens import TokenCounts
from tests.adapters.models.recordings import CALLED, SAID, THOUGHT, Recording, error, sse


def begun(**counts: int) -> dict[str, Any]:
    return {
        "type": "message_start",
        "message": {
            "id": "chatcmpl-1",
            "type": "message",
            "role": "assistant",
            "model": "m-2025",
            "content": [],
            "stop_reason": None,
            "usage": {"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 1}
            | counts,
        },
    }


def delta(index: int, kind: str, **what: str | None) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind} | what}


def block(index: int, kind: str, **what: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind} | what}


def ended(reason: str, tokens: int = 50) -> tuple[dict[str, Any], ...]:
    return (
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": tokens},
        },
        {"type": "message_stop"},
    )


WORDS = (
    block(0, "text", text=""),
    {"type": "ping"},
    delta(0, "text_delta", text="Looks "),
    delta(0, "text_delta", text="fine."),
    {"type": "content_block_stop", "index": 0},
)
NULLS = begun()
NULLS["message"] |= {"type": None, "content": None, "error": None}
ANTHROPIC = {
    "answer": Recording(sse(begun(), *WORDS, *ended("end_turn"), named=True)),
    "nulls of a gateway": Recording(
        sse(
            *(NULLS, WORDS[0], delta(0, "text_delta", text=SAID, id=None, name=None, input=None)),
            *ended("end_turn"),
            named=True,
        )
    ),
    "written into the cache": Recording(
        sse(
            begun(cache_read_input_tokens=0, cache_creation_input_tokens=600),
            *WORDS,
            *ended("end_turn"),
            named=True,
        ),
        tokens=TokenCounts(1000, 0, 600, 50),
    ),
    "thinking": Recording(
        sse(
            begun(),
            block(0, "thinking", thinking="", signature=""),
            delta(0, "thinking_delta", thinking="hm"),
            delta(0, "signature_delta", signature="x"),
            {"type": "content_block_stop", "index": 0},
            block(1, "text", text=""),
            delta(1, "text_delta", text=SAID),
            *ended("end_turn", 250),
            named=True,
        ),
        tokens=THOUGHT,
    ),
    "tool call": Recording(
        sse(
            begun(),
            block(0, "tool_use", id="call_1", name="web_search", input={}),
            delta(0, "input_json_delta", partial_json=""),
            delta(0, "input_json_delta", partial_json='{"query":'),
            delta(0, "input_json_delta", partial_json=' "x"}'),
            *ended("tool_use"),
            named=True,
        ),
        text="",
        calls=CALLED,
    ),
    "not streamed": Recording(
        error(
            200,
            {
                "id": "chatcmpl-1",
                "type": "message",
                "role": "assistant",
                "model": "m-2025",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "x"},
                    {"type": "text", "text": SAID},
                ],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 50},
            },
        )
    ),
    "tool call, not streamed": Recording(
        error(
            200,
            {
                "id": "chatcmpl-1",
                "type": "message",
                "model": "m-2025",
                "content": [
                    {
                        "type": "tool_use",
                        "id": "call_1",
                        "name": "web_search",
                        "input": {"query": "x"},
                    }
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 50},
            },
        ),
        text="",
        calls=(("web_search", '{"query":"x"}'),),
    ),
    "refusal": Recording(sse(begun(), *ended("refusal"), named=True), kind="refused_by_policy"),
    "bad key": Recording(
        error(
            401,
            {
                "type": "error",
                "error": {"type": "authentication_error", "message": "invalid x-api-key"},
                "request_id": "req_1",
            },
        ),
        kind="bad_key",
        says="set ANTHROPIC_API_KEY to one that",
    ),
    "no credit": Recording(
        error(
            400,
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "Your credit balance is too low to access the API.",
                },
            },
        ),
        kind="no_credit",
    ),
    "rate limit": Recording(
        error(
            429,
            {
                "type": "error",
                "error": {"type": "rate_limit_error", "message": "This request would exceed …"},
            },
            retry_after="21",
        ),
        kind="rate_limited",
        wait=21.0,
    ),
    "overloaded": Recording(
        error(
            529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        ),
        kind="rate_limited",
    ),
    "overloaded in mid-answer": Recording(
        sse(
            begun(),
            *WORDS[:3],
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            named=True,
        ),
        kind="rate_limited",
    ),
    "too long": Recording(
        error(
            400,
            {
                "type": "error",
                "error": {
                    "type": "invalid_request_error",
                    "message": "prompt is too long: 210000 tokens > 200000 maximum",
                },
            },
        ),
        kind="context_too_long",
    ),
}
