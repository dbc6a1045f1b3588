"""GitHub's REST API on a real socket: reading here, writing and the App beside it, with every
answer open to be spoiled and every request checked against GitHub's own description.

It knows nothing of the code under test: file lists are cut from the diff here, what a client sent
is written down as it came, and what it wrote stands there afterwards.
"""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from tests.standins import github_graphql
from tests.standins.archives import archive_of
from tests.standins.github_app import AppSide
from tests.standins.github_graphql import Threads
from tests.standins.github_proposals import Proposals
from tests.standins.github_state import BASE, HEAD, MERGE_BASE, Names, Pull
from tests.standins.github_writing import Written
from tests.standins.openapi import Description
from tests.standins.serving import serving

__all__ = ["BASE", "HEAD", "MERGE_BASE", "GitHubStandIn", "Pull"]

CASES = Path(__file__).parent.parent / "cases"
DESCRIPTION = Description(Path(__file__).parent.parent / "schemas" / "github-openapi-min.json")

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
Then = Callable[[web.Request], Awaitable[None]]


@dataclass
class Seen:
    path: str
    accept: str
    authorization: str
    method: str = "GET"
    body: Any = None
    status: int = 0


@dataclass
class GitHubStandIn:
    """``pulls`` by (repository, number), ``contents`` by (repository, commit, path), ``issues`` by
    (repository, number).
    """

    pulls: dict[tuple[str, int], Pull] = field(default_factory=dict)
    contents: dict[tuple[str, str, str], bytes] = field(default_factory=dict)
    issues: dict[tuple[str, int], dict[str, str]] = field(default_factory=dict)
    trees: dict[str, dict[str, str]] = field(default_factory=dict)
    """Files by path, by commit: what its archive holds."""
    committed: list[str] = field(default_factory=list)
    """Messages of the commits that were made through the API."""
    seen: list[Seen] = field(default_factory=list)
    url: str = ""
    violations: list[str] = field(default_factory=list)
    _spoiled: list[tuple[re.Pattern[str], Answer, list[int], str]] = field(default_factory=list)
    _done: list[tuple[re.Pattern[str], list[int], str, Then]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = Names()
        self.app = AppSide(self.pulls, self.names)
        self.written = Written(self.pulls, self.app)
        self.threads = Threads(self.written)
        self.proposals = Proposals(self.pulls, self.app.pushes)

    def rename(self, old: str, new: str) -> None:
        """Renames or transfers a repository; requests by its former name are redirected."""
        self.names.rename(old, new)
        self.written.rename(old, new)
        self.app.rename(old, new)

    def spoil(self, path: str, answer: Answer, times: int = 10_000, method: str = "") -> None:
        """Answers ``times`` requests whose path with query matches the pattern in another way."""
        self._spoiled.append((re.compile(path), answer, [times], method))

    def lose(self, path: str, times: int = 1, method: str = "POST") -> None:
        """Does what ``times`` requests ask for and breaks the connection instead of answering."""
        self.after(path, _break, times, method)

    def after(self, path: str, then: Then, times: int = 1, method: str = "POST") -> None:
        """Does what ``times`` requests ask for, and ``then`` something before it answers."""
        self._done.append((re.compile(path), [times], method, then))

    def refuse(
        self,
        path: str,
        status: int,
        message: str = "",
        headers: Mapping[str, str] | None = None,
        times: int = 10_000,
        method: str = "",
    ) -> None:
        """Answers with an error as GitHub words them."""

        async def answer(request: web.Request) -> web.StreamResponse:
            return web.json_response({"message": message}, status=status, headers=headers)

        self.spoil(path, answer, times, method)

    def forget_requests(self) -> None:
        self.seen.clear()

    @property
    def paths(self) -> list[str]:
        return [one.path for one in self.seen]

    def load_case(self, case: str, repo: str = "o/r", number: int = 412) -> Pull:
        """Returns a pull request made from ``tests/cases``."""
        facts = json.loads((CASES / f"{case}.json").read_text("utf-8"))
        diff = (CASES / f"{case}.diff").read_bytes()
        pull = Pull(diff=diff, title=facts.get("pr_title", case), body=facts.get("pr_body", ""))
        self.pulls[repo, number] = pull
        return pull

    @asynccontextmanager
    async def running(self) -> AsyncIterator[GitHubStandIn]:
        app = web.Application(middlewares=[self._watch])
        app.router.add_get("/repos/{owner}/{repo}", self._repo)
        app.router.add_get("/repos/{owner}/{repo}/pulls", self._pulls)
        app.router.add_get(r"/repos/{owner}/{repo}/pulls/{number:\d+}", self._pull)
        app.router.add_get(r"/repos/{owner}/{repo}/pulls/{number:\d+}/files", self._files)
        app.router.add_get("/repos/{owner}/{repo}/compare/{spec}", self._compare)
        app.router.add_get("/repos/{owner}/{repo}/contents/{path:.*}", self._contents)
        app.router.add_put("/repos/{owner}/{repo}/contents/{path:.*}", self._commit_file)
        app.router.add_get("/repos/{owner}/{repo}/tarball/{commit}", self._tarball)
        app.router.add_get(r"/repos/{owner}/{repo}/issues/{number:\d+}", self._issue)
        self.written.route(app)
        self.threads.route(app)
        self.proposals.route(app)
        self.app.route(app)
        async with serving(app) as self.url:
            yield self
        assert not self.violations, self.violations

    @property
    def _watch(self) -> Any:
        @web.middleware
        async def watch(request: web.Request, handler: Answer) -> web.StreamResponse:
            headers = request.headers
            body = json.loads(await request.text() or "null") if request.can_read_body else None
            seen = Seen(
                request.path_qs,
                headers.get("Accept", ""),
                headers.get("Authorization", ""),
                request.method,
                body,
            )
            self.seen.append(seen)
            problems = self._problems(request, body)
            if problems:
                self.violations += problems
                return web.json_response({"message": "; ".join(problems)}, status=422)
            for pattern, answer, left, method in self._spoiled:
                fits = method in {"", request.method} and pattern.search(request.path_qs)
                if left[0] and fits:
                    left[0] -= 1
                    return await answer(request)
            if (moved := self._moved(request)) is not None:
                return moved
            refused = self.app.refused(request)
            response = refused if refused is not None else await handler(request)
            seen.status = response.status
            for pattern, left, method, then in self._done:
                if left[0] and method == request.method and pattern.search(request.path_qs):
                    left[0] -= 1
                    await then(request)
            return response

        return watch

    def _moved(self, request: web.Request) -> web.Response | None:
        """Redirects a request by a repository's former name, as long as no other has taken it."""
        for old, new in self.names.former.items():
            path = f"/repos/{old}"
            taken = old in {repo for repo, _ in self.pulls}
            if not taken and (request.path == path or request.path.startswith(f"{path}/")):
                status = 301 if request.method == "GET" else 307
                to = f"{self.url}/repos/{new}{request.path_qs.removeprefix(path)}"
                return web.json_response({}, status=status, headers={"Location": to})
        return None

    def _problems(self, request: web.Request, body: object) -> list[str]:
        if request.path == "/graphql":
            return github_graphql.problems(body)
        if request.path.startswith("/login/"):
            return []  # the website's, which the description of the API leaves out
        if "/tarball/" in request.path or "/code-scanning/" in request.path:
            return []  # which our excerpt of the description leaves out
        return DESCRIPTION.check(request.method, request.path, request.query, body)

    async def _repo(self, request: web.Request) -> web.Response:
        pulls = [pull for (repo, _), pull in self.pulls.items() if repo == _repo_of(request)]
        if not pulls:
            return _missing()
        known = [self._shown(_repo_of(request), pull) for pull in pulls]
        return web.json_response(max(known, key=lambda one: one["private"]))

    def _shown(self, repo: str, pull: Pull) -> dict[str, Any]:
        return {**pull.repository, "id": self.names.id_of(repo), "full_name": repo}

    async def _pulls(self, request: web.Request) -> web.Response:
        repo, query = _repo_of(request), request.query
        if repo not in {name for name, _ in self.pulls}:
            return _missing()
        listed = [
            _as_json(number, pull, self._shown(repo, pull))
            for (name, number), pull in self.pulls.items()
            if name == repo and query.get("state", "open") in {"all", pull.state}
            if query.get("head", f":{pull.branch}").partition(":")[2] == pull.branch
        ]
        listed.sort(key=lambda one: str(one["updated_at"]), reverse=True)
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        return web.json_response(
            [one for one in listed if query.get("base", one["base"]["ref"]) == one["base"]["ref"]][
                (page - 1) * size : page * size
            ]
        )

    async def _pull(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        pull = self.pulls.get((_repo_of(request), number))
        if pull is None:
            return _missing()
        answer = web.json_response(_as_json(number, pull, self._shown(_repo_of(request), pull)))
        if len(pull.heads) > 1:
            pull.heads.pop(0)
        return answer

    async def _files(self, request: web.Request) -> web.Response:
        pull = self.pulls.get((_repo_of(request), int(request.match_info["number"])))
        if pull is None:
            return _missing()
        size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
        files = pull.files if pull.files is not None else files_of(pull.diff)
        return web.json_response(files[:3000][(page - 1) * size : page * size])

    async def _tarball(self, request: web.Request) -> web.Response:
        """Returns the repository at a commit: nothing in it, unless a test says what."""
        files = self.trees.get(request.match_info["commit"], {})
        return web.Response(body=archive_of(files), content_type="application/x-gzip")

    async def _compare(self, request: web.Request) -> web.Response:
        base, head = request.match_info["spec"].split("...")
        here = [pull for (repo, _), pull in self.pulls.items() if repo == _repo_of(request)]
        for pull in here:
            if (base, head) in pull.paths:
                return web.json_response(
                    {"merge_base_commit": {"sha": MERGE_BASE}, **pull.paths[base, head]}
                )
            old_base, old_diff = pull.history.get(head, ("", b""))
            now = pull.base == base and head in pull.heads
            if now or old_base == base:
                diff = pull.diff if now else old_diff
                if "diff" in request.headers.get("Accept", ""):
                    return web.Response(
                        body=diff,
                        headers={"Content-Type": "application/vnd.github.v3.diff; charset=utf-8"},
                    )
                return web.json_response(
                    {"status": "ahead", "merge_base_commit": {"sha": MERGE_BASE}}
                )
        return _missing()

    async def _contents(self, request: web.Request) -> web.Response:
        repo, ref, path = (
            _repo_of(request),
            request.query.get("ref", ""),
            request.match_info["path"],
        )
        if (repo, ref, path) not in self.contents:  # a branch has its base's files
            ref = self.proposals.commit_of(repo, ref)
        if not path:
            here = (name for where, commit, name in self.contents if (where, commit) == (repo, ref))
            names = sorted({name.split("/", 1)[0] for name in here})
            return web.json_response([{"name": name, "type": "file"} for name in names])
        inside = [
            name.removeprefix(f"{path}/").split("/")[0]
            for where, commit, name in self.contents
            if (where, commit) == (repo, ref) and name.startswith(f"{path}/")
        ]
        if inside:
            return web.json_response([{"name": name, "type": "file"} for name in sorted(inside)])
        content = self.contents.get((repo, ref, path))
        if content is not None and "raw" not in request.headers.get("Accept", ""):
            encoded = base64.encodebytes(content).decode()
            return web.json_response({"sha": "b" * 40, "content": encoded, "html_url": "https://x"})
        return (
            web.Response(body=content, content_type="text/plain")
            if content is not None
            else _missing()
        )

    async def _commit_file(self, request: web.Request) -> web.Response:
        """Commits a file to a branch."""
        body, path = await request.json(), request.match_info["path"]
        at = (_repo_of(request), body["branch"], path)
        if not self.app.pushes(request):
            message = "Resource not accessible by integration"
            return web.json_response({"message": message}, status=403)
        if at in self.contents and "sha" not in body:
            message = 'Invalid request. "sha" wasn\'t supplied.'
            return web.json_response({"message": message}, status=422)
        self.contents[at] = base64.b64decode(body["content"])
        self.committed.append(body["message"])
        commit = {"sha": "c" * 40, "html_url": f"https://github.com/{at[0]}/commit/{'c' * 40}"}
        return web.json_response({"content": {}, "commit": commit}, status=201)

    async def _issue(self, request: web.Request) -> web.Response:
        number = int(request.match_info["number"])
        issue = self.issues.get((_repo_of(request), number))
        if not issue:
            return _missing()
        home = {"number": number, "repository_url": f"{self.url}/repos/{_repo_of(request)}"}
        return web.json_response({**home, **issue})


def files_of(diff: bytes) -> list[dict[str, Any]]:
    """Returns the file list of a plain diff, as GitHub words it: no patch for a binary."""
    files = []
    for part in re.split(r"(?m)^(?=diff --git )", diff.decode("utf-8", "replace")):
        new, old = (
            re.search(r"(?m)^\+\+\+ b/(.*?)\t?$", part),
            re.search(r"(?m)^--- a/(.*?)\t?$", part),
        )
        named = new or old
        if not named:
            continue
        patch = part[part.index("\n@@ ") + 1 :].removesuffix("\n")
        lines = patch.split("\n")
        changes = sum(line[:1] in {"+", "-"} for line in lines)
        status = "removed" if not new else "added" if not old else "modified"
        files.append(
            {"filename": named.group(1), "status": status, "changes": changes, "patch": patch}
        )
    return files


async def _break(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()


def redirect(to: str, status: int = 301) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers={"Location": to})

    return answer


def drip(chunks: int, pause: float) -> Answer:
    """Sends one byte now and then, never the whole."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Length": str(chunks), "Content-Type": "text/plain"}
        )
        await response.prepare(request)
        for _ in range(chunks):
            if request.transport is None or request.transport.is_closing():
                break
            await response.write(b"x")
            await asyncio.sleep(pause)
        return response

    return answer


def _repo_of(request: web.Request) -> str:
    return f"{request.match_info['owner']}/{request.match_info['repo']}"


def _missing() -> web.Response:
    return web.json_response({"message": "Not Found"}, status=404)


def _as_json(number: int, pull: Pull, repository: dict[str, Any]) -> dict[str, Any]:
    ended = pull.merged_at or (pull.updated_at if pull.state == "closed" else None)
    return {
        "number": number,
        "title": pull.title,
        "body": pull.body,
        "state": pull.state,
        "draft": pull.draft,
        "merged": pull.merged_at is not None,
        "merged_at": pull.merged_at,
        "merge_commit_sha": pull.merge_commit,
        "closed_at": ended,
        "updated_at": pull.updated_at,
        "user": {"login": pull.author},
        "head": {
            "sha": pull.heads[0],
            "ref": pull.branch,
            "repo": {**repository, "id": pull.fork or repository["id"]},
        },
        "base": {"sha": pull.base, "ref": pull.base_branch, "repo": repository},
        "labels": [{"name": name} for name in pull.labels],
        "additions": pull.additions,
        "deletions": pull.deletions,
        "changed_files": pull.changed_files
        if pull.changed_files is not None
        else len(files_of(pull.diff)),
    }
