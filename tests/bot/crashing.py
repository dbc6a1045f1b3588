"""A process that runs a debate and dies where it is told to: SIGKILL, between an effect and the
commit that notes it, at any step.

``python -m tests.bot.crashing`` imports everything once and then forks a runner per line of
standard input (JSON), so that a life costs a tenth of a second. The points of death are wrapped
around the ports from outside; the product knows nothing of them.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from adapters.ports.chat import Post
from adapters.ports.model import WrappedModel
from bot.posting.deliver import Poster
from bot.settings import Settings
from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from core.debate.log import Append, Call
from core.debate.ports import CallOptions, Message, Model, Models, OnWords, Price, Reply
from core.debate.template import ThreadForm
from storage.database import Database
from storage.debates import Debates
from storage.events.log import DebateLog
from tests.bot.parts import Given
from tests.origins import origin
from tests.standins.chat import RecordingChat

PLACE, ASKER, SOURCE = "slack:T1/C1", "slack:T1/U1", "slack:event-1"


@dataclass
class Fate:
    """Counts the steps of a life; at step ``number`` of ``kind`` the process is gone. 0 lives
    on.
    """

    kind: str = ""
    number: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def step(self, kind: str) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind == self.kind and self.counts[kind] == self.number:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class MortalLog:
    """``core.debate.ports.Log`` of a process that may die before or after each commit."""

    log: DebateLog
    fate: Fate

    @property
    def debate(self) -> str:
        return self.log.debate

    async def load(self) -> Sequence[Any]:
        return await self.log.load()

    async def calls(self) -> Sequence[Call]:
        return await self.log.calls()

    async def append(self, append: Append) -> None:
        self.fate.step("before commit")
        await self.log.append(append)
        self.fate.step("after commit")

    async def heartbeat(self) -> None:
        await self.log.heartbeat()

    async def release(self) -> None:
        self.fate.step("before release")
        await self.log.release()
        self.fate.step("after release")


class MortalDebates(Debates):
    """The debates of a database, each with a mortal log."""

    def __init__(self, database: Database, fate: Fate) -> None:
        super().__init__(database)
        self.fate = fate

    async def claim(self, debate: str, owner: str) -> Any:
        return MortalLog(await super().claim(debate, owner), self.fate)


@dataclass
class MortalModels:
    """Dies right after a model has answered: the answer is paid for, and nothing of it is
    stored.
    """

    inner: Models
    fate: Fate

    def get(self, name: str) -> Model:
        return MortalModel(self.inner.get(name), self.fate)

    def price(self, name: str) -> Price:
        return self.inner.price(name)

    def default(self) -> Sequence[str]:
        return self.inner.default()


@dataclass(eq=False)
class MortalModel(WrappedModel):
    fate: Fate

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await self.inner.reply(messages, asking, on_words)
        self.fate.step("after answer")
        return reply


def settings_for(url: str, folder: Path, **more: Any) -> Settings:
    env = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_SCRIPTED_LEDGER": str(folder / "ledger.jsonl"),
        **more.pop("env", {}),
    }
    more.setdefault("thread", ThreadForm.STATEMENTS)  # more posts, so more points at which to die
    return Settings(models=("scripted",), database_url=url, env=env, **more)


async def live(url: str, folder: Path, fate: Fate, template: str = "triad") -> None:
    """Requests the debate (the same one every time), plays it and posts it, until everything is
    done.
    """
    async with open_parts(settings_for(url, folder), shell=False) as parts:

        def hook(moment: str, _post: Post) -> None:
            fate.step(moment)

        chat = RecordingChat(folder / "chat.jsonl", hook=hook)
        models = MortalModels(parts.models, fate)
        advancer = replace(
            parts.advancer,
            debates=MortalDebates(parts.stores.database, fate),
            models=Given(models),
        )
        await parts.stores.outbox.recover()  # no other process is there
        request = DebateRequest(
            template, "Should the queue of jobs live in PostgreSQL?", ASKER, PLACE, vote_window=0.0
        )
        id = await parts.service.take(request, origin(SOURCE))
        poster = Poster(
            parts.stores.outbox, {"slack": chat}, parts.advancer.owner, paces={}, idle=0.02
        )
        posting = asyncio.create_task(poster.run())
        line = await parts.stores.debates.get(id)
        if line is None or line.owner or line.status not in ("finished", "stopped", "failed"):
            await advancer.advance(id)
        while (await parts.stores.outbox.count_backlog()).open:  # noqa: ASYNC110 (the outbox has no event for being empty)
            await asyncio.sleep(0.01)
        posting.cancel()
        await asyncio.gather(posting, return_exceptions=True)
    (folder / "counts.json").write_text(json.dumps(fate.counts))


def fork_for(order: dict[str, Any]) -> dict[str, Any]:
    """Runs one life in a process of its own and returns how it ended."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            fate = Fate(order.get("kind", ""), order.get("number", 0))
            asyncio.run(live(order["url"], Path(order["folder"]), fate))
            code = 0
        except BaseException:  # noqa: BLE001 (the child's trace is for whoever reads the test's output)
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return {"killed": os.WIFSIGNALED(status), "code": os.waitstatus_to_exitcode(status)}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(fork_for(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
