"""A bot beside stand-ins of a forge and of a model provider, driven step by step: what is told,
what is debated, what is written back.

The seats find a defect wherever an added line says BUG, and hold an earlier one for resolved when
its words are no longer to be read.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from aiohttp import ClientSession

from adapters.routes.serving import serve_routes
from bot import settings
from bot.forges.remove import ON_FORGES
from bot.forges.review import approve_review, preview_review
from bot.forges.rules import Rules, stored
from bot.schedules.tick import Ticker
from bot.wire.forges import ForgeParts
from bot.wire.parts import Parts, open_parts
from bot.work import Worker
from core.application.commands.parsing import parse
from core.application.desk import Button, Caller, DeskAnswer
from core.debate.errors import BadInput
from core.debate.events import ForgeNoted
from core.debate.prompting.frame import MARK
from core.debate.state import Debate
from storage.database import Database
from storage.forges.followed import Followed, FollowedChanges
from storage.tables import OUTBOX, WORK
from storage.work import EVENT, POSTS
from tests.bot.debates.provider import Provider, by_schema, prompt_of
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.github_app import key
from tests.standins.openai import openai
from tests.standins.serving import serving

EXAMPLES = json.loads(Path("tests/schemas/github-webhooks.json").read_text("utf-8"))
PLACE = "slack:T1/C1"
MAINTAINER = "slack:T1/U9"
SECRET = "hush-hush-hush"
SEALING = {
    "DEBATE_SECRET_KEY": "a key that seals the store",
    "DEBATE_SIGNING_KEY": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
}
MERGED_AT, MERGE_COMMIT = "2026-05-03T12:00:00Z", "e" * 40
NUMBER = 412
REPO = "o/r"
_FILE = re.compile(r"^=== (\S+)")
_LINE = re.compile(r"^ *(\d+) \+ (.*BUG.*)$")
_EARLIER = re.compile(
    rf"^{re.escape(MARK)}(e\d+) \S+ \S+ (.*?) \|.*its lines changed", re.MULTILINE
)


@dataclass
class Clock:
    """Stands still until it is told to go on."""

    at: datetime = field(default_factory=lambda: datetime(2026, 5, 3, 10, 0, tzinfo=UTC))

    def now(self) -> datetime:
        return self.at

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def go(self, **span: float) -> None:
        self.at += timedelta(**span)


def diff(**files: list[str]) -> bytes:
    """Returns a change that adds these lines to files of these names (``a`` is ``src/a.py``)."""
    parts = []
    for name, lines in files.items():
        body = "".join(f"+{line}\n" for line in lines)
        head = f"diff --git a/src/{name}.py b/src/{name}.py\n"
        head += f"--- a/src/{name}.py\n+++ b/src/{name}.py\n"
        parts.append(f"{head}@@ -10,2 +10,{len(lines) + 2} @@\n # above\n{body} # below\n")
    return "".join(parts).encode()


def reply(body: dict[str, Any]) -> dict[str, Any]:
    """Returns a seat's reply: it names the defects that the material shows it, and no other."""
    fields = by_schema(body)
    prompt = prompt_of(body)
    findings = []
    path = ""
    for line in prompt.replace(f"\n{MARK}", "\n").split("\n"):
        if named := _FILE.match(line):
            path = named[1]
        elif (match := _LINE.match(line)) and path:
            quote = match[2].strip()
            findings.append(
                {
                    "severity": "low" if "LOW" in quote else "high", "confidence": 0.9,
                    "title": f"Defect {quote.partition('BUG')[2].strip()}", "path": path,
                    "line": int(match[1]), "quote": quote, "fix": "remove it",
                    "trigger": "always and everywhere " * (30 if "LONG" in quote else 1),
                    "source": "record 0001" if "FLOAT" in quote else "",
                }
            )  # fmt: skip
    if "findings" in fields:
        fields["findings"] = findings[:5]
    if "answers" in fields:
        fields["answers"] = [
            {
                "to": id, "because": "I looked",
                "position": "agree" if f"BUG {title.removeprefix('Defect ')}" in prompt
                else "dispute",
            }
            for id, title in _EARLIER.findall(prompt)
        ]  # fmt: skip
    if "stance" in fields:
        option = "request_changes" if findings else "comment"
        fields["stance"] = {"option": option, "confidence": 0.8, "because": "so it is",
                          "moved_by": "", "would_resolve_if": ""}  # fmt: skip
    return fields


