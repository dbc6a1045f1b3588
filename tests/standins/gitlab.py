"""GitLab's REST API as far as a merge request needs it, on a real socket: what is written stands
there afterwards, and each request is held to the names and types that GitLab's pages list.

GitLab publishes no machine-readable description of these calls; ``CALLS`` is ours, by hand.
"""

from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from aiohttp import web

from tests.standins.archives import archive_of
from tests.standins.serving import serving

HEAD = "2222222222222222222222222222222222222222"
BASE = "3333333333333333333333333333333333333333"
FIRST = "group/sub/project"
PROJECT = "/api/v4/projects/group%2Fsub%2Fproject"
ME = "debatebot"

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
_LISTS = {"per_page", "page"}
_POSITION = {
    "position_type", "base_sha", "start_sha", "head_sha", "old_path", "new_path", "old_line",
    "new_line", "line_range",
}  # fmt: skip
CALLS: tuple[tuple[str, str, set[str], set[str]], ...] = (
    # method, path below the project, names in the query, names in the body (! is required)
    ("GET", "", set(), set()),
    (
        "GET",
        "/merge_requests",
        {"state", "order_by", "sort", "updated_after", "source_branch", *_LISTS},
        set(),
    ),
    ("GET", r"/merge_requests/\d+", set(), set()),
    ("GET", "/merge_requests/7/diffs", _LISTS, set()),
    ("GET", "/merge_requests/7/discussions", _LISTS, set()),
    ("POST", "/merge_requests/7/discussions", set(), {"body!", "position"}),
    ("GET", "/merge_requests/7/discussions/[^/]+", set(), set()),
    ("POST", "/merge_requests/7/discussions/[^/]+/notes", set(), {"body!"}),
    ("PUT", "/merge_requests/7/discussions/[^/]+", set(), {"resolved!"}),
    ("POST", "/merge_requests/7/notes", set(), {"body!"}),
    ("DELETE", r"/merge_requests/7/notes/\d+", set(), set()),
    ("GET", r"/merge_requests/7/notes/\d+", set(), set()),
    ("PUT", r"/merge_requests/7/notes/\d+", set(), {"body!"}),
    ("GET", r"/merge_requests/7/notes/\d+/award_emoji", _LISTS, set()),
    ("PUT", r"/issues/\d+", set(), {"title", "description"}),
    ("GET", "/merge_requests/7/notes", {"order_by", "sort", *_LISTS}, set()),
    ("GET", "/repository/files/.+/raw", {"ref"}, set()),
    ("GET", "/repository/files/[^/]+", {"ref"}, set()),
    (
        "POST",
        "/repository/commits",
        set(),
        {"branch!", "start_branch", "commit_message!", "actions!"},
    ),
    (
        "POST",
        "/merge_requests",
        set(),
        {"source_branch!", "target_branch!", "title!", "description"},
    ),
    ("GET", "/repository/tree", {"ref", "path", *_LISTS}, set()),
    ("GET", "/repository/compare", {"from", "to", "straight"}, set()),
    ("GET", "/repository/archive.tar.gz", {"sha"}, set()),
    ("GET", "/repository/merge_base", {"refs[]"}, set()),
    ("GET", "/repository/commits", {"ref_name", "since", "path", *_LISTS}, set()),
    ("GET", "/repository/commits/[^/]+/diff", _LISTS, set()),
    ("POST", "/statuses/[0-9a-f]{40}", set(), {"state!", "name", "description", "target_url"}),
    ("GET", "/issues", {"scope", "order_by", "sort", *_LISTS}, set()),
    ("GET", r"/issues/\d+", set(), set()),
    ("POST", "/issues", set(), {"title!", "description", "labels"}),
    ("GET", "/members/all", {"query", *_LISTS}, set()),
)


_LEVELS = ("repository", "merge_requests", "issues", "builds")


@dataclass
class Discussion:
    id: str
    notes: list[dict[str, Any]]
    position: dict[str, Any] | None = None
    resolved: bool = False


