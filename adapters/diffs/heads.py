"""Reads the lines above the first hunk of a file: its names, out of their quoting, its modes, and
what happened to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from adapters.diffs.cutting import CONTEXT, FOSSIL_BINARY, HEADING, Kind, Section
from adapters.diffs.quoting import both_sides, closing_quote, unquoted
from core.debate.material.diffs import FileStatus
from core.debate.stored import stored

_MODES = {"120000": stored("symbolic link"), "160000": "submodule"}
NOTHING = "/dev/null"
_LETTERS = frozenset({"ab", "iw", "ci", "cw", "co", "ow", "12"})
"""Pairs of first letters that git puts before the names of both sides."""
_ENTRIES = (
    re.compile(r"(?P<only>Only in )(?P<old>.*[^ ]): (?P<name>.+)$"),
    re.compile(r"(?P<same>Files) (?P<both>.+ and .+) are identical$"),
    re.compile(r"(?P<same>Common subdirectories:) (?P<both>.+ and .+)$"),
    re.compile(r"(?P<kind>Binary files|Files|Symbolic links) (?P<both>.+ and .+) differ$"),
    re.compile(r"(?P<binary>Binary file) (?P<old>.+) has changed$"),
    re.compile(r"File (?P<old>.+) is an? .+ while file (?P<new>.+) is an? .+$"),
    re.compile(r"\* Unmerged path (?P<unmerged>.+)$"),
    re.compile(r"Submodule (?P<submodule>\S.*) (?:[0-9a-f]+\.{2,3}|contains )"),
)
_BZR = re.compile(
    r"=== (\w+)(?: changed)? (?:file|directory|symlink) '(.*?)'(?: => '(.*?)')?(?: \((.*)\))?$"
)
_INDEX = re.compile(
    r"(Index|Added|Modified|Deleted|Copied): (.*?)(?: \((?:added|deleted|from rev \d+, (.*))\))?$"
)
_ENVELOPE = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_P4_NAME = r"(.+?)(?:#\w+|@\d+)?(?: \([^)]*\))?"
_P4 = re.compile(rf"==== {_P4_NAME}(?: - {_P4_NAME})? ====")
_REVISION = re.compile(r"\s+\((?:revision \w+|working copy|nonexistent|date \d+|deleted|added)\)$")
_DATE = re.compile(r"\s{2,}\d{4}-\d\d-\d\d .*$|\s+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} +\d.*$")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
_WITHHELD = stored("its text is not in the diff")
_EMPTY = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"  # git's name of an empty file
_LONGEST_PROPERTY = 600  # characters


@dataclass(slots=True)
class Head:
    """The names, modes and status in the lines above the first hunk. ``old`` and ``new`` are as
    written, with their prefixes; ``exact`` names never have any. ``blobs`` are the contents before
    and after, as git abbreviates them.
    """

    old: str = ""
    new: str = ""
    exact: bool = False
    status: FileStatus = FileStatus.MODIFIED
    binary: bool = False
    submodule: bool = False
    modes: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    problem: str = ""
    blobs: tuple[str, str] = ("", "")
    pair: tuple[str, str] = ("", "")  # the names of ``diff --git``


def read_head(section: Section, *, indexless: bool = False) -> Head:
    """Returns what is above the first hunk. ``indexless`` means that no file of the diff has a line
    ``index``, so that the head of one without it may be complete.
    """
    head = Head(problem=section.problem)
    lines = section.head
    names = [line for line in lines if line.startswith(("--- ", "+++ "))]
    for line in lines:
        if line == "GIT binary patch":
            head.binary = True
            break
        if line.startswith("*****"):  # the names of a context diff are above
            break
        if not (_read_heading(head, line, names) or _read_name(head, line)):
            _read_fact(head, line)
    if section.kind is Kind.ENTRY:
        _read_entry(head, lines)
    if section.kind is Kind.INDEX and re.search(r"\((?:added|deleted)\)$", lines[0]):
        head.problem = head.problem or _WITHHELD
    head.remarks.extend(_properties(section.properties))
    if "".join(lines[:1]).startswith("Index: ") and head.old != head.new:
        head.old = re.sub(r"@\d+$", "", head.old)  # the revision that svn copied
    _read_sides(head, section)
    if head.old == NOTHING:
        head.status = FileStatus.ADDED
    if head.new == NOTHING:
        head.status = FileStatus.DELETED
    head.submodule = head.submodule or "160000" in head.modes.values()
    if not (section.hunks or head.problem or head.binary or head.submodule):
        cut_off = section.kind is Kind.GIT and _is_cut_off(lines, indexless=indexless)
        head.problem = _WITHHELD if cut_off else _why_no_text(head, section)
    return head


def _read_sides(head: Head, section: Section) -> None:
    """Reads from a plain diff whether one side has no lines, as for a file that is not there."""
    if section.hunks and section.kind is not Kind.GIT and head.status is FileStatus.MODIFIED:
        if section.hunks[0].startswith("@@ -0,0 "):
            head.status = FileStatus.ADDED
        elif " +0,0 @@" in section.hunks[0]:
            head.status = FileStatus.DELETED


_PAIRS = {"rename from ": "rename to ", "copy from ": "copy to ", "old mode ": "new mode "}


def _is_cut_off(lines: Sequence[str], *, indexless: bool) -> bool:
    """Return whether a file of git without text ends before the lines that complete its head."""
    if any(line.startswith("index ") for line in lines):
        return False
    for line in lines:
        for first, second in _PAIRS.items():
            if line.startswith(first) and not any(other.startswith(second) for other in lines):
                return True
        if line.startswith(("similarity ", "dissimilarity ")) and not line.endswith(" 100%"):
            return True
        if line.startswith(("new file mode ", "deleted file mode ")) and not indexless:
            return True
    return False


def _why_no_text(head: Head, section: Section) -> str:
    """Returns the reason for which a file without hunks is not read; empty if no text changed."""
    if head.remarks or section.surplus:
        return ""
    if section.kind is Kind.GIT and any(head.blobs):
        empty = all(head.blobs) and all(
            not blob.strip("0") or _EMPTY.startswith(blob[:40]) for blob in head.blobs
        )
        if empty or head.blobs[0] == head.blobs[1]:
            return ""
        return _WITHHELD
    if any(line.startswith(("+++ ", "retrieving ")) for line in section.head):
        return _WITHHELD
    if section.kind is Kind.INDEX:
        head.remarks.append(stored("an empty file, added or removed"))
        return ""
    has_change = head.modes or head.status is not FileStatus.MODIFIED
    same = any(line.endswith("==== identical") for line in section.head)  # as p4 diff2 lists it
    if has_change or same or section.kind is Kind.ENTRY:
        return ""
    return _WITHHELD


def _read_heading(head: Head, line: str, names: Sequence[str]) -> bool:
    """Reads the line that begins a section."""
    if heading := HEADING.match(line):
        head.old = head.new = unquoted(heading.group(2))
        if heading.group(1) == "git":
            head.old, head.new = head.pair = _both_names(heading.group(2), names)
            head.exact = False
        else:
            head.exact = True
    elif index := _INDEX.match(line):
        kind, head.new, source = index.groups()
        head.old = source or head.new
        head.exact = True
        head.status = _INDEX_STATUS.get(kind, FileStatus.MODIFIED)
    elif line.startswith("Property changes on: "):
        head.old = head.old or line.split(": ", 1)[1]
        head.new = head.new or head.old
        head.exact = head.exact or head.old == head.new
    elif bzr := _BZR.match(line):
        kind, head.old, new, facts = bzr.groups()
        head.new = new or head.old
        head.exact = True
        head.status = _BZR_STATUS.get(kind, FileStatus.MODIFIED)
        if facts:
            head.remarks.append(facts)
    elif p4 := _P4.match(line):
        in_depot = [name for name in p4.groups() if name and name.startswith("//")]
        head.old = head.new = in_depot[-1] if in_depot else p4.group(1)
        head.exact = True
        head.binary = "(binary)" in line
    elif line.startswith(_ENVELOPE):
        head.old = head.new = line.split(": ", 1)[1]
        head.exact = True
    elif line.startswith("diff ") and (not names or head.problem == CONTEXT):
        words = [unquoted(word) for word in _WORD.findall(line)[1:] if word[0] != "-"]
        if not words:
            return True
        revision = re.search(r" -r [0-9a-f]{6,40}\b", line)
        head.old, head.new = words[-1:] * 2 if revision else (words[-2:] * 2)[:2]
        head.exact = head.old == head.new
    else:
        return False
    return True


_INDEX_STATUS = {
    "Added": FileStatus.ADDED,
    "Deleted": FileStatus.DELETED,
    "Copied": FileStatus.COPIED,
}
_BZR_STATUS = {
    "added": FileStatus.ADDED,
    "removed": FileStatus.DELETED,
    "renamed": FileStatus.RENAMED,
}


def _read_name(head: Head, line: str) -> bool:
    """Reads a line that names a side. A heading without prefixes is more exact than these."""
    if line.startswith(("--- ", "*** ")) and head.problem != CONTEXT:
        name = _file_name(line)
        if name == NOTHING or not head.exact:
            head.old = name
        if "(nonexistent)" in line:
            head.old = NOTHING
    elif line.startswith("*** "):
        head.old = _file_name(line)
    elif line.startswith(("+++ ", "--- ")):
        name = _file_name(line)
        if name == NOTHING or not head.exact:
            head.new = name
        if "(nonexistent)" in line:
            head.new = NOTHING
    elif line.startswith(("rename from ", "copy from ", "rename old ")):
        head.old = unquoted(line.split(" ", 2)[2])
        head.exact = True
        head.status = FileStatus.COPIED if line.startswith("copy") else FileStatus.RENAMED
    elif line.startswith(("rename to ", "copy to ", "rename new ")):
        head.new = unquoted(line.split(" ", 2)[2])
    else:
        return False
    return True


def _file_name(line: str) -> str:
    text = line[4:]
    if text.startswith('"'):
        return unquoted(text)
    text = _REVISION.sub("", text.split("\t", 1)[0])
    return _DATE.sub("", text) or text


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
    elif line.startswith("index "):
        _, hashes, *mode = line.split(" ")
        old, _, new = hashes.partition("..")
        head.blobs = (old, new)
        if mode:
            head.modes["now"] = mode[-1]
    elif line.startswith("=== target "):  # of a link
        head.remarks.append(line.removeprefix("=== "))
    elif line.startswith(("Binary file", "Cannot display: ", "(... ", "(Binary ", FOSSIL_BINARY)):
        head.binary = True
        sides = _ENTRIES[3].match(line)
        if sides and not head.old:
            head.old, head.new = both_sides(sides["both"])


def _read_entry(head: Head, lines: Sequence[str]) -> None:
    """Reads a line that names a file without its text."""
    line = lines[0]
    match = next(match for entry in _ENTRIES if (match := entry.match(line)))
    parts = match.groupdict()
    if "only" in parts:
        head.old = head.new = f"{parts['old'].rstrip('/')}/{parts['name']}"
        head.problem = stored("in one of both folders only, and not shown: make the diff with -N")
    elif "submodule" in parts:
        head.old = head.new = parts["submodule"]
        head.exact = head.submodule = True
        head.remarks = [line.removeprefix(f"Submodule {head.new} ").rstrip(":")]
        head.remarks += [part.strip() for part in lines[1:]]
    elif "unmerged" in parts:
        head.old = head.new = parts["unmerged"]
        head.exact = True
        head.problem = stored("not merged: its conflicts are not resolved")
    else:
        if "both" in parts:
            head.old, head.new = both_sides(parts["both"])
        else:
            head.old, head.new = parts["old"], parts.get("new") or parts["old"]
        head.binary = "Binary" in line
        head.exact = head.old == head.new
        if "same" not in parts:
            head.problem = "" if head.binary else _WITHHELD
        elif parts["same"] != "Files":
            head.problem = stored("a folder that was not compared: make the diff with -r")


def _properties(lines: Sequence[str]) -> Iterator[str]:
    """Yields the properties of a file that changed, each in one line."""
    text = ""
    for line in (*lines, "Name: "):
        begins = re.match(r"(Added|Modified|Deleted|Name): ?(.*)", line)
        if begins:
            if text:
                yield text if len(text) <= _LONGEST_PROPERTY else f"{text[:_LONGEST_PROPERTY]} …"
            text = ""
            if begins[2]:
                text = f"property {begins.group(2)} {begins.group(1).lower()}:"
        elif text and line.strip() and not line.startswith(("## ", "\\")):
            text += f" {line.strip()}"


def prefixes(head: Head) -> tuple[str, str] | None:
    """Returns the prefixes of the names of both sides; None if the two names don't show them."""
    if head.exact:
        return ("", "")
    old, new = head.pair if any(head.pair) else (head.old, head.new)
    if NOTHING in (old, new):
        return None
    if old == new:
        return ("", "")
    if old[1:2] == new[1:2] == "/" and {old[0] + new[0], new[0] + old[0]} & _LETTERS:
        return (old[:2], new[:2])
    common = _common_ending(old, new)
    if common:
        return (old[: -len(common)], new[: -len(common)])
    return None


