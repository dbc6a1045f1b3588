"""Shows in a thread who is thinking: one streamed message per round, with a plan of its seats.

It is decoration that goes along with the posts of a thread: a debate never depends on it, and a
workspace that does not allow it is not asked again. A stream never outlives its round, whatever
crashes: the last edit of the root, which the outbox delivers once at least, ends what a process
that died has left open.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from cachetools import LRUCache
from slack_sdk.errors import SlackApiError

from adapters.ports.chat import Plan, Post, Shape, TaskState
from adapters.slack import places
from adapters.slack.outgoing.failures import NEVER, delivering, reason_of
from adapters.slack.outgoing.history import own_messages
from adapters.slack.outgoing.markup import defuse
from adapters.slack.workspaces import Workspaces
from core.application.place import Person, Place
from core.application.presence import DeliveryError, DeliveryFailure
from core.debate.material.plaintext import cut

if TYPE_CHECKING:
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.slack.outgoing.markup import Json

_STATES = {
    TaskState.WAITING: "pending",
    TaskState.THINKING: "in_progress",
    TaskState.DONE: "complete",
    TaskState.FAILED: "error",
}
_OVER = frozenset({"message_not_in_streaming_state", "message_not_found", "thread_not_found"})
"""Slack's names for a stream that has ended."""
_TITLE = 150
_MOST = 1_000

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Stream:
    """An open message: ``display`` is title and state by task."""

    ts: str
    round: int
    at: int = 0
    display: dict[str, tuple[str, str]] = field(default_factory=dict)


class Streams:
    """At most one open stream per thread."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._without: set[str] = set()  # workspaces that do not allow it
        self._open: LRUCache[tuple[Place, str], _Stream | None] = LRUCache(_MOST)
        self._turns: WeakValueDictionary[tuple[Place, str], asyncio.Lock] = WeakValueDictionary()

    async def show(self, where: Place, thread: str, post: Post, *, new: bool = False) -> bool:
        """Show the plan of ``post`` in its thread, or end it; ``new`` means that the post has just
        opened the thread. Return False if a stream that must end may be open still.
        """
        key = (where, thread)
        if new:
            self._open[key] = None
        if where.workspace in self._without or not (post.plan or post.shape is Shape.ROOT):
            return True
        try:
            async with self._turns.setdefault(key, asyncio.Lock()), delivering():
                await self._show(key, post)
        except DeliveryError as problem:
            _log(str(problem))
            return post.plan is not None or problem.kind is not DeliveryFailure.RETRY
        return True

    async def _show(self, key: tuple[Place, str], post: Post) -> None:
        (where, thread), plan = key, post.plan
        client = await self._workspaces.client(where.workspace)
        if key not in self._open:
            self._open[key] = await self._left_open(client, where, thread, post.debate)
        stream = self._open[key]
        if stream and (plan is None or plan.over or plan.round > stream.round):
            await self._end(client, where, stream, _last_tasks(post, stream))
            self._open[key] = stream = None
        if plan is None or plan.over:
            return
        if stream is None and post.shape is Shape.ROOT:
            self._open[key] = await self._start(client, where, thread, post.debate, plan)
        elif stream and plan.at > stream.at:
            try:
                await self._continue(client, where, stream, post.debate, plan)
            except SlackApiError as error:
                if reason_of(error) not in _OVER:
                    raise
                self._open[key] = None

    async def _start(
        self, client: AsyncWebClient, where: Place, thread: str, debate: str, plan: Plan
    ) -> _Stream | None:
        reader = Person.parse(plan.asker)
        known = reader.workspace_key == where.workspace_key and bool(reader.account)
        if not known and not places.is_direct(where):
            return None  # Slack wants to know for whom it streams
        to = {"recipient_team_id": where.workspace, "recipient_user_id": reader.account}
        tasks = _tasks(debate, plan)
        self._open.pop((where, thread))  # without an answer it may be there: it is looked up then
        try:
            answer = await client.chat_startStream(
                channel=where.channel,
                thread_ts=thread,
                chunks=[_title(plan), *tasks],
                task_display_mode="plan",
                **(to if known else {}),
            )
        except SlackApiError as error:
            reason = reason_of(error)
            if reason not in NEVER and error.response.status_code != 404:
                raise
            self._without.add(where.workspace)
            _log(reason)
            return None
        stream = _Stream(str(answer["ts"]), plan.round)
        _note(stream, plan, tasks)
        return stream

    async def _continue(
        self, client: AsyncWebClient, where: Place, stream: _Stream, debate: str, plan: Plan
    ) -> None:
        tasks = _tasks(debate, plan)
        changed = [t for t in tasks if stream.display.get(t["id"]) != (t["title"], t["status"])]
        if changed:
            await client.chat_appendStream(channel=where.channel, ts=stream.ts, chunks=changed)
        _note(stream, plan, changed)

    async def _end(
        self, client: AsyncWebClient, where: Place, stream: _Stream, tasks: Sequence[Json]
    ) -> None:
        try:
            await client.chat_stopStream(channel=where.channel, ts=stream.ts, chunks=tasks or None)
        except SlackApiError as error:
            if reason_of(error) not in (*_OVER, *NEVER):
                raise

    async def _left_open(
        self, client: AsyncWebClient, where: Place, thread: str, debate: str
    ) -> _Stream | None:
        """Return the newest stream of a debate in a thread that another process wrote; it may have
        ended.
        """
        us = await self._workspaces.identity(where.workspace)
        for message in reversed(await own_messages(client, where.channel, thread, us)):
            if tasks := list(_shown(message, debate)):
                stream = _Stream(str(message["ts"]), int(tasks[0][0].split(":")[1]))
                stream.display |= {id: (title, status) for id, title, status in tasks}
                return stream
        return None


def streams_of(messages: Iterable[Mapping[str, Any]], debate: str) -> Sequence[str]:
    """Return the ids of a debate's streamed messages."""
    return [str(message["ts"]) for message in messages if any(_shown(message, debate))]


