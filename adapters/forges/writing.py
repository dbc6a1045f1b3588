"""The port through which something is written to a forge, and what it says when it can't.

Every write is sent once. Each has a mark that stands in what was written, so that after a break
whoever sends it can look whether it arrived; ``OutcomeUnknown`` (from ``adapters.forges.refusals``)
says that this is needed. Marks are given by code and never shown to a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from adapters.forges.links import ChangeLink
from adapters.forges.port import Change, LaterCommit
from adapters.review import Review, ThreadAnswer, hidden
from adapters.review.check import Check
from core.errors import CouldNotFinish

REMOVED = "The text of this was deleted."
"""What stands in place of a text that the forge does not delete."""
LATER = 20
"""Commits after a merge that are looked at."""


class LinesRefused(CouldNotFinish):
    """The forge takes the review, but not on these lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """What stands on the forge now. ``comments`` are its ids by the findings' marks."""

    id: str
    url: str = ""
    comments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewIssue:
    """An action item as an issue. ``mark`` stands hidden in its whole body."""

    mark: str
    title: str
    body: str

    @property
    def hidden_mark(self) -> str:
        return hidden("action", self.mark)

    @property
    def whole_body(self) -> str:
        return f"{self.body}\n\n{self.hidden_mark}"


class ReviewPoster(Protocol):
    """Writes to one forge. Methods raise ``CouldNotFinish``, ``BadInput`` (it can never be done),
    ``OutcomeUnknown``, and ``LinesRefused`` where they say so.

    ``find_…`` are None where nothing with that mark stands there.
    """

    async def change(self, link: ChangeLink) -> Change:
        """The pull request as it is now."""
        ...

    async def find_review(self, link: ChangeLink, review: Review) -> Written | None: ...

    async def post_review(self, link: ChangeLink, review: Review) -> Written:
        """Raises ``LinesRefused``: nothing was posted."""
        ...

    async def answer(self, link: ChangeLink, answer: ThreadAnswer) -> Written | None:
        """Says it under the comment with the finding's mark, and looks first whether it is said.

        None where no such comment stands (its review was never posted, somebody removed it).
        """
        ...

    async def finding_of(self, link: ChangeLink, comment: str) -> str:
        """The mark of the finding that a comment of ours (GitLab: a discussion) is about; "" for
        any other.
        """
        ...

    async def find_check(self, link: ChangeLink, check: Check) -> Written | None: ...

    async def put_check(self, link: ChangeLink, check: Check, known: str = "") -> Written:
        """Makes the check, or changes the one with the id ``known``."""
        ...

    async def find_issue(self, link: ChangeLink, issue: NewIssue) -> Written | None: ...

    async def open_issue(self, link: ChangeLink, issue: NewIssue) -> Written: ...

    async def remove(self, link: ChangeLink, kind: str, written: Written) -> str:
        """Deletes what was written, ``kind`` as its post has it, or takes its words out where the
        forge deletes none; a sentence about what the forge keeps all the same, "" for nothing.
        """
        ...

    async def commits_since(
        self, link: ChangeLink, since: datetime, path: str
    ) -> Sequence[LaterCommit]:
        """The latest commits on the base branch, at most twenty; for a ``path`` with the old lines
        that each changed.
        """
        ...

    async def may_write(self, repo: str, login: str) -> bool:
        """Whether a person may write to the repository."""
        ...
