"""The requests of a program with a token: every call of the interface with wrong, huge and deep
members, and an assistant's messages to ``/mcp``, in both of the protocol's ways.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any
from urllib.parse import quote_plus

from adapters.api.operations import OPERATIONS, Operation
from tools.fuzz import inputs

Text = Callable[[Random, int], str]
_ROWS = {(each.method, each.address): each for each in OPERATIONS}
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 10**18, 10**30, -(10**30), 1e308, [], {}, [[]], {"a": {}}),
    *("", "yes", "x" * 301, "\0", "é", "\ud800", [1] * 5_000, {"a": "b" * 9_000}),
)
_TOOLS = ("start_debate", "wait_debate", "get_verdict", "challenge", "stop_debate", "list_debates")
_METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "resources/list", "resources/read"),
    *("resources/templates/list", "prompts/list", "prompts/get", "completion/complete"),
    *("tasks/get", "tasks/cancel", "tasks/update", "subscriptions/listen", "logging/setLevel"),
    *("notifications/cancelled", "nothing/at-all"),
)
_ERAS = ("2026-07-28", "2025-11-25", "2024-11-05", "1999-01-01", "é")
_META = "io.modelcontextprotocol"


def query(method: str, path: str, random: Random, text: Text) -> str:
    """Returns a query string. No call waits for long, or all of them would."""
    row = _ROWS.get((method, path))
    pairs: list[tuple[str, str]] = []
    for one in row.asks if row else ():
        if one.name == "seconds":
            pairs.append((one.name, random.choice(("0", "1", "x", "-1", "0" * 300))))
        elif random.random() < 0.5:
            pairs.append((one.name, text(random, one.field.most)))
    return "&".join(f"{quote_plus(n)}={quote_plus(v)}" for n, v in pairs)[:7_000]


def body(method: str, path: str, random: Random, text: Text, pasted: bytes) -> bytes:
    """Returns a JSON body for a call."""
    row = _ROWS[method, path]
    chosen = random.random()
    if chosen < 0.1:
        return pasted
    members = {one.name: _member(row, one.name, random, text) for one in _chosen(row, random)}
    if "budget" in members and random.random() < 0.8:
        members["budget"] = 0.01
    if "text" in members and random.random() < 0.4:
        members["text"] = pasted.decode("utf-8", "replace")[: random.choice((300, 20_000, 900_000))]
    if random.random() < 0.05:
        members["zzz"] = random.choice(_ODD)
    return json.dumps(members).encode()


def _chosen(row: Operation, random: Random) -> list[Any]:
    usual = {"template", "target", "budget"}
    return [one for one in row.says if one.required or one.name in usual or random.random() < 0.15]


def _member(row: Operation, name: str, random: Random, text: Text) -> Any:
    if name == "template" and random.random() < 0.8:
        return random.choice(("triad", "panel", "code_review", "design_doc"))
    schema: Mapping[str, Any] = next(one.schema for one in row.says if one.name == name)
    if random.random() < 0.15:
        return random.choice(_ODD)
    match schema["type"]:
        case "boolean":
            return random.random() < 0.5
        case "integer" | "number":
            return random.choice((0, 1, 2, 0.01, 10**9, -1))
        case _:
            return text(random, schema.get("maxLength", 300) + random.choice((0, 0, 0, 1)))


def message(random: Random, debate: str, text: Text, pasted: bytes) -> tuple[bytes, str]:
    """Returns a client's message with the headers of its transport."""
    era = random.choice(_ERAS[:2] if random.random() < 0.9 else _ERAS)
    called = random.random() < 0.7
    method = "tools/call" if called else random.choice(_METHODS)
    name = random.choice((*_TOOLS, "nothing")) if called else ""
    given = (
        _arguments(name, random, debate, text, pasted) if called else _params(random, debate, text)
    )
    params: Any = {"name": name, "arguments": given} if called else given
    if isinstance(params, dict) and era == _ERAS[0]:
        able: Any = random.choice(
            ({}, {"extensions": {f"{_META}/tasks": {}}}, {"elicitation": {}}, [])
        )
        params["_meta"] = {
            f"{_META}/protocolVersion": era,
            f"{_META}/clientInfo": {"name": "fuzz", "version": "1"},
            f"{_META}/clientCapabilities": able,
        }
    whole: Any = {"jsonrpc": "2.0", "id": random.choice((1, "x", 2**53)), "method": method}
    whole["params"] = params
    if random.random() < 0.05:
        whole = random.choice(([whole] * 50, params, _ODD))
    sent = json.dumps(whole).encode() if random.random() < 0.95 else pasted
    heads = f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {era}\r\n"
    return sent, f"{heads}Mcp-Method: {method}\r\n" + (f"Mcp-Name: {name}\r\n" if name else "")


def _arguments(name: str, random: Random, debate: str, text: Text, pasted: bytes) -> Any:
    known: dict[str, Any] = {"debate": debate if random.random() < 0.8 else text(random, 100)}
    if name == "start_debate":
        target = text(random, 300)
        if random.random() < 0.5:
            target = pasted.decode("utf-8", "replace")[: random.choice((3_000, 900_000))]
        known = {"target": target, "template": random.choice(("", "triad", "panel", "code_review"))}
        known["budget_usd"] = 0.01
    elif name == "wait_debate":
        known |= {"after_event": random.choice((0, 3, 10**30)), "max_wait_s": 0}
    elif name == "challenge":
        known |= {"text": text(random, 4_000), "finding": text(random, 300)}
    elif name == "list_debates":
        known = {"target": text(random, 1_000)}
    if random.random() < 0.15:
        known[random.choice(list(known))] = random.choice(_ODD)
    return known if random.random() < 0.97 else random.choice(_ODD)


def _params(random: Random, debate: str, text: Text) -> Any:
    form = random.choice(("verdict", "transcript", "findings.sarif", "x"))
    made = inputs.spliced(inputs.MARKDOWN)(random)[:500]
    odd = random.choice(_ODD)
    return random.choice(
        (
            {"uri": f"debate://{debate}/{form}"},
            {"uri": text(random, 300)},
            {"taskId": debate},
            {"taskId": made, "inputResponses": odd},
            {"name": "debate_changes", "arguments": {"target": text(random, 20_000)}},
            {"protocolVersion": text(random, 40), "capabilities": odd, "clientInfo": odd},
            {"cursor": text(random, 300)},
            odd,
        )
    )
