"""The lines above the first hunk of a file: its names, out of git's quoting, its modes, and what
happened to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.material.diffs import FileStatus

HEADING = re.compile(r"diff --(git|cc|combined) (.*)")
_QUOTED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_PLAIN_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_MODES = {"120000": "symbolic link", "160000": "submodule"}
NOTHING = "/dev/null"


@dataclass(slots=True)
class Head:
    """The names, modes and status in the lines above the first hunk."""

    old: str = ""
    new: str = ""
    status: FileStatus = FileStatus.MODIFIED
    binary: bool = False
    modes: dict[str, str] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)


def read_head(lines: list[str]) -> Head:
    head = Head()
    for index, raw in enumerate(lines):
        line = raw.rstrip("\r\n")
        if line.startswith("@@ "):
            head.body = lines[index:]
            break
        if not _read_name(head, line):
            _read_fact(head, line)
    if head.old == NOTHING:
        head.status = FileStatus.ADDED
    if head.new == NOTHING:
        head.status = FileStatus.DELETED
    return head


def _read_name(head: Head, line: str) -> bool:
    heading = HEADING.match(line)
    if heading:
        head.old = head.new = heading.group(2)
        if heading.group(1) == "git":
            head.old, head.new = _both_names(heading.group(2))
    elif line.startswith("--- "):
        head.old = _name(line[4:], prefix=True)
    elif line.startswith("+++ "):
        head.new = _name(line[4:], prefix=True)
    elif line.startswith(("rename from ", "copy from ")):
        head.old = _name(line.split(" from ", 1)[1])
        head.status = FileStatus.RENAMED if line.startswith("rename") else FileStatus.COPIED
    elif line.startswith(("rename to ", "copy to ")):
        head.new = _name(line.split(" to ", 1)[1])
    else:
        return False
    return True


def _read_fact(head: Head, line: str) -> None:
    if line.startswith("new file mode "):
        head.status = FileStatus.ADDED
        head.modes["now"] = line.rsplit(" ", 1)[1]
    elif line.startswith("deleted file mode "):
        head.status = FileStatus.DELETED
        head.modes["then"] = line.rsplit(" ", 1)[1]
    elif line.startswith("old mode "):
        head.modes["old"] = line[9:]
    elif line.startswith("new mode "):
        head.modes["new"] = line[9:]
    elif line.startswith("index ") and " " in line[6:]:
        head.modes["now"] = line.rsplit(" ", 1)[1]
    elif line.startswith(("Binary files ", "GIT binary patch")):
        head.binary = True


def _both_names(text: str) -> tuple[str, str]:
    """Returns the old and the new name in ``diff --git``. Unquoted names can be separated only
    where both are the same; elsewhere other lines give them.
    """
    if text.startswith('"'):
        end = _closing_quote(text)
        return _name(text[: end + 1], prefix=True), _name(text[end + 2 :], prefix=True)
    if text.endswith('"') and ' "' in text:
        first, second = text.split(' "', 1)
        return _name(first, prefix=True), _name(f'"{second}', prefix=True)
    middle = (len(text) - 1) // 2
    old, new = _name(text[:middle], prefix=True), _name(text[middle + 1 :], prefix=True)
    if old == new:
        return (old, new)
    return (text, text)


def _closing_quote(text: str) -> int:
    index = 1
    while index < len(text) and text[index] != '"':
        index += 2 if text[index] == "\\" else 1
    return index


def _name(text: str, *, prefix: bool = False) -> str:
    """Returns a file name without git's quoting, its ``a/`` or ``b/`` and the tab that follows a
    name with spaces.
    """
    if text.startswith('"'):
        inner = text[1 : _closing_quote(text)].encode("utf-8", "backslashreplace")
        text = _QUOTED.sub(lambda match: _unquoted(match.group(1)), inner).decode(
            "utf-8", "backslashreplace"
        )
    else:
        text = text.split("\t", 1)[0].rstrip("\r")
    if prefix and text != NOTHING and re.match(r"[abciow12]/", text):
        text = text[2:]
    return text


def _unquoted(escape: bytes) -> bytes:
    if len(escape) == 3:
        return bytes([int(escape, 8) & 0xFF])
    return _PLAIN_ESCAPES.get(escape, escape)


def mode_remarks(modes: dict[str, str]) -> Iterator[str]:
    if "old" in modes and "new" in modes:
        yield f"mode {modes['old']} -> {modes['new']}"
    kind = _MODES.get(modes.get("now", modes.get("new", modes.get("then", ""))))
    if kind and kind != "submodule":
        yield kind