def _common_ending(old: str, new: str) -> str:
    """Returns the longest path with which both names end, below some folder on both sides."""
    same = 0
    for one, other in zip(reversed(old), reversed(new), strict=False):
        if one != other:
            break
        same += 1
    ending = new[len(new) - same :]
    if same == min(len(old), len(new)):  # one of them has no prefix
        shorter = min(old, new, key=len)
        longer = max(old, new, key=len)
        if longer.endswith(f"/{shorter}"):
            return shorter
        return ending.partition("/")[2]
    return ending.partition("/")[2].lstrip("/")


def _both_names(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Returns the old and the new name in ``diff --git``. Unquoted names with spaces are separated
    by the names in the lines below, or at the space that makes both the same path.
    """
    if text.startswith('"'):
        end = closing_quote(text)
        return unquoted(text[: end + 1]), unquoted(text[end + 2 :])
    if text.endswith('"') and ' "' in text:
        first, second = text.split(' "', 1)
        return first, unquoted(f'"{second}')
    known = {line[:3]: _file_name(line) for line in names}
    if text == f"{known.get('---')} {known.get('+++')}":
        return known["---"], known["+++"]
    for side, name in known.items():
        if side == "---" and text.startswith(f"{name} "):
            return name, text[len(name) + 1 :]
        if side == "+++" and text.endswith(f" {name}"):
            return text[: -len(name) - 1], name
    middle = (len(text) - 1) // 2
    spaces = dict.fromkeys((middle, *(at for at, letter in enumerate(text) if letter == " ")))
    splits = [(text[:at], text[at + 1 :]) for at in spaces if text[at : at + 1] == " "]
    for old, new in splits:
        either = prefixes(Head(old, new))
        if either is not None and old[len(either[0]) :] == new[len(either[1]) :]:
            return old, new
    if len(splits) == 1:
        return splits[0]
    return (text, text)


def mode_remarks(modes: dict[str, str]) -> Iterator[str]:
    if "old" in modes and "new" in modes:
        yield stored("mode {old} -> {new}", old=modes["old"], new=modes["new"])
    kind = _MODES.get(modes.get("now", modes.get("new", modes.get("then", ""))))
    if kind and kind != "submodule":
        yield kind
