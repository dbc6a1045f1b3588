r"""A diff as bytes becomes files with numbered lines.

The diff is cut into the sections of its files before they are parsed, so that an unreadable file
does not hide the others; ``adapters.diffs.heads`` reads the names, unidiff the lines of a hunk.
Lines that belong to no file are one more entry, which is not read. A line ends at ``\n`` only. If
the diff is a series of changes, the files show its end state.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as PatchedHunk
from unidiff.patch import PatchSet

from adapters.diffs.cutting import Cut, Kind, Section, cut
from adapters.diffs.heads import NOTHING, Head, mode_remarks, prefixes, read_head
from adapters.diffs.mail import decoded_mails, is_log, message_of, newest_first
from adapters.diffs.series import Change, end_state
from adapters.diffs.unshown import added_secrets, unseen_characters
from adapters.redaction import redact, redact_lines
from adapters.text.encodings import as_utf8
from core.debate.errors import BadInput
from core.debate.material import CodeFinding, Hunk, Line
from core.debate.material.diffs import UNPLACED, FileDiff, FileStatus
from core.debate.material.escaping import show_hidden, show_path
from core.debate.stored import stored, stored_many

_SUBMODULE = re.compile(r"Subproject commit [0-9a-f]{7,64}(?:-dirty)?")
_LAST_LINE = 1 << 40  # no file has more
# characters of a line that are looked at; a secret that begins within what is shown ends within
# this
_READ = 8_000
_SHOWN = 1_000  # characters of a line that are shown


@dataclass(frozen=True, slots=True)
class Parsed:
    """The files of a diff. ``secrets`` and ``unseen`` are findings about its lines as they were;
    ``redacted`` counts the secrets replaced in lines and names. ``messages`` are the subjects and
    texts of the ``changes`` that it holds, the oldest first.
    """

    files: tuple[FileDiff, ...]
    secrets: tuple[CodeFinding, ...] = ()
    unseen: tuple[CodeFinding, ...] = ()
    redacted: int = 0
    messages: tuple[tuple[str, str], ...] = ()
    changes: int = 0


_BEGINNING = 20_000  # bytes in which a diff has begun, behind a message or not


def begins_diff(data: bytes) -> bool:
    """Return whether a text is a diff, by its beginning: one with hunks, a heading of git, or a
    file in another format, which ``parse`` names.
    """
    sections = _cut(_decoded(data[:_BEGINNING])).sections
    return any(section.kind is not Kind.ENTRY for section in sections)


def _cut(text: str) -> Cut:
    plain = decoded_mails(_plain(text))
    coloured = _COLOURED.search(text) is not None
    return cut(_lines(plain), coloured=coloured)


_NO_DIFF = (
    "This is not a diff: it holds neither “diff --git” nor “---”/“+++” lines. Make one "
    "with: git diff > change.diff"
)
_REFUSED = (
    (
        r"^ *[|*\\/][|*\\/ ]* diff --git ",
        "This is a log with a graph. Make it without one: git log -p > change.diff",
    ),
    (
        r"^(?:[ \t]+|[>|] ?)+(?:diff --git |--- \S.*\n(?:[ \t]+|[>|] ?)+\+\+\+ )",
        (
            "Each line of this diff begins with spaces, “>” or “|”, as in a quotation. Paste it as "
            "git diff prints it."
        ),
    ),
    (
        r"^(?:-|\d+): +(?:[0-9a-f]{4,64}|-{4,64}) [=!<>] ",
        (
            "This is a range-diff, which compares two series of commits and not files. Review one "
            "of them: git log -p > change.diff"
        ),
    ),
    (
        r"^@@ -\d.* @@",
        (
            "These hunks name no file: their “---” and “+++” lines are missing. Make the diff "
            "with: git diff > change.diff"
        ),
    ),
)
"""What a text without a file looks like, and what its author can do."""
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}


def parse(data: bytes) -> Parsed:
    """Returns every file of a diff, its lines numbered, redacted and escaped, and an entry for the
    lines that belong to none.

    ``BadInput`` if the text is no diff at all.
    """
    for begins, packer in _PACKED.items():
        if data.startswith(begins):
            raise BadInput(
                f"This file is packed with {packer}. Unpack it and review the diff in it."
            )
    text = _decoded(data)
    pieces = _cut(text)
    if not pieces.sections and text.strip():
        plain = _plain(text)
        known = (why for form, why in _REFUSED if re.search(form, plain, re.MULTILINE))
        raise BadInput(next(known, _NO_DIFF))
    indexless = not any(
        line.startswith("index ")
        for section in pieces.sections
        if "GIT binary patch" not in section.head  # hg has an index only there
        for line in section.head
    )
    changes = _named(
        [
            (
                section,
                read_head(section, indexless=indexless and section is not pieces.sections[-1]),
            )
            for section in pieces.sections
        ]
    )
    files, reverse = end_state(changes, usual=newest_first(pieces.messages))
    messages = [one for one in map(message_of, pieces.messages) if any(one)]
    gathered = _gathered(_cleaned(file) for file in (*files, *_unplaced(pieces, changes)))
    if reverse or (reverse is None and is_log(pieces.messages)):
        messages.reverse()
    series = len({section.patch for section in pieces.sections})
    return replace(gathered, messages=tuple(messages), changes=series)


def _decoded(data: bytes) -> str:
    data = as_utf8(data)
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "backslashreplace")


_AFTER_NUL = re.compile(r"\0(?=(?:commit |From )?[0-9a-f]{7,64}[ \n])")  # as log -z has it
_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
_COLOURED = re.compile(
    r"^(?:\x1b\[[0-9;:]*[mK])+(?:diff |--- |\+\+\+ |@@|Index: |commit )", re.MULTILINE
)
_HEADINGS = re.compile(r"^(?:diff --\w+ |@@ |\+\+\+ |Index: ).*?(\r?)$", re.MULTILINE)


def _plain(text: str) -> str:
    """Returns the text without the colours of a terminal, and without the carriage returns of a
    form or of Windows: those that end the headings, too.
    """
    if _COLOURED.search(text):
        text = _COLOUR.sub("", text)
    text = _AFTER_NUL.sub("\n", text)
    ends = Counter(_HEADINGS.findall(text))
    if ends["\r"] > ends[""]:
        text = text.replace("\r\n", "\n")
    if "\n" in text.rstrip("\n"):
        return text
    return text.replace("\r", "\n")


def _named(sections: Sequence[tuple[Section, Head]]) -> list[Change]:
    """Returns each section as a change of the file that its names mean, all of them together."""
    known = Counter(
        pair for _, head in sections if (pair := prefixes(head)) is not None and any(pair)
    )
    usual = known.most_common(1)[0][0] if known else ("", "")
    changes = []
    for section, head in sections:
        old, new = _without_prefixes(section, head, usual)
        changes.append(Change(_file(section, head, old, new), section.patch, head.blobs))
    return _told_apart(changes, [head for _, head in sections])


def _without_prefixes(section: Section, head: Head, usual: tuple[str, str]) -> tuple[str, str]:
    pair = prefixes(head)
    if section.kind is Kind.ENTRY and (pair is None or head.old == head.new) and not head.exact:
        for prefix in usual:
            if prefix and head.old.startswith(prefix):
                head.status = FileStatus.ADDED if prefix == usual[1] else FileStatus.DELETED
                return head.old[len(prefix) :], head.new[len(prefix) :]
    if pair is None and NOTHING in (head.old, head.new):
        pair = usual
        if not any((*usual, *head.pair)):
            pair = ("a/", "b/")
    elif pair is None:
        pair = ("", "")
    return (_stripped(head.old, pair[0]), _stripped(head.new, pair[1]))


def _stripped(name: str, prefix: str) -> str:
    if name == NOTHING or not prefix:
        return name
    return name.removeprefix(prefix).lstrip("/") or name


def _told_apart(changes: list[Change], heads: Sequence[Head]) -> list[Change]:
    """Returns the changes, by their whole names if two files would have the same without their
    prefixes.
    """
    wholes: dict[str, set[str]] = {}
    for change, head in zip(changes, heads, strict=True):
        wholes.setdefault(change.file.path, set()).add(head.new if not head.exact else "")
    return [
        replace(change, file=replace(change.file, path=head.new))
        if len(wholes[change.file.path] - {"", NOTHING}) > 1 and head.new != NOTHING
        else change
        for change, head in zip(changes, heads, strict=True)
    ]


_LISTED = re.compile(r"\.\.\. (//.+?)#\d+ \S+")


def _unplaced(pieces: Cut, changes: Sequence[Change]) -> Iterator[FileDiff]:
    """Yields the files that a list names and no section shows, and the entry for the lines that
    belong to no file.
    """
    present = {name for change in changes for name in (change.file.path, change.file.old_path)}
    listed = list(pieces.lists.named)
    patches = {section.patch for section in pieces.sections} | {pieces.patches}
    listed += (names for patch, names in pieces.lists.summaries if patch in patches)
    if any(path.startswith("//") for path in present):  # of Perforce
        lines = (line for message in pieces.messages for line in message.lines)
        listed += (((match.group(1),),) for match in map(_LISTED.match, lines) if match)
    missing = [ways[0] for ways in listed if not any(present.issuperset(way) for way in ways)]
    for path in dict.fromkeys(chain.from_iterable(missing)):
        if path and path not in present:
            yield FileDiff(path, problem=stored("its text is not in the diff"))
    reasons = [_not_read(pieces.unread)] if pieces.unread else []
    if count := _missing(pieces):
        reasons.append(
            stored_many(
                count,
                "{n} file of its statistic that the diff does not show",
                "{n} files of its statistic that the diff does not show",
            )
        )
    if reasons:
        yield FileDiff(UNPLACED, problem="; ".join(reasons))


def _missing(pieces: Cut) -> int:
    """Returns how many files the statistics of the patches count that have no section, as in a
    diff that was cut. The letter before a series has a statistic and no diff.
    """
    present = Counter(section.patch for section in pieces.sections)
    return sum(
        max(0, count - present[patch])
        for patch, count in pieces.lists.counted().items()
        if present[patch] or patch == pieces.patches
    )


def _not_read(numbers: Sequence[int]) -> str:
    return stored_many(
        len(numbers),
        "{n} line that could not be read, from line {first}",
        "{n} lines that could not be read, from line {first}",
        first=f"{numbers[0]:,}",
    )


def _unannounced(count: int, first: int) -> str:
    return stored_many(
        count,
        "{n} line that no hunk announces not read, from line {first}",
        "{n} lines that no hunk announces not read, from line {first}",
        first=f"{first:,}",
    )


def parse_patch(patch: str, blank: FileDiff) -> Parsed:
    """Returns the hunks that a forge gives for one file whose name and status are known
    otherwise. What can't be read of them is named.
    """
    return _cleaned(_with_patch(blank, patch))


def _with_patch(blank: FileDiff, patch: str) -> FileDiff:
    if not patch.strip() or blank.problem:
        return blank
    lines = _lines(patch)
    names = [] if lines[0].startswith("--- ") else ["--- a/x", "+++ b/x"]
    pieces = cut([*names, *lines])
    section = pieces.sections[0] if pieces.sections else Section(Kind.PLAIN, 1, 0)
    head = read_head(section)
    if head.binary:
        return replace(blank, binary=True)
    if head.problem or not section.hunks:
        return replace(blank, problem=head.problem)
    numbers = [*section.surplus, *pieces.unread]
    numbers += [one.start for one in pieces.sections[1:]]
    if numbers:
        blank = replace(blank, lost=_unannounced(len(numbers), min(numbers) - len(names)))
    return _with_hunks(blank, section.hunks)


def parse_patches(patches: Iterable[tuple[FileDiff, str | None]]) -> Parsed:
    """Returns the files of many patches as in ``parse_patch``; the patch of a file without text is
    None.
    """
    return _gathered(parse_patch(patch or "", blank) for blank, patch in patches)


def _gathered(parts: Iterable[Parsed]) -> Parsed:
    listed = list(parts)
    return Parsed(
        tuple(file for part in listed for file in part.files),
        tuple(secret for part in listed for secret in part.secrets),
        tuple(unseen for part in listed for unseen in part.unseen),
        sum(part.redacted for part in listed),
    )


def _lines(text: str) -> list[str]:
    """Returns the lines without their line feeds; nothing else ends a line."""
    lines = text.split("\n")
    if not lines[-1]:
        return lines[:-1]
    return lines


def _file(section: Section, head: Head, old: str, new: str) -> FileDiff:
    path = next((name for name in (new, old) if name.strip() and name != NOTHING), UNPLACED)
    status = head.status
    if section.kind is Kind.GIT and status is FileStatus.MODIFIED and old not in {new, NOTHING}:
        status = FileStatus.RENAMED
    lost = ""
    if section.surplus:
        lost = _unannounced(len(section.surplus), section.surplus[0])
    elif any(remark.endswith(" …") for remark in head.remarks):
        lost = stored("a long property shortened")
    file = FileDiff(
        path=path,
        old_path=old if status in {FileStatus.RENAMED, FileStatus.COPIED} else "",
        status=status,
        binary=head.binary,
        submodule=head.submodule,
        remarks=(*mode_remarks(head.modes), *head.remarks),
        problem=head.problem,
        lost=lost,
    )
    if file.problem:
        return file
    return _with_hunks(file, section.hunks)


_ENDLESS = {
    ("new", "old"): stored("no newline at the end of the old and the new file"),
    ("new", "new"): stored("no newline at the end of the new file"),
    ("old", "old"): stored("no newline at the end of the old file"),
}
"""The remark about sides without a last line feed, by the first and the last of their names."""


def _with_hunks(file: FileDiff, body: Sequence[str]) -> FileDiff:
    """Returns the file with its hunks as in the diff, whose lines are the ``body``, or with the
    reason why they cannot be read.
    """
    if not body or file.binary:
        return file
    try:
        patched = _patched(body)
        if any(max(raw.source_start, raw.target_start) > _LAST_LINE for raw in patched):
            raise ValueError("no file has that many lines")
    except (UnidiffParseError, ValueError) as error:
        return replace(
            file,
            problem=stored(
                "its part of the diff is damaged ({error})",
                error=show_hidden(str(error))[:80].strip(),
            ),
        )
    hunks, ends = [], set()
    for raw in patched:
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
        remark = (_ENDLESS[min(ends), max(ends)],)
    changed = [line.text for hunk in hunks for line in hunk.lines if line.mark != " "]
    submodule = bool(changed) and all(map(_SUBMODULE.fullmatch, changed))
    return replace(
        file,
        hunks=tuple(hunks),
        remarks=(*file.remarks, *remark),
        submodule=file.submodule or submodule,
    )


def _patched(body: Sequence[str]) -> Sequence[PatchedHunk]:
    """Returns the hunks in these lines. Raises ``UnidiffParseError``."""
    files = PatchSet(f"{line}\n" for line in ("--- a/x", "+++ b/x", *body))
    return [hunk for file in files for hunk in file]


def _cleaned(file: FileDiff) -> Parsed:
    """Returns the file as it may be shown: secrets replaced, unseen characters spelled out, very
    long lines shortened. Line ends of CRLF are mentioned once.
    """
    lines = file.lines
    crlf = bool(lines) and all(line.text.endswith("\r") for line in lines)
    raw = [(line.text.removesuffix("\r") if crlf else line.text)[:_READ] for line in lines]
    redacted_lines, placed = redact_lines(raw, file.path)
    name, names = _clean_path(file.path)
    old, olds = _clean_path(file.old_path)
    cleaned = [_clean_line(line, text) for line, text in zip(lines, redacted_lines, strict=True)]
    redacted_remarks = [redact(remark) for remark in file.remarks]
    regrouped = _regrouped(file.hunks, name, cleaned)
    hunks = tuple(replace(hunk, old_path=old) for hunk in regrouped)
    cut = sum(len(line.text) > _SHOWN for line in lines)
    secrets = tuple(added_secrets(name, cleaned, placed))
    unseen = tuple(unseen_characters(name, zip(cleaned, raw, strict=True)))
    remarks = tuple(show_hidden(text) for text, _ in redacted_remarks)
    if crlf:
        remarks = (*remarks, stored("CRLF line ends"))
    clean = replace(file, path=name, old_path=old, hunks=hunks, cut=cut, remarks=remarks)
    redacted = len(placed) + names + olds + sum(count for _, count in redacted_remarks)
    return Parsed((clean,), secrets, unseen, redacted)


def _clean_path(path: str) -> tuple[str, int]:
    text, count = redact(path)
    return (show_path(text) if text else ""), count


def _regrouped(hunks: Iterable[Hunk], path: str, lines: list[Line]) -> Iterator[Hunk]:
    at = 0
    for hunk in hunks:
        header = show_hidden(redact(hunk.header)[0])[:200]
        yield Hunk(path, header, tuple(lines[at : at + len(hunk.lines)]))
        at += len(hunk.lines)


def _clean_line(line: Line, text: str) -> Line:
    visible = show_hidden(text[:_SHOWN])
    if len(line.text) > _SHOWN:
        visible += f" …[{len(line.text) - _SHOWN:,} more characters]"
    return replace(line, text=visible)
