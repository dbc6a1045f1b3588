"""The review of a pull request: its exact text, made from the debate by code, and the port through
which a forge takes it.

A review is data until a person has approved it; they approve its ``digest``. Nothing here asks a
forge anything.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, replace

from core.debate.material.plaintext import code_block

COMMENT = "COMMENT"
REQUEST_CHANGES = "REQUEST_CHANGES"
"""The two events that are ever sent. Approving is left to people."""

MARK = "<!-- debatebot:"
"""The beginning of every hidden mark; no text of a model or a stranger contains it."""

COMMAND = re.compile(r"(?m)^(\s*)/(?=\w)")
"""Matches the beginning of a line that bots which read comments take for a command ("/merge")."""

_FENCE = re.compile(r"`{3,}")
LONGEST_BODY = 60_000
"""Characters of a body; GitHub takes 65,536."""


@dataclass(frozen=True, slots=True)
class ReviewComment:
    """A comment on lines of the change. ``line`` is the last line and ``start_line`` the first if
    there are several, both numbered as on ``side``. ``old`` and ``new`` are the numbers of ``line``
    on both sides if it has them, ``start_old`` and ``start_new`` the numbers of the first line;
    ``codes`` are ``<old>_<new>`` of the first and the last, counted on if a side has no line, as
    GitLab names lines ("" if that can't be known).

    ``mark`` is the finding's fingerprint; ``body`` ends with it, hidden.
    """

    mark: str
    path: str
    side: str
    line: int
    body: str
    start_line: int | None = None
    old: int | None = None
    new: int | None = None
    start_old: int | None = None
    start_new: int | None = None
    codes: tuple[str, str] = ("", "")
    old_path: str = ""
    suggests: str | None = None
    """Text for the lines from ``start_line`` (or ``line``) to ``line``; None if there is none. Each
    forge has its own fence for it.
    """
    code: str = ""
    """The same fix as a block of code, for a text in which no forge applies it."""


@dataclass(frozen=True, slots=True)
class ThreadAnswer:
    """An answer under the comment of an earlier run, or in the conversation if ``mark`` is "";
    ``resolves`` closes its thread if the forge can.
    """

    mark: str
    body: str
    resolves: bool

    @property
    def own_mark(self) -> str:
        """The hidden mark at the end of the body, by which the answer is found again."""
        return self.body.rpartition("\n")[2]


@dataclass(frozen=True, slots=True)
class Review:
    """``head`` is the commit that was debated; a review of another one is not posted. ``mark`` is
    how it is found again.
    """

    mark: str
    head: str
    event: str
    body: str
    comments: tuple[ReviewComment, ...] = ()
    answers: tuple[ThreadAnswer, ...] = ()

    @property
    def digest(self) -> str:
        """Sixteen hex digits over everything that is sent, by which a person approves it."""
        document = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(document.encode("utf-8", "replace")).hexdigest()[:16]

    def in_body(self) -> Review:
        """Returns the same review without comments on lines, for a forge that refuses the lines:
        the body holds them all.
        """
        parts = [self.body.removesuffix(hidden("review", self.mark)).rstrip()]
        parts += [f"`{place_of(one)}`\n\n{_with_code(one, one.code)}" for one in self.comments]
        return replace(self, body=whole("\n\n".join(parts), self.mark), comments=())

    def render(self) -> str:
        """Returns the whole review in Markdown, as a person reads it before they approve it."""
        parts = [self.body]
        for comment in self.comments:
            fenced = with_suggestion(comment, "suggestion")
            parts.append(f"--- on {place_of(comment)}\n\n{fenced}")
        parts += [f"--- answer to {answer.mark}\n\n{answer.body}" for answer in self.answers]
        return "\n\n".join(parts)


def place_of(comment: ReviewComment) -> str:
    """Returns the place of a comment in words: ``src/a.py:12-14``, with the side if that is the old
    one.
    """
    first = ""
    if comment.start_line is not None:
        first = f"{comment.start_line}-"
    side = " (removed)" if comment.side == "LEFT" else ""
    return f"{comment.path}:{first}{comment.line}{side}"


def hidden(kind: str, mark: str) -> str:
    """Returns the hidden comment by which a review, a finding or an answer is found again."""
    return f"{MARK}{kind}:{mark} -->"


def mark_in(body: str, kind: str) -> str:
    """Returns the last mark of that kind that is hidden in a text; "" if there is none."""
    _, mark, rest = body.rpartition(f"{MARK}{kind}:")
    if mark:
        return rest.partition(" -->")[0]
    return ""


def unmarked(text: str) -> str:
    """Returns foreign text in which nothing, not even in code spans, can be taken for a hidden
    mark.
    """
    return text.replace("<!--", "<! --")


def whole(body: str, mark: str) -> str:
    """Returns the body of a review with its mark at the end, which is never cut off."""
    mark_text = hidden("review", mark)
    room = LONGEST_BODY - len(mark_text) - 10
    if len(body) > room:
        body = f"{body[:room].rsplit(chr(10), 1)[0].rstrip()}"
        body = f"{body}{_open_blocks(body)}\n\n… (cut)"
    return f"{body}\n\n{mark_text}"


def _open_blocks(text: str) -> str:
    """Returns the ends of the block of code and of the fold in which a text ends."""
    fence = ""
    for line in text.split("\n"):
        marks = _FENCE.match(line)
        if marks and not fence:
            fence = marks[0]
        elif line == fence:
            fence = ""
    ends = ["\n\n</details>"] * (text.count("<details>") - text.count("</details>"))
    if fence:
        ends.insert(0, f"\n{fence}")
    return "".join(ends)


def with_suggestion(comment: ReviewComment, language: str) -> str:
    """Returns the body with its fix as a block that the forge can apply, before the hidden mark."""
    if comment.suggests is None:
        return comment.body
    return _with_code(comment, code_block(comment.suggests, language))


def _with_code(comment: ReviewComment, block: str) -> str:
    """Returns the body of a comment with a block of code before its hidden mark."""
    mark = hidden("finding", comment.mark)
    return "\n\n".join(filter(None, (comment.body.removesuffix(mark).rstrip(), block, mark)))
