"""Collects all words of a Slack message, still in Slack's markup: its text, blocks and
attachments.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adapters.slack.incoming.payloads import Json
from adapters.slack.incoming.words import WRAPPED

_SILENT = frozenset({"actions", "context_actions", "divider", "input"})
"""Blocks that hold only controls."""


def whole_text(message: Json) -> str:
    """Returns all words of a message, still in Slack's markup; what it shows without words is named
    in brackets. Bots put theirs into blocks and attachments, and ``text`` then repeats a part.
    """
    pieces: list[str] = []
    text = str(message.get("text") or "")
    for piece in (*_blocks(message.get("blocks")), *_attached(message.get("attachments")), text):
        if piece is text and _bare(text) and _bare(text) not in _bare(" ".join(pieces)):
            pieces.insert(0, text)
        elif piece is not text and _bare(piece) and _bare(piece) not in _bare(" ".join(pieces)):
            pieces.append(piece)
    pieces += map(_file, _list(message, "files"))
    return "\n".join(pieces)


def _file(file: Json) -> str:
    """Returns a file in brackets; of a voice message also the words that Slack heard."""
    name = _of(file, "title", "name") if file.get("mode") == "quip" else _of(file, "name", "title")
    heard = (file.get("transcription") or {}).get("preview") or {}
    if file.get("subtype") in ("slack_audio", "slack_video"):
        kind = "voice message" if file["subtype"] == "slack_audio" else "video"
        if words := _of(heard, "content"):
            more = " …" if heard.get("has_more") else ""
            return f"[a {kind}, as Slack heard it] {words}{more}"
        return f"[a {kind}, not heard: {name}]"
    return f"[a file, not read: {name or 'it is gone or hidden'}]"


def sender(message: Json) -> str:
    """Returns the name under which a bot wrote a message, "" for a person's."""
    profile = message.get("bot_profile") or {}
    return str(message.get("username") or profile.get("name") or "")


def _bare(text: str) -> str:
    """Returns the letters and digits of a text, by which two renderings are compared."""
    plain = WRAPPED.sub(lambda match: match[2] or match[1], html.unescape(text))
    return "".join(char for char in plain.lower() if char.isalnum())


def _list(of: Json, name: str) -> Sequence[Any]:
    items = of.get(name)
    return [each for each in items if isinstance(each, Mapping)] if isinstance(items, list) else []


def _of(thing: Json, *names: str) -> str:
    """Returns the first of the members that is a text, or has one."""
    for name in names:
        value = thing.get(name)
        if isinstance(value, Mapping):
            value = value.get("text")
        if isinstance(value, str) and value:
            return value
    return ""


def _attached(attachments: object) -> Iterator[str]:
    for one in _list({"attachments": attachments}, "attachments"):
        before = [_of(one, name) for name in ("pretext", "author_name", "title", "text")]
        fields = [
            ": ".join(filter(None, (_of(f, "title"), _of(f, "value"))))
            for f in _list(one, "fields")
        ]
        inner = [*_blocks(one.get("blocks")), *_blocks(_inner(one))]
        words = [each for each in (*before, *fields, *inner) if each]
        if words:
            yield from words
            if footer := _of(one, "footer"):
                yield footer
        elif fallback := _of(one, "fallback"):
            yield fallback
        elif not _list(one, "files"):
            yield "[an attachment, not read]"
        yield from map(_file, _list(one, "files"))
        if one.get("image_url") or one.get("thumb_url"):
            yield f"[a picture: {_of(one, 'title', 'fallback') or 'without a title'}]"


def _inner(attachment: Json) -> list[Any]:
    """Returns the blocks of a message that is shared in an attachment."""
    return [
        block
        for one in _list(attachment, "message_blocks")
        for block in _list(one.get("message") or {}, "blocks")
    ]


def _blocks(blocks: object) -> Iterator[str]:
    for block in _list({"blocks": blocks}, "blocks"):
        kind = str(block.get("type") or "")
        words = [each for each in _walked(block) if each.strip() or kind == "rich_text"]
        if kind == "video":
            yield f"[a video: {_of(block, 'title', 'alt_text') or 'without a title'}]"
        elif any(each.strip() for each in words):
            yield _BETWEEN.get(kind, " ").join(words).strip()
        elif kind not in _SILENT:
            yield f"[a block of the kind {kind[:40]}, not read]"


_BETWEEN = {"rich_text": "", "section": "\n", "table": "\n"}


_MARKUP: Mapping[str, Callable[[Json], str]] = {
    "link": lambda part: f"<{_of(part, 'url')}|{_of(part, 'text')}>".replace("|>", ">"),
    "user": lambda part: f"<@{part.get('user_id')}>",
    "channel": lambda part: f"<#{part.get('channel_id')}>",
    "usergroup": lambda part: f"<!subteam^{part.get('usergroup_id')}>",
    "broadcast": lambda part: f"<!{part.get('range')}>",
    "emoji": lambda part: f":{part.get('name')}:",
    "color": lambda part: _of(part, "value"),
    "date": lambda part: _of(part, "fallback") or str(part.get("timestamp") or ""),
    "image": lambda part: f"[a picture: {_of(part, 'title', 'alt_text') or 'without a title'}]",
    "text": lambda part: html.escape(_of(part, "text"), quote=False),
    **dict.fromkeys(("button", "static_select", "overflow", "datepicker"), lambda part: ""),
}
"""The elements of blocks as Slack's markup writes them; controls have no words."""
_PARTS = ("fields", "elements", "rows", "cells", "items", "columns", "accessory")


def _walked(part: Any, *, within: bool = False) -> Iterator[str]:
    """Yields the texts of a block and of all that is in it, in their order."""
    if isinstance(part, list):
        for each in part:
            yield from _walked(each, within=within)
    elif isinstance(part, Mapping):
        kind = str(part.get("type") or "")
        if kind in _MARKUP:
            yield _MARKUP[kind](part)
            return
        text = part.get("text")
        if within and kind and part.keys().isdisjoint(("text", *_PARTS)):
            yield f"[a {kind[:40]}, not read]"
        elif isinstance(text, str):
            yield text
        else:
            yield from _walked(text)
        rich = within or kind == "rich_text"
        for name in _PARTS:
            yield from _walked(part.get(name), within=rich)
        if kind in ("rich_text_section", "rich_text_quote", "rich_text_preformatted"):
            yield "\n"
