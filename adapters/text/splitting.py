"""Cuts long Markdown into messages: at paragraphs if possible, else at lines and words, with code
fences made whole and the heading of a table repeated.

Chats limit the length of a message, models do not keep to it, half a fence turns the rest of a
thread into code, and rows without their heading are no table. The Markdown parser finds the fences
and the tables; backticks and bars are never counted.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from adapters.text.parser import block_parser

SMALLEST = 100  # characters; below this there is no room for fences and words
_NOT_QUOTE = re.compile(r"[^>]")


@dataclass(frozen=True, slots=True)
class _Fence:
    """Lines ``first`` (the opening) to ``last`` of one code fence, or of one table from its dashes
    on; ``closed`` is True if ``last`` is its closing line.
    """

    first: int
    last: int
    closed: bool
    opening: str
    closing: str


@dataclass(slots=True)
class _OpenMessage:
    """The message being filled.

    ``seam`` counts the leading lines that end with a paragraph, the best place for a cut.
    """

    lines: list[str] = field(default_factory=list)
    seam: int = 0
    chars: int = field(init=False)

    def __post_init__(self) -> None:
        self.chars = sum(map(len, self.lines))

    def size(self) -> int:
        return self.chars + max(len(self.lines) - 1, 0)

    def add(self, line: str) -> None:
        self.lines.append(line)
        self.chars += len(line)


def split(text: str, limit: int) -> list[str]:
    """Return parts of at most ``limit`` characters that together hold the whole text, in order; a
    fence that is cut is closed and reopened, a table that is cut gets its heading again.

    Raises ``ValueError`` when ``limit`` is below ``SMALLEST``. An empty text has no parts.
    """
    if limit < SMALLEST:
        raise ValueError(f"a limit of {limit} characters is too small to split for")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    if lines == [""]:
        return []
    fences = [
        f for f in _fences("\n".join(lines)) if len(f.opening) + len(f.closing) + 2 <= limit // 2
    ]
    inside = {line: fence for fence in fences for line in range(fence.first + 1, fence.last + 1)}
    open_after = {
        line: fence
        for fence in fences
        for line in range(fence.first, fence.last + (not fence.closed))
    }
    headings = {f.first - 1: _with_first_row(f, lines) for f in fences if not f.closing}
    done: list[str] = []
    part = _OpenMessage()
    for number, line in enumerate(lines):
        fence, after = inside.get(number), open_after.get(number)
        room = limit - (len(fence.opening) + 1 + len(fence.closing) + 1 if fence else 0)
        closing = len(after.closing) + 1 if after else min(headings.get(number, 0), limit // 2)
        for segment in _segments(line, room - closing if fence is None else room):
            part = _make_room(part, len(segment) + closing, fence, done, limit)
            if fence and fence.closed and number == fence.last and part.lines == [fence.opening]:
                part = _OpenMessage()  # the part before closed the fence already
                continue
            part.add(segment)
        if after is None and not line.strip() and part.lines:
            part.seam = len(part.lines)
    if (last := open_after.get(len(lines) - 1)) and part.lines:
        part.lines.append(last.closing)
    _finish(part.lines, done)
    return done


def _with_first_row(table: _Fence, lines: list[str]) -> int:
    """Return the characters below a table's heading without which it is no table."""
    return sum(len(line) + 1 for line in lines[table.first : min(table.last, table.first + 1) + 1])


def _make_room(
    part: _OpenMessage, needed: int, fence: _Fence | None, done: list[str], limit: int
) -> _OpenMessage:
    while part.lines and part.size() + 1 + needed > limit:
        part = _cut(part, fence, done, limit)
    return part


def _cut(part: _OpenMessage, fence: _Fence | None, done: list[str], limit: int) -> _OpenMessage:
    """Ends ``part`` at its last paragraph, or here (closing ``fence`` meanwhile), and returns the
    part that continues it.
    """
    whole = _OpenMessage(part.lines[: part.seam])
    if whole.lines and whole.size() >= limit // 3 and part.seam < len(part.lines):
        _finish(whole.lines, done)
        return _OpenMessage(part.lines[part.seam :])
    if fence is None or part.lines == [fence.opening]:
        _finish(part.lines, done)
        return _OpenMessage()
    # no empty block before the cut if it would hold nothing of the code yet
    if part.lines[-1] == fence.opening:
        _finish(part.lines[:-1], done)
    else:
        _finish([*part.lines, fence.closing], done)
    return _OpenMessage([fence.opening])


def _finish(lines: list[str], done: list[str]) -> None:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        done.append(text)


def _segments(line: str, room: int) -> list[str]:
    """Returns ``line`` in pieces of at most ``room`` characters, cut after a space if there is one,
    never inside a character with marks.
    """
    out: list[str] = []
    while len(line) > room:
        at = line.rfind(" ", room // 2, room) + 1 or room
        while at > room // 2 and (
            unicodedata.combining(line[at])
            or line[at] in "\u200d\ufe0f"
            or line[at - 1] == "\u200d"
        ):
            at -= 1
        out.append(line[:at])
        line = line[at:]
    return [*out, line]


def _fences(text: str) -> list[_Fence]:
    lines = text.split("\n")
    out: list[_Fence] = []
    for token in block_parser().parse(text):
        if token.map is None or token.type not in ("fence", "table_open"):
            continue
        first, end = token.map
        end = min(end, len(lines))
        if token.type == "table_open":
            out.append(_Fence(first + 1, end - 1, False, "\n".join(lines[first : first + 2]), ""))
            continue
        column = lines[first].find(token.markup)
        quote = _NOT_QUOTE.sub("", lines[first][:column])
        prefix = "> " * len(quote)
        last = lines[end - 1].strip(" \t>")
        closed = (
            end - 1 > first and len(last) >= len(token.markup) and set(last) == {token.markup[0]}
        )
        info = token.info.strip()
        out.append(
            _Fence(
                first,
                end - 1,
                closed,
                prefix + token.markup + (info if len(info) <= 20 else ""),
                prefix + token.markup,
            )
        )
    return out
