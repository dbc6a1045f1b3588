"""The state of the stand-in of GitHub: pull requests with their history, and the texts that were
written to them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

HEAD = "8ff173b186f135670879db9fbe1e68a6b5209c89"
BASE = "90fee0876aea97c639b3bf698d83a12876d2f160"
MERGE_BASE = "1111111111111111111111111111111111111111"


@dataclass
class Pull:
    """One pull request of the stand-in.

    ``heads`` are given out one by one, the last for good: a branch that moves. ``history`` keeps
    the diff of every head there was, ``paths`` how one came to the next.
    """

    diff: bytes = b""
    title: str = "A change"
    body: str = ""
    author: str = "mallory"
    heads: list[str] = field(default_factory=lambda: [HEAD])
    base: str = BASE
    base_branch: str = "main"
    branch: str = "topic"
    fork: int = 0
    """The id of the head's repository, if that is another one."""
    state: str = "open"
    merged_at: str | None = None
    merge_commit: str | None = None
    draft: bool = False
    private: bool = False
    visibility: str = ""
    """The repository's visibility, where it is neither "private" nor "public": an enterprise's
    "internal".
    """
    labels: tuple[str, ...] = ()
    updated_at: str = "2026-05-03T10:00:00Z"
    files: list[dict[str, Any]] | None = None
    changed_files: int | None = None
    additions: int = 1
    deletions: int = 1
    history: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    paths: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return self.heads[0]

    @property
    def repository(self) -> dict[str, Any]:
        """Returns the repository with who may see it, in GitHub's form."""
        visibility = self.visibility or ("private" if self.private else "public")
        return {"private": self.private, "visibility": visibility, "default_branch": "main"}

    def push(
        self, head: str, diff: bytes, *, base: str = "", how: str = "ahead", parents: int = 1
    ) -> None:
        """Moves the branch on: ``how`` as GitHub's comparison calls it, ``parents`` of the newest
        commit. From a head before, it has come in the way that was not straight on.
        """
        old = self.head
        self.history[old] = (self.base, self.diff)
        commit = {"sha": head, "parents": [{"sha": f"{n}" * 40} for n in range(parents)]}
        for earlier in self.history:
            before = self.paths.get((earlier, old), {"status": "ahead"})["status"]
            status = how if before == "ahead" else before
            self.paths[earlier, head] = {"status": status, "commits": [commit]}
        self.heads, self.diff, self.base = [head], diff, base or self.base


@dataclass
class Names:
    """The ids of repositories, which they keep when they are renamed, and their former names."""

    ids: dict[str, int] = field(default_factory=dict)
    former: dict[str, str] = field(default_factory=dict)

    def id_of(self, repo: str) -> int:
        return self.ids.setdefault(repo, 7000 + len(self.ids))

    def of(self, id: int) -> str:
        return next(repo for repo, known in self.ids.items() if known == id)

    def rename(self, old: str, new: str) -> None:
        self.ids[new] = self.id_of(old)
        del self.ids[old]
        self.former[old] = new
        self.former.pop(new, None)


@dataclass
class Comment:
    """A comment on a line of a pull request."""

    id: int
    user: str
    body: str
    path: str
    line: int
    side: str
    commit_id: str
    start_line: int | None = None
    start_side: str | None = None
    in_reply_to: int | None = None
    review: int = 0
    resolved: bool = False
    """Whether the thread that this comment opened is resolved."""
    reactions: list[tuple[str, str]] = field(default_factory=list)
    """People with the content of their reaction: "+1", "-1", "eyes" …"""


@dataclass
class Review:
    id: int
    user: str
    body: str
    event: str
    commit_id: str
    dismissed: str = ""
    """The reason why it was dismissed, if it was."""


@dataclass
class CheckRun:
    id: int
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    title: str = ""
    summary: str = ""
    details_url: str = ""
    external_id: str = ""


@dataclass
class Note:
    """An issue, or a comment in a conversation."""

    number: int
    title: str
    body: str
    user: str
    labels: tuple[str, ...] = ()
    created_at: str = "2026-05-03T10:00:00Z"


@dataclass
class Installation:
    """``repositories`` are those that it covers, ``contents`` what it may do with their files."""

    id: int
    account: str
    repositories: list[str]
    suspended: bool = False
    contents: str = "read"


@dataclass
class Person:
    """A person who signed in on GitHub: the installations and repositories that they see, and what
    they administer there.
    """

    login: str
    id: int
    sees: dict[int, dict[str, bool]] = field(default_factory=dict)


def lines_of(diff: bytes) -> dict[str, list[set[tuple[str, int]]]]:
    """path -> hunks, each the (side, number) pairs that may be commented on."""
    lines: dict[str, list[set[tuple[str, int]]]] = {}
    path, old, new = "", 0, 0
    for line in diff.decode("utf-8", "replace").split("\n"):
        if line.startswith("diff --git "):
            path = line.rpartition(" b/")[2]
        elif line.startswith("+++ b/"):
            path = line[6:].rstrip("\t")
        elif match := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", line):
            old, new = int(match[1]), int(match[2])
            lines.setdefault(path, []).append(set())
        elif path in lines and line[:1] in {"+", "-", " "} and not line.startswith(("+++", "---")):
            here = lines[path][-1]
            if line[0] != "+":
                here.add(("LEFT", old))
                old += 1
            if line[0] != "-":
                here.add(("RIGHT", new))
                new += 1
    return lines
