"""Cuts a diff into the sections of its files and the messages before them.

Every line belongs to a section, to a message, or says nothing; the others are returned by their
numbers, so that no change seems read that was not. A hunk is as long as its heading announces, so
the text of a file never begins a section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from adapters.diffs.lists import Lists, is_list
from adapters.diffs.quoting import both_sides
from core.debate.stored import stored

HEADING = re.compile(r"diff --(git|cc|combined) (.*)")
HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_EXTENDED = re.compile(
    r"(?:old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    r"|rename old|rename new|similarity index|dissimilarity index|index|mode|remerge) "
)
_BINARY = re.compile(r"(?:Binary files|Files) (.+ and .+) differ$|Binary file (.+) has changed$")
_ENTRY = re.compile(
    r"Only in [^:]*[^ :]: .+$|Only in .+: .+$|(?:Binary files|Files) .+ and .+ differ$"
    r"|Binary file .+ has changed$|Symbolic links .+ and .+ differ$|File .+ is an? .+ while .+$"
    r"|Common subdirectories: .+ and .+$|Files .+ and .+ are identical$|\* Unmerged path .+$"
    r"|Submodule \S.* (?:[0-9a-f]{4,64}\.{2,3}[0-9a-f]{4,64}(?: \([^)]*\))?:?|contains .+)$"
)
_RECURSIVE = re.compile(r"diff (?:-\S+ )*-[a-zA-Z]*r")
_BZR = re.compile(
    r"=== (?:added|removed|modified|renamed|kind changed) (?:file|directory|symlink) '"
)
_P4 = re.compile(r"==== (?://.+|.+ - //.+) ====")
_NORMAL = re.compile(r"\d+(?:,\d+)?[acd]\d+(?:,\d+)?$")
_INDEX = re.compile(r"(?:Index|Added|Modified|Deleted|Copied): ")
_SVN_PROPERTY = re.compile(r"(?:Added|Modified|Deleted|Name): ?|## -\d|\s+(?:Reverse-m|M)erged ")
_INDEX_FACT = re.compile(
    r"Cannot display: |\(Binary files differ\)|svn:mime-type = |RCS file: |retrieving revision "
    r"|diff -[^-]"
)
FOSSIL_BINARY = "cannot compute difference between binary files"
_VERSION = re.compile(r"\d+\.\d[\w.() -]*$")
_ENVELOPE = re.compile(r"\*\*\* (?:Update|Add|Delete) File: ")
_ENVELOPE_END = re.compile(r"\*\*\* (?:Begin|End) Patch")
_FOOTER = re.compile(
    r"\*\*\* (?:Begin|End) Patch|base-commit: |prerequisite-(?:patch-id|change-id): |#P "
    r"|### Eclipse "
)
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,}) *(?P<language>[\w.+-]*)[^`]*$")
_MAIL = re.compile(r"From (?:[0-9a-f]{4,64}|\S+@\S+) ")
_MAIL_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]*:(?: |$)")
_COMMIT = re.compile(r"commit (?:[-+<>=^] )?[0-9a-f]{7,64}\b|(?:[0-9a-f]{40}|[0-9a-f]{64})$")
_COMMIT_HEADER = re.compile(
    r"[A-Z][A-Za-z ]*(?: \([^)]*\))?:(?:\s|$)|(?:tree|parent|author|committer) \S"
)
_ONE_LINE = re.compile(r"[0-9a-f]{7,64}(?: \([^)]*\))? \S")
_LOGS = (
    re.compile(r"# HG changeset patch$"),
    re.compile(r"changeset:\s+\d+:[0-9a-f]+$"),
    re.compile(r"Change \d+ by \S+ on "),
    re.compile(r"tag \S+$"),
)
_INDEX_RULE = "=" * 60
_RULE = re.compile(r"-{60,72}$")
_AFTER_RULE = re.compile(r"r\d+ \| |revno: \d")
_LIST_RULE = re.compile(r"_{40,60}$")
_OF_LIST = re.compile(r"\S.* mailing list\b|\S+@\S+$|https?://\S+$|To unsubscribe ")
"""Matches a line below the rule with which a mailing list ends a mail."""
_FAR = 50  # lines
_BASE85 = re.compile(r"[A-Za-z](?:[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{5})+$")
_MARKED = re.compile(
    r"[+-]\S|@@|\+\+\+ |--- \S|\*\*\* |[<>|][<>|\s]*(?:diff |[+-]|@@)|index [0-9a-f]+\.\."
    r"|\s+(?:diff --|@@ -\d|\+\+\+ \S)|(?:-?\d+|-): +(?:[0-9a-f]{4,64}|-{4,64}) [=!<>] "
    r"|(?:Added|Modified|Removed|Renamed|Copied) (?:regular|executable) file \S.*:$"
    r"|\S+ --- (?:\d+/\d+ --- )?[A-Z][\w+#]*$"
    r"|.*(?:\bdiff --git \S+ \S|@@ -\d+(?:,\d+)? \+\d+)"
)
_STRAY = re.compile(r"@@ -\d|\+\+\+ \S|--- [a-z]/|diff --\w|Index: \S|==== \S.* ====$")
"""Matches a line that no message has, but the part of a diff that can't be read."""

