"""The decision records that a repository keeps, in the form of MADR or Nygard: which files they
are, which of them hold now, and which are nearest to a change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.debate.material import DecisionRecord
from core.debate.verdict.findings.merging import words

FOLDERS = ("docs/adr", "docs/decisions", "doc/adr", "adr")
"""The folders in which records are looked for, in this order."""
DEFAULT_FOLDER = "docs/decisions"
"""The folder of the first record of a repository."""
_LINES, _EACH = re.IGNORECASE | re.MULTILINE, re.IGNORECASE
_FILE = re.compile(
    rf"(?:{'|'.join(FOLDERS)})/(?:adr[-_])?(?P<number>\d{{1,6}})[-_.][^/]*\.md", _EACH
)
_FRONT = re.compile(r"\A---\s*\n(?P<front>.*?)^---\s*$\n?", re.DOTALL | re.MULTILINE)
_STATUS = (
    re.compile(r"^[ \t]*(?:[*-][ \t]*)?\**status\**[ \t]*:(?P<status>.+)$", _LINES),
    re.compile(r"^#+[ \t]*status[ \t]*$(?P<status>.+?)(?=^#|\Z)", _LINES | re.DOTALL),
)
_NOT_HELD = re.compile(
    r"superseded|supersedes? by|replaced|deprecated|rejected|proposed|draft", _EACH
)
_HEADING = re.compile(r"^#\s+(?P<title>.+?)\s*#*$", re.MULTILINE)
_NUMBERED = re.compile(r"^(?:adr[\s#-]*\d+\s*[.:)\u2013-]*|\d+\s*[.:)\u2013-])\s*", _EACH)
_TITLE_WEIGHT = 3


def number_of(path: str) -> str:
    """Returns the number of a record's file as its name writes it; "" for any other file."""
    match = _FILE.fullmatch(path)
    if match:
        return match["number"]
    return ""


def records_for(files: Iterable[tuple[str, str]], changed: Sequence[str]) -> list[DecisionRecord]:
    """Returns the accepted records among the files, without front matter, those nearest to the
    changed paths by their words first, of equally near ones the newest first.
    """
    held = [record for path, text in files if (record := _accepted(path, text)) is not None]
    near = words(" ".join(re.sub(r"[/._-]", " ", path) for path in changed))

    def rank(record: DecisionRecord) -> tuple[int, int]:
        title, text = words(record.title), words(record.text)
        return (-_TITLE_WEIGHT * len(near & title) - len(near & text), -int(record.number))

    return sorted(held, key=rank)


def _accepted(path: str, text: str) -> DecisionRecord | None:
    """Returns the record of a file; None for any other file, and for a record that is only
    proposed, or was rejected, deprecated or superseded. Without a status it holds: it was merged.
    """
    number = number_of(path)
    if not int(number or 0):  # 0000 is a template
        return None
    front = _FRONT.match(text)
    rest = text
    if front:
        rest = text[front.end() :]
    stated = (
        each.search(part) for part in (front["front"] if front else "", rest) for each in _STATUS
    )
    status = next((match["status"] for match in stated if match), "")
    if _NOT_HELD.search(status):
        return None
    heading = _HEADING.search(rest)
    title = _NUMBERED.sub("", heading["title"]) if heading else path.rpartition("/")[2]
    return DecisionRecord(number, title, path, rest.strip())


def next_file(names: Iterable[tuple[str, Iterable[str]]], slug: str) -> str:
    """Returns the path of a new record: in the first folder that holds records already, with the
    next free number, written as wide as theirs. ``names`` are the names of files by folder.
    """
    for folder, files in names:
        numbers = [number for name in files if (number := number_of(f"{folder}/{name}"))]
        if numbers:
            following = max(map(int, numbers)) + 1
            return f"{folder}/{following:0{max(map(len, numbers))}}-{slug}.md"
    return f"{DEFAULT_FOLDER}/0001-{slug}.md"


def is_free(name: str, folder: str, taken: Iterable[str]) -> bool:
    """Return whether a folder with the names ``taken`` has no record of the same number."""
    wanted = int(number_of(f"{folder}/{name}") or -1)
    return wanted not in {int(number_of(f"{folder}/{other}") or -2) for other in taken}
