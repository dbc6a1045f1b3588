"""Slack's refusals as data: schemas generated from its own types, and the documented limits that
they miss.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
from jsonschema import Draft7Validator

from tests.standins.inert import live_in_slack
from tests.standins.schemas import Schema

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
JSON_ARGUMENTS = frozenset({"blocks", "metadata", "view", "attachments", "prompts", "files"})
MESSAGES = frozenset({"chat.postMessage", "chat.postEphemeral", "chat.update"})

Body = Mapping[str, Any]


@cache
def _schemas() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        (SCHEMAS / "slack-requests.schema.json").read_text(encoding="utf-8")
    )
    return loaded


@cache
def _validator(kind: str, name: str) -> Schema | None:
    schema = _schemas()[kind].get(name)
    if not schema:
        return None
    whole = {**schema, "definitions": _schemas()["definitions"]}
    compiled = jsonschema_rs.Draft7Validator(whole, validate_formats=False)
    return Schema(compiled, Draft7Validator(whole))


@cache
def manifest_validator() -> Draft7Validator:
    return Draft7Validator(
        json.loads((SCHEMAS / "slack-manifest.schema.json").read_text(encoding="utf-8"))
    )


def decoded(body: Body) -> dict[str, Any]:
    """Returns the arguments with form fields and JSON texts decoded; ``team_id`` and the token are
    the SDK's own.
    """
    out: dict[str, Any] = {}
    for name, value in body.items():
        if name in ("team_id", "token"):
            continue
        if isinstance(value, str) and name in JSON_ARGUMENTS:
            out[name] = json.loads(value)
        elif (
            isinstance(value, str) and value in ("true", "false") and name not in ("text", "value")
        ):
            out[name] = value == "true"
        else:
            out[name] = value
    return out


def complaints(method: str, arguments: Body) -> Iterator[str]:
    """Returns everything in a call that Slack, or this project's own rules, would refuse."""
    yield from live_in_slack(method, arguments)
    blocks = arguments.get("blocks") or ()
    yield from refused_blocks(blocks)
    if view := arguments.get("view"):
        yield from _schema("view", "objects", "view", view)
        yield from _view(view)
    for entity in (arguments.get("metadata") or {}).get("entities") or ():
        yield from _schema("a Work Object", "definitions", "EntityMetadata", entity)
        yield from _texts(entity)
    for card in (arguments.get("unfurls") or {}).values():
        yield from refused_blocks(card["blocks"])
    known = _validator("methods", method)
    if known is not None:
        without = {
            name: value for name, value in arguments.items() if name not in ("blocks", "view")
        }
        probe = {**without, "view": arguments["view"]} if "view" in arguments else without
        complaint = known.complaint(probe)
        if complaint is not None:
            yield f"{method}: {complaint.message[:300]}"
    if method in MESSAGES:
        yield from _message(method, arguments, blocks)


def refused_blocks(blocks: Any) -> Iterator[str]:
    """Return what is wrong with the blocks of a message, for which Slack refuses it whole."""
    for number, block in enumerate(blocks):
        yield from _schema(f"block {number}", "objects", "block", block)
    yield from _limits(blocks)
    framed = [block for block in blocks if block["type"] in ("table", "data_table")]
    if len(framed) > 1:
        yield "only_one_table_allowed"
    if (cells := sum(map(_characters, framed))) > 10_000:
        yield f"{cells} characters in the cells of a message"
    if (text := sum(len(b["text"]) for b in blocks if b["type"] == "markdown")) > 12_000:
        yield f"{text} characters of Markdown in a message"


def _characters(value: Any) -> int:
    """Return the number of characters of all texts in a block."""
    if isinstance(value, dict):
        own = len(value["text"]) if isinstance(value.get("text"), str) else 0
        return own + sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else 0


def _schema(what: str, kind: str, name: str, value: Any) -> Iterator[str]:
    validator = _validator(kind, name)
    assert validator is not None
    complaint = validator.complaint(value)
    if complaint is not None:
        yield f"{what}: {complaint.message[:300]}"


