"""Writes to GitLab: a discussion for each comment on a line, a note with the rest, answers that
resolve a discussion, a commit status, an issue.

GitLab has no call for a whole review, so its parts are sent one by one, each with its mark, and a
part that is there already is never sent again. Lines that GitLab refuses go into the note, which is
the last part.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import quote

from adapters.forges import refusals
from adapters.forges.api import PAGE
from adapters.forges.gitlab.files import GitLabFiles
from adapters.forges.gitlab.positions import position_of
from adapters.forges.gitlab.replies import (
    Commit,
    Diff,
    Discussion,
    Named,
    Note,
    Person,
    Refs,
    Request,
    merge_path,
    path_of,
)
from adapters.forges.links import ChangeLink
from adapters.forges.patches import removed_lines
from adapters.forges.port import LaterCommit
from adapters.forges.refusals import POSTED
from adapters.forges.wire import Response
from adapters.forges.writing import (
    LATER,
    REMOVED,
    FindingReaction,
    NewIssue,
    NewTest,
    Written,
    branch_for_test,
)
from adapters.review import (
    MARK,
    Review,
    ReviewComment,
    ThreadAnswer,
    hidden,
    mark_in,
    with_suggestion,
)
from adapters.review.check import NAME, CommitCheck, Conclusion
from core.debate.log import ForgePostKind

_DEVELOPER = 30
"""GitLab's access level from which a person may push."""
_MAY_NOT = frozenset({403, 404})
"""Statuses for an account that may write but not resolve; the discussion is answered and stays
open.
"""
_JUDGEMENTS = {"thumbsup": True, "thumbsdown": False}
_STATES = {
    Conclusion.RUNNING: "running",
    Conclusion.PASSED: "success",
    Conclusion.BLOCKED: "failed",
    Conclusion.ADVISED: "success",
    Conclusion.NEUTRAL: "canceled",  # neither passed nor failed
}


