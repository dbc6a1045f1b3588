"""The port through which every forge describes a change, so that the material does not depend on
the forge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from adapters.forges.links import ChangeLink, ForgeKind
from adapters.processes.workers import Work
from core.debate.material import ChangeState
from core.debate.material.diffs import FileDiff
from core.debate.material.since import BranchMove, Since
from core.debate.stored import stored


@dataclass(frozen=True, slots=True)
class Host:
    """The API behind a web host, and its token.

    The token is sent to this API's origin only.
    """

    forge: ForgeKind
    api: str
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ForgeChange:
    """A pull or merge request at one moment: ``head`` is the commit that is debated, whatever is
    pushed later. All texts are raw. ``more_files``: there are more than ``files``, which the forge
    does not list.
    ``fork`` is True if its head is in another repository; ``branch`` is its head's.
    """

    link: ChangeLink
    title: str
    body: str
    author: str
    head: str
    base: str
    base_branch: str
    state: ChangeState = ChangeState.OPEN
    ended: datetime | None = None
    draft: bool = False
    private: bool = False
    files: int = 0
    lines: int = 0
    labels: tuple[str, ...] = ()
    merge_commit: str = ""
    more_files: bool = False
    fork: bool = False
    branch: str = ""
    default_branch: str = ""
    repo_id: str = ""
    """The repository's id on its host, which a rename does not change."""

    @property
    def may_be_stacked(self) -> bool:
        """Whether it goes into another branch than the repository's own."""
        return self.default_branch not in ("", self.base_branch)


def stacked_note(parent: str, branch: str) -> str:
    """Explains that a change on top of another one is read without it."""
    return stored(
        "Stacked on {parent}: only what it adds to the branch {branch} is read.",
        parent=parent,
        branch=branch,
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The change that was read, raw, with sentences about how the reading went; its head may have
    moved once meanwhile.

    ``diff`` is the whole; if a forge does not give it, ``patches`` are its entries for each file,
    with the patch or None, and ``complete`` is True if they name all of them.
    """

    change: ForgeChange
    diff: bytes | None = None
    patches: tuple[tuple[FileDiff, str | None], ...] = ()
    notes: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Earlier:
    """The run before, the change that it read (raw), and how the branch came from there; both are
    None if the forge no longer has that head.
    """

    since: Since
    reading: Reading | None = None
    move: BranchMove | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Another reviewer's comment on a line of the change, raw; ``line`` is None if the line is no
    part of the change any more.
    """

    author: str
    path: str
    line: int | None
    side: str
    text: str


@dataclass(frozen=True, slots=True)
class LaterCommit:
    """A commit on the base branch after a merge. ``changed`` are old line numbers by path."""

    sha: str
    message: str
    changed: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def touches(self, path: str, lines: Iterable[int], near: int) -> bool:
        here = self.changed.get(path, frozenset())
        return any(abs(line - other) <= near for line in lines for other in here)


class ForgeClient(Protocol):
    """Reads one forge.

    Every method raises ``BadInput`` or ``CouldNotFinish`` with a line for people.
    """

    @property
    def linked(self) -> bool:
        """True if a token is configured."""
        ...

    async def change(self, link: ChangeLink) -> ForgeChange: ...

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        """Reads the changed lines. Only ``work`` parses foreign text."""
        ...

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        """Returns the change as it was at an earlier head, raw, and how the branch came from there;
        None if the forge does not have that head any more.
        """
        ...

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        """Returns (path, text) of the rule files in the root of the base commit, as far as
        ``adapters.repository.project_rules.ROOT_FILES`` names them.
        """
        ...

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        """Returns the text of a file on the base commit; None if there is none to read."""
        ...

    async def archive(self, change: ForgeChange) -> bytes | None:
        """Returns the repository at the change's head as a ``.tar.gz``; None if it is too large to
        read, or not to be had.
        """
        ...

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        """Returns (number, title, text) of the issues that the change says it closes, in its own
        repository, at most three.
        """
        ...


@runtime_checkable
class ListsFolders(Protocol):
    """The part of a forge that a plugin may leave out: the names in a folder."""

    async def names_in(self, repo: str, ref: str, folder: str) -> Sequence[str]:
        """Returns the names in a folder of a commit or branch; none if there is no such folder."""
        ...


@dataclass(frozen=True, slots=True)
class PullFilter:
    """A schedule's filter for open pull requests.

    Empty fields take any; the newest come first. Of several labels, one a line, all count.
    """

    label: str = ""
    base: str = ""
    author: str = ""
    updated_since: datetime | None = None
    at_most: int = 10
