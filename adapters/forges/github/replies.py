"""Types of GitHub's answers, and values made from them without further requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import msgspec

from adapters.forges import refusals
from adapters.forges.port import ForgeChange, PullFilter
from core.debate.material import ChangeState
from core.debate.material.diffs import FileDiff, FileStatus
from core.debate.stored import stored, stored_many
from core.words.views.language.grammar import plural

_STATUSES = {
    "added": FileStatus.ADDED,
    "removed": FileStatus.DELETED,
    "renamed": FileStatus.RENAMED,
    "copied": FileStatus.COPIED,
}


class User(msgspec.Struct, frozen=True):
    login: str = ""
    type: str = ""


class Repo(msgspec.Struct):
    """A repository. One that is not said to be public counts as private, as do an enterprise's
    ``internal`` ones.
    """

    private: bool = True
    visibility: str = "public"
    id: int = 0
    full_name: str = ""
    default_branch: str = ""

    @property
    def closed(self) -> bool:
        return self.private or self.visibility != "public"


def named(repo: Repo | None) -> tuple[str, str]:
    """Returns a repository's name and its id; "" for what GitHub does not name."""
    if repo is None:
        return "", ""
    return repo.full_name, f"{repo.id or ''}"


class Side(msgspec.Struct):
    sha: str
    ref: str
    repo: Repo | None = None


class Named(msgspec.Struct):
    """A label, a scanner, a file or a folder."""

    name: str = ""


def login_of(user: User | None) -> str:
    """Returns the account's login; "" for an account that is gone."""
    if user is None:
        return ""
    return user.login


class Pull(msgspec.Struct):
    number: int
    title: str
    head: Side
    base: Side
    state: str = "open"
    body: str | None = None
    user: User | None = None
    merged: bool = False
    merged_at: datetime | None = None
    merge_commit_sha: str | None = None
    closed_at: datetime | None = None
    updated_at: datetime | None = None
    draft: bool | None = False
    additions: int = 0
    deletions: int = 0
    changed_files: int = 0
    labels: list[Named] = []


class File(msgspec.Struct):
    filename: str
    status: str = "modified"
    changes: int = 0
    patch: str | None = None
    previous_filename: str = ""


class Message(msgspec.Struct):
    message: str = ""


class Commit(msgspec.Struct):
    sha: str
    commit: Message = msgspec.field(default_factory=Message)
    parents: list[Any] = []
    files: list[File] = []


class Compared(msgspec.Struct):
    """The comparison of one head with another."""

    status: str
    commits: list[Commit] = []


class Analysis(msgspec.Struct):
    id: int
    tool: Named = msgspec.field(default_factory=Named)


class Comment(msgspec.Struct):
    """A comment in the conversation of a pull request or on one of its lines, or a whole review,
    which has a ``state``. A comment on a line without a number is on an older version.
    """

    id: int
    body: str | None = None
    user: User | None = None
    html_url: str = ""
    state: str = ""
    path: str = ""
    line: int | None = None
    side: str | None = None
    in_reply_to_id: int | None = None
    pull_request_review_id: int | None = None
    reactions: dict[str, Any] = {}
    issue_url: str = ""
    pull_request_url: str = ""
    created_at: datetime | None = None

    @property
    def text(self) -> str:
        return self.body or ""


class Reaction(msgspec.Struct):
    content: str
    user: User | None = None


class Issue(msgspec.Struct):
    """An issue, or a pull request as one."""

    number: int
    title: str = ""
    repository_url: str = ""
    html_url: str = ""
    body: str | None = None
    user: User | None = None


class Run(msgspec.Struct):
    """A check run, the run of a workflow, or a job of one."""

    id: int
    external_id: str | None = None
    display_title: str = ""
    status: str = ""
    event: str = ""
    html_url: str | None = None
    head_branch: str | None = None


class Content(msgspec.Struct):
    """A file at a commit, or the commit of one."""

    sha: str = ""
    content: str = ""
    html_url: str = ""


def state_of(pull: Pull) -> ChangeState:
    if pull.merged or pull.merged_at:
        return ChangeState.MERGED
    if pull.state == "closed":
        return ChangeState.CLOSED
    return ChangeState.OPEN


def blank_file(file: File) -> FileDiff:
    """Returns the file as the list names it, still without lines."""
    status = _STATUSES.get(file.status, FileStatus.MODIFIED)
    silent = (
        file.patch is None
        and not file.changes
        and status in {FileStatus.ADDED, FileStatus.MODIFIED, FileStatus.DELETED}
    )
    problem = ""
    if silent:
        problem = "GitHub gives no text for it: binary, empty or a change of mode"
    old = ""
    if status in {FileStatus.RENAMED, FileStatus.COPIED}:
        old = file.previous_filename
    return FileDiff(file.filename, old_path=old, status=status, problem=problem)


def with_patch(file: File, made: str | None) -> tuple[FileDiff, str | None]:
    """Returns the file with GitHub's patch, or with the one ``made`` from both versions. With
    changed lines and neither of them it is unread.
    """
    blank, patch = blank_file(file), file.patch or made
    if file.changes and not patch:
        blank = replace(blank, problem="GitHub gives no diff for it: too large")
    elif file.patch:
        lines = file.patch.split("\n")
        missing = file.changes - sum(line.startswith(("+", "-")) for line in lines)
        if missing > 0:
            blank = replace(blank, lost=f"{plural(missing, 'changed line')} not in GitHub's diff")
    return blank, patch or None


def file_by_file_notes(
    change: ForgeChange, large: bool, listed: int, made: int, *, complete: bool
) -> Sequence[str]:
    why = stored("its diff is very large") if large else stored("GitHub gives no diff of the whole")
    notes = [
        stored(
            "This pull request has {why_files}, {why_lines}; {why}, so it was read file by file.",
            why_files=stored_many(change.files, "{n} file", "{n} files"),
            why_lines=stored_many(change.lines, "{n} changed line", "{n} changed lines"),
            why=why,
        )
    ]
    if not complete:
        notes.append(refusals.files_cut("GitHub", listed, "pull request"))
    if made:
        notes.append(refusals.made_from_versions("GitHub", made))
    return notes


def matches(pull: Pull, wanted: PullFilter) -> bool:
    if wanted.updated_since and pull.updated_at is None:
        return False
    if not set(wanted.label.lower().splitlines()) <= {label.name.lower() for label in pull.labels}:
        return False
    return not wanted.author or (
        pull.user is not None and pull.user.login.lower() == wanted.author.lower().removeprefix("@")
    )
