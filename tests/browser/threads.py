"""Threads as Slack and Discord would show them, drawn from the very messages that are sent: each
platform's blocks as a little HTML. For pictures only; nobody's markup is trusted, all of it is
escaped first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from adapters.discord.outgoing import layout as discord
from adapters.ports.chat import Post, Shape, with_signature
from adapters.slack.outgoing import layout as slack
from adapters.text.emoji import character
from core.application.desk import Button
from core.debate.events import VoteCast
from core.words.views.course.invitations import MORE

Votes = Mapping[tuple[str, str], VoteCast]
"""A debate's votes, by subject and voter."""
BY_US = Post("", "", Shape.NOTICE)
"""The name and the face of posts that no seat speaks."""

_STATES = {"pending": "○", "in_progress": "⏳", "complete": "✅", "error": "❌"}
"""Slack's signs for the states of a task."""

_STYLE = """
*{box-sizing:border-box}body{margin:0;padding:20px 24px;
font:15px/1.46 Lato,"DejaVu Sans",sans-serif}
.one{display:flex;gap:10px;margin:0 0 16px}.face{flex:0 0 36px;height:36px;border-radius:8px;
background:#4a154b;color:#fff;font-weight:700;display:flex;align-items:center;justify-content:center}
.seat{background:#8882;font:22px "Noto Color Emoji"}
.name{font-weight:700}.app{font-size:10px;background:#8883;border-radius:3px;padding:1px 4px}
.text{white-space:pre-wrap}h1{font-size:18px;margin:2px 0}h3{font-size:16px;margin:2px 0}
a{color:#1264a3;text-decoration:none}pre{margin:4px 0;padding:8px;border:1px solid #8884;
border-radius:4px;font:12px/1.5 "DejaVu Sans Mono",monospace;white-space:pre-wrap}
code{font:12px "DejaVu Sans Mono",monospace;background:#8882;padding:1px 3px;border-radius:3px}
.small{font-size:12px;color:#616061}button{font:600 13px inherit;border:1px solid #8887;
background:none;color:inherit;border-radius:4px;padding:4px 11px;margin:4px 6px 0 0}
.react span{display:inline-block;border:1px solid #8884;border-radius:12px;padding:1px 8px;
margin:6px 5px 0 0;font-size:13px}.add{color:#1a7f37}.gone{color:#cf222e}
blockquote{margin:2px 0;padding-left:10px;border-left:4px solid #8885}
table{border-collapse:collapse;margin:6px 0}td{border:1px solid #8886;padding:4px 9px}
thead td{font-weight:700}
"""
_BESIDE = """
body{display:grid;grid-template-columns:11fr 9fr;gap:28px;padding:28px 32px;align-items:start}
.one{margin:0}.one>div:last-child{min-width:0}pre{overflow:hidden}
"""
_NIGHT = """
body{background:#1a1d21;color:#d1d2d3}a{color:#4ba3dc}.small{color:#ababad}
.add{color:#57ab5a}.gone{color:#f47067}
"""
_DISCORD = """
body{background:#313338;color:#dbdee1}.face{background:#5865f2;border-radius:50%}
.box{background:#2b2d31;border-left:4px solid #4e5058;border-radius:4px;padding:10px 14px}
a{color:#00a8fc}.small{color:#949ba4}button{background:#4e5058;border:0}
.add{color:#57f287}.gone{color:#ff7b72}
"""


def slack_page(posts: Sequence[Post], votes: Votes) -> str:
    """Draws a thread in Slack, its root first, with the reactions of those who voted."""
    signed = ((post, with_signature(post) if post.face else post) for post in posts)
    parts = ((post, part) for post, laid in signed for part in slack.layout(laid))
    return _page(_STYLE, ((post, _slack(part.blocks, post, votes)) for post, part in parts))


def messages_page(messages: Iterable[Mapping[str, Any]]) -> str:
    """Draws messages of a thread in Slack as Slack holds them."""
    rows = (
        (replace(BY_US, who=message.get("username", "")), "".join(map(_block, message["blocks"])))
        for message in messages
    )
    return _page(_STYLE, rows)


def summary_page(posts: Sequence[Post], votes: Votes, *, dark: bool) -> str:
    """Draws a verdict in Slack beside the finding that decides it, for the first sight of a
    page.
    """
    verdict = next(p for p in posts if p.shape is Shape.VERDICT)
    card = next(p for p in posts if p.shape is Shape.FINDING)
    parts = [(p, part) for p in (verdict, card) for part in slack.layout(p)]
    beside = [(p, _slack(part.blocks, p, votes)) for p, part in parts]
    return _page(_STYLE + _BESIDE + _NIGHT * dark, beside)


def discord_page(posts: Sequence[Post], votes: Votes) -> str:
    """Draws a thread in Discord, with the reactions of those who voted."""
    parts = ((part, post) for post in posts for part in discord.layout(post, 1) if not part.kind)
    return _page(_STYLE + _DISCORD, ((BY_US, _discord(part, post, votes)) for part, post in parts))


def _page(style: str, messages: Iterable[tuple[Post, str]]) -> str:
    rows = (f'<div class="one">{_head(post)}{inner}</div></div>' for post, inner in messages)
    return f'<!doctype html><meta charset="utf-8"><style>{style}</style>{"".join(rows)}'


def _head(post: Post) -> str:
    """Draws the picture and the name of the speaker, open for the text."""
    picture, name = character(post.face) or "D", escape(post.who or "Debatebot")
    seat = ' class="face seat"' if post.face else ' class="face"'
    text = f'<span class="name">{name}</span> <span class="app">APP</span>'
    return f"<div{seat}>{picture}</div><div>{text}"


