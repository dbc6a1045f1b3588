"""The writing side of the stand-in of GitHub: reviews, comments, check runs, statuses, issues.

It refuses what GitHub refuses: a line outside of the diff, a review without words, a check run by
somebody who is no App, anything without a credential.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from aiohttp import web

from tests.standins.github_app import AppSide
from tests.standins.github_app import user as account
from tests.standins.github_state import CheckRun, Comment, Note, Pull, Review, lines_of

Where = tuple[str, int]


@dataclass
class Written:
    """Everything by (repository, number) or by repository, oldest first."""

    pulls: dict[Where, Pull]
    app: AppSide
    reviews: dict[Where, list[Review]] = field(default_factory=lambda: defaultdict(list))
    comments: dict[Where, list[Comment]] = field(default_factory=lambda: defaultdict(list))
    talk: dict[Where, list[Note]] = field(default_factory=lambda: defaultdict(list))
    issues: dict[str, list[Note]] = field(default_factory=lambda: defaultdict(list))
    checks: dict[str, list[CheckRun]] = field(default_factory=lambda: defaultdict(list))
    statuses: dict[tuple[str, str], list[dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    commits: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    """By repository, each on its ``branch``, which is ``main`` if none is named."""
    gone: set[str] = field(default_factory=set)
    """Branches that were deleted."""
    permissions: dict[tuple[str, str], str] = field(default_factory=dict)
    undeletable: set[int] = field(default_factory=set)
    """Comments that this credential may not delete."""
    etags: dict[str, int] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1000))

    def rename(self, old: str, new: str) -> None:
        """Moves all that was written to a repository to its new name."""
        for kept in vars(self).values():
            if isinstance(kept, dict):
                for key in [*kept]:
                    if key == old:
                        kept[new] = kept.pop(key)
                    elif isinstance(key, tuple) and key[0] == old:
                        kept[new, key[1]] = kept.pop(key)

    def route(self, app: web.Application) -> None:
        at, number = "/repos/{owner}/{repo}", r"/{number:\d+}"
        pull = f"{at}/pulls{number}"
        app.router.add_get(f"{pull}/reviews", self._list_reviews)
        app.router.add_post(f"{pull}/reviews", self._review)
        app.router.add_get(f"{pull}/comments", self._list_comments)
        app.router.add_post(f"{pull}/comments/{{id:\\d+}}/replies", self._reply)
        app.router.add_put(f"{pull}/reviews/{{id:\\d+}}", self._change_review)
        app.router.add_put(f"{pull}/reviews/{{id:\\d+}}/dismissals", self._dismiss)
        app.router.add_get(f"{at}/pulls/comments/{{id:\\d+}}/reactions", self._list_reactions)
        app.router.add_delete(f"{at}/pulls/comments/{{id:\\d+}}", self._delete_comment)
        app.router.add_patch(f"{at}/issues{number}", self._change_issue)
        app.router.add_get(f"{at}/pulls/comments", self._repo_comments)
        app.router.add_get(f"{at}/pulls/comments/{{id:\\d+}}", self._one_comment)
        app.router.add_get(f"{at}/issues/comments", self._repo_talk)
        app.router.add_get(f"{at}/issues{number}/comments", self._talk)
        app.router.add_post(f"{at}/issues{number}/comments", self._say)
        app.router.add_get(f"{at}/issues", self._list_issues)
        app.router.add_post(f"{at}/issues", self._open_issue)
        app.router.add_post(f"{at}/check-runs", self._check)
        app.router.add_patch(f"{at}/check-runs/{{id:\\d+}}", self._change_check)
        app.router.add_get(f"{at}/commits/{{ref}}/check-runs", self._list_checks)
        app.router.add_post(f"{at}/statuses/{{sha}}", self._status)
        app.router.add_get(f"{at}/commits/{{ref}}/statuses", self._list_statuses)
        app.router.add_get(f"{at}/commits", self._list_commits)
        app.router.add_get(f"{at}/commits/{{ref}}", self._commit)
        app.router.add_get(f"{at}/collaborators/{{user}}/permission", self._permission)

    def answer_in_thread(self, where: Where, comment: int, user: str, body: str) -> Comment:
        """Replies to a comment on the website, as a person does."""
        first = next(c for c in self.comments[where] if c.id == comment)
        made = Comment(
            next(self._ids), user, body, first.path, first.line, first.side, first.commit_id,
            in_reply_to=first.in_reply_to or first.id,
        )  # fmt: skip
        self.comments[where].append(made)
        return made

    def say(self, where: Where, user: str, body: str) -> Note:
        """Comments in the conversation, as a person does."""
        made = Note(next(self._ids), "", body, user)
        self.talk[where].append(made)
        return made

    async def _list_reviews(self, request: web.Request) -> web.Response:
        return web.json_response(_page(request, [_review(r) for r in self.reviews[_at(request)]]))

    async def _review(self, request: web.Request) -> web.Response:
        where, request_body = _at(request), await request.json()
        pull = self.pulls.get(where)
        if pull is None:
            return _refused(404, "Not Found")
        head = request_body.get("commit_id", pull.head)
        if head != pull.head and head not in pull.history:
            return _refused(422, "commit_id is not part of the pull request")
        event, body = request_body.get("event", "PENDING"), request_body.get("body", "")
        if event in {"COMMENT", "REQUEST_CHANGES"} and not body:
            return _refused(422, "Unprocessable Entity", "Body can't be blank")
        diff = pull.diff if head == pull.head else pull.history[head][1]
        wrong = [c for c in request_body.get("comments", []) if not _fits(c, lines_of(diff))]
        if wrong:
            return _refused(422, "Unprocessable Entity", "Line could not be resolved")
        user = self.app.who(request)
        if event == "REQUEST_CHANGES" and user == pull.author:
            why = "Review Can not request changes on your own pull request"
            return _refused(422, "Unprocessable Entity", why)
        made = Review(next(self._ids), user, body, event, head)
        self.reviews[where].append(made)
        for comment in request_body.get("comments", []):
            self.comments[where].append(
                Comment(
                    next(self._ids), user, comment["body"], comment["path"], comment["line"],
                    comment.get("side", "RIGHT"), head, comment.get("start_line"),
                    comment.get("start_side"), review=made.id,
                )
            )  # fmt: skip
        return web.json_response(_review(made))

    async def _change_review(self, request: web.Request) -> web.Response:
        id = int(request.match_info["id"])
        matches = next((r for r in self.reviews[_at(request)] if r.id == id), None)
        if matches is None:
            return _refused(404, "Not Found")
        matches.body = (await request.json())["body"]
        return web.json_response(_review(matches))

    async def _dismiss(self, request: web.Request) -> web.Response:
        id, body = int(request.match_info["id"]), await request.json()
        match = next((r for r in self.reviews[_at(request)] if r.id == id), None)
        if match is None:
            return _refused(404, "Not Found")
        if match.event != "REQUEST_CHANGES" or match.dismissed:
            return _refused(422, "Can not dismiss a commented pull request review")
        match.dismissed = body["message"]
        return web.json_response(_review(match))

    async def _list_reactions(self, request: web.Request) -> web.Response:
        id = int(request.match_info["id"])
        comments = [c for some in self.comments.values() for c in some if c.id == id]
        rows = [
            {"id": n, "content": content, "user": account(user)}
            for comment in comments
            for n, (user, content) in enumerate(comment.reactions)
        ]
        return web.json_response(_page(request, rows)) if comments else _refused(404, "Not Found")

    async def _delete_comment(self, request: web.Request) -> web.Response:
        id, who = int(request.match_info["id"]), self.app.who(request)
        for comments in self.comments.values():
            for comment in comments:
                if comment.id != id:
                    continue
                if id in self.undeletable or comment.user != who:
                    return _refused(403, "Resource not accessible by personal access token")
                comments.remove(comment)
                return web.Response(status=204)
        return _refused(404, "Not Found")

    async def _change_issue(self, request: web.Request) -> web.Response:
        number, body = int(request.match_info["number"]), await request.json()
        matches = next((n for n in self.issues[_repo(request)] if n.number == number), None)
        if matches is None:
            return _refused(404, "Not Found")
        matches.title, matches.body = body["title"], body["body"]
        return web.json_response(_note(matches))

    async def _list_comments(self, request: web.Request) -> web.Response:
        comments = [_comment(c) for c in self.comments[_at(request)]]
        return web.json_response(_page(request, comments))

    async def _reply(self, request: web.Request) -> web.Response:
        where, id = _at(request), int(request.match_info["id"])
        first = next((c for c in self.comments[where] if c.id == id), None)
        if first is None or first.in_reply_to is not None:
            return _refused(404, "Not Found")
        body = await request.json()
        made = self.answer_in_thread(where, id, self.app.who(request), body["body"])
        return web.json_response(_comment(made), status=201)

    async def _repo_comments(self, request: web.Request) -> web.Response:
        repo = _repo(request)
        body = [
            _comment(c) | {"pull_request_url": f"https://x/repos/{repo}/pulls/{number}"}
            for (name, number), comments in self.comments.items()
            for c in comments
            if name == repo
        ]
        return self._conditional(request, body)

    async def _one_comment(self, request: web.Request) -> web.Response:
        id = int(request.match_info["id"])
        for comments in self.comments.values():
            for comment in comments:
                if comment.id == id:
                    return web.json_response(_comment(comment))
        return _refused(404, "Not Found")

    async def _repo_talk(self, request: web.Request) -> web.Response:
        repo = _repo(request)
        body = [
            _note(n) | {"issue_url": f"https://x/repos/{repo}/issues/{number}"}
            for (name, number), notes in self.talk.items()
            for n in notes
            if name == repo
        ]
        return self._conditional(request, body)

    def _conditional(self, request: web.Request, rows: list[Any]) -> web.Response:
        backwards = request.query.get("direction") == "desc"
        body = _page(request, sorted(rows, key=lambda row: row["id"], reverse=backwards))
        tag = f'"{abs(hash(str(body)))}"'
        if request.headers.get("If-None-Match") == tag:
            self.etags["not_modified"] = self.etags.get("not_modified", 0) + 1
            return web.Response(status=304, headers={"ETag": tag})
        return web.json_response(body, headers={"ETag": tag})

    async def _talk(self, request: web.Request) -> web.Response:
        return web.json_response(_page(request, [_note(n) for n in self.talk[_at(request)]]))

    async def _say(self, request: web.Request) -> web.Response:
        made = self.say(_at(request), self.app.who(request), (await request.json())["body"])
        return web.json_response(_note(made), status=201)

    async def _list_issues(self, request: web.Request) -> web.Response:
        issues = self.issues[_repo(request)]
        return web.json_response(_page(request, [_note(n) for n in reversed(issues)]))

    async def _open_issue(self, request: web.Request) -> web.Response:
        body = await request.json()
        made = Note(
            next(self._ids), str(body["title"]), body.get("body", ""), self.app.who(request),
            tuple(body.get("labels", ())),
        )  # fmt: skip
        self.issues[_repo(request)].append(made)
        return web.json_response(_note(made), status=201)

    async def _check(self, request: web.Request) -> web.Response:
        if not self.app.is_app(request):
            return _refused(403, "You must authenticate via a GitHub App.")
        body = await request.json()
        made = _changed(CheckRun(next(self._ids), body["name"], body["head_sha"]), body)
        self.checks[_repo(request)].append(made)
        return web.json_response(asdict(made), status=201)

    async def _change_check(self, request: web.Request) -> web.Response:
        id = int(request.match_info["id"])
        match = next((c for c in self.checks[_repo(request)] if c.id == id), None)
        if match is None:
            return _refused(404, "Not Found")
        return web.json_response(asdict(_changed(match, await request.json())))

    async def _list_checks(self, request: web.Request) -> web.Response:
        name = request.query.get("check_name")
        fields = [
            asdict(c)
            for c in self.checks[_repo(request)]
            if c.head_sha == request.match_info["ref"] and name in {None, c.name}
        ]
        return web.json_response({"total_count": len(fields), "check_runs": fields})

    async def _status(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.statuses[_repo(request), request.match_info["sha"]].append(body)
        return web.json_response(body, status=201)

    async def _list_statuses(self, request: web.Request) -> web.Response:
        held = self.statuses[_repo(request), request.match_info["ref"]]
        return web.json_response(list(reversed(held)))

    async def _list_commits(self, request: web.Request) -> web.Response:
        path, branch = request.query.get("path"), request.query.get("sha", "main")
        if branch in self.gone:
            return _refused(404, "Not Found")
        body = [
            {"sha": c["sha"], "commit": {"message": c["message"]}}
            for c in self.commits[_repo(request)]
            if path is None or path in c["paths"]
            if c.get("branch", "main") == branch
        ]
        return web.json_response(_page(request, body))

    async def _commit(self, request: web.Request) -> web.Response:
        ref = request.match_info["ref"]
        match = next((c for c in self.commits[_repo(request)] if c["sha"] == ref), None)
        if match is None:
            return _refused(404, "Not Found")
        files = [{"filename": path, "patch": patch} for path, patch in match["paths"].items()]
        return web.json_response(
            {"sha": ref, "commit": {"message": match["message"]}, "files": files}
        )

    async def _permission(self, request: web.Request) -> web.Response:
        repo, user = _repo(request), request.match_info["user"]
        held = self.permissions.get((repo, user))
        if held is None:
            return _refused(404, "Not Found")
        return web.json_response({"permission": held, "user": {"login": user}})


def _fits(comment: dict[str, Any], lines: dict[str, list[set[tuple[str, int]]]]) -> bool:
    end = (comment.get("side", "RIGHT"), comment["line"])
    wanted = {end}
    if "start_line" in comment:
        start = (comment.get("start_side", end[0]), comment["start_line"])
        if start[1] >= end[1]:
            return False
        wanted.add(start)
    return any(wanted <= hunk for hunk in lines.get(comment["path"], []))


def _changed(run: CheckRun, request_body: dict[str, Any]) -> CheckRun:
    output = request_body.get("output", {})
    run.status = request_body.get("status", run.status)
    run.conclusion = request_body.get("conclusion", run.conclusion)
    if run.conclusion:
        run.status = "completed"
    run.title, run.summary = output.get("title", run.title), output.get("summary", run.summary)
    run.details_url = request_body.get("details_url", run.details_url)
    run.external_id = request_body.get("external_id", run.external_id)
    return run


_STATES = {"COMMENT": "COMMENTED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


def _review(review: Review) -> dict[str, Any]:
    return {
        "id": review.id,
        "user": account(review.user),
        "body": review.body,
        "state": "DISMISSED" if review.dismissed else _STATES[review.event],
        "commit_id": review.commit_id,
        "html_url": f"https://github.com/review/{review.id}",
    }


def _comment(comment: Comment) -> dict[str, Any]:
    body = asdict(comment)
    body["user"] = account(comment.user)
    body["in_reply_to_id"] = body.pop("in_reply_to")
    body["pull_request_review_id"] = body.pop("review")
    del body["resolved"]  # which REST does not tell
    contents = [content for _, content in body.pop("reactions")]
    body["reactions"] = {name: contents.count(name) for name in ("+1", "-1", "eyes")}
    body["created_at"] = body["updated_at"] = "2026-05-03T10:00:00Z"
    return body


def _note(note: Note) -> dict[str, Any]:
    return {
        "id": note.number,
        "number": note.number,
        "title": note.title,
        "body": note.body,
        "user": account(note.user),
        "labels": [{"name": name} for name in note.labels],
        "html_url": f"https://github.com/issue/{note.number}",
        "created_at": note.created_at,
        "updated_at": note.created_at,
    }


def _page(request: web.Request, rows: list[Any]) -> list[Any]:
    size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
    return rows[(page - 1) * size : page * size]


def _at(request: web.Request) -> Where:
    return _repo(request), int(request.match_info["number"])


def _repo(request: web.Request) -> str:
    return f"{request.match_info['owner']}/{request.match_info['repo']}"


def _refused(status: int, message: str, *errors: str) -> web.Response:
    body: dict[str, Any] = {"message": message}
    if errors:
        body["errors"] = list(errors)
    return web.json_response(body, status=status)
