"""Writes to GitHub: one review with its comments, answers under earlier comments, a check, an
issue. Each has a mark in its text, by which it is found again.

All of it is taken back as far as GitHub allows it: comments are deleted; a review, a check and an
issue only lose their text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from adapters.forges.github.checks import find_run, put_run, put_status
from adapters.forges.github.files import GitHubFiles
from adapters.forges.github.replies import Comment, Commit, Issue, Reaction, User
from adapters.forges.github.threads import resolve_thread
from adapters.forges.links import ChangeLink
from adapters.forges.patches import removed_lines
from adapters.forges.port import LaterCommit
from adapters.forges.refusals import POSTED
from adapters.forges.writing import (
    LATER,
    REMOVED,
    FindingReaction,
    LinesRefused,
    NewIssue,
    NewTest,
    Written,
    branch_for_test,
)
from adapters.review import (
    COMMENT,
    Review,
    ReviewComment,
    ThreadAnswer,
    hidden,
    mark_in,
    with_suggestion,
)
from adapters.review.check import CommitCheck
from core.debate.log import ForgePostKind

APP_TOKEN = "ghs_"  # noqa: S105 (how GitHub begins the tokens of installations)
logger = logging.getLogger(__name__)
_WRITERS = ("admin", "write", "maintain")
_REQUESTED = "CHANGES_REQUESTED"
_OWN = b"request changes on your own"
"""GitHub's refusal of a review that requests changes by the author of the pull request."""
_JUDGEMENTS = {"+1": True, "-1": False}
_MAY_NOT = frozenset({403, 404, 422})
"""Statuses for a credential that may write but not dismiss, and for a review that is dismissed."""

_HISTORY = "GitHub shows what it was under “edited” until somebody deletes that there."
_KEPT: Mapping[str, str] = {
    ForgePostKind.TEST: "The test stays in the branch: take it out there.",
    ForgePostKind.REVIEW: f"GitHub deletes no review; its text is replaced. {_HISTORY}",
    ForgePostKind.CHECK: (
        "GitHub deletes no check; its text is replaced, and it still says the decision."
    ),
    ForgePostKind.ISSUE: f"GitHub deletes no issue for us; its text is replaced. {_HISTORY}",
}
_STATUS = "GitHub deletes no status of a commit: it still says the decision."


