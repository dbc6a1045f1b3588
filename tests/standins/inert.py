"""Finds live markup and unseen characters in messages to a platform, which no message may hold,
whoever wrote its words. The stand-ins hold every call to it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from core.debate.material import escaping

SLACK_TYPES = frozenset(
    {
        *("text", "link", "channel", "date", "plain_text"),
        *("rich_text", "rich_text_section", "rich_text_list", "rich_text_quote"),
        *(
            "rich_text_preformatted",
            "header",
            "section",
            "context",
            "actions",
            "button",
            "overflow",
            "input",
        ),
        *("modal", "home", "plain_text_input", "number_input", "static_select"),
        "conversations_select",
        *("table", "raw_text", "context_actions", "feedback_buttons"),
        *("plan_update", "task_update"),
    }
)
"""Types of blocks and elements that we send. None of them is read as markup, and none of them but
our own ``channel`` is a mention.
"""
_OURS = frozenset({"metadata", "private_metadata", "value", "initial_value", "content"})
"""Members that people are not shown, or that hold what they typed themselves."""
_LINK = re.compile(r"https?://[!#$%&'()*+,\-./:;=?@\w~\[\]]+", re.ASCII)
_CHATS = frozenset({"chat.postMessage", "chat.postEphemeral", "chat.update"})


_ADDRESS = re.compile(r"://|\bwww\.|[\w-]\.[^\W\d_]{2,}\b", re.IGNORECASE)
_MASKED = re.compile(r"(?<!\\)\[((?:\\.|[^\[\]\\])*)\]\(<(https?://[^\s<>]+)>\)")


def lies(text: str, url: str) -> bool:
    """Says whether a link's text names another address than its own. The end of its path, as a
    file's name and line, is its own.
    """
    text = unicodedata.normalize("NFKC", text).strip()
    if text == url or not _ADDRESS.search(text):
        return False
    name = re.sub(r":\d+$", "", text).removeprefix("...")
    return not unicodedata.normalize("NFKC", unquote(urlsplit(url).path)).endswith(name)


def live_in_slack(method: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yields the parts of a call that Slack would show as more than text. A ``text`` member is read
    as markup, and ``chat.update`` looks for names in it unless it is told not to.
    """
    if "<" in str(arguments.get("text") or ""):
        yield f"live markup in text: {arguments['text']!r:.200}"
    if method in _CHATS and (arguments.get("parse"), arguments.get("link_names")) != (
        "none",
        False,
    ):
        yield "without parse=none and link_names=false"
    for name, value in arguments.items():
        if name not in _OURS:
            yield from _slack(name, value)


def _slack(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if hidden_text := hidden(value, "\u2060"):
            yield f"{name}: unseen characters {hidden_text} in {value!r:.200}"
    elif isinstance(value, list):
        for inner in value:
            yield from _slack(name, inner)
    elif isinstance(value, dict):
        kind = value.get("type")
        if isinstance(kind, str) and kind not in SLACK_TYPES:
            yield f"an element that is more than text: {value!r:.200}"
        if kind in ("text", "plain_text", "raw_text") and re.search(
            r"<(?:![a-z]|[@#][A-Z])", value["text"], re.IGNORECASE
        ):
            yield f"what looks like a mention: {value['text']!r:.200}"
        if kind == "link" and not _LINK.fullmatch(value["url"]):
            yield f"a link to {value['url']!r:.200}"
        if kind == "link" and lies(str(value.get("text") or value["url"]), value["url"]):
            yield f"a link whose text lies: {value!r:.300}"
        for key, inner in value.items():
            if key not in _OURS:
                yield from _slack(key, inner)


_MARKED = frozenset({"content"})
"""Members of a message that Discord reads as Markdown."""
_SHOWN = frozenset(
    {"content", "label", "title", "placeholder", "name", "text", "filename", "description"}
)
_READ = re.compile(
    r"\\[^a-zA-Z0-9\s]"
    r"|\]\(<https?://[^\s<>]+>\)|<https?://[^\s<>]+>"
    r"|```(?:[a-z0-9_+\-.#]+?\n)?\n*[^\n][\s\S]*?\n*```"
    r"|(?P<ticks>`+)[\s\S]*?[^`](?P=ticks)(?!`)",
    re.IGNORECASE,
)
"""What Discord's reader takes in one piece, in its order: an escape, a link of ours, a block of
code (whose first line break it drops, so that an empty block goes on to the next fence), a span of
code.
"""
_LIVE = re.compile(
    r"<@(?!\d{17,}>)|<#|<t:(?!\d{10}:f>)|<a?:|</|<id:|@everyone|@here|\]\((?!<https?://[^\s<>]+>\))"
    r"|(?<!<)\bhttps?://|\w://(?<!https://)(?<!http://)|\|\|"
)


def live_in_discord(body: Any) -> Iterator[str]:
    """Yields the parts of a request that Discord would show as more than text (mentions,
    timestamps, emoji, spoilers, links without angle brackets) and unseen characters. A mention of a
    person by their whole number is ours.
    """
    for name, text in _texts("", body):
        if hidden_text := hidden(text, "\u200b"):
            yield f"{name}: unseen characters {hidden_text} in {text!r:.200}"
        if name in _MARKED and (live := _LIVE.search(_READ.sub("·", text))):
            yield f"{name}: {live[0]!r} is live in {text!r:.300}"
        for label, url in _MASKED.findall(text) if name in _MARKED else ():
            if lies(re.sub(r"\\([^a-zA-Z0-9\s])|[*~\u200b]", r"\1", label), url):
                yield f"{name}: a link whose text lies: {label!r} for {url!r}"


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if name in _SHOWN:
            yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(str(key), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(name, inner)


def hidden(text: str, ours: str) -> list[str]:
    """Returns the unseen characters of a text, spelled out, but for those that we put there
    ourselves.
    """
    return re.findall(r"\\u\w{4}|\\U\w{8}|\\r", escaping.show_hidden(_bare(text, ours)))


def _bare(text: str, ours: str) -> str:
    return re.sub(f"[{ours}]", "", text.replace("\\", ""))


def units(text: str) -> int:
    """Returns characters as Discord counts them: UTF-16 units, two for most emoji."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