async def handle(worker: Worker, forges: ForgeParts) -> None:
    """Handles the events that are due, and does what is due because of them."""
    while await worker.do_due(EVENT):
        pass
    await forges.inbox.do_due()


async def event_states(database: Database) -> list[str]:
    """Returns the states of all stored events."""
    query = sa.select(WORK.c.state).where(WORK.c.kind == EVENT)
    return list(await database.read(lambda conn: conn.execute(query).scalars().all()))


@dataclass
class Town:
    bot: Parts
    parts: ForgeParts
    github: GitHubStandIn
    provider: Provider
    clock: Clock
    hooks: str
    number: int = 0
    host: str = "github.com"
    repo: str = REPO

    @property
    def forge(self) -> Any:
        return self.github

    @property
    def pull(self) -> Pull:
        return self.github.pulls[self.repo, NUMBER]

    def rename(self, name: str) -> None:
        self.github.rename(self.repo, name)
        self.repo = name

    async def bind(self, place: str = PLACE, **rules: Any) -> None:
        await self.bot.stores.places.bind(place, REPO, "slack:T1/U1")
        await self.bot.stores.places.set_rules(place, REPO, stored(Rules(**rules)))

    async def tell(
        self, event: str, action: str = "", *, secret: str = SECRET, work: bool = True, **more: Any
    ) -> int:
        """Delivers a webhook as GitHub does and returns the status of the answer."""
        status = await self.deliver(*self.delivery(event, action, **more), secret=secret)
        if work:
            await self.handle()
        return status

    async def label(self, name: str = "debate") -> int:
        return await self.tell("pull_request", "labeled", label={"name": name})

    async def review(self, **rules: Any) -> Debate:
        """Binds the channel by these rules, labels the change, and plays the debate to its end."""
        await self.bind(**rules)
        await self.label()
        return await self.settle()

    async def merge(self) -> None:
        """Merges the change with a commit of its own."""
        self.pull.state, self.pull.merged_at = "closed", MERGED_AT
        self.pull.merge_commit = MERGE_COMMIT
        await self.tell("pull_request", "closed")
        await self.play()

    def change(self, **files: list[str]) -> Any:
        """Returns a change in the form of this forge."""
        return diff(**files)

    def threads(self) -> list[tuple[str, int, bool]]:
        """Returns the path, the line and whether it is resolved of each thread of the reviews."""
        comments = self.github.written.comments[self.repo, NUMBER]
        return [(c.path, c.line, c.resolved) for c in comments if c.in_reply_to is None]

    async def reply(self, body: str, person: str = "mallory", *, work: bool = True) -> int:
        """A person answers under the first comment of the review; returns the webhook's status."""
        self.number += 1
        about = self.github.written.comments[self.repo, NUMBER][0].id
        self.github.written.answer_in_thread((self.repo, NUMBER), about, person, body)
        comment = {"id": 9000 + self.number, "in_reply_to_id": about, "body": body}
        event = "pull_request_review_comment"
        return await self.tell(event, "created", comment=comment, sender=person, work=work)

    def react(self, person: str, emoji: str) -> None:
        """A person leaves a reaction on the first comment of the review."""
        self.github.written.comments[self.repo, NUMBER][0].reactions.append((person, emoji))

    async def push(self, head: str, content: Any, **how: Any) -> Debate:
        """Pushes a commit, named by its letter, and plays what it starts."""
        self.pull.push(head * 40, content, **how)
        await self.tell("pull_request", "synchronize")
        return await self.settle()

    def delivery(self, event: str, action: str = "", **more: Any) -> tuple[str, bytes]:
        name = f"{event}.{action}" if action else event
        example = EXAMPLES.get(name) or EXAMPLES["pull_request.synchronize"] | {"action": action}
        payload = json.loads(json.dumps(example))
        payload["repository"] |= {
            "id": self.github.names.id_of(self.repo),
            "full_name": self.repo,
            "html_url": f"https://{self.host}/{self.repo}",
            "default_branch": "main",
        }
        payload["sender"]["login"] = more.pop("sender", "ann")
        now = self.clock.now().isoformat().replace("+00:00", "Z")
        if "pull_request" in payload:
            pull = self.pull
            payload["pull_request"] |= {
                "number": NUMBER, "draft": pull.draft, "updated_at": now,
                "merged": pull.merged_at is not None, "merge_commit_sha": pull.merge_commit,
            }  # fmt: skip
            payload["pull_request"]["head"]["sha"] = more.pop("head", pull.head)
            payload["pull_request"]["user"] = {"login": pull.author}
        if event == "pull_request":
            self.number += 1
            payload["pull_request"]["id"] = self.number
        if event == "issue_comment":
            payload["issue"] |= {"number": NUMBER, "pull_request": {"url": "x"}}
        if "comment" in payload:
            payload["comment"] |= {"created_at": now} | more.pop("comment", {})
        payload |= more
        return event, json.dumps(payload).encode()

    async def deliver(self, event: str, body: bytes, *, secret: str = SECRET) -> int:
        digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {
            "X-GitHub-Event": event,
            "X-Hub-Signature-256": f"sha256={digest}",
            "Content-Type": "application/json",
        }
        async with (
            ClientSession() as session,
            session.post(f"{self.hooks}/github/events", data=body, headers=headers) as answer,
        ):
            return answer.status

    async def play(self) -> Debate:
        """Plays every debate that can go on and returns the latest, as it stands then."""
        for _ in range(4):
            ids = await self.bot.stores.debates.find_runnable()
            for id in ids:
                await self.bot.advancer.advance(id)
            if not ids:
                break
        return await self.latest()

    async def settle(self) -> Debate:
        """Plays debates, closes their votes, and lets everything that follows be posted and
        written.
        """
        await self.play()
        self.clock.go(minutes=11)
        debate = await self.play()
        await self.work()
        return debate

    async def work(self) -> None:
        await self.handle()
        while await self.write():
            self.clock.go(seconds=3)
        await self.play()

    async def handle(self) -> None:
        await handle(self.bot.worker, self.parts)

    async def write(self) -> int:
        """Writes the posts that are due and returns how many were tried."""
        return await self.bot.worker.do_due(*POSTS)

    async def remove(self) -> int:
        """Deletes what is due and returns how many removals were tried."""
        return await self.bot.worker.do_due(*ON_FORGES)

    async def fire(self) -> None:
        """Runs every schedule whose time has come."""
        ticker = Ticker(self.bot.firings, self.bot.stores.messages, "me")
        await ticker.tick()
        await asyncio.gather(*ticker.running)

    async def latest(self) -> Debate:
        (line, *_) = await self.bot.service.debates.find_recent()
        return await self.bot.service.load(line.id)

    async def debates(self) -> list[str]:
        return [line.id for line in await self.bot.service.debates.find_recent()]

    async def approve(self, by: str = "slack:T1/U1", *, work: bool = True) -> None:
        """Approves the review as a person does, and posts it."""
        debate = await self.latest()
        _, review = await preview_review(self.parts.context, debate.id)
        await approve_review(
            self.parts.context, debate.id, review.digest, by, author=False, maintainer=False
        )
        if work:
            await self.work()

    async def ask(self, line: str, by: str = "slack:T1/U1", *, admin: bool = True) -> DeskAnswer:
        """Writes a command in the channel as a person does."""
        caller = replace(self._caller(by, ""), admin=admin)
        try:
            return await self.bot.desk.take(parse(line, templates=["code_review"]), caller)
        except BadInput as error:
            return DeskAnswer(str(error), ok=False)

    async def press(self, button: Button, by: str = "slack:T1/U1", name: str = "") -> DeskAnswer:
        return await self.bot.desk.press(button.action, button.value, self._caller(by, name))

    def _caller(self, person: str, name: str) -> Caller:
        self.number += 1
        return Caller(person, PLACE, f"event-{self.number}", name, admin=True)

    async def thread_texts(self) -> list[str]:
        """Returns the titles of the posts of the channel, in order."""
        query = sa.select(OUTBOX.c.body).order_by(OUTBOX.c.id)
        bodies = await self.bot.stores.database.read(
            lambda conn: conn.execute(query).scalars().all()
        )
        return [str(body["title"]) for body in bodies]

    async def noted(self, debate: str = "") -> list[str]:
        id = debate or (await self.latest()).id
        events = await self.events(id)
        return [e.what for e in events if isinstance(e, ForgeNoted)]

    async def events(self, debate: str) -> list[Any]:
        return await self.bot.stores.debates.load(debate)

    async def row(self) -> Followed:
        (row,) = await FollowedChanges(self.bot.stores.database).of("github.com", self.repo, NUMBER)
        return row

    def calls(self) -> list[str]:
        """Returns the calls to GitHub, as method and path."""
        return [f"{one.method} {one.path.partition('?')[0]}" for one in self.github.seen]