WORD_DIFF = stored("a word diff: make one without --word-diff and --color-words")
_UNCHANGED = stored("its part of the diff is damaged (no line of it changes)")
CONTEXT = stored("in context format: make a unified one with diff -u")
NORMAL = stored("in diff's normal format: make a unified one with diff -u")
UNNUMBERED = stored("its hunks give no line numbers (@@ … @@): make it with git diff or diff -u")
NO_NUMBERS = stored("in an assistant's patch format without line numbers: make it with git diff")


_FIRST_OF_SECTION = frozenset("dIAMDC-*=P0123456789\ufeff")
_FIRST_OF_MESSAGE = frozenset("Fc-#Ct0123456789abdef")
"""First letters of the lines that can begin one, which most lines have not."""


class Kind(StrEnum):
    """The forms in which a diff names a file."""

    GIT = "git"
    PLAIN = "plain"
    INDEX = "index"  # svn, cvs, quilt
    BZR = "bzr"
    P4 = "p4"
    PROPERTIES = "properties"
    ENTRY = "entry"  # one line about a file whose text is not shown


@dataclass(slots=True)
class Section:
    """The lines of one file, from line ``start`` (from 1): the ``head`` above its hunks, the lines
    of its ``hunks``, its ``properties``, and the numbers of lines that its hunks do not announce.
    ``patch`` counts the messages of changes before it.
    """

    kind: Kind
    start: int
    patch: int
    head: list[str] = field(default_factory=list)
    hunks: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    surplus: list[int] = field(default_factory=list)
    problem: str = ""


class Log(StrEnum):
    """The forms of a message before a change."""

    MAIL = "mail"
    COMMIT = "commit"
    EXPORT = "export"  # of hg
    LOG = "log"  # of hg, svn, bzr, p4
    PROSE = "prose"


@dataclass(slots=True)
class Message:
    """The lines of a message, from line ``start``."""

    log: Log
    start: int
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Cut:
    """A diff in pieces. ``unread`` has the numbers of the lines that belong to no piece, ``blank``
    counts the lines without meaning, ``patches`` the messages of changes.
    """

    sections: list[Section] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    blank: int = 0
    patches: int = 0
    lists: Lists = field(default_factory=Lists)


def _has_word_marks(line: str) -> bool:
    """Returns True if a line has the marks of a word diff around its words."""
    removed, added = line.find("[-"), line.find("{+")
    return (
        line == "~"
        or (removed >= 0 and line.find("-]", removed + 2) >= 0)
        or (added >= 0 and line.find("+}", added + 2) >= 0)
    )


def cut(lines: Sequence[str], *, coloured: bool = False) -> Cut:
    """Returns the pieces of a diff; ``lines`` are without their ends. ``coloured`` means that they
    had colours; only they mark the words of a word diff.
    """
    return _Cutter(lines, coloured=coloured).run()