@dataclass(slots=True)
class GitHubPoster(GitHubFiles):
    """A ``ReviewPoster`` for GitHub and GitHub Enterprise.

    Only texts of the bot's account count when a mark is looked up: anyone can write a hidden mark
    into a comment.
    """

    app: bool
    _login: str = field(default="", init=False)

    async def find_review(self, link: ChangeLink, review: Review) -> Written | None:
        mark = hidden("review", review.mark)
        async for made in self.api.listed(f"{_pull(link)}/reviews", Comment, link.short):
            if mark in made.text and await self._is_ours(made.user):
                comments = await self._comments_of(link, made.id)
                return Written(str(made.id), made.html_url, comments)
        return None

    async def post_review(self, link: ChangeLink, review: Review) -> Written:
        body = {
            "commit_id": review.head,
            "event": review.event,
            "body": review.body,
            "comments": [_as_comment(comment) for comment in review.comments],
        }
        response = await self.api.send("POST", f"{_pull(link)}/reviews", body)
        if response.status == 422 and _OWN in response.body:
            body["event"] = COMMENT
            response = await self.api.send("POST", f"{_pull(link)}/reviews", body)
        if response.status == 422 and review.comments:
            raise LinesRefused(f"GitHub took none of the lines of {link.short}.")
        made = self.api.decoded(response, Comment, undone=POSTED)
        return Written(str(made.id), made.html_url)

    async def answer(self, link: ChangeLink, answer: ThreadAnswer) -> Written | None:
        if not answer.mark:
            return await self._say(link, answer)
        mark, own = hidden("finding", answer.mark), answer.own_mark
        first, text = "", ""
        talked = set[str]()  # first comments of threads in which people wrote
        async for comment in self.api.listed(f"{_pull(link)}/comments", Comment, link.short):
            if comment.in_reply_to_id is not None and await self._is_person(comment.user):
                talked.add(f"{comment.in_reply_to_id}")
            wanted = own in comment.text or mark in comment.text
            if not wanted or not await self._is_ours(comment.user):
                continue
            if own in comment.text:
                text = f"{comment.id}"
            elif comment.in_reply_to_id is None:
                first = f"{comment.id}"
        if not first:
            if text:
                return Written(text)
            return None
        if not text:
            path = f"{_pull(link)}/comments/{first}/replies"
            response = await self.api.send("POST", path, {"body": answer.body})
            text = f"{self.api.decoded(response, Comment, undone=POSTED).id}"
        if answer.resolves and first not in talked:
            await resolve_thread(self.api, link, first)
        return Written(text)

    async def _say(self, link: ChangeLink, answer: ThreadAnswer) -> Written:
        path = f"repos/{link.repo}/issues/{link.number}/comments"
        async for comment in self.api.listed(path, Comment, link.short):
            if answer.own_mark in comment.text and await self._is_ours(comment.user):
                return Written(f"{comment.id}")
        response = await self.api.send("POST", path, {"body": answer.body})
        return Written(f"{self.api.decoded(response, Comment, undone=POSTED).id}")

    async def finding_of(self, link: ChangeLink, comment: str) -> str:
        response = await self.api.get(f"repos/{link.repo}/pulls/comments/{quote(comment)}")
        if response.status == 404:
            return ""
        read = self.api.decoded(response, Comment)
        mark = mark_in(read.text, "finding")
        if mark and await self._is_ours(read.user):
            return mark
        return ""

    async def amend(
        self, link: ChangeLink, review: str, change: Callable[[str], str], dismissal: str
    ) -> bool:
        async for made in self.api.listed(f"{_pull(link)}/reviews", Comment, link.short):
            if f"{made.id}" == review and await self._is_ours(made.user):
                path = f"{_pull(link)}/reviews/{review}"
                if (new := change(made.text)) != made.text:
                    response = await self.api.send("PUT", path, {"body": new})
                    self.api.successful(response, undone=POSTED)
                if dismissal and made.state == _REQUESTED:
                    await self._dismiss(path, dismissal)
                return True
        return False

    async def _dismiss(self, path: str, reason: str) -> None:
        """Takes back that a review requests changes, if the credential may."""
        body = {"message": reason, "event": "DISMISS"}
        response = await self.api.send("PUT", f"{path}/dismissals", body)
        if response.status in _MAY_NOT:
            facts = {"action": "dismiss", "review": path, "status": response.status}
            logger.info("a review still requests changes", extra=facts)
            return
        self.api.successful(response, undone=POSTED)

    async def reactions(self, link: ChangeLink) -> Sequence[FindingReaction]:
        reactions: list[FindingReaction] = []
        async for comment in self.api.listed(f"{_pull(link)}/comments", Comment, link.short):
            mark = mark_in(comment.text, "finding")
            judged = any(comment.reactions.get(name) for name in _JUDGEMENTS)
            if mark and judged and await self._is_ours(comment.user):
                path = f"repos/{link.repo}/pulls/comments/{comment.id}/reactions"
                async for one in self.api.listed(path, Reaction, link.short):
                    real = _JUDGEMENTS.get(one.content)
                    if real is not None and one.user is not None and one.user.type != "Bot":
                        reactions.append(FindingReaction(mark, one.user.login, real))
        return reactions

    async def find_check(self, link: ChangeLink, check: CommitCheck) -> Written | None:
        if not self.app:
            return None  # a status is set again without harm
        return await find_run(self.api, f"repos/{link.repo}", check)

    async def put_check(self, link: ChangeLink, check: CommitCheck, known: str = "") -> Written:
        if not self.app:
            return await put_status(self.api, f"repos/{link.repo}", check)
        return await put_run(self.api, f"repos/{link.repo}", check, known)

    async def find_issue(self, link: ChangeLink, issue: NewIssue) -> Written | None:
        query = {"state": "all", "sort": "created", "direction": "desc"}
        async for made in self.api.listed(f"repos/{link.repo}/issues", Issue, link.short, query, 3):
            if issue.hidden_mark in (made.body or "") and await self._is_ours(made.user):
                return Written(str(made.number), made.html_url)
        return None

    async def open_issue(self, link: ChangeLink, issue: NewIssue) -> Written:
        body = {"title": issue.title, "body": issue.whole_body}
        response = await self.api.send("POST", f"repos/{link.repo}/issues", body)
        made = self.api.decoded(response, Issue, undone=POSTED)
        return Written(str(made.number), made.html_url)

    async def add_test(self, link: ChangeLink, test: NewTest) -> Written:
        return await self.add_file(link.repo, branch_for_test(await self.change(link)), test)

    async def remove(self, link: ChangeLink, kind: str, written: Written) -> str:
        at, id = f"repos/{link.repo}", written.id
        comments: Collection[str] = ()
        if kind == ForgePostKind.ANSWER and id:
            comments = (id,)
        elif kind == ForgePostKind.REVIEW:
            comments = (await self._comments_of(link, int(id))).values()
        for comment in comments:
            await self.api.remove("DELETE", f"{at}/pulls/comments/{comment}", None)
        if kind == ForgePostKind.REVIEW:
            await self.api.remove("PUT", f"{_pull(link)}/reviews/{id}", {"body": REMOVED})
        elif kind == ForgePostKind.CHECK and not self.app:
            return _STATUS
        elif kind == ForgePostKind.CHECK:
            text = {"title": REMOVED, "summary": REMOVED}
            await self.api.remove("PATCH", f"{at}/check-runs/{id}", {"output": text})
        elif kind == ForgePostKind.ISSUE:
            new = {"title": REMOVED, "body": REMOVED}
            await self.api.remove("PATCH", f"{at}/issues/{id}", new)
        return _KEPT.get(kind, "")

    async def commits_since(
        self, link: ChangeLink, since: datetime, path: str
    ) -> Sequence[LaterCommit]:
        query = {"since": since.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if not path:
            commits = await self._commits(link, query)
            return [LaterCommit(one.sha, one.commit.message) for one in commits]
        made = []
        for one in (await self._commits(link, {**query, "path": path}))[:LATER]:
            whole = await self.api.get(f"repos/{link.repo}/commits/{one.sha}")
            files = self.api.decoded(whole, Commit).files
            changed = {f.filename: removed_lines(f.patch or "") for f in files}
            made.append(LaterCommit(one.sha, one.commit.message, changed))
        return made

    async def _commits(self, link: ChangeLink, query: Mapping[str, str]) -> list[Commit]:
        """Returns commits of the branch into which the change goes."""
        at, base = f"repos/{link.repo}/commits", (await self.change(link)).base_branch
        return await self.api.listed_on(at, Commit, link.short, query, {"sha": base})

    async def may_write(self, repo: str, login: str) -> bool:
        return await self._permission(repo, login) in _WRITERS

    async def may_administer(self, repo: str, login: str) -> bool:
        return await self._permission(repo, login) == "admin"

    async def _permission(self, repo: str, login: str) -> str:
        """Return what a person may do with a repository, "" for a stranger."""
        path = f"repos/{repo}/collaborators/{quote(login, safe='')}/permission"
        response = await self.api.get(path)
        if response.status == 404:
            return ""
        return self.api.decoded(response, str, "permission")

    async def _is_ours(self, user: User | None) -> bool:
        """True if the author is the account that we write with."""
        if self.app:
            return user is not None and user.type == "Bot"
        if not self._login:
            response = await self.api.get("user")
            self._login = self.api.decoded(response, User).login
        return user is not None and user.login.lower() == self._login.lower()

    async def _is_person(self, user: User | None) -> bool:
        """Return whether someone else than a bot and our own account is the author."""
        return (user is None or user.type != "Bot") and not await self._is_ours(user)

    async def _comments_of(self, link: ChangeLink, review: int) -> Mapping[str, str]:
        ids = {}
        async for comment in self.api.listed(f"{_pull(link)}/comments", Comment, link.short):
            mark = mark_in(comment.text, "finding")
            if comment.pull_request_review_id == review and mark:
                ids[mark] = str(comment.id)
        return ids


def _as_comment(comment: ReviewComment) -> dict[str, Any]:
    body: dict[str, Any] = {
        "path": comment.path,
        "line": comment.line,
        "side": comment.side,
        "body": with_suggestion(comment, "suggestion"),
    }
    if comment.start_line is not None:
        body |= {"start_line": comment.start_line, "start_side": comment.side}
    return body


def _pull(link: ChangeLink) -> str:
    return f"repos/{link.repo}/pulls/{link.number}"