@asynccontextmanager
async def town(
    folder: Path,
    *,
    url: str = "",
    app: bool = False,
    env: Mapping[str, str] | None = None,
    forge: GitHubStandIn | None = None,
    clock: Clock | None = None,
    **pull: Any,
) -> AsyncIterator[Town]:
    """Runs a bot beside the stand-ins. With ``app`` there is a GitHub App that nobody has installed
    yet, and no personal token. A ``forge`` that is given has its pull request already.
    """
    async with AsyncExitStack() as stack:
        change = Pull(**({"diff": diff(a=["x = 1 # BUG one"])} | pull))
        github = forge or GitHubStandIn(pulls={(REPO, NUMBER): change})
        await stack.enter_async_context(github.running())
        clock, provider = clock or Clock(), Provider(reply)
        given = {
            "DEBATE_DATABASE_URL": url or f"sqlite:///{folder}/debate.db",
            "GITHUB_API_URL": github.url,
            "GITHUB_WEBHOOK_SECRET": SECRET,
        }
        given |= _app_of(github) if app else {"GITHUB_TOKEN": "personal"}
        given |= env or {}
        bot, hooks = await bot_on(stack, folder, provider, clock, given)
        yield Town(bot, bot.forges, github, provider, clock, hooks)


def _app_of(github: GitHubStandIn) -> dict[str, str]:
    return {
        "GITHUB_APP_ID": github.app.id,
        "GITHUB_APP_PRIVATE_KEY": key(),
        "GITHUB_APP_CLIENT_ID": github.app.client_id,
        "GITHUB_APP_CLIENT_SECRET": github.app.client_secret,
        "GITHUB_APP_SLUG": github.app.slug,
    } | SEALING


async def bot_on(
    stack: AsyncExitStack, folder: Path, provider: Provider, clock: Clock, given: dict[str, str]
) -> tuple[Parts, str]:
    """Runs a bot with these settings, and yields the address at which it takes webhooks."""
    await stack.enter_async_context(openai(provider))
    shared = {
        "DEBATE_MODELS": "openai/gpt-4.1,openai/gpt-4.1-mini",
        "OPENAI_API_KEY": "sk-test-0123456789abcdef",
        "OPENAI_API_BASE": provider.base,
        "DEBATE_PUBLIC_URL": "https://bot.example",
        "DEBATE_MODERATORS": MAINTAINER,
        "DEBATE_PRIVATE_WORKSPACES": "slack:T1",
    }
    bot = await stack.enter_async_context(
        open_parts(settings.read(shared | given, folder), shell=False, clock=clock)
    )
    app = serve_routes([*bot.forges.webhooks.routes(), *bot.forges.setup.routes()])
    return bot, await stack.enter_async_context(serving(app))
