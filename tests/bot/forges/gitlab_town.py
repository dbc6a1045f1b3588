"""The same bot beside a stand-in of GitLab: a merge request instead of a pull request."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import ClientSession

from bot.forges.rules import Rules, stored
from core.debate.state import Debate
from storage.forges.followed import Followed, FollowedChanges
from tests.bot.debates.provider import Provider
from tests.bot.forges.town import (
    MERGE_COMMIT,
    MERGED_AT,
    PLACE,
    SECRET,
    Clock,
    Town,
    bot_on,
    reply,
)
from tests.standins.github import GitHubStandIn
from tests.standins.gitlab import Discussion, GitLabStandIn

PROJECT = "group/sub/project"
KEY = f"gitlab.com/{PROJECT}"


def diffs(**files: list[str]) -> list[dict[str, Any]]:
    """Returns a change that adds these lines to files of these names (``a`` is ``src/a.py``)."""
    rows = []
    for name, lines in files.items():
        body = "".join(f"+{line}\n" for line in lines)
        patch = f"@@ -10,2 +10,{len(lines) + 2} @@\n # above\n{body} # below\n"
        rows.append({"old_path": f"src/{name}.py", "new_path": f"src/{name}.py", "diff": patch})
    return rows


async def deliver_to_gitlab(hooks: str, body: bytes, secret: str = SECRET) -> int:
    """Delivers a webhook as GitLab does and returns the status of the answer."""
    headers = {"X-Gitlab-Token": secret, "Content-Type": "application/json"}
    async with (
        ClientSession() as session,
        session.post(f"{hooks}/gitlab/events", data=body, headers=headers) as answer,
    ):
        return answer.status


@dataclass
class ProjectTown(Town):
    gitlab: GitLabStandIn = field(default_factory=GitLabStandIn)

    @property
    def forge(self) -> Any:
        return self.gitlab

    async def bind(self, place: str = PLACE, **rules: Any) -> None:
        await self.bot.stores.places.bind(place, KEY, "slack:T1/U1")
        await self.bot.stores.places.set_rules(place, KEY, stored(Rules(**rules)))

    def delivery(self, event: str, action: str = "", **more: Any) -> tuple[str, bytes]:
        """Delivers an ``event``, merge_request or note, as GitLab's ``object_kind``."""
        self.number += 1
        now = self.clock.now().isoformat().replace("+00:00", "Z")
        request = {
            "id": self.number, "iid": 7, "action": action, "updated_at": now,
            "draft": self.gitlab.draft, "last_commit": {"id": self.gitlab.head},
            "merge_commit_sha": self.gitlab.merge_commit,
        }  # fmt: skip
        payload: dict[str, Any] = {
            "object_kind": event,
            "user": {"username": more.pop("sender", "ann"), "id": 1},
            "project": {
                "id": 12,
                "web_url": f"https://gitlab.com/{self.gitlab.project}",
                "path_with_namespace": self.gitlab.project,
            },
            "changes": more.pop("changes", {}),
        }
        if event == "pipeline":
            payload["object_attributes"] = more
        elif event == "emoji":
            payload |= {"merge_request": request, "note": {"id": 1}, "object_attributes": more}
        elif event == "merge_request":
            payload["object_attributes"] = request | more
        else:
            payload["merge_request"] = request
            payload["object_attributes"] = {"created_at": now, "type": None} | more
        return event, json.dumps(payload).encode()

    async def deliver(self, event: str, body: bytes, *, secret: str = SECRET) -> int:
        return await deliver_to_gitlab(self.hooks, body, secret)

    async def label(self, name: str = "debate") -> int:
        self.gitlab.labels.append(name)
        labels = {"previous": [], "current": [{"title": name}]}
        return await self.tell("merge_request", "update", changes={"labels": labels})

    async def merge(self) -> None:
        self.gitlab.state, self.gitlab.merged_at = "merged", MERGED_AT
        self.gitlab.merge_commit = MERGE_COMMIT
        await self.tell("merge_request", "merge")
        await self.play()

    def change(self, **files: list[str]) -> Any:
        return diffs(**files)

    @property
    def _commented(self) -> list[Discussion]:
        return [one for one in self.gitlab.discussions if one.position]

    def threads(self) -> list[tuple[str, int, bool]]:
        places = [(one.position or {}, one.resolved) for one in self._commented]
        return [(at["new_path"], at["new_line"], resolved) for at, resolved in places]

    async def reply(self, body: str, person: str = "mallory", *, work: bool = True) -> int:
        about = self._commented[0].id
        note = self.gitlab.reply(about, body, person)
        answer = {"id": note["id"], "note": body, "discussion_id": about}
        return await self.tell("note", type="DiffNote", sender=person, work=work, **answer)

    def react(self, person: str, emoji: str) -> None:
        note = self._commented[0].notes[0]
        self.gitlab.awards.setdefault(note["id"], []).append((person, emoji))

    async def push(self, head: str, content: Any, **how: Any) -> Debate:
        before = self.gitlab.head
        self.gitlab.push(head * 40, content, **how)
        await self.tell("merge_request", "update", oldrev=before)
        return await self.settle()

    async def row(self) -> Followed:
        (row,) = await FollowedChanges(self.bot.stores.database).of(
            "gitlab.com", self.gitlab.project, 7
        )
        return row

    def calls(self) -> list[str]:
        return [f"{method} {path.partition('?')[0]}" for method, path, _ in self.gitlab.sent]


@asynccontextmanager
async def project(
    folder: Path,
    *,
    gate: str = "earned",
    forge: GitLabStandIn | None = None,
    clock: Clock | None = None,
    **request: Any,
) -> AsyncIterator[ProjectTown]:
    async with AsyncExitStack() as stack:
        given = {"diffs": diffs(a=["x = 1 # BUG one"])} | request
        gitlab = forge or GitLabStandIn(**given)
        await stack.enter_async_context(gitlab.running())
        clock, provider = clock or Clock(), Provider(reply)
        settings = {
            "DEBATE_DATABASE_URL": f"sqlite:///{folder}/debate.db",
            "GITLAB_TOKEN": "glpat-made-up",
            "GITLAB_API_URL": gitlab.url,
            "GITLAB_WEBHOOK_TOKEN": SECRET,
            "DEBATE_GATE": gate,
        }
        bot, hooks = await bot_on(stack, folder, provider, clock, settings)
        github = GitHubStandIn()  # nothing is ever asked of it
        yield ProjectTown(bot, bot.forges, github, provider, clock, hooks, gitlab=gitlab)
        assert github.seen == []
