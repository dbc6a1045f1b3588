"""A diff as bytes becomes files with numbered lines.

The diff is cut into files at ``diff --git`` before it is parsed, so that one file that nobody can
read does not hide the others, and the names are read here, from git's quoting, because unidiff
leaves them quoted. The lines of a hunk are unidiff's. A line ends at ``\\n`` only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as PatchedHunk
from unidiff.patch import PatchSet

from adapters.diffs.heads import HEADING, NOTHING, mode_remarks, read_head
from adapters.redaction import Redactor
from core.errors import BadInput
from core.material import Hunk, Line
from core.material.diffs import LEFT, RIGHT, FileDiff, FileStatus
from core.material.escaping import bidi_characters, show_hidden, show_path, zero_width_characters

_LAST_LINE = 1 << 40  # no file has more
# characters of a line that are looked at; a secret that begins within what is shown ends within
# this
_READ = 8_000
_SHOWN = 1_000  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret that was replaced, at the line where it began."""

    path: str
    line: Line
    rule: str

    @property
    def side(self) -> str:
        if self.line.mark == "-":
            return LEFT
        return RIGHT


@dataclass(frozen=True, slots=True)
class Unseen:
    """An added line that holds characters nobody sees, spelled out by kind."""

    path: str
    line: Line
    bidi: tuple[str, ...]
    zero_width: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The files of a diff; ``redacted`` counts the secrets replaced in their lines and names."""

    files: tuple[FileDiff, ...]
    secrets: tuple[FoundSecret, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    redacted: int = 0


def parse(data: bytes, redactor: Redactor) -> Parsed:
    """Returns every file of a unified diff, its lines numbered, redacted and escaped.

    ``BadInput`` where the text is no diff at all.
    """
    text = data.decode("utf-8", "backslashreplace")
    parts = list(_by_file(text))
    if not parts and text.strip():
        raise BadInput(
            "This is not a diff: it holds neither “diff --git” nor “---”/“+++” lines. Make one "
            "with: git diff > change.diff"
        )
    return _gathered(_finished(part, redactor) for part in parts)


def parse_patch(patch: str, blank: FileDiff, redactor: Redactor) -> Parsed:
    """Returns the hunks that a forge gives for one file whose name and status are known
    otherwise.
    """
    return _gathered([_cleaned(_with_hunks(blank, _lines(patch)), redactor)])


def parse_patches(patches: Iterable[tuple[FileDiff, str | None]], redactor: Redactor) -> Parsed:
    """Returns the files of many patches as in ``parse_patch``; the patch of a file without text is
    None.
    """
    return _gathered(parse_patch(patch or "", blank, redactor) for blank, patch in patches)


def _gathered(parts: Iterable[Parsed]) -> Parsed:
    """Joins several parsed parts into one."""
    listed = list(parts)
    return Parsed(
        tuple(file for part in listed for file in part.files),
        tuple(secret for part in listed for secret in part.secrets),
        tuple(unseen for part in listed for unseen in part.unseen),
        sum(part.redacted for part in listed),
    )


def _lines(text: str) -> list[str]:
    """Returns the lines with their ends, each ended by a line feed; nothing else ends a line."""
    lines = [line + "\n" for line in text.split("\n")]
    if text.endswith("\n") or not text:
        return lines[:-1]
    return lines


def _by_file(text: str) -> Iterator[list[str]]:
    """Yields the lines of each file. Text before the first (a mail's heading) belongs to none."""
    lines = _lines(text)
    git = any(HEADING.match(line) for line in lines)
    part: list[str] = []
    for index, line in enumerate(lines):
        starts = bool(HEADING.match(line)) if git else _starts_plain(lines, index)
        if starts and part:
            yield part
            part = []
        if starts or part:
            part.append(line)
    if part:
        yield part


def _starts_plain(lines: list[str], index: int) -> bool:
    following = lines[index + 1 : index + 3]
    return (
        len(following) == 2
        and lines[index].startswith("--- ")
        and following[0].startswith("+++ ")
        and following[1].startswith("@@ ")
    )


def _finished(lines: list[str], redactor: Redactor) -> Parsed:
    head = read_head(lines)
    path = head.new
    if path in {"", NOTHING}:
        path = head.old
    file = FileDiff(
        path=path,
        old_path=head.old if head.status in {FileStatus.RENAMED, FileStatus.COPIED} else "",
        status=head.status,
        binary=head.binary,
        submodule="160000" in head.modes.values(),
        remarks=tuple(mode_remarks(head.modes)),
    )
    if lines[0].startswith(("diff --cc ", "diff --combined ")):
        return _gathered(
            [
                Parsed(
                    (
                        replace(
                            file, problem="a merge of several parents, which has no single old side"
                        ),
                    )
                )
            ]
        )
    return _cleaned(_with_hunks(file, head.body), redactor)


def _with_hunks(file: FileDiff, body: list[str]) -> FileDiff:
    """Returns the file with its hunks as they stand in the diff, or with the reason why they cannot
    be read.
    """
    if not body or file.binary:
        return file
    try:
        parsed = PatchSet(["--- a/x\n", "+++ b/x\n", *body])
        if any(max(raw.source_start, raw.target_start) > _LAST_LINE for raw in _hunks(parsed)):
            raise ValueError("no file has so many lines")
    except (UnidiffParseError, ValueError) as error:
        return replace(
            file,
            problem=f"its part of the diff is damaged ({show_hidden(str(error))[:80].strip()})",
        )
    hunks, ends = [], set()
    for raw in _hunks(parsed):
        lines: list[Line] = []
        for one in raw:
            if one.line_type == "\\":
                deleted = bool(lines) and lines[-1].mark == "-"
                ends.add("old" if deleted else "new")
                continue
            if not one.line_type:
                continue  # an empty line after the last hunk, which belongs to no side
            lines.append(
                Line(
                    one.line_type,
                    one.value.removesuffix("\n"),
                    one.source_line_no,
                    one.target_line_no,
                )
            )
        header = (
            f"@@ -{raw.source_start},{raw.source_length} "
            f"+{raw.target_start},{raw.target_length} @@ {raw.section_header}"
        ).rstrip()
        hunks.append(Hunk(file.path, header, tuple(lines)))
    remark: tuple[str, ...] = ()
    if ends:
        remark = (
            f"no newline at the end of the {' and the '.join(sorted(ends, reverse=True))} file",
        )
    return replace(file, hunks=tuple(hunks), remarks=(*file.remarks, *remark))


def _hunks(parsed: PatchSet) -> Iterable[PatchedHunk]:
    return parsed[0] if parsed else ()


def _cleaned(file: FileDiff, redactor: Redactor) -> Parsed:
    """Returns the file as it may be shown: secrets replaced, unseen characters spelled out, very
    long lines shortened. Line ends of CRLF are mentioned once.
    """
    lines = [line for hunk in file.hunks for line in hunk.lines]
    crlf = bool(lines) and all(line.text.endswith("\r") for line in lines)
    raw = [(line.text.removesuffix("\r") if crlf else line.text)[:_READ] for line in lines]
    done = redactor.redact_lines(raw, file.path)
    name, names = _clean_path(file.path, redactor)
    old, olds = _clean_path(file.old_path, redactor)
    cleaned = [_clean_line(line, text) for line, text in zip(lines, done.lines, strict=True)]
    regrouped = _regrouped(file.hunks, name, cleaned, redactor)
    hunks = tuple(replace(hunk, old_path=old) for hunk in regrouped)
    cut = sum(len(line.text) > _SHOWN for line in lines)
    secrets = tuple(FoundSecret(name, cleaned[index], rule) for index, rule in done.secrets)
    unseen = tuple(_unseen(name, zip(cleaned, raw, strict=True)))
    remarks = (*file.remarks, "CRLF line ends") if crlf else file.remarks
    clean = replace(file, path=name, old_path=old, hunks=hunks, cut=cut, remarks=remarks)
    return Parsed((clean,), secrets, unseen, len(secrets) + names + olds)


def _unseen(path: str, lines: Iterable[tuple[Line, str]]) -> Iterator[Unseen]:
    for line, raw in lines:
        if line.mark == "+" and not raw.isascii():
            text = (
                raw.removeprefix("\ufeff") if line.new == 1 else raw
            )  # a byte order mark at the start of a file is only old-fashioned
            bidi, zero_width = bidi_characters(text), zero_width_characters(text)
            if bidi or zero_width:
                yield Unseen(path, line, bidi, zero_width)


def _clean_path(path: str, redactor: Redactor) -> tuple[str, int]:
    text, count = redactor.redact(path)
    return (show_path(text) if text else ""), count


def _regrouped(
    hunks: Iterable[Hunk], path: str, lines: list[Line], redactor: Redactor
) -> Iterator[Hunk]:
    at = 0
    for hunk in hunks:
        header = show_hidden(redactor.redact(hunk.header)[0])[:200]
        yield Hunk(path, header, tuple(lines[at : at + len(hunk.lines)]))
        at += len(hunk.lines)


def _clean_line(line: Line, text: str) -> Line:
    visible = show_hidden(text[:_SHOWN])
    if len(line.text) > _SHOWN:
        visible += f" …[{len(line.text) - _SHOWN:,} more characters]"
    return replace(line, text=visible)