def _title(plan: Plan) -> Json:
    return {"type": "plan_update", "title": cut(defuse(plan.title), _TITLE)}


def _tasks(debate: str, plan: Plan) -> list[Json]:
    return [
        _task(f"{debate}:{plan.round}:{t.number}", cut(defuse(t.name), _TITLE), _STATES[t.state])
        for t in plan.tasks
    ]


def _task(id: str, title: str, status: str) -> Json:
    return {"type": "task_update", "id": id, "title": title, "status": status}


def _last_tasks(post: Post, stream: _Stream) -> list[Json]:
    """Return what a stream shows at its end: no seat is thinking any more."""
    if post.plan and post.plan.round == stream.round:
        return _tasks(post.debate, post.plan)
    now = _STATES[TaskState.DONE if post.plan else TaskState.WAITING]
    thinking = _STATES[TaskState.THINKING]
    spinning = {id: title for id, (title, status) in stream.display.items() if status == thinking}
    return [_task(id, title, now) for id, title in spinning.items()]


def _note(stream: _Stream, plan: Plan, tasks: Sequence[Json]) -> None:
    stream.at = plan.at
    stream.display |= {task["id"]: (task["title"], task["status"]) for task in tasks}


def _shown(message: Mapping[str, Any], debate: str) -> Iterator[tuple[str, str, str]]:
    """Yield id, title and state of the tasks of a debate that a message shows."""
    for block in message.get("blocks") or ():
        tasks = block.get("tasks") or () if block.get("type") == "plan" else (block,)
        for task in tasks:
            id = str(task.get("task_id") or "")
            if task.get("type") == "task_card" and id.startswith(f"{debate}:"):
                yield id, str(task.get("title")), str(task.get("status"))


def _log(reason: str) -> None:
    log.info("who is thinking was not shown", extra={"action": "slack.stream", "error": reason})