def _message(method: str, arguments: Body, blocks: Any) -> Iterator[str]:
    text = arguments.get("text")
    if not isinstance(text, str) or not text.strip():
        yield "a message needs a fallback text"
    elif len(text) > 4_000:
        yield f"text of {len(text)} characters"
    if len(blocks) > 50:
        yield f"{len(blocks)} blocks"
    if (size := len(json.dumps(blocks, ensure_ascii=False))) > 10_000:
        yield f"msg_blocks_too_long: {size}"
    if method == "chat.postMessage" and not (
        arguments.get("unfurl_links") is False and arguments.get("unfurl_media") is False
    ):
        yield "links are not kept from unfurling"
    if arguments.get("reply_broadcast") and not arguments.get("thread_ts"):
        yield "reply_broadcast without thread_ts"


def _view(view: Body) -> Iterator[str]:
    for name in ("title", "submit", "close"):
        if len(view.get(name, {}).get("text", "")) > 24:
            yield f"{name} longer than 24"
    if len(view.get("private_metadata", "")) > 3000:
        yield "private_metadata longer than 3000"
    if len(view["blocks"]) > 100:
        yield f"{len(view['blocks'])} blocks in a view"
    yield from _limits(view["blocks"])


def _limits(blocks: Any) -> Iterator[str]:
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)) or any(len(i) > 255 for i in ids):
        yield "block_id repeated or too long"
    for block in blocks:
        match block["type"]:
            case "header" if len(block["text"]["text"]) > 150:
                yield "header longer than 150"
            case "section":
                if "text" not in block and "fields" not in block:
                    yield "section without text"
                if len(block.get("text", {}).get("text", "")) > 3000:
                    yield "section longer than 3000"
            case "context" if len(block["elements"]) > 10:
                yield "more than 10 context elements"
            case "actions":
                yield from _actions(block["elements"])
            case "table":
                yield from _table(block)
            case "context_actions":
                yield from _context_actions(block["elements"])
            case _:
                pass
        yield from _texts(block)


def _table(block: Body) -> Iterator[str]:
    rows, columns = block["rows"], block.get("column_settings", ())
    if not 1 <= len(rows) <= 100:
        yield f"a table of {len(rows)} rows"
    if not all(1 <= len(row) <= 20 for row in rows) or len(columns) > 20:
        yield "a row without cells or with more than 20"


def _context_actions(elements: Any) -> Iterator[str]:
    if not 1 <= len(elements) <= 5:
        yield f"{len(elements)} context actions"
    for element in elements:
        if len(element.get("action_id", "")) > 255:
            yield "action_id too long"
        for name in ("positive_button", "negative_button"):
            button = element.get(name, {"text": {"text": "-"}, "value": ""})
            if len(button["text"]["text"]) > 75 or len(button["value"]) > 2000:
                yield f"{name} too long"


def _actions(elements: Any) -> Iterator[str]:
    if len(elements) > 25:
        yield "more than 25 actions"
    ids = [element["action_id"] for element in elements]
    if len(ids) != len(set(ids)) or any(len(i) > 255 for i in ids):
        yield "action_id repeated or too long"
    for element in elements:
        if len(element.get("text", {}).get("text", "")) > 75:
            yield "button text longer than 75"
        if element["type"] == "overflow":
            if not 1 <= len(element["options"]) <= 5:
                yield f"an overflow menu of {len(element['options'])}"
            if any(len(option["value"]) > 150 for option in element["options"]):
                yield "an option's value longer than 150"
        if len(element.get("value", "")) > 2000:
            yield "button value longer than 2000"


def _texts(value: Any) -> Iterator[str]:
    """Yields faults of texts: no text element may be empty, and mrkdwn must hold no live
    mention.
    """
    if isinstance(value, dict):
        kinds = ("text", "plain_text", "mrkdwn", "raw_text")
        if value.get("type") in kinds and not value.get("text"):
            yield "an empty text"
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
