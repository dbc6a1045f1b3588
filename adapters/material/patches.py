"""A diff as bytes becomes files with numbered lines.

The diff is cut into files at ``diff --git`` before it is parsed, so that one file that nobody can read does not hide the others, and the
names are read here, from git's quoting, because unidiff leaves them quoted. The lines of a hunk are unidiff's. A line ends at ``\\n`` only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from adapters.material.redaction import Redactor
from core.diffs import LEFT, RIGHT, FileDiff, Status
from core.errors import BadInput
from core.escaping import bidi_characters, visible, visible_path, zero_width_characters
from core.material import Hunk, Line

_READ = 8_000  # characters of a line that are looked at; a secret that begins within what is shown ends within this
_SHOWN = 1_000  # characters of a line that are shown

_QUOTED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_PLAIN_ESCAPES = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r", b'"': b'"', b"\\": b"\\"}
_HEADING = re.compile(r"diff --(git|cc|combined) (.*)")
_MODES = {"120000": "symbolic link", "160000": "submodule"}
_NOTHING = "/dev/null"


@dataclass(slots=True)
class _Head:
    """What the lines above the first hunk say."""

    old: str = ""
    new: str = ""
    status: Status = Status.MODIFIED
    binary: bool = False
    modes: dict[str, str] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret that was replaced, at the line where it began."""

    path: str
    line: Line
    rule: str

    @property
    def side(self) -> str:
        return LEFT if self.line.mark == "-" else RIGHT


