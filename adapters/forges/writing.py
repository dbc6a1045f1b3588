"""The port through which something is written to a forge, and its errors.

Every write is sent once. Each has a mark in its text, so that after a break the sender can look
whether it arrived; ``OutcomeUnknown`` (from ``adapters.forges.refusals``) means that this is
needed. Marks are given by code and never shown to a model.
"""

from __future__ import annotations

import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from adapters.forges.links import ChangeLink
from adapters.forges.port import ForgeChange, LaterCommit, ListsFolders
from adapters.review import Review, ThreadAnswer, hidden
from adapters.review.check import CommitCheck
from core.debate.errors import BadInput, CouldNotFinish
from core.debate.material import ChangeState

REMOVED = "The text of this was deleted."
"""The text that replaces one that the forge does not delete."""
RECORD_KEPT = "The proposed decision record stays: close its pull request and delete its branch."
LATER = 20
"""Most commits to one file after a merge whose lines are read."""


class LinesRefused(CouldNotFinish):
    """The forge takes the review, but not on these lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """The ids of a written text on the forge. ``comments`` maps the findings' marks to the ids of
    its comments.
    """

    id: str
    url: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewIssue:
    """An action item as an issue. ``mark`` is hidden in its whole body."""

    mark: str
    title: str
    body: str

    @property
    def hidden_mark(self) -> str:
        return hidden("action", self.mark)

    @property
    def whole_body(self) -> str:
        return f"{self.body}\n\n{self.hidden_mark}"


@dataclass(frozen=True, slots=True)
class FindingReaction:
    """A person's 👍 (``real``) or 👎 on our comment about the finding with the ``mark``."""

    mark: str
    login: str
    real: bool


@runtime_checkable
class PostedReviews(Protocol):
    """The part of a forge that a plugin may leave out: posted reviews change, and people react to
    their comments.
    """

    async def amend(
        self, link: ChangeLink, review: str, change: Callable[[str], str], dismissal: str
    ) -> bool:
        """Changes the text of the posted review with the id ``review``, and takes back that it
        requests changes if there is a ``dismissal``, the reason. False if the review is gone.
        """
        ...

    async def reactions(self, link: ChangeLink) -> Sequence[FindingReaction]:
        """Returns people's reactions to our comments about findings."""
        ...


class NewFile(ABC):
    """A file that a branch gets."""

    __slots__ = ()
    path: str
    text: str

    @property
    @abstractmethod
    def message(self) -> str:
        """The commit's message, without words of a model, which could be orders to a pipeline."""

    @property
    def encoded(self) -> str:
        return base64.b64encode(self.text.encode()).decode()

    def require_same(self, content: str) -> None:
        """Raises ``BadInput`` if the branch has other ``content``, in base64, at the path."""
        if content.replace("\n", "") != self.encoded:
            raise BadInput("The branch has another file at {path}.", path=self.path)


@dataclass(frozen=True, slots=True)
class NewTest(NewFile):
    """A test as a new file of the change's branch."""

    path: str
    text: str

    @property
    def message(self) -> str:
        return "Add a test that fails on this change\n\nDebatebot proved a finding by it."


def branch_for_test(change: ForgeChange) -> str:
    """Returns the branch of a change that may get a test. Raises ``BadInput`` if none may."""
    if change.state is not ChangeState.OPEN:
        raise BadInput(
            "{short} is not open any more, so its branch gets no test.", short=change.link.short
        )
    if change.fork:
        raise BadInput(
            "The branch is in a fork, to which nothing is written. Copy the test from the review."
        )
    return change.branch


@runtime_checkable
class TakesTests(Protocol):
    """The part of a forge that a plugin may leave out: the branch of a change gets a test."""

    async def add_test(self, link: ChangeLink, test: NewTest) -> Written:
        """Commits a new file to the branch of an open change, unless it is there already. Raises
        ``BadInput`` for a fork's branch, and for a path at which the branch has another file.
        """
        ...


@dataclass(frozen=True, slots=True)
class NewRecord(NewFile):
    """A decision record as a new file, proposed by a pull request into the branch ``base`` ("": the
    repository's own). ``mark`` names the debate and its verdict.
    """

    mark: str
    path: str
    title: str
    text: str
    base: str = ""

    @property
    def branch(self) -> str:
        return f"debatebot/record-{self.mark}-{self.digest[:6]}"

    @property
    def message(self) -> str:
        return f"Add the decision record {self.path}\n\nA person approved it in Debatebot."

    @property
    def body(self) -> str:
        text = f"Adds `{self.path}`, the record of a debate's decision. A person approved the text."
        return f"{text}\n\n{hidden('record', self.mark)}"

    @property
    def digest(self) -> str:
        """The digest of what a person approves: the text, its place and its title."""
        whole = f"{self.base}\n{self.path}\n{self.title}\n{self.text}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@runtime_checkable
class TakesRecords(ListsFolders, Protocol):
    """The part of a forge that a plugin may leave out: a decision record as a pull request."""

    async def default_branch(self, repo: str) -> str:
        """Returns the name of a repository's own branch."""
        ...

    async def find_record(self, repo: str, record: NewRecord) -> Written | None: ...

    async def propose_record(self, repo: str, record: NewRecord) -> Written:
        """Makes the branch with the file and opens the pull request; what is there already is left
        as it is. Raises ``BadInput`` if the branch has another file at the path.
        """
        ...


class ReviewPoster(Protocol):
    """Writes to one forge.

    Methods raise ``CouldNotFinish``, ``BadInput`` (it can never be done), ``OutcomeUnknown``, and
    ``LinesRefused`` if they say so. Methods called ``find_…`` return None if the forge holds no
    text with that mark.
    """

    async def change(self, link: ChangeLink) -> ForgeChange:
        """Returns the pull request as it is now."""
        ...

    async def find_review(self, link: ChangeLink, review: Review) -> Written | None: ...

    async def post_review(self, link: ChangeLink, review: Review) -> Written:
        """Posts a review. Raises ``LinesRefused`` if the forge refuses its lines; then nothing was
        posted.
        """
        ...

    async def answer(self, link: ChangeLink, answer: ThreadAnswer) -> Written | None:
        """Answer under the comment with the finding's mark, or without a mark in the conversation,
        unless the answer is there already. A thread in which people wrote is never resolved.

        None if no such comment exists (its review was never posted, or a person removed it).
        """
        ...

    async def finding_of(self, link: ChangeLink, comment: str) -> str:
        """Returns the mark of the finding in a comment of the bot (GitLab: discussion); "" for any
        other comment.
        """
        ...

    async def find_check(self, link: ChangeLink, check: CommitCheck) -> Written | None: ...

    async def put_check(self, link: ChangeLink, check: CommitCheck, known: str = "") -> Written:
        """Makes the check, or changes the one with the id ``known``."""
        ...

    async def find_issue(self, link: ChangeLink, issue: NewIssue) -> Written | None: ...

    async def open_issue(self, link: ChangeLink, issue: NewIssue) -> Written: ...

    async def remove(self, link: ChangeLink, kind: str, written: Written) -> str:
        """Deletes a written text, whose ``kind`` is that of its post, or empties it if the forge
        deletes none. Returns a sentence on what the forge keeps, "" for nothing.
        """
        ...

    async def commits_since(
        self, link: ChangeLink, since: datetime, path: str
    ) -> Sequence[LaterCommit]:
        """Returns the commits on the base branch since then, the latest first; for a ``path`` at
        most twenty, with the old lines that each changed.
        """
        ...

    async def may_write(self, repo: str, login: str) -> bool:
        """True if a person may write to the repository."""
        ...