def _reactions(post: Post, votes: Votes) -> str:
    """Draws each emoji with the bot's own reaction and one of each person who voted so."""
    cast = Counter((about, vote.option) for (about, _), vote in votes.items())
    options = "".join(
        f"<span>{character(o.emoji)} {1 + cast[post.subject or '', o.option]}</span>"
        for o in post.reaction_options
    )
    return f'<div class="react">{options}</div>' if options else ""


def _buttons(buttons: Iterable[Button | str]) -> str:
    visible = [b for b in buttons if isinstance(b, str) or not b.more]
    labels = [b if isinstance(b, str) else b.label for b in visible]
    made = "".join(f"<button>{escape(label)}</button>" for label in labels)
    return f"<div>{made}</div>" if made else ""


def _code(text: str) -> str:
    kinds = {"+": "add", "-": "gone"}
    lines = (f'<span class="{kinds.get(line[:1], "")}">{line}</span>' for line in text.split("\n"))
    return f"<pre>{chr(10).join(lines)}</pre>"


def _slack(blocks: Iterable[Mapping[str, Any]], post: Post, votes: Votes) -> str:
    return "".join(map(_block, blocks)) + _reactions(post, votes)


def _block(block: Mapping[str, Any]) -> str:
    match block["type"]:
        case "header":
            return f"<h1>{escape(block['text']['text'])}</h1>"
        case "context":
            text = " ".join(e["text"] for e in block["elements"])
            return f'<div class="small">{escape(text)}</div>'
        case "actions":
            return _buttons(e["text"]["text"] if "text" in e else "⋯" for e in block["elements"])
        case "context_actions":
            thumbs = block["elements"][0]
            up, down = (
                thumbs[f"{side}_button"]["text"]["text"] for side in ("positive", "negative")
            )
            return f'<div class="small">👍 {escape(up)} · 👎 {escape(down)}</div>'
        case "plan":
            tasks = "".join(
                f"<div>{_STATES[task['status']]} {escape(task['title'])}</div>"
                for task in block["tasks"]
            )
            return f"<blockquote><b>{escape(block['title'])}</b>{tasks}</blockquote>"
        case "table":
            heading, *rows = (_row(row) for row in block["rows"])
            return f"<table><thead>{heading}</thead>{''.join(rows)}</table>"
        case "rich_text":
            return "".join(map(_rich, block["elements"]))
        case other:
            raise ValueError(f"no picture of a block {other!r} is known")


def _row(cells: Iterable[Mapping[str, Any]]) -> str:
    drawn = (
        "".join(map(_rich, cell["elements"])) if "elements" in cell else escape(cell["text"])
        for cell in cells
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in drawn)}</tr>"


def _rich(element: Mapping[str, Any]) -> str:
    if element["type"] == "rich_text_list":
        items = "".join(
            f"<li>{''.join(map(_inline, i['elements']))}</li>" for i in element["elements"]
        )
        return f"<ul>{items}</ul>"
    if element["type"] == "rich_text_preformatted":
        return _code(escape("".join(e["text"] for e in element["elements"])))
    text = "".join(map(_inline, element["elements"]))
    tag = "blockquote" if element["type"] == "rich_text_quote" else "div"
    return f'<{tag} class="text">{text}</{tag}>'


def _inline(element: Mapping[str, Any]) -> str:
    markup = escape(str(element.get("text", "")))
    for style, tag in (("code", "code"), ("bold", "b"), ("italic", "i"), ("strike", "s")):
        if (element.get("style") or {}).get(style):
            markup = f"<{tag}>{markup}</{tag}>"
    return f'<a href="#">{markup}</a>' if element["type"] == "link" else markup


def _discord(part: discord.DiscordMessage, post: Post, votes: Votes) -> str:
    markup = "".join(_markdown(text) for text in part.texts)
    menu = f"<div><button>{MORE} ▾</button></div>" if any(b.more for b in part.buttons) else ""
    return f'<div class="box">{markup}{_buttons(part.buttons)}{menu}</div>{_reactions(post, votes)}'


_FENCE = re.compile(r"```\w*\n(.*?)\n```", re.DOTALL)
_ESCAPED = re.compile(r"\\([\\`*_~|&lt;&gt;\[\]#:.+-])")
_INLINE = (
    (re.compile(r"\[((?:\\.|[^\]\\])+)\]\(&lt;[^)]*&gt;\)"), r'<a href="#">\1</a>'),
    (re.compile(r"(?<!\\)`([^`]+?)(?<!\\)`"), r"<code>\1</code>"),
    (re.compile(r"(?<!\\)\*\*(.+?)(?<!\\)\*\*"), r"<b>\1</b>"),
    (re.compile(r"(?<![\\*])\*([^*\n]+?)(?<!\\)\*(?!\*)"), r"<i>\1</i>"),
)


def _markdown(text: str) -> str:
    """Renders the part of Discord's Markdown that our messages use."""
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_lines(text[at : fence.start()]), _code(escape(fence[1]))]
        at = fence.end()
    return "".join([*parts, _lines(text[at:])])


def _lines(text: str) -> str:
    return "".join(_line(line) for line in text.split("\n") if line.strip())


def _line(line: str) -> str:
    tag, inner = "div", line
    for mark, name in (("### ", "h3"), ("-# ", 'div class="small"'), ("> ", "blockquote")):
        if line.startswith(mark):
            tag, inner = name, line.removeprefix(mark)
    markup = escape(inner, quote=False)
    for pattern, made in _INLINE:
        markup = pattern.sub(made, markup)
    markup = _ESCAPED.sub(r"\1", markup)
    return f"<{tag}>{markup}</{tag.split()[0]}>"
