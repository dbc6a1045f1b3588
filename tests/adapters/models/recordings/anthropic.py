"""Anthropic's own protocol."""

from __future__ import annotations

from typing import Any

from adapters.models.tokens import TokenCounts
from tests.adapters.models.recordings import CALLED, SAID, THOUGHT, Recording, sse
from tests.adapters.models.recordings import whole as answered
from tests.standins.openai import Raw

FACTS: dict[str, Any] = {"id": "chatcmpl-1", "type": "message", "model": "m-2025"}
COUNTS = {"input_tokens": 400, "cache_read_input_tokens": 600}


def begun(**counts: int) -> dict[str, Any]:
    usage = COUNTS | {"output_tokens": 1} | counts
    empty: dict[str, Any] = {"role": "assistant", "content": [], "stop_reason": None}
    return {"type": "message_start", "message": FACTS | empty | {"usage": usage}}


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


def streamed(*events: Any, first: Any = None, **more: Any) -> Recording:
    return Recording(sse(first or begun(), *events, named=True), **more)


def whole(*content: dict[str, Any], ended: str = "end_turn") -> Raw:
    usage = COUNTS | {"output_tokens": 50}
    return answered(FACTS | {"content": content, "stop_reason": ended, "usage": usage})


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
TEXT = {"type": "text", "text": SAID}
USED = {"type": "tool_use", "id": "call_1", "name": "web_search", "input": {"query": "x"}}
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
    "answer": streamed(*WORDS, *ended("end_turn")),
    "nulls of a gateway": Recording(
        sse(
            *(NULLS, WORDS[0], delta(0, "text_delta", text=SAID, id=None, name=None, input=None)),
            *ended("end_turn"),
            named=True,
        )
    ),
    "written into the cache": streamed(
        *(*WORDS, *ended("end_turn")),
        first=begun(cache_read_input_tokens=0, cache_creation_input_tokens=600),
        tokens=TokenCounts(1000, 0, 600, 50),
    ),
    "thinking": streamed(
        block(0, "thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="hm"),
        delta(0, "signature_delta", signature="x"),
        {"type": "content_block_stop", "index": 0},
        block(1, "text", text=""),
        delta(1, "text_delta", text=SAID),
        *ended("end_turn", 250),
        tokens=THOUGHT,
    ),
    "tool call": streamed(
        block(0, "tool_use", id="call_1", name="web_search", input={}),
        delta(0, "input_json_delta", partial_json=""),
        delta(0, "input_json_delta", partial_json='{"query":'),
        delta(0, "input_json_delta", partial_json=' "x"}'),
        *ended("tool_use"),
        text="",
        calls=CALLED,
    ),
    "not streamed": Recording(
        whole({"type": "thinking", "thinking": "hm", "signature": "x"}, TEXT),
    ),
    "tool call, not streamed": Recording(
        whole(USED, ended="tool_use"), text="", calls=(("web_search", '{"query":"x"}'),)
    ),
    "refusal": streamed(*ended("refusal"), kind="refused_by_policy"),
    "overloaded in mid-answer": streamed(*WORDS[:3], OVERLOADED, kind="rate_limited"),
}