@dataclass
class GitLabStandIn:
    """One project, ``group/sub/project``, with one merge request, number 7.

    ``history`` keeps the diffs of earlier heads, ``rewritten`` those that are no ancestors of the
    next.
    """

    diffs: list[dict[str, Any]] = field(default_factory=list)
    title: str = "A change"
    description: str = ""
    visibility: str = "public"
    levels: dict[str, str] = field(default_factory=lambda: dict.fromkeys(_LEVELS, "enabled"))
    """Access levels by part of the project: "disabled", "private" (members alone), "enabled"."""
    state: str = "opened"
    draft: bool = False
    head: str = HEAD
    base: str = BASE
    target: str = "main"
    branch: str = "topic"
    into: int = 12
    branches: dict[int, str] = field(default_factory=dict)
    """The source branches of other open merge requests."""
    author: str = "mallory"
    labels: list[str] = field(default_factory=list)
    merged_at: str | None = None
    merge_commit: str | None = None
    updated_at: str = "2026-05-03T10:00:00Z"
    guidelines: dict[str, str] = field(default_factory=dict)
    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    members: dict[str, int] = field(default_factory=dict)
    tokens: list[str] = field(default_factory=list)
    scopes: list[str] = field(default_factory=lambda: ["api"])
    paths: list[str] = field(default_factory=list)
    sent: list[tuple[str, str, Any]] = field(default_factory=list)
    discussions: list[Discussion] = field(default_factory=list)
    awards: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """People with the name of their emoji, by note."""
    statuses: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    commits: list[dict[str, Any]] = field(default_factory=list)
    committed: list[str] = field(default_factory=list)
    contents: dict[tuple[str, str], str] = field(default_factory=dict)
    """Texts by (commit, path)."""
    proposed: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Merge requests that were opened through the API, by source branch."""
    preparing: int = 0
    """The number of answers in which the merge request has no diff yet."""
    changes_count: str | None = None
    history: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    rewritten: set[tuple[str, str]] = field(default_factory=set)
    merges: set[str] = field(default_factory=set)
    violations: list[str] = field(default_factory=list)
    url: str = ""
    project: str = FIRST
    """Its present name; requests by the first one are redirected."""
    _spoiled: list[tuple[str, re.Pattern[str], int, list[int]]] = field(default_factory=list)
    _lost: list[tuple[str, re.Pattern[str], list[int]]] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(100))

    def push(
        self, head: str, diffs: list[dict[str, Any]], *, rewritten: bool = False, base: str = ""
    ) -> None:
        self.history[self.base, self.head] = self.diffs
        earlier = {then for _, then in self.history}
        self.rewritten |= {
            (then, head) for then in earlier if rewritten or (then, self.head) in self.rewritten
        }
        self.head, self.diffs, self.base = head, diffs, base or self.base

    def refuse(self, method: str, path: str, status: int, times: int = 10_000) -> None:
        self._spoiled.append((method, re.compile(path), status, [times]))

    def lose(self, method: str, path: str, times: int = 1) -> None:
        """Does what is asked and breaks the connection instead of answering."""
        self._lost.append((method, re.compile(path), [times]))

    def talk(self, body: str, user: str = "carol") -> dict[str, Any]:
        """Writes a note, as a person does."""
        return self._discuss(body, user).notes[0]

    def forget_requests(self) -> None:
        for seen in (self.paths, self.sent, self.tokens):
            seen.clear()

    @property
    def notes(self) -> list[str]:
        """The texts of notes that hang on no line."""
        return [d.notes[0]["body"] for d in self.discussions if d.position is None]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[GitLabStandIn]:
        app = web.Application(middlewares=[self._watch])
        app.router.add_route("*", "/{tail:.*}", self._answer)
        async with serving(app) as origin:
            self.url = f"{origin}/api/v4"
            yield self
        assert not self.violations, self.violations

    @property
    def _watch(self) -> Any:
        @web.middleware
        async def watch(request: web.Request, handler: Answer) -> web.StreamResponse:
            path = self._path(request)
            body = json.loads(await request.text() or "null") if request.can_read_body else None
            self.paths.append(path)
            self.tokens.append(request.headers.get("Private-Token", ""))
            self.sent.append((request.method, path, body))
            self.violations += _problems(request, path, body)
            for method, pattern, status, left in self._spoiled:
                if left[0] and method == request.method and pattern.search(path):
                    left[0] -= 1
                    return web.json_response({"message": f"{status} refused"}, status=status)
            if request.method != "GET" and not request.headers.get("Private-Token"):
                return web.json_response({"message": "401 Unauthorized"}, status=401)
            if self.project != FIRST and request.rel_url.raw_path.startswith(PROJECT):
                below = request.rel_url.raw_path_qs.removeprefix(PROJECT)
                to = f"{self.url}/projects/{quote(self.project, safe='')}{below}"
                return web.json_response({}, status=301, headers={"Location": to})
            response = await handler(request)
            for method, pattern, left in self._lost:
                if left[0] and method == request.method and pattern.search(path):
                    left[0] -= 1
                    assert request.transport is not None
                    request.transport.abort()
            return response

        return watch

    def _path(self, request: web.Request) -> str:
        """Returns the path of a request as by the project's first name."""
        return request.rel_url.raw_path.replace(
            f"/projects/{quote(self.project, safe='')}", f"/projects/{quote(FIRST, safe='')}", 1
        )

    async def _answer(self, request: web.Request) -> web.Response:
        path = self._path(request).removeprefix(PROJECT)
        if request.rel_url.raw_path == "/api/v4/personal_access_tokens/self":
            answer_body = {"scopes": self.scopes, "active": True, "expires_at": "2027-01-31"}
            return web.json_response({"id": 1, "name": "debate", "revoked": False, **answer_body})
        if request.rel_url.raw_path == "/api/v4/user":
            return web.json_response({"username": ME, "id": 9})
        if not self._path(request).startswith(PROJECT):
            return _missing()
        if request.method == "GET":
            if self._is_hidden(request, path):
                return _missing()
            return self._read(request, path)
        if request.method == "DELETE":
            return self._delete(int(path.rpartition("/")[2]))
        return self._write(request.method, path, await request.json())

    def _write(self, method: str, path: str, body: dict[str, Any]) -> web.Response:
        if match := re.fullmatch(r"/merge_requests/7/notes/(\d+)", path):
            return self._change_note(int(match[1]), body)
        if method == "PUT" and (match := re.fullmatch(r"/issues/(\d+)", path)):
            self.issues[int(match[1])] |= body
            return web.json_response({"iid": int(match[1])})
        if match := re.fullmatch(r"/merge_requests/7/discussions/([^/]+)(/notes)?", path):
            return self._in_discussion(match[1], body, note=bool(match[2]))
        if path == "/merge_requests/7/discussions":
            position = body.get("position")
            if position is not None and not self._fits(position):
                return web.json_response({"message": "400 Bad request - Note {:line_code=>"
                                          '["can\'t be blank"]}'}, status=400)  # fmt: skip
            return web.json_response(_shown(self._discuss(body["body"], ME, position)), status=201)
        if path == "/merge_requests/7/notes":
            return web.json_response(self._discuss(body["body"], ME).notes[0], status=201)
        if path == "/repository/commits":
            (action,) = body["actions"]
            assert action.keys() == {"action", "file_path", "content"}
            at = (body["branch"], action["file_path"])
            if at in self.contents:
                message = "A file with this name already exists"
                return web.json_response({"message": message}, status=400)
            self.contents[at] = action["content"]
            self.committed.append(body["commit_message"])
            made = {"id": "c" * 40, "web_url": f"https://x/-/commit/{'c' * 40}"}
            return web.json_response(made, status=201)
        if path == "/merge_requests":
            if body["source_branch"] in self.proposed:
                message = "Another open merge request already exists for this source branch"
                return web.json_response({"message": [message]}, status=409)
            self.proposed[body["source_branch"]] = body
            iid = 79 + len(self.proposed)
            opened = {"iid": iid, "web_url": f"https://x/-/merge_requests/{iid}"}
            return web.json_response(opened, status=201)
        if path == "/issues":
            number = next(self._ids)
            self.issues[number] = {
                "title": body["title"],
                "description": body["description"],
                "author": {"username": ME},
            }
            return web.json_response({"iid": number, "web_url": f"https://x/{number}"}, status=201)
        return self._status(path.removeprefix("/statuses/"), body)

    def _is_hidden(self, request: web.Request, path: str) -> bool:
        """Says whether a stranger asks for something that is for members alone or switched off."""
        part = path.split("/")[1] if path else ""
        level = self.levels.get(part, "enabled")
        if level == "disabled":
            return True
        if request.headers.get("Private-Token"):
            return False
        diffs = part == "merge_requests" and self.levels["repository"] != "enabled"
        return self.visibility != "public" or level != "enabled" or diffs

    def _texts(self) -> dict[tuple[str, str], str]:
        """Returns (commit, path) -> text of the files that are there."""
        return {(self.base, name): text for name, text in self.guidelines.items()} | self.contents

    def _read(self, request: web.Request, path: str) -> web.Response:  # noqa: C901  one arm per call
        query = request.query
        if path == "":
            project: dict[str, Any] = {"id": 12, "path_with_namespace": self.project}
            project["default_branch"] = "main"
            if request.headers.get("Private-Token"):  # strangers are told none of it
                levels = {f"{part}_access_level": level for part, level in self.levels.items()}
                project |= {"visibility": self.visibility, **levels}
            return web.json_response(project)
        if path == "/merge_requests" and query.get("source_branch") in self.proposed:
            iid = [*self.proposed].index(query["source_branch"]) + 80
            return web.json_response([{"iid": iid, "web_url": f"https://x/-/merge_requests/{iid}"}])
        if path == "/merge_requests" and "source_branch" in query:
            parents = [{**self._request(), "iid": iid} for iid, branch in self.branches.items()
                       if branch == query["source_branch"]]  # fmt: skip
            return web.json_response(_page(request, parents))
        if path == "/merge_requests":
            changed = query.get("updated_after", "") < self.updated_at.replace("Z", "+00:00")
            return web.json_response([self._request()] if changed else [])
        if path == "/merge_requests/7":
            self.preparing -= self.preparing > 0
            unready = {"diff_refs": None, "changes_count": None} if self.preparing else {}
            return web.json_response({**self._request(), **unready})
        if path == "/merge_requests/7/diffs":
            return web.json_response(_page(request, self.diffs))
        if path == "/merge_requests/7/discussions":
            return web.json_response(_page(request, [_shown(d) for d in self.discussions]))
        if match := re.fullmatch(r"/merge_requests/7/discussions/([^/]+)", path):
            one = next((d for d in self.discussions if d.id == match[1]), None)
            return web.json_response(_shown(one)) if one else _missing()
        if path == "/merge_requests/7/notes":
            notes = [note for d in self.discussions for note in d.notes]
            return web.json_response(_page(request, list(reversed(notes))))
        if match := re.fullmatch(r"/merge_requests/7/notes/(\d+)(/award_emoji)?", path):
            note = self._noted(int(match[1]))
            if note is None:
                return _missing()
            awards = [
                {"id": n, "name": name, "user": {"username": user}}
                for n, (user, name) in enumerate(self.awards.get(note["id"], ()))
            ]
            return web.json_response(_page(request, awards) if match[2] else note)
        if path == "/repository/compare":
            return self._compare(query["from"], query["to"])
        if path == "/repository/tree":
            folder = f"{query['path']}/" if "path" in query else ""
            wanted = {"main": BASE}.get(query["ref"], query["ref"])
            paths = [path for ref, path in self._texts() if ref == wanted]
            names = sorted(
                {p.removeprefix(folder).split("/", 1)[0] for p in paths if p.startswith(folder)}
            )
            if folder and not names:
                return _missing()
            return web.json_response(_page(request, [{"name": name} for name in names]))
        if path == "/repository/archive.tar.gz":
            packed = archive_of(self.trees.get(query["sha"], {}))
            return web.Response(body=packed, content_type="application/octet-stream")
        if path == "/repository/merge_base":
            old, new = query.getall("refs[]")
            return web.json_response({"id": "9" * 40 if (old, new) in self.rewritten else old})
        if path == "/repository/commits":
            held = [
                {"id": c["sha"], "message": c["message"]}
                for c in self.commits
                if query.get("path", "") in {"", *c["paths"]}
                if c.get("branch", "main") == query.get("ref_name", "main")
            ]
            return web.json_response(_page(request, held))
        if match := re.fullmatch(r"/repository/commits/([^/]+)/diff", path):
            commit = next(c for c in self.commits if c["sha"] == match[1])
            return web.json_response(
                [{"old_path": p, "new_path": p, "diff": d} for p, d in commit["paths"].items()]
            )
        if path == "/issues":
            body = [{"iid": n, **issue} for n, issue in sorted(self.issues.items(), reverse=True)]
            return web.json_response(_page(request, body))
        if path == "/members/all":
            return web.json_response(
                [{"username": name, "access_level": level} for name, level in self.members.items()
                 if query.get("query", "") in name]
            )  # fmt: skip
        if path.startswith("/repository/files/"):
            name = unquote(path.removeprefix("/repository/files/").removesuffix("/raw"))
            texts = self._texts()
            if (query["ref"], name) in texts:
                text = texts[query["ref"], name]
                if path.endswith("/raw"):
                    return web.Response(text=text)
                encoded = base64.b64encode(text.encode()).decode()
                return web.json_response({"content": encoded, "last_commit_id": "c" * 40})
        number = path.removeprefix("/issues/")
        if number.isdecimal() and int(number) in self.issues:
            full = f"{unquote(PROJECT.rpartition('/')[2])}#{number}"
            home = {"iid": int(number), "references": {"full": full}}
            return web.json_response({**home, **self.issues[int(number)]})
        return _missing()

    def _change_note(self, id: int, body: dict[str, Any]) -> web.Response:
        note = self._noted(id)
        if note is None:
            return _missing()
        if note["author"]["username"] != ME:
            return web.json_response({"message": "403 Forbidden"}, status=403)
        note |= body
        return web.json_response(note)

    def _noted(self, id: int) -> dict[str, Any] | None:
        return next((n for d in self.discussions for n in d.notes if n["id"] == id), None)

    def _compare(self, start: str, end: str) -> web.Response:
        diffs = self.diffs if (start, end) == (self.base, self.head) else self.history.get(
            (start, end)
        )  # fmt: skip
        parents = ["4" * 40, "5" * 40] if end in self.merges else ["4" * 40]
        if diffs is None and end not in {self.head, *(head for _, head in self.history)}:
            return _missing()
        return web.json_response(
            {"diffs": diffs or [], "commits": [{"id": end, "parent_ids": parents}]}
        )

    def _discuss(self, body: str, user: str, position: dict[str, Any] | None = None) -> Discussion:
        note = self._note(body, user)
        made = Discussion(f"d{next(self._ids)}", [note], position)
        self.discussions.append(made)
        return made

    def _note(self, body: str, user: str) -> dict[str, Any]:
        """Returns a note as it is written now, which is when the merge request was last updated."""
        return {
            "id": next(self._ids),
            "body": body,
            "author": {"username": user},
            "system": False,
            "created_at": self.updated_at,
        }

    def _delete(self, note: int) -> web.Response:
        """Deletes a note of ours, and its discussion with the last one of it."""
        for discussion in list(self.discussions):
            for one in list(discussion.notes):
                if one["id"] != note:
                    continue
                if one["author"]["username"] != ME:
                    return web.json_response({"message": "403 Forbidden"}, status=403)
                discussion.notes.remove(one)
                if not discussion.notes:
                    self.discussions.remove(discussion)
                return web.Response(status=204)
        return _missing()

    def remark(self, user: str, body: str, position: dict[str, Any]) -> None:
        """Comments on a line, as another reviewer does."""
        made = self._discuss(body, user, position)
        made.notes[0] |= {"type": "DiffNote", "position": position}

    def reply(self, discussion: str, body: str, user: str) -> dict[str, Any]:
        """Answers in a discussion, as a person does."""
        match = next(d for d in self.discussions if d.id == discussion)
        note = self._note(body, user)
        match.notes.append(note)
        return note

    def _in_discussion(self, id: str, body: dict[str, Any], *, note: bool) -> web.Response:
        matches = next((d for d in self.discussions if d.id == id), None)
        if matches is None:
            return _missing()
        if note:
            return web.json_response(self.reply(id, body["body"], ME), status=201)
        matches.resolved = body["resolved"]
        return web.json_response(_shown(matches))

    def _status(self, sha: str, body: dict[str, Any]) -> web.Response:
        held = self.statuses.setdefault(sha, [])
        if held and held[-1]["state"] == body["state"]:
            text = f"Cannot transition status via :run from :{body['state']}"
            return web.json_response({"message": text}, status=400)
        held.append(body)
        return web.json_response(body, status=201)

    def _fits(self, position: dict[str, Any]) -> bool:
        """Says whether the line is in the diff, on the side that its numbers name."""
        if position["head_sha"] != self.head:
            return False
        diff = next((d for d in self.diffs if d["new_path"] == position["new_path"]), None)
        if diff is None or diff["old_path"] != position["old_path"]:
            return False
        return (position.get("old_line"), position.get("new_line")) in _numbers(diff["diff"])

    def _request(self) -> dict[str, Any]:
        return {
            "iid": 7,
            "title": self.title,
            "description": self.description,
            "target_branch": self.target,
            "source_branch": self.branch,
            "source_project_id": 12,
            "target_project_id": self.into,
            "state": self.state,
            "draft": self.draft,
            "author": {"username": self.author},
            "labels": self.labels,
            "sha": self.head,
            "updated_at": self.updated_at,
            "merged_at": self.merged_at,
            "merge_commit_sha": self.merge_commit,
            "web_url": f"https://gitlab.com/{self.project}/-/merge_requests/7",
            "references": {"full": f"{self.project}!7"},
            "diff_refs": {"base_sha": self.base, "head_sha": self.head, "start_sha": self.base},
            "changes_count": self.changes_count or str(len(self.diffs)),
        }