@dataclass(slots=True)
class GitLabPoster(GitLabFiles):
    """A ``ReviewPoster`` for gitlab.com and own installations."""

    _name: str = field(default="", init=False)

    async def find_review(self, link: ChangeLink, review: Review) -> Written | None:
        """Only a review whose note is posted is whole; its discussions came before."""
        standing = await self._standing(link)
        note = standing.get(hidden("review", review.mark))
        if note is None:
            return None
        wanted = {comment.mark for comment in review.comments}
        ids = {mark_in(mark, "finding"): id for mark, id in standing.items()}
        return Written(note, "", {m: id for m, id in ids.items() if m in wanted})

    async def post_review(self, link: ChangeLink, review: Review) -> Written:
        request = self.api.decoded(await self.api.get(merge_path(link)), Request)
        refs = request.diff_refs
        if refs is None or not (refs.base_sha and refs.head_sha and refs.start_sha):
            raise refusals.preparing(link.short)
        standing = await self._standing(link)
        comments: dict[str, str] = {}
        refused = []
        for comment in review.comments:
            made = standing.get(hidden("finding", comment.mark)) or await self._discuss(
                link, comment, refs, _undone(comments)
            )
            if made:
                comments[comment.mark] = made
            else:
                refused.append(comment)
        body = replace(review, comments=tuple(refused)).in_body().body
        response = await self.api.send("POST", f"{merge_path(link)}/notes", {"body": body})
        note = self.api.decoded(response, Note, undone=_undone(comments))
        url = f"{request.web_url}#note_{note.id}" if request.web_url else ""
        return Written(str(note.id), url, comments)

    async def _discuss(
        self, link: ChangeLink, comment: ReviewComment, refs: Refs, undone: str
    ) -> str:
        """Returns the id of the discussion; "" if GitLab refuses the lines."""
        several = (comment.start_line or comment.line) - comment.line
        body = with_suggestion(comment, f"suggestion:{several or '-0'}+0")
        body_sent = {"body": body, "position": position_of(comment, refs)}
        response = await self.api.send("POST", f"{merge_path(link)}/discussions", body_sent)
        if response.status in {400, 422}:
            return ""
        return self.api.decoded(response, Discussion, undone=undone).id

    async def answer(self, link: ChangeLink, answer: ThreadAnswer) -> Written | None:
        if not answer.mark:
            return await self._say(link, answer)
        mark, own = hidden("finding", answer.mark), answer.own_mark
        async for discussion in self._discussions(link):
            if not discussion.notes or mark not in discussion.notes[0].body:
                continue
            if not await self._is_ours(discussion.notes[0].author):
                continue
            path = f"{merge_path(link)}/discussions/{discussion.id}"
            ours = [note for note in discussion.notes if await self._is_ours(note.author)]
            reply = next((note for note in ours if own in note.body), None)
            if reply is None:
                response = await self.api.send("POST", f"{path}/notes", {"body": answer.body})
                reply = self.api.decoded(response, Note, undone=POSTED)
            others = [n for n in discussion.notes if n not in ours and not n.system]
            if answer.resolves and not others:
                closed = await self.api.send("PUT", path, {"resolved": True})
                if closed.status not in _MAY_NOT:
                    self.api.successful(closed, undone=POSTED)
            return Written(str(reply.id))
        return None

    async def _say(self, link: ChangeLink, answer: ThreadAnswer) -> Written:
        async for discussion in self._discussions(link):
            for note in discussion.notes:
                if answer.own_mark in note.body and await self._is_ours(note.author):
                    return Written(str(note.id))
        path = f"{merge_path(link)}/notes"
        response = await self.api.send("POST", path, {"body": answer.body})
        return Written(str(self.api.decoded(response, Note, undone=POSTED).id))

    async def finding_of(self, link: ChangeLink, comment: str) -> str:
        response = await self.api.get(f"{merge_path(link)}/discussions/{quote(comment, safe='')}")
        if response.status == 404:
            return ""
        notes = self.api.decoded(response, Discussion).notes
        mark = mark_in(notes[0].body, "finding") if notes else ""
        if mark and await self._is_ours(notes[0].author):
            return mark
        return ""

    async def amend(
        self, link: ChangeLink, review: str, change: Callable[[str], str], dismissal: str
    ) -> bool:
        path = f"{merge_path(link)}/notes/{quote(review, safe='')}"
        response = await self.api.get(path)
        if response.status == 404:
            return False
        note = self.api.decoded(response, Note)
        if not await self._is_ours(note.author):
            return False
        if (new := change(note.body)) != note.body:
            self.api.successful(await self.api.send("PUT", path, {"body": new}), undone=POSTED)
        return True

    async def reactions(self, link: ChangeLink) -> Sequence[FindingReaction]:
        reactions = []
        async for discussion in self._discussions(link):
            for note in discussion.notes[:1]:
                mark = mark_in(note.body, "finding")
                if not mark or not await self._is_ours(note.author):
                    continue
                path = f"{merge_path(link)}/notes/{note.id}/award_emoji"
                async for award in self.api.listed(path, Named, link.short):
                    real = _JUDGEMENTS.get(award.name)
                    if real is None or award.user is None or await self._is_ours(award.user):
                        continue
                    reactions.append(FindingReaction(mark, award.user.username, real))
        return reactions

    async def find_check(self, link: ChangeLink, check: CommitCheck) -> Written | None:
        return None  # a status is set again without harm

    async def put_check(self, link: ChangeLink, check: CommitCheck, known: str = "") -> Written:
        state = _STATES[check.conclusion]
        if check.queued and check.conclusion is Conclusion.NEUTRAL:
            state = "success"  # a canceled status would take the change out of its merge train
        body: dict[str, Any] = {
            "state": state,
            "name": NAME,
            "description": check.title[:140],
        }
        if check.link:
            body["target_url"] = check.link
        path = f"{path_of(link.repo)}/statuses/{quote(check.head)}"
        response = await self.api.send("POST", path, body)
        ended = check.conclusion is not Conclusion.RUNNING and not check.queued
        if _is_already(response) and ended:
            # GitLab changes the words of a status only with its state
            running = {**body, "state": _STATES[Conclusion.RUNNING]}
            self.api.successful(await self.api.send("POST", path, running), undone=POSTED)
            response = await self.api.send("POST", path, body)
        if not _is_already(response):
            self.api.successful(response, undone=POSTED)
        return Written(NAME)

    async def find_issue(self, link: ChangeLink, issue: NewIssue) -> Written | None:
        query = {"scope": "all", "order_by": "created_at", "sort": "desc"}
        async for made in self.api.listed(
            f"{path_of(link.repo)}/issues", Request, link.short, query, 3
        ):
            if issue.hidden_mark in (made.description or "") and await self._is_ours(made.author):
                return Written(str(made.iid), made.web_url)
        return None

    async def open_issue(self, link: ChangeLink, issue: NewIssue) -> Written:
        body = {"title": issue.title, "description": issue.whole_body}
        response = await self.api.send("POST", f"{path_of(link.repo)}/issues", body)
        made = self.api.decoded(response, Request, undone=POSTED)
        return Written(str(made.iid), made.web_url)

    async def add_test(self, link: ChangeLink, test: NewTest) -> Written:
        return await self.add_file(link.repo, branch_for_test(await self.change(link)), test)

    async def remove(self, link: ChangeLink, kind: str, written: Written) -> str:
        if kind == ForgePostKind.CHECK:
            return "GitLab deletes no status of a commit: it still says the decision."
        if kind == ForgePostKind.TEST:
            return "The test stays in the branch: take it out there."
        if kind == ForgePostKind.ISSUE:
            words = {"title": REMOVED, "description": REMOVED}
            await self.api.remove("PUT", f"{path_of(link.repo)}/issues/{written.id}", words)
            return "GitLab deletes no issue for us; its text is replaced."
        notes = [written.id] if written.id else []
        for discussion in written.comments.values():
            path = f"{merge_path(link)}/discussions/{quote(discussion, safe='')}"
            response = await self.api.get(path)
            if response.status != 404:
                first = self.api.decoded(response, Discussion).notes[:1]
                notes += [str(note.id) for note in first if await self._is_ours(note.author)]
        for note in notes:
            await self.api.remove("DELETE", f"{merge_path(link)}/notes/{note}", None)
        return ""

    async def commits_since(
        self, link: ChangeLink, since: datetime, path: str
    ) -> Sequence[LaterCommit]:
        query = {"since": since.isoformat()}
        if not path:
            commits = await self._commits(link, query)
            return [LaterCommit(one.id, one.message) for one in commits]
        made = []
        for one in (await self._commits(link, {**query, "path": path}))[:LATER]:
            at = f"{path_of(link.repo)}/repository/commits/{one.id}/diff"
            whole = await self.api.get(f"{at}?per_page={PAGE}")
            diffs = self.api.decoded(whole, list[Diff])
            changed = {d.new_path: removed_lines(d.diff or "") for d in diffs}
            made.append(LaterCommit(one.id, one.message, changed))
        return made

    async def _commits(self, link: ChangeLink, query: Mapping[str, str]) -> list[Commit]:
        """Returns commits of the branch into which the change goes."""
        at, base = f"{path_of(link.repo)}/repository/commits", (await self.change(link)).base_branch
        return await self.api.listed_on(at, Commit, link.short, query, {"ref_name": base})

    async def may_write(self, repo: str, login: str) -> bool:
        query = {"query": login}
        async for member in self.api.listed(f"{path_of(repo)}/members/all", Person, repo, query, 3):
            if member.username.lower() == login.lower():
                return member.access_level >= _DEVELOPER
        return False

    async def _is_ours(self, user: Person | None) -> bool:
        """True if the author is the account that we write with: anyone can write a hidden mark."""
        if not self._name:
            self._name = self.api.decoded(await self.api.get("user"), Person).username
        return user is not None and user.username == self._name

    def _discussions(self, link: ChangeLink) -> AsyncIterator[Discussion]:
        return self.api.listed(f"{merge_path(link)}/discussions", Discussion, link.short)

    async def _standing(self, link: ChangeLink) -> Mapping[str, str]:
        """Returns the hidden marks of existing texts, with a discussion's id for a finding and a
        note's for the rest.
        """
        ids = {}
        async for discussion in self._discussions(link):
            for note in discussion.notes[:1]:
                if MARK not in note.body or not await self._is_ours(note.author):
                    continue
                if mark := mark_in(note.body, "finding"):
                    ids[hidden("finding", mark)] = discussion.id
                if mark := mark_in(note.body, "review"):
                    ids[hidden("review", mark)] = str(note.id)
        return ids


def _undone(comments: Mapping[str, str]) -> str:
    """Returns a sentence on the parts that a refusal left unsent; comments that are posted already
    are not taken back.
    """
    if not comments:
        return POSTED
    count = f"{len(comments)} comment{'s' * (len(comments) != 1)}"
    return f"The review has {count} on lines; the rest is posted when it is approved again."


def _is_already(response: Response) -> bool:
    """True if GitLab refuses the status because it has that value already."""
    return response.status == 400 and b"Cannot transition status" in response.body
