"""Types of GitLab's answers."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import quote

import msgspec

from adapters.forges.links import ChangeLink
from core.debate.material import ChangeState

_OPEN = frozenset({"enabled", "public"})
"""Access levels that leave a part of a project to everybody who sees the project."""
_OFF = "disabled"
_STATES = {"merged": ChangeState.MERGED, "opened": ChangeState.OPEN}


def path_of(repo: str) -> str:
    """Returns the path of a project below the API."""
    return f"projects/{quote(repo, safe='')}"


def merge_path(link: ChangeLink) -> str:
    """Returns the path of a merge request below the API."""
    return f"{path_of(link.repo)}/merge_requests/{link.number}"


class Person(msgspec.Struct, frozen=True):
    username: str = ""
    access_level: int = 0


def name_of(person: Person | None) -> str:
    """Returns the name of an account; "" if it is gone."""
    return person.username if person is not None else ""


class Refs(msgspec.Struct):
    """The commits of a diff; GitLab knows them some seconds after a merge request is opened."""

    base_sha: str | None = None
    head_sha: str | None = None
    start_sha: str | None = None


class Project(msgspec.Struct):
    """A project's access levels, which GitLab shows to signed-in accounts; a level that it does not
    show counts as private.
    """

    visibility: str = "private"
    repository_access_level: str = "private"
    merge_requests_access_level: str = "private"
    issues_access_level: str = "private"
    default_branch: str = ""
    path_with_namespace: str = ""
    id: int = 0

    @property
    def private(self) -> bool:
        """True if any part of the project that is read here is not public."""
        levels = {self.repository_access_level, self.merge_requests_access_level}
        if self.issues_access_level != _OFF:
            levels.add(self.issues_access_level)
        return self.visibility != "public" or not levels <= _OPEN


class Request(msgspec.Struct):
    """A merge request, or an issue."""

    iid: int
    title: str = ""
    target_branch: str = ""
    source_branch: str = ""
    sha: str | None = None
    diff_refs: Refs | None = None
    state: str = "opened"
    description: str | None = None
    author: Person | None = None
    draft: bool | None = False
    updated_at: datetime | None = None
    merged_at: datetime | None = None
    closed_at: datetime | None = None
    merge_commit_sha: str | None = None
    labels: list[str] = []
    changes_count: str | None = None
    source_project_id: int | None = None
    target_project_id: int | None = None
    web_url: str = ""
    confidential: bool | None = False
    references: dict[str, str] = {}

    @property
    def change_state(self) -> ChangeState:
        return _STATES.get(self.state, ChangeState.CLOSED)


class Diff(msgspec.Struct):
    old_path: str
    new_path: str
    diff: str | None = ""
    a_mode: str | None = None
    b_mode: str | None = None
    new_file: bool = False
    renamed_file: bool = False
    deleted_file: bool = False
    too_large: bool | None = None
    collapsed: bool | None = None

    @property
    def withheld(self) -> bool:
        """True if there may be lines that GitLab does not give: those of a text that it does not
        compare, and before GitLab 18.4, which does not flag a diff that is too large, of any file
        with an empty one.
        """
        if self.diff:
            return False
        silent = self.too_large is None and self.collapsed is None
        moved = self.renamed_file or (self.a_mode != self.b_mode and self.a_mode and self.b_mode)
        added = self.new_file or self.deleted_file
        return bool(self.too_large or self.collapsed or silent or added or not moved)


class Named(msgspec.Struct):
    """A file or a folder; an emoji that a person awarded."""

    name: str
    user: Person | None = None


class _Position(msgspec.Struct):
    old_path: str = ""
    new_path: str = ""
    old_line: int | None = None
    new_line: int | None = None


class Note(msgspec.Struct):
    id: int
    body: str = ""
    author: Person | None = None
    system: bool = False
    type: str | None = None
    resolved: bool = False
    position: _Position | None = None
    created_at: datetime | None = None


class Discussion(msgspec.Struct):
    id: str
    notes: list[Note] = []


class Commit(msgspec.Struct):
    id: str
    message: str = ""
    web_url: str = ""
    parent_ids: list[str] = []


class Compared(msgspec.Struct):
    diffs: list[Diff] = []
    commits: list[Commit] = []


class File(msgspec.Struct):
    content: str = ""
    last_commit_id: str = ""
