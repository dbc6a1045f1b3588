"""Makes foreign text harmless before it becomes part of the bot's Markdown.

A text of a model, a diff or a stranger may look like a link, a mention, a heading of our report or
an HTML tag. None of that survives: it is shown as its characters. Platforms escape once more.
Anyone can write the text, so the time is linear in its length: every pattern stops at what could
begin the next match (hence no brackets within brackets), and none tries a length twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.debate.material.escaping import show_hidden

_TICKS = re.compile(r"`+")
_IMAGE = re.compile(r"!\[([^\[\]]*+)\]\([^()]*+\)")
_LINK = re.compile(r"(?<!!)\[([^\[\]]*+)\]\(\s*+<?+([^()\s>]*+)>?+[^()]*+\)")
_TOUCHY = re.compile(  # addresses and mentions, in one pass: an address may hold a mention
    r"[a-z][a-z0-9+.\-]{1,20}://[^\s`<>\]|]+|www\.[^\s`<>\]|]+|(?<![\w`/.])@[\w/\-]+", re.IGNORECASE
)
_SUSPICIOUS = re.compile(r"[`\[\]@&<]|://|www\.", re.IGNORECASE)
"""Matches a character that occurs in everything that must be made inert; most texts have none."""
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})\s*(?P<language>\w*)")
_BLOCK = re.compile(
    r"^((?:[\s>]|[-*+](?=\s)|\d{1,9}[.)](?=\s))*)(#{1,6}(?=\s|$)|=+\s*$|-+\s*$|~{3,})"
)


def code_block(text: str, language: str = "") -> str:
    """Returns lines of code in a fence that none of them can close."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    lines = f"{text}\n" if text else ""
    return f"{fence}{language}\n{lines}{fence}"


def neutral(markdown: str, limit: int = 8000) -> str:
    """Returns Markdown that keeps emphasis, lists, tables and code, and holds no heading, HTML,
    image, live link or mention.

    An unclosed code fence is closed, so that what follows in the report stays outside. ``limit`` is
    in characters; a cut is marked.
    """
    text = show_hidden(markdown.replace("\r\n", "\n")).strip()
    if len(text) > limit:
        text = text[:limit].rstrip() + "\n… (cut)"
    out: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            bare = not line.strip().strip(fence[0])
            if mark is not None and mark["mark"].startswith(fence) and bare:
                out.append(fence)
                fence = ""
            else:
                out.append(line)
        elif mark:
            # at the margin: inside a list it would end with the list, its content would not
            fence = mark["mark"]
            out.append(fence + mark["language"])
        else:
            out.append(_harmless(line))
    if fence:
        out.append(fence)
    return "\n".join(out)


def _harmless(line: str) -> str:
    """Makes a line outside of fences harmless: it is no heading, underlines none, and opens no
    fence inside a list.
    """
    return _BLOCK.sub(lambda m: f"{m[1]}\\{m[2]}", _inline(line))


def _inline(line: str) -> str:
    """Makes everything outside of code spans inert. An escaped backtick opens no span, so it must
    not look as if it did.
    """
    line = line.replace("\\`", "'")
    parts: list[str] = []
    at = 0
    for start, end in _code_spans(line):
        _beside(parts, _inert(line[at:start]))
        _beside(parts, line[start:end])
        at = end
    _beside(parts, _inert(line[at:]))
    return "".join(parts)


def _code_spans(line: str) -> Iterator[tuple[int, int]]:
    """Returns (start, end) of every code span: from some backticks to the next as many."""
    runs = [run.span() for run in _TICKS.finditer(line)]
    coming: dict[int, list[int]] = {}  # length -> runs of that length, the last first
    for index in range(len(runs) - 1, -1, -1):
        start, end = runs[index]
        coming.setdefault(end - start, []).append(index)
    at = 0
    while at < len(runs):
        start, end = runs[at]
        same = coming[end - start]
        while same and same[-1] <= at:
            same.pop()
        if same:
            at = same.pop()
            yield start, runs[at][1]
        at += 1


def _beside(parts: list[str], more: str) -> None:
    """Separates two touching code spans by a space, because they would be read as one."""
    if more:
        if parts and parts[-1].endswith("`") and more.startswith("`"):
            parts.append(" ")
        parts.append(more)


def _inert(text: str) -> str:
    if not _SUSPICIOUS.search(text):
        return text
    text = text.replace("`", "'")  # a stray backtick would pair with ours
    text = _IMAGE.sub(lambda m: f"(image: {m[1]})", text)
    text = _LINK.sub(lambda m: f"{m[1]} ({m[2]})" if m[1] != m[2] else m[2], text)
    text = _TOUCHY.sub(_coded, text)
    text = text.replace("](", "]\\(").replace(
        "]:", "]\\:"
    )  # no link and no definition of one, however nested
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")


def _coded(match: re.Match[str]) -> str:
    """Puts a recognised place or name into a code span; a backslash just before it is escaped,
    because it would take our first backtick for itself.
    """
    text, at = match[0], match.start()
    while at and match.string[at - 1] == "\\":
        at -= 1
    loose = (match.start() - at) % 2
    end = len(text.rstrip(").,;:!?'\"*_"))
    return "\\" * loose + f"`{text[:end]}`{text[end:]}"


def at_most(lines: Sequence[str], most: int, what: str = "") -> list[str]:
    """Returns the first ``most`` items of a list and a last one that counts the rest, if any."""
    left = len(lines) - most
    if left <= 0:
        return [*lines]
    return [*lines[:most], f"- and {left} more{what and ' ' + what}"]


def cut(text: str, limit: int) -> str:
    """Returns at most ``limit`` characters, the last of them an ellipsis if there were more."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - 1)].rstrip() + "…"


def shorten(text: str, limit: int) -> str:
    """Returns the text on one line, cut after a whole word; the cut is marked."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0] + " [...]"


def plain_line(text: str, limit: int = 300) -> str:
    """Returns foreign text on one line as plain text; ``one_line`` makes it harmless Markdown."""
    return cut(" ".join(show_hidden(text).split()), limit)


def one_line(text: str, limit: int = 300) -> str:
    """Returns foreign text on one line, inert, for a list item. Block marks at its start are
    escaped as well.
    """
    return _harmless(plain_line(text, limit))


def cell(text: str, limit: int = 160) -> str:
    """Returns foreign text on one line, inert, for a table cell."""
    return one_line(text, limit).replace("|", "\\|")


def place_as_code(path: str, line: int | None) -> str:
    """Returns ``path:line`` between backticks; "" if no file is named."""
    if not path:
        return ""
    rendered = cell(path, 120).replace("`", "'")
    if line is None:
        return f"`{rendered}`"
    return f"`{rendered}:{line}`"
