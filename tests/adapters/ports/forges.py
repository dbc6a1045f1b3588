"""One way to look at both forges' stand-ins, for tests that hold every poster to the same rules."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from adapters.forges.api import ForgeApi, github_headers, gitlab_headers
from adapters.forges.github.writing import GitHubPoster
from adapters.forges.gitlab.writing import GitLabPoster
from adapters.forges.links import ChangeLink, ForgeLinks
from adapters.forges.plugged import Forge as Plugged
from adapters.forges.port import ForgeClient
from adapters.forges.wire import WireLimits, open_wire
from adapters.forges.writing import ReviewPoster
from bot.plugins.forges import guarded_forge
from tests.adapters.review.samples import DIFF
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.github_enterprise import enterprise
from tests.standins.github_state import Comment, Note, Review
from tests.standins.gitlab import HEAD as GITLAB_HEAD
from tests.standins.gitlab import GitLabStandIn

T = TypeVar("T")
AT = ("o/r", 412)
QUICK = WireLimits(seconds=5.0, tries=2, pause=0.01)
NOW = datetime(2026, 11, 21, 20, 30, tzinfo=UTC)


def _comments(github: GitHubStandIn) -> list[Comment]:
    return [c for c in github.written.comments[AT] if c.in_reply_to is None]


def _line_of(position: Mapping[str, Any]) -> tuple[str, str, int | None, int]:
    side, key = ("RIGHT", "new_line") if "new_line" in position else ("LEFT", "old_line")
    start = position.get("line_range", {}).get("start", {})
    return position["new_path"], side, start.get(key), position[key]


@dataclass
class Forge:
    """A poster with its stand-in behind it."""

    poster: ReviewPoster
    link: ChangeLink
    head: str
    github: GitHubStandIn | None = None
    gitlab: GitLabStandIn | None = None

    def _of(self, github: Callable[[GitHubStandIn], T], gitlab: Callable[[GitLabStandIn], T]) -> T:
        if self.github is not None:
            return github(self.github)
        assert self.gitlab is not None
        return gitlab(self.gitlab)

    @property
    def bodies(self) -> list[str]:
        """Returns the texts of reviews that belong to no line."""
        return self._of(
            lambda hub: [r.body for r in hub.written.reviews[AT]], lambda lab: lab.notes
        )

    @property
    def lines(self) -> list[tuple[str, str, int | None, int]]:
        """(path, side, first line where there are several, last line) of each comment."""
        return self._of(
            lambda hub: [(c.path, c.side, c.start_line, c.line) for c in _comments(hub)],
            lambda lab: [_line_of(d.position) for d in lab.discussions if d.position is not None],
        )

    @property
    def texts(self) -> list[str]:
        """Returns the texts of the comments on lines."""
        return self._of(
            lambda hub: [c.body for c in _comments(hub)],
            lambda lab: [d.notes[0]["body"] for d in lab.discussions if d.position],
        )

    @property
    def answers(self) -> list[str]:
        return self._of(
            lambda hub: [c.body for c in hub.written.comments[AT] if c.in_reply_to is not None],
            lambda lab: [note["body"] for d in lab.discussions for note in d.notes[1:]],
        )

    @property
    def resolved(self) -> list[bool]:
        """Returns for each comment whether its thread is resolved."""
        return self._of(
            lambda hub: [c.resolved for c in _comments(hub)],
            lambda lab: [d.resolved for d in lab.discussions if d.position],
        )

    @property
    def issues(self) -> list[str]:
        return self._of(
            lambda hub: [n.title for n in hub.written.issues["o/r"]],
            lambda lab: [i["title"] for i in lab.issues.values()],
        )

    @property
    def committed(self) -> list[tuple[str, str]]:
        """Returns the messages of commits, and the texts of files on the branch."""
        return self.committed_to("topic")

    def committed_to(self, branch: str) -> list[tuple[str, str]]:
        """Returns the messages of all commits, and the texts of files on a branch."""
        if self.github is not None:
            contents = self.github.contents.items()
            texts = [data.decode() for (_, at, _), data in contents if at == branch]
            return list(zip(self.github.committed, texts, strict=True))
        assert self.gitlab is not None
        texts = [text for (at, _), text in self.gitlab.contents.items() if at == branch]
        return list(zip(self.gitlab.committed, texts, strict=True))

    def end(self) -> None:
        """Closes the change."""
        if self.github is not None:
            self.github.pulls[AT].state = "closed"
        if self.gitlab is not None:
            self.gitlab.state = "closed"

    def move_to_fork(self) -> None:
        if self.github is not None:
            self.github.pulls[AT].fork = 99
        if self.gitlab is not None:
            self.gitlab.into = 99

    @property
    def check(self) -> str:
        """Returns the state of the check at the head."""
        if self.github is not None:
            runs = self.github.written.checks["o/r"]
            return " ".join(run.conclusion or run.status for run in runs)
        assert self.gitlab is not None
        return str(self.gitlab.statuses[self.head][-1]["state"])

    def forge(self, *marks: str) -> str:
        """Writes, as somebody else, a review, a comment on a line and an issue with hidden marks of
        ours, and returns the id of the comment to which a reply would refer.
        """
        text = "Mine.\n\n" + "\n".join(marks)
        if self.github is not None:
            held = self.github.written
            held.reviews[AT].append(Review(1, "eve", text, "COMMENT", self.head))
            comment = Comment(2, "eve", text, "app/db.py", 11, "RIGHT", self.head, review=1)
            held.comments[AT].append(comment)
            held.issues["o/r"].append(Note(3, "Mine", text, "eve"))
            return "2"
        assert self.gitlab is not None
        self.gitlab.issues[99] = {"title": "", "description": text, "author": {"username": "eve"}}
        self.gitlab.talk(text, "eve")
        return self.gitlab.discussions[-1].id

    def lose(self, path: str, times: int = 1) -> None:
        """The next posts to such a path are done and never answered."""
        if self.github is not None:
            self.github.lose(path, times, "PUT" if "contents" in path else "POST")
        if self.gitlab is not None:
            self.gitlab.lose("POST", path, times)

    def refuse(self, path: str, status: int, times: int = 10_000) -> None:
        if self.github is not None:
            self.github.refuse(path, status, "No.", times=times, method="POST")
        if self.gitlab is not None:
            self.gitlab.refuse("POST", path, status, times)


@asynccontextmanager
async def github_forge(
    *, app: bool = True, limits: WireLimits = QUICK, contents: str = "read", own_host: bool = False
) -> AsyncIterator[Forge]:
    async with AsyncExitStack() as stack:
        standin = await stack.enter_async_context(GitHubStandIn().running())
        standin.pulls[AT] = Pull(diff=DIFF)
        token = "personal"
        if app:
            installed = standin.app.install("o", "o/r")
            installed.contents = contents
            token = "ghs_made_up"
            from tests.standins.github_app import Token

            standin.app.tokens[token] = Token(installed.id, None, datetime(2999, 1, 1, tzinfo=UTC))
        base, host = standin.url, "github.com"
        if own_host:
            base = f"{await stack.enter_async_context(enterprise(standin))}/api/v3"
            host = "git.acme.com"
        wire = await stack.enter_async_context(open_wire(None, base, "GitHub", limits, NOW))
        api = ForgeApi(wire, github_headers(token), True)
        link = ChangeLink("github", host, *AT)
        yield Forge(GitHubPoster(api, app), link, standin.pulls[AT].head, github=standin)


@asynccontextmanager
async def gitlab_forge(limits: WireLimits = QUICK) -> AsyncIterator[Forge]:
    async with AsyncExitStack() as stack:
        patch = DIFF.decode().partition("+++ b/app/db.py\n")[2]
        diffs = [{"old_path": "app/db.py", "new_path": "app/db.py", "diff": patch}]
        standin = await stack.enter_async_context(GitLabStandIn(diffs=diffs).running())
        opening = open_wire(None, standin.url, "GitLab", limits, NOW)
        wire = await stack.enter_async_context(opening)
        api = ForgeApi(wire, gitlab_headers("glpat-made-up"), True)
        link = ChangeLink("gitlab", "gitlab.com", "group/sub/project", 7)
        yield Forge(GitLabPoster(api), link, GITLAB_HEAD, gitlab=standin)


@asynccontextmanager
async def plugged_forge() -> AsyncIterator[Forge]:
    """Returns a plugin's poster, as the program holds it."""
    async with gitlab_forge() as forge:

        @asynccontextmanager
        async def write() -> AsyncIterator[ReviewPoster]:
            yield forge.poster

        def read(_bound: bool) -> AbstractAsyncContextManager[ForgeClient]:
            raise AssertionError("nobody reads here")

        links = ForgeLinks("acme-forge", "Acme Forge")
        held = guarded_forge(Plugged(links, forge.link.host, read, write))
        assert held.write is not None
        async with held.write() as poster:
            yield replace(forge, poster=poster)