@dataclass(frozen=True, slots=True)
class Unseen:
    """An added line that holds characters nobody sees, spelled out by kind."""

    path: str
    line: Line
    bidi: tuple[str, ...]
    zero_width: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """``redacted`` counts the secrets in the lines and in the names of the files."""

    files: tuple[FileDiff, ...]
    secrets: tuple[FoundSecret, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    redacted: int = 0


def parse(data: bytes, redactor: Redactor) -> Parsed:
    """Every file of a unified diff, its lines numbered, redacted and escaped. ``BadInput`` where the text is no diff at all."""
    text = data.decode("utf-8", "backslashreplace")
    parts = list(_by_file(text))
    if not parts and text.strip():
        raise BadInput("This is not a diff: it holds neither “diff --git” nor “---”/“+++” lines. Make one with: git diff > change.diff")
    return gathered(_finished(part, redactor) for part in parts)


def parse_patch(patch: str, blank: FileDiff, redactor: Redactor) -> Parsed:
    """The hunks that a forge gives for one file whose name and status are known otherwise."""
    lines = [line + "\n" for line in patch.split("\n")]
    if lines and lines[-1] == "\n":
        lines.pop()
    return gathered([_cleaned(_with_hunks(blank, lines), redactor)])


def gathered(parts: Iterable[Parsed]) -> Parsed:
    """Several parsed parts as one."""
    listed = list(parts)
    return Parsed(
        tuple(file for part in listed for file in part.files),
        tuple(secret for part in listed for secret in part.secrets),
        tuple(unseen for part in listed for unseen in part.unseen),
        sum(part.redacted for part in listed),
    )


def _by_file(text: str) -> Iterator[list[str]]:
    """The lines of each file. Text before the first (a mail's heading) belongs to none."""
    lines = [line + "\n" for line in text.split("\n")]
    git = any(_HEADING.match(line) for line in lines)
    part: list[str] = []
    for index, line in enumerate(lines):
        starts = bool(_HEADING.match(line)) if git else _starts_plain(lines, index)
        if starts and part:
            yield part
            part = []
        if starts or part:
            part.append(line)
    if part:
        yield part


def _starts_plain(lines: list[str], index: int) -> bool:
    following = lines[index + 1 : index + 3]
    return len(following) == 2 and lines[index].startswith("--- ") and following[0].startswith("+++ ") and following[1].startswith("@@ ")


def _finished(lines: list[str], redactor: Redactor) -> Parsed:
    head = _read_head(lines)
    path = head.new if head.new and head.new != _NOTHING else head.old
    file = FileDiff(
        path=path,
        old_path=head.old if head.status in {Status.RENAMED, Status.COPIED} else "",
        status=head.status,
        binary=head.binary,
        submodule="160000" in head.modes.values(),
        remarks=tuple(_mode_remarks(head.modes)),
    )
    if lines[0].startswith(("diff --cc ", "diff --combined ")):
        return gathered([Parsed((replace(file, problem="a merge of several parents, which has no single old side"),))])
    return _cleaned(_with_hunks(file, head.body), redactor)


def _read_head(lines: list[str]) -> _Head:
    head = _Head()
    for index, raw in enumerate(lines):
        line = raw.rstrip("\r\n")
        if line.startswith("@@ "):
            head.body = lines[index:]
            break
        if not _read_name(head, line):
            _read_fact(head, line)
    if head.old == _NOTHING:
        head.status = Status.ADDED
    if head.new == _NOTHING:
        head.status = Status.DELETED
    return head


def _read_name(head: _Head, line: str) -> bool:
    heading = _HEADING.match(line)
    if heading:
        head.old, head.new = _both_names(heading.group(2)) if heading.group(1) == "git" else (heading.group(2), heading.group(2))
    elif line.startswith("--- "):
        head.old = _name(line[4:], prefix=True)
    elif line.startswith("+++ "):
        head.new = _name(line[4:], prefix=True)
    elif line.startswith(("rename from ", "copy from ")):
        head.old = _name(line.split(" from ", 1)[1])
        head.status = Status.RENAMED if line.startswith("rename") else Status.COPIED
    elif line.startswith(("rename to ", "copy to ")):
        head.new = _name(line.split(" to ", 1)[1])
    else:
        return False
    return True


def _read_fact(head: _Head, line: str) -> None:
    if line.startswith(("new file mode ", "deleted file mode ")):
        head.status = Status.ADDED if line.startswith("new") else Status.DELETED
        head.modes["now" if line.startswith("new") else "then"] = line.rsplit(" ", 1)[1]
    elif line.startswith("old mode "):
        head.modes["old"] = line[9:]
    elif line.startswith("new mode "):
        head.modes["new"] = line[9:]
    elif line.startswith("index ") and " " in line[6:]:
        head.modes["now"] = line.rsplit(" ", 1)[1]
    elif line.startswith(("Binary files ", "GIT binary patch")):
        head.binary = True


def _both_names(text: str) -> tuple[str, str]:
    """Old and new name of ``diff --git``. Unquoted names are told apart where both are the same; elsewhere other lines name them."""
    if text.startswith('"'):
        end = _closing_quote(text)
        return _name(text[: end + 1], prefix=True), _name(text[end + 2 :], prefix=True)
    if text.endswith('"') and ' "' in text:
        first, second = text.split(' "', 1)
        return _name(first, prefix=True), _name(f'"{second}', prefix=True)
    middle = (len(text) - 1) // 2
    old, new = _name(text[:middle], prefix=True), _name(text[middle + 1 :], prefix=True)
    return (old, new) if old == new else (text, text)


def _closing_quote(text: str) -> int:
    index = 1
    while index < len(text) and text[index] != '"':
        index += 2 if text[index] == "\\" else 1
    return index


def _name(text: str, *, prefix: bool = False) -> str:
    """A file name without git's quoting, its ``a/`` or ``b/`` and the tab that follows a name with spaces."""
    if text.startswith('"'):
        inner = text[1 : _closing_quote(text)].encode("utf-8", "backslashreplace")
        text = _QUOTED.sub(lambda found: _unquoted(found.group(1)), inner).decode("utf-8", "backslashreplace")
    else:
        text = text.split("\t", 1)[0].rstrip("\r")
    if prefix and text != _NOTHING and re.match(r"[abciow12]/", text):
        text = text[2:]
    return text


def _unquoted(escape: bytes) -> bytes:
    return bytes([int(escape, 8) & 0xFF]) if len(escape) == 3 else _PLAIN_ESCAPES.get(escape, escape)


def _mode_remarks(modes: dict[str, str]) -> Iterator[str]:
    if "old" in modes and "new" in modes:
        yield f"mode {modes['old']} -> {modes['new']}"
    kind = _MODES.get(modes.get("now", modes.get("new", modes.get("then", ""))))
    if kind and kind != "submodule":
        yield kind


def _with_hunks(file: FileDiff, body: list[str]) -> FileDiff:
    """The file with its hunks as they stand in the diff, or with the reason why they cannot be read."""
    if not body or file.binary:
        return file
    try:
        parsed = PatchSet(["--- a/x\n", "+++ b/x\n", *_without_tail(body)])
    except UnidiffParseError as error:
        return replace(file, problem=f"its part of the diff is damaged ({visible(str(error))[:80].strip()})")
    hunks, ends = [], set()
    for raw in parsed[0] if parsed else ():
        lines: list[Line] = []
        for one in raw:
            if one.line_type == "\\":
                ends.add("old" if lines and lines[-1].mark == "-" else "new")
                continue
            lines.append(Line(one.line_type or " ", one.value.removesuffix("\n"), one.source_line_no, one.target_line_no))
        header = f"@@ -{raw.source_start},{raw.source_length} +{raw.target_start},{raw.target_length} @@ {raw.section_header}".rstrip()
        hunks.append(Hunk(file.path, header, tuple(lines)))
    remark = (f"no newline at the end of the {' and the '.join(sorted(ends, reverse=True))} file",) if ends else ()
    return replace(file, hunks=tuple(hunks), remarks=(*file.remarks, *remark))


def _without_tail(body: list[str]) -> list[str]:
    """The lines without what follows the last hunk: the empty end of the text, the signature of a mailed patch, a mail that comes next."""
    end = len(body)
    while end and not body[end - 1].strip():
        end -= 1
    return body[:end]


def _cleaned(file: FileDiff, redactor: Redactor) -> Parsed:
    """The file as it may be shown: secrets replaced, unseen characters spelled out, very long lines shortened. CRLF is said once."""
    lines = [line for hunk in file.hunks for line in hunk.lines]
    crlf = bool(lines) and all(line.text.endswith("\r") for line in lines)
    raw = [(line.text.removesuffix("\r") if crlf else line.text)[:_READ] for line in lines]
    done = redactor.redact_lines(raw, file.path)
    name, names = _clean_path(file.path, redactor)
    old, olds = _clean_path(file.old_path, redactor)
    cleaned = [_clean_line(line, text) for line, text in zip(lines, done.lines, strict=True)]
    hunks = tuple(_regrouped(file.hunks, name, cleaned, redactor))
    cut = sum(len(line.text) > _SHOWN for line in lines)
    secrets = tuple(FoundSecret(name, cleaned[index], rule) for index, rule in done.secrets)
    unseen = tuple(_unseen(name, zip(cleaned, raw, strict=True)))
    remarks = (*file.remarks, "CRLF line ends") if crlf else file.remarks
    clean = replace(file, path=name, old_path=old, hunks=hunks, cut=cut, remarks=remarks)
    return Parsed((clean,), secrets, unseen, len(secrets) + names + olds)


def _unseen(path: str, lines: Iterable[tuple[Line, str]]) -> Iterator[Unseen]:
    for line, raw in lines:
        if line.mark == "+" and not raw.isascii():
            text = raw.removeprefix("\ufeff") if line.new == 1 else raw  # a byte order mark at the start of a file is only old-fashioned
            bidi, zero_width = bidi_characters(text), zero_width_characters(text)
            if bidi or zero_width:
                yield Unseen(path, line, bidi, zero_width)


def _clean_path(path: str, redactor: Redactor) -> tuple[str, int]:
    text, count = redactor.redact(path)
    return (visible_path(text) if text else ""), count


def _regrouped(hunks: Iterable[Hunk], path: str, lines: list[Line], redactor: Redactor) -> Iterator[Hunk]:
    at = 0
    for hunk in hunks:
        header = visible(redactor.redact(hunk.header)[0])[:200]
        yield Hunk(path, header, tuple(lines[at : at + len(hunk.lines)]))
        at += len(hunk.lines)


def _clean_line(line: Line, text: str) -> Line:
    shown = visible(text[:_SHOWN])
    if len(line.text) > _SHOWN:
        shown += f" …[{len(line.text) - _SHOWN:,} more characters]"
    return replace(line, text=shown)
