"""The recorded answers of each provider, in the shapes that its own documentation shows: answers,
thinking, tool calls, failures after words. (How they refuse: ``test_faults``.)

Every good answer says ``SAID`` and took ``TOKENS``, so that one suite can ask the same of all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.models.tokens import TokenCounts
from tests.standins.openai import Raw

SAID = "Looks fine."
TOKENS = TokenCounts(prompt=1000, cached=600, completion=50)
THOUGHT = TokenCounts(prompt=1000, cached=600, completion=250)
KEY = "sk-test-0123456789abcdef"


@dataclass(frozen=True)
class Recording:
    """One answer and what must come of it: the words and counts, or the kind of the error and words
    that its line must hold.
    """

    raw: Raw
    text: str = SAID
    tokens: TokenCounts | None = TOKENS
    calls: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    says: str = ""


@dataclass(frozen=True)
class Dialect:
    """A model by its name, the variables that point it at the stand-in, where it must be asked and
    with which header.
    """

    model: str
    env: Mapping[str, str]
    path: str
    header: tuple[str, str] = ("Authorization", f"Bearer {KEY}")
    recordings: Mapping[str, Recording] = field(default_factory=lambda: {"answer": PLAIN})


def sse(*events: Any, named: bool = False, end: bytes = b"data: [DONE]\n\n") -> Raw:
    """Returns a stream of events; text is sent as it is (comments)."""
    lines = [
        event.encode()
        if isinstance(event, str)
        else (f"event: {event['type']}\n".encode() if named else b"")
        + b"data: "
        + json.dumps(event).encode()
        + b"\n\n"
        for event in events
    ]
    pieces = tuple(lines) if named or not end else (*lines, end)
    return Raw(pieces, headers={"Content-Type": "text/event-stream"})


def whole(body: Any) -> Raw:
    """Returns an answer that is not streamed."""
    return Raw((json.dumps(body).encode(),), headers={"Content-Type": "application/json"})


def chunk(delta: Any = None, ended: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": ended}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m-2025",
        "choices": choices,
    } | more


def usage(cached: Any = None, completion: int = 50, total: int = 1050, **more: Any) -> Any:
    counts: dict[str, Any] = {
        "prompt_tokens": 1000,
        "completion_tokens": completion,
        "total_tokens": total,
    }
    counts |= {"prompt_tokens_details": {"cached_tokens": 600, "audio_tokens": 0}}
    if cached is not None:
        del counts["prompt_tokens_details"]
        counts |= cached
    return counts | more


FIRST = {"role": "assistant", "content": "", "refusal": None}
TALK = (chunk(FIRST), chunk({"content": "Looks "}), chunk({"content": "fine."}))
STOP = chunk({}, "stop")
_SEARCH = {"type": "function", "function": {"name": "web_search", "arguments": ""}}
CALL = (
    chunk(
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, "id": "call_1"} | _SEARCH],
        }
    ),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"query":'}}]}),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": ' "x"}'}}]}),
    chunk({}, "tool_calls"),
)
CALLED = (("web_search", '{"query": "x"}'),)

PLAIN: Recording = Recording(sse(*TALK, STOP, chunk(usage=usage())))