class _Cutter:
    """Reads the lines from the first to the last; ``at`` is the next one."""

    def __init__(self, lines: Sequence[str], *, coloured: bool) -> None:
        self.lines, self.coloured = lines, coloured
        self.at = 0
        self.made = Cut()
        self.top = True  # as long as a text before the next file may begin
        self.fence = ""  # the line that opened a fence of Markdown around what follows
        self.fenced = False  # as soon as a fence was closed
        self.marked = -1  # a line before which no text begins

    def run(self) -> Cut:
        while self.at < len(self.lines):
            if not (self._section() or self._message() or self._blank()):
                self.made.unread.append(self.at + 1)
                self.at += 1
        return self.made

    def _line(self, ahead: int = 0) -> str:
        """Returns the next line or one after it, without the carriage return of a heading; empty
        after the last.
        """
        at = self.at + ahead
        if at < len(self.lines):
            return self.lines[at].rstrip("\r")
        return ""

    def _more(self) -> bool:
        return self.at < len(self.lines)

    def _blank(self) -> bool:
        """Passes a line without meaning: blank, a mail's signature, a statistic."""
        line = self._line()
        signature = self._ends_mail()
        known = _FOOTER.match(line) or is_list(line) or _RULE.match(line) or self._fences(line)
        ends_list = _LIST_RULE.match(line) and "mailing list" in self._line(1)
        if not (not line.strip() or signature or known or ends_list):
            return False
        self.made.lists.read(line, self.made.patches)
        count = 1
        if signature and self._line(1):
            count = 2
        while ends_list and _OF_LIST.match(self._line(count)):
            count += 1
        self.made.blank += count
        self.at += count
        return True

    def _fences(self, line: str) -> bool:
        """Returns True if a line opens or closes a fence; text may follow a closed one."""
        match = _FENCE.match(line)
        if match is None:
            return False
        closes = line.strip().startswith(self.fence.strip()) and not match["language"]
        if not self.fence:
            self.fence = match["mark"]
        elif closes:
            self.fence = ""
            self.top = self.fenced = True
        return True

    # sections

    def _starts(self, ahead: int = 0) -> Callable[[Section], None] | None:
        """Returns the reader of the section that begins at a line; None if none does."""
        line = self._line(ahead)
        if line[:1] not in _FIRST_OF_SECTION:
            return None
        line, after = line.removeprefix("\ufeff"), self._line(ahead + 1)
        if HEADING.match(line):
            return self._git
        if line.startswith("diff ") and self._heads_plain(line, after):
            return self._plain_heading
        if _INDEX.match(line) and self._underlined(ahead):
            return self._index
        if self._names_pair(ahead) and self._line(ahead + 2).startswith("@@"):
            return self._pair
        if _ENVELOPE.match(line):
            return self._envelope
        if self._context_pair(ahead):
            return self._foreign
        if _NORMAL.match(line) and after.startswith(("< ", "> ")):
            return self._foreign
        if _BZR.match(line):
            return self._bzr
        if _P4.match(line):
            return self._p4
        if line.startswith("Property changes on: ") and after.startswith("____"):
            return self._properties
        return None

    def _heads_plain(self, line: str, after: str) -> bool:
        begins = ("--- ", "*** ", "Binary file", "Files ", "diff ", "Only in ")
        if after.startswith(begins) or _NORMAL.match(after):
            return True
        return line.startswith("diff -") and not after

    def _underlined(self, ahead: int) -> bool:
        """Returns True if the line of an index is followed by its rule; IntelliJ writes a few lines
        before that.
        """
        for distance in range(1, 7):
            line = self._line(ahead + distance)
            if line.startswith(_INDEX_RULE):
                return True
            if not line.startswith(("IDEA ", "Subsystem: ", "<+>")):
                return False
        return False

    def _names_pair(self, ahead: int = 0) -> bool:
        first, second = self._line(ahead), self._line(ahead + 1)
        return first.startswith("--- ") and second.startswith("+++ ")

    def _context_pair(self, ahead: int = 0) -> bool:
        return (
            self._line(ahead).startswith("*** ")
            and self._line(ahead + 1).startswith("--- ")
            and self._line(ahead + 2).startswith("*****")
        )

    def _section(self) -> bool:
        reader = self._starts()
        if reader is None and _ENTRY.match(self._line()):
            reader = self._entry
        if reader is None:
            return False
        section = Section(Kind.PLAIN, self.at + 1, self.made.patches)
        self.top = False
        reader(section)
        self.made.sections.append(section)
        return True

    def _take(self, section: Section, count: int = 1) -> None:
        for _ in range(count):
            section.head.append(self._line().removeprefix("\ufeff"))
            self.at += 1

    def _git(self, section: Section) -> None:
        section.kind = Kind.GIT
        combined = not self._line().removeprefix("\ufeff").startswith("diff --git")
        self._take(section)
        while _EXTENDED.match(self._line()):
            self._take(section)
        if self._line() == "GIT binary patch":
            self._base85(section)
        elif combined:
            self._combined(section)
        else:
            self._text(section)

    def _text(self, section: Section) -> None:
        """Reads the names and hunks of a file, or the line that marks it as binary."""
        if self._names_pair():
            self._pair(section)
        elif self._says_binary(section):
            self._take(section)
        elif self._context_pair() or _NORMAL.match(self._line()):
            self._foreign(section)

    def _says_binary(self, section: Section) -> bool:
        """Returns True if the next line marks this file as binary."""
        match = _BINARY.match(self._line())
        if match is None:
            return False
        both, one = match.groups()
        heading = section.head[0]
        names = [name.split("\t")[0] for name in (both_sides(both) if both else (one,))]
        below = [f"'{name.partition('/')[2]}'" for name in names]  # as bzr names it
        return all(
            name == "/dev/null" or name in heading or inner in heading
            for name, inner in zip(names, below, strict=True)
        )

    def _base85(self, section: Section) -> None:
        self._take(section)
        while re.match(r"(?:literal|delta) \d+$", self._line()):
            self._take(section)
            while _BASE85.match(self._line()):
                self._take(section)
            if self._more() and not self._line():
                self._take(section)

    def _combined(self, section: Section) -> None:
        section.problem = stored("a merge of several parents, which has no single old side")
        if self._names_pair():
            self._take(section, 2)
        elif self._says_binary(section) or self._line() == "Binary files differ":
            self._take(section)
        while self._line()[:1] in set("@ +-\\") and self._line() and not self._ends_mail():
            self._take(section)

    def _ends_mail(self) -> bool:
        return self._line() == "-- " and (not self._line(1) or bool(_VERSION.match(self._line(1))))

    def _pair(self, section: Section) -> None:
        self._take(section, 2)
        self._hunks(section)

    def _plain_heading(self, section: Section) -> None:
        self._take(section)
        self._text(section)

    def _index(self, section: Section) -> None:
        section.kind = Kind.INDEX
        while not self._line().startswith(_INDEX_RULE):
            self._take(section)
        self._take(section)
        while _INDEX_FACT.match(self._line()):
            self._take(section)
        if not HEADING.match(self._line()):
            self._text(section)
        elif (
            section.head[0].split(": ", 1)[1].split(" (")[0].strip('"') in self._line()
        ):  # else it is of another file
            self._git(section)
            section.kind = Kind.GIT
        if self._line() == FOSSIL_BINARY:
            self._take(section)
        self._following_properties(section)

    def _following_properties(self, section: Section) -> None:
        """Reads the properties of a file that follow its text after blank lines."""
        ahead = 0
        while not self._line(ahead) and self.at + ahead < len(self.lines):
            ahead += 1
        if self._line(ahead).startswith("Property changes on: "):
            self.made.blank += ahead
            self.at += ahead
            kind = section.kind
            self._properties(section)
            section.kind = kind

    def _properties(self, section: Section) -> None:
        section.kind = Kind.PROPERTIES
        self._take(section, 2)
        while self._more() and self._starts() is None and self._log_starts() is None:
            line = self._line()
            ahead = next((n for n in range(3) if self._line(n)), 0)
            belongs = _SVN_PROPERTY.match(self._line(ahead)) or line[:1] in ("+", "-", " ", "\\")
            if not belongs or (not line and not ahead):
                return
            section.properties.append(line)
            self.at += 1

    def _bzr(self, section: Section) -> None:
        section.kind = Kind.BZR
        self._take(section)
        if self._line().startswith("=== target "):
            self._take(section)
        self._text(section)

    def _p4(self, section: Section) -> None:
        section.kind = Kind.P4
        self._take(section)
        if not self._line() and re.match(r"@@|--- |\*{5}|\d+[acd]\d|\(\.\.\. ", self._line(1)):
            self._take(section)
        if self._names_pair():
            self._take(section, 2)
        if self._line().startswith("(... "):
            self._take(section)
        elif self._line().startswith("@@"):
            self._hunks(section)
        elif self._line().startswith("*****") or _NORMAL.match(self._line()):
            self._foreign(section)
        elif not section.head[0].endswith("identical"):
            section.problem = stored("its text is not in the diff")

    def _entry(self, section: Section) -> None:
        section.kind = Kind.ENTRY
        self._take(section)
        if section.head[0].startswith("Submodule "):
            while re.match(r"  [<>] ", self._line()):
                self._take(section)

    def _foreign(self, section: Section) -> None:
        """Passes a file in a format without a common text of both sides."""
        section.problem = NORMAL if _NORMAL.match(self._line()) else CONTEXT
        first = True
        while self._more() and (first or self._starts() is None or _NORMAL.match(self._line())):
            first = False
            if section.problem == NORMAL:
                belongs = _NORMAL.match(self._line()) or re.match(r"[<>] ?|---$|\\ ", self._line())
            else:
                belongs = re.match(r"[*!+\\ -]", self._line())
            if not belongs or self._ends_mail():
                break
            self._take(section)

    def _envelope(self, section: Section) -> None:
        section.problem = NO_NUMBERS
        self._take(section)
        while self._more() and self._starts() is None and not _ENVELOPE_END.match(self._line()):
            self._take(section)

    def _hunks(self, section: Section) -> None:
        changed: list[bool] = []
        while self._line().startswith("@@"):
            match = HUNK.match(self._line())
            if match is None:
                section.problem = UNNUMBERED
                self._rest(section)
                return
            changed.append(self._hunk(section, match))
            while self._is_surplus():
                section.surplus.append(self.at + 1)
                self.at += 1
        words = self.coloured or any(map(_has_word_marks, section.hunks))
        if changed and not section.problem and not (all if words else any)(changed):
            section.problem = WORD_DIFF if words else _UNCHANGED

    def _rest(self, section: Section) -> None:
        """Passes the lines of hunks that can't be placed."""
        while self._more() and (self._line().startswith("@@") or self._is_surplus()):
            self._take(section)

    def _hunk(self, section: Section, match: re.Match[str]) -> bool:
        """Reads a hunk, and returns True if a line changes in it."""
        old, new = (int(count or "1") for count in match.groups())
        changed = False
        section.hunks.append(self.lines[self.at])
        self.at += 1
        while self._more() and (old or new or self._is_end_mark(section)):
            line = self.lines[self.at]
            mark = " "
            if line.rstrip("\r"):
                mark = line[:1]
            if mark == "\\" and not self._is_end_mark(section):
                break
            room = {" ": min(old, new), "-": old, "+": new}.get(mark, 1)
            if mark not in " +-\\" or not room or self._begins_early(old, new):
                if mark not in "@ +-\\" and self._is_word_diff():
                    section.problem = WORD_DIFF
                    self._word_diff(section)
                break
            old -= mark in " -"
            new -= mark in " +"
            changed = changed or mark in "+-"
            section.hunks.append(line)
            self.at += 1
        return changed

    def _is_end_mark(self, section: Section) -> bool:
        """True for the line after one that has no end, by which a diff says so in the user's
        language.
        """
        return self._line().startswith("\\ ") and section.hunks[-1][:1] not in ("\\", "@")

    def _begins_early(self, old: int, new: int) -> bool:
        """Returns True if a section begins inside a hunk that is shorter than it announces."""
        if not self.lines[self.at].startswith("--- ") or (old, new) == (1, 1):
            return False
        return self._names_pair() and self._line(2).startswith("@@")

    def _is_word_diff(self) -> bool:
        for ahead in range(_FAR):
            if self._starts(ahead) is not None:
                return False
            if _has_word_marks(self._line(ahead)):
                return True
        return False

    def _word_diff(self, section: Section) -> None:
        while self._more() and self._starts() is None and self._log_starts() is None:
            if self._line() == "" and not self._line(1):
                return
            self._take(section)

    def _is_surplus(self) -> bool:
        """Returns True for a line that looks like one of a hunk but was not announced."""
        if self._line()[:1] not in ("+", "-", " ", "\\") or self._ends_mail():
            return False
        if is_list(self._line()):
            return False
        return self._starts() is None and self._log_starts() is None

    # messages

    def _log_starts(self, ahead: int = 0) -> Log | None:
        """Returns the form of the message that begins at a line; None if none does."""
        line = self._line(ahead)
        if line[:1] not in _FIRST_OF_MESSAGE:
            return None
        after = self._line(ahead + 1)
        if _MAIL.match(line) and _MAIL_HEADER.match(after):
            return Log.MAIL
        if _COMMIT.match(line):
            return Log.COMMIT
        if _RULE.match(line) and _AFTER_RULE.match(after):
            return Log.LOG
        if _LOGS[0].match(line):
            return Log.EXPORT
        if any(begins.match(line) for begins in _LOGS[1:]):
            return Log.LOG
        if _ONE_LINE.match(line) and self._soon(ahead + 1):
            return Log.COMMIT
        return None

    def _soon(self, ahead: int) -> bool:
        return any(
            self._starts(ahead + n) is not None or is_list(self._line(ahead + n)) for n in range(2)
        )

    def _message(self) -> bool:
        log = self._log_starts()
        if log is None and self.top and self._line().strip():
            log = self._at_the_top()
        if log is None:
            return False
        self.top = False
        message = Message(log, self.at + 1)
        self.made.patches += log is not Log.PROSE
        self._pass(message)
        if log is Log.PROSE and _RECURSIVE.match(self._line()):
            self._hand_back(message)
        if message.lines:
            self.made.messages.append(message)
        return True

    def _hand_back(self, message: Message) -> None:
        """Counts the lines right above the heading of ``diff -r`` as not read: it has lines in the
        user's language about other files, and no blank one below them.
        """
        while message.lines and message.lines[-1].strip():
            message.lines.pop()
            self.made.unread.append(message.start + len(message.lines))
        self.made.unread.sort()

    def _at_the_top(self) -> Log | None:
        """Returns the form of the text before a file or after a fence; None if it looks like a part
        of a diff that can't be read.
        """
        if is_list(self._line()) or _FOOTER.match(self._line()) or self.at < self.marked:
            return None
        if _MAIL_HEADER.match(self._line()) and self._has_subject():
            return Log.MAIL
        in_diff = False  # in a fence around a part of a diff
        for ahead in range(len(self.lines) - self.at):
            line = self._line(ahead)
            if self._starts(ahead) is not None or _ENTRY.match(line):
                return Log.PROSE
            if self._log_starts(ahead) is not None:
                return Log.PROSE
            if fence := _FENCE.match(line):
                in_diff = fence["language"] in ("diff", "patch")
            if _MARKED.match(line) or (in_diff and line.startswith(("+", "-"))):
                self.marked = self.at + ahead
                break
        else:
            if self.fenced:
                return Log.PROSE
        self.top = False
        return None

    def _has_subject(self) -> bool:
        for ahead in range(200):
            line = self._line(ahead)
            if not line:
                return False
            if line.lower().startswith("subject: "):
                return True
        return False

    def _pass(self, message: Message) -> None:
        commit = message.log is Log.COMMIT
        named = commit and bool(_COMMIT.match(self._line()))
        message.lines.append(self._line())
        self.at += 1
        header, entries = True, message.log is not Log.MAIL
        while self._more() and self._starts() is None and self._log_starts() is None:
            line = self._line()
            if entries and _ENTRY.match(line):
                return
            context = line.startswith("*** ") and self._line(1).startswith("--- ")
            if not commit and (context or _STRAY.match(line)):
                return
            if commit and line and not self._of_commit(line, named=named, header=header):
                return
            header = header and bool(line)
            entries = entries or line == "---"
            self.made.lists.read(line, self.made.patches)
            if not self._fences(line):
                message.lines.append(line)
            self.at += 1

    def _of_commit(self, line: str, *, named: bool, header: bool) -> bool:
        if is_list(line) or line == "---":
            return True
        if not named:
            return False
        if header:
            return bool(_COMMIT_HEADER.match(line))
        return line.startswith(("    ", "\t")) or bool(re.match(r"Notes(?: \([^)]*\))?:$", line))