def _numbers(diff: str) -> set[tuple[int | None, int | None]]:
    body: set[tuple[int | None, int | None]] = set()
    old = new = 0
    for line in diff.split("\n"):
        if match := re.match(r"@@ -(\d+)(?:,\d+)? \+(\d+)", line):
            old, new = int(match[1]), int(match[2])
        elif line[:1] == "+":
            body.add((None, new))
            new += 1
        elif line[:1] == "-":
            body.add((old, None))
            old += 1
        elif line[:1] == " ":
            body.add((old, new))
            old, new = old + 1, new + 1
    return body


def _problems(request: web.Request, path: str, body: Any) -> list[str]:
    below = path.removeprefix(PROJECT)
    match = next(
        (call for call in CALLS if call[0] == request.method and re.fullmatch(call[1], below)), None
    )
    if match is None:
        return [] if not path.startswith(PROJECT) else [f"{request.method} {below} is no call"]
    problems = [f"{below}: {name} in the query" for name in request.query if name not in match[2]]
    names = {name.rstrip("!") for name in match[3]}
    given = set(body or {})
    problems += [f"{below}: {name} in the body" for name in given - names]
    problems += [
        f"{below}: {name} is missing"
        for name in match[3]
        if name.endswith("!") and name.rstrip("!") not in given
    ]
    position = (body or {}).get("position")
    if isinstance(position, dict):
        problems += [f"position has {name}" for name in set(position) - _POSITION]
        for end in (position.get("line_range") or {}).values():
            if not re.fullmatch(r"[0-9a-f]{40}_\d+_\d+", end["line_code"]):
                problems.append(f"line_code {end['line_code']}")
    return problems


def _shown(discussion: Discussion) -> dict[str, Any]:
    return {"id": discussion.id, "notes": discussion.notes, "individual_note": False}


def _page(request: web.Request, rows: list[Any]) -> list[Any]:
    size, page = int(request.query.get("per_page", "20")), int(request.query.get("page", "1"))
    return rows[(page - 1) * size : page * size]


def _missing() -> web.Response:
    return web.json_response({"message": "404 Not found"}, status=404)
