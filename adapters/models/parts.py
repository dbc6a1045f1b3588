"""The parts of a request that a model may refuse, and the request without each of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestPart:
    """A part of a request that a model may refuse.

    ``whole`` is an answer that comes in one piece, which a few models refuse to give.

    ``named`` finds it in the words of a refusal; ``there`` is True if a body has it; ``without`` is
    the body without it. Parts that are ``suspect`` are also left out after a refusal that names
    nothing.
    """

    name: str
    named: re.Pattern[str]
    there: Callable[[Body], bool]
    without: Callable[[Body], Body]
    suspect: bool = False


def _left_out(*keys: str) -> Callable[[Body], Body]:
    return lambda body: {k: v for k, v in body.items() if k not in keys}


def _has(*keys: str) -> Callable[[Body], bool]:
    return lambda body: any(key in body for key in keys)


def _renamed(one: str, other: str) -> Callable[[Body], Body]:
    return lambda body: {(other if k == one else k): v for k, v in body.items()}


def _shape(body: Body) -> str:
    return str(body.get("response_format", {}).get("type", ""))


def _marked(body: Body) -> list[Body]:
    """Returns the blocks of a body's messages that can hold a cache mark."""
    messages = [*body.get("messages", ()), {"content": body.get("system", "")}]
    contents = [m.get("content") for m in messages if isinstance(m, dict)]
    return [b for c in contents if isinstance(c, list) for b in c if isinstance(b, dict)]


def _on_blocks(body: Body, change: Callable[[Body], Body]) -> Body:
    """Returns the body with each block of its messages changed."""

    def changed(content: Any) -> Any:
        if isinstance(content, list):
            return [change(b) if isinstance(b, dict) else b for b in content]
        return content

    made = {
        **body,
        "messages": [{**m, "content": changed(m.get("content"))} for m in body["messages"]],
    }
    return made | ({"system": changed(body["system"])} if "system" in body else {})


def _lasts(block: Body) -> bool:
    return "ttl" in block.get("cache_control", ())


def _for_minutes(block: Body) -> Body:
    if _lasts(block):
        return block | {"cache_control": {"type": "ephemeral"}}
    return block


_MARKS = ("cache_control", "prompt_cache_breakpoint")
_CACHING = ("prompt_cache_key", "prompt_cache_options")


def _unmarked(body: Body) -> Body:
    plain = {k: v for k, v in body.items() if k not in _CACHING}
    return _on_blocks(plain, lambda b: {k: v for k, v in b.items() if k not in _MARKS})


def _has_marks(body: Body) -> bool:
    return any(k in body for k in _CACHING) or any(m in b for b in _marked(body) for m in _MARKS)


def _as_user(body: Body) -> Body:
    """Returns the body without a system message, its words before the user's; neighbours of one
    role become one message, because models without that role want alternating ones as well.
    """
    merged: list[Body] = []
    for message in body["messages"]:
        role = message["role"]
        if role == "system":
            role = "user"
        if role != "user":
            merged.append(message)
            continue
        text = _text(message["content"])
        if merged and merged[-1]["role"] == "user":
            text = f"{merged.pop()['content']}\n\n{text}"
        merged.append({"role": role, "content": text})
    return body | {"messages": merged}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content)
    return str(content or "")


def _without_shaping(member: str) -> Callable[[Body], Body]:
    def without(body: Body) -> Body:
        left = {k: v for k, v in body["output_config"].items() if k != member}
        rest = {k: v for k, v in body.items() if k != "output_config"}
        return rest | ({"output_config": left} if left else {})

    return without


_SHAPE = re.compile(
    r"response.?format|json.?(schema|object|mode)|structured|grammar|guided|output_(config|format)|schema"
)
PARTS = (
    RequestPart(
        "max_tokens",
        re.compile(r"max_completion_tokens.{0,20}instead|instead.{0,40}max_completion_tokens"),
        _has("max_tokens"),
        _renamed("max_tokens", "max_completion_tokens"),
    ),
    RequestPart(
        "max_completion_tokens",
        re.compile(r"max_completion_tokens"),
        _has("max_completion_tokens"),
        _renamed("max_completion_tokens", "max_tokens"),
    ),
    RequestPart(
        "temperature", re.compile(r"temperature"), _has("temperature"), _left_out("temperature")
    ),
    RequestPart(
        "effort",
        re.compile(r"reasoning|effort|thinking"),
        _has("reasoning_effort", "reasoning"),
        _left_out("reasoning_effort", "reasoning"),
    ),
    RequestPart(
        "depth",
        re.compile(r"effort|thinking"),
        lambda body: "effort" in body.get("output_config", ()),
        _without_shaping("effort"),
    ),
    RequestPart(
        "ttl",
        re.compile(r"\bttl\b"),
        lambda body: any(map(_lasts, _marked(body))),
        lambda body: _on_blocks(body, _for_minutes),
    ),
    RequestPart(
        "marks",
        re.compile(r"prompt.?cache|cache.?(control|breakpoint|mark)"),
        _has_marks,
        _unmarked,
    ),
    RequestPart(
        "system",
        re.compile(
            r"system.{0,40}(role|message|prompt|instruction)|role.{0,60}system"
            r"|developer.?(instruction|role|message)|roles must alternate"
        ),
        lambda body: any(m.get("role") == "system" for m in body.get("messages", ())),
        _as_user,
    ),
    RequestPart(
        "stream_options",
        re.compile(r"stream.?options|include_usage"),
        _has("stream_options"),
        _left_out("stream_options"),
    ),
    RequestPart(
        "streamed",
        re.compile(
            r"verified to stream|stream(ing)?\b.{0,60}(not |un)(support|allow|available|enabled)"
            r"|(not|n't|cannot).{0,30}\bstream|param\W{1,6}stream\b"
        ),
        lambda body: body.get("stream") is True,
        _left_out("stream", "stream_options"),
    ),
    RequestPart(
        "whole",
        re.compile(r"only.{0,20}stream|stream.{0,40}(required|must|only|true)"),
        lambda body: "stream" not in body,
        lambda body: body | {"stream": True},
    ),
    RequestPart(
        "tools",
        re.compile(r"\btools?\b|function.?call"),
        _has("tools"),
        _left_out("tools", "tool_choice"),
    ),
    RequestPart(
        "json_schema",
        _SHAPE,
        lambda body: _shape(body) == "json_schema",
        lambda body: body | {"response_format": {"type": "json_object"}},
        suspect=True,
    ),
    RequestPart(
        "json_object",
        _SHAPE,
        lambda body: _shape(body) == "json_object",
        _left_out("response_format"),
        suspect=True,
    ),
    RequestPart(
        "format",
        _SHAPE,
        lambda body: "format" in body.get("output_config", ()),
        _without_shaping("format"),
        suspect=True,
    ),
)
"""The parts of a request in the order in which they are left out: first those that a refusal names
precisely.
"""
