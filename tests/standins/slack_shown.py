"""Slack messages and views as a reader sees them, for comparing whole threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_DONE = {"pending": "·", "in_progress": "…", "complete": "✓", "error": "✗"}


def render(message: Mapping[str, Any]) -> str:
    """Returns a message as a reader sees it: its blocks as plain lines, buttons in brackets, emoji
    in colons.
    """
    return "\n".join(
        line
        for block in message.get("blocks") or [{"type": "text", "text": message["text"]}]
        for line in _lines(block)
    )


def _lines(block: Mapping[str, Any]) -> Iterator[str]:
    match block["type"]:
        case "header":
            yield "# " + block["text"]["text"]
        case "section":
            yield block["text"]["text"]
        case "context":
            yield " ".join(element["text"] for element in block["elements"])
        case "actions":
            yield " ".join(map(_pressed, block["elements"]))
        case "input":
            yield f"{block['label']['text']}: ____"
        case "context_actions":
            yield " ".join(map(_thumbs, block["elements"]))
        case "plan":
            yield f"⏳ {block['title']}"
            yield from (f"  {_DONE[task['status']]} {task['title']}" for task in block["tasks"])
        case "table":
            for row in block["rows"]:
                yield "▦ " + " ▏".join(map(_cell, row))
        case "rich_text":
            for element in block["elements"]:
                yield from _rich(element)
        case _:
            yield str(block.get("text", ""))


def _thumbs(element: Mapping[str, Any]) -> str:
    up, down = element["positive_button"]["text"], element["negative_button"]["text"]
    return f"[👍 {up['text']}] [👎 {down['text']}]"


def _cell(cell: Mapping[str, Any]) -> str:
    if cell["type"] == "rich_text":
        return " ".join(line for element in cell["elements"] for line in _rich(element))
    return str(cell["text"])


def _pressed(element: Mapping[str, Any]) -> str:
    if element["type"] == "overflow":
        return f"[⋯ {' · '.join(option['text']['text'] for option in element['options'])}]"
    return f"[{element['text']['text']}]"


def _rich(element: Mapping[str, Any]) -> Iterator[str]:
    if element["type"] == "rich_text_list":
        for item in element["elements"]:
            yield "  " * element["indent"] + "• " + "".join(map(_inline, item["elements"]))
        return
    text = "".join(map(_inline, element["elements"]))
    if element["type"] == "rich_text_preformatted":
        yield f"```\n{text}\n```"
    elif element["type"] == "rich_text_quote":
        yield "\n".join("> " + line for line in text.split("\n"))
    else:
        yield text


def _inline(element: Mapping[str, Any]) -> str:
    match element["type"]:
        case "emoji":
            return f":{element['name']}:"
        case "link":
            return f"{element['text']} <{element['url']}>"
        case "channel":
            return f"#{element['channel_id']}"
        case "date":
            return f"{{{element['timestamp']}}}"  # by the reader's clock
        case _:
            text = str(element["text"])
            style = element.get("style") or {}
            for name, mark in (("code", "`"), ("bold", "*"), ("italic", "_"), ("strike", "~")):
                if style.get(name) and text.strip():
                    text = mark + text + mark
            return text
