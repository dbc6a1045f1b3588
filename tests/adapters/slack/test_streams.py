"""A thread shows who is thinking, where the workspace allows it; a stream never outlives its
round.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.ports.chat import Plan, Post, Shape, Task, TaskState
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.application.presence import Ref
from tests.adapters.undelivered import undelivered
from tests.standins.slack import Fault, SlackStandIn, render

PLACE = "slack:T1/C1"
ROOT = Post("d1:root", "d1", Shape.ROOT, title="Panel")
THINKS, DONE, FAILED = TaskState.THINKING, TaskState.DONE, TaskState.FAILED


def plan(at: int, *states: TaskState, number: int = 1, asker: str = "slack:T1/U1") -> Plan:
    seats = zip((1, 2), ("Author", "Critic"), states, strict=False)
    tasks = tuple(Task(n, name, state) for n, name, state in seats)
    return Plan(at, number, f"Round {number} of 2", asker, tasks)


def edited(at: int, *states: TaskState, number: int = 1) -> Post:
    return Post(
        f"d1:{at}:root", "d1", Shape.ROOT, title="Panel", edits="d1:root",
        plan=plan(at, *states, number=number) if states else None,
    )  # fmt: skip


def spoke(at: int, *states: TaskState) -> Post:
    return Post(f"d1:{at}", "d1", Shape.STATEMENT, who="Author", body="x", plan=plan(at, *states))


@pytest.fixture(autouse=True)
def allowed(slack: SlackStandIn) -> None:
    slack.world.streams = True


@pytest.fixture
async def again(settings: SlackSettings) -> AsyncIterator[SlackChat]:
    """Yields the chat of the process that comes after one that died."""
    workspaces = Workspaces(settings)
    await workspaces.open()
    yield SlackChat(workspaces, pace=0.0)
    await workspaces.close()


def streams(slack: SlackStandIn, channel: str = "C1") -> list[tuple[str, str]]:
    messages = slack.world.channel(channel).messages.values()
    return [(m["streaming_state"], render(m)) for m in messages if "streaming_state" in m]


async def test_a_round_is_one_message_with_its_seats(slack: SlackStandIn, chat: SlackChat) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    await chat.edit(ref, edited(3, THINKS, THINKS))
    assert streams(slack) == [("in_progress", "⏳ Round 1 of 2\n  … Author\n  … Critic")]
    await chat.send(PLACE, ref.thread, spoke(4, DONE, THINKS))
    assert streams(slack) == [("in_progress", "⏳ Round 1 of 2\n  ✓ Author\n  … Critic")]
    await chat.send(PLACE, ref.thread, spoke(3, THINKS, THINKS))  # an older state comes late
    await chat.send(PLACE, ref.thread, spoke(5, DONE, FAILED))
    assert streams(slack) == [("completed", "⏳ Round 1 of 2\n  ✓ Author\n  ✗ Critic")]
    await chat.edit(ref, edited(6, THINKS, number=2))
    await chat.edit(ref, edited(9))
    assert [state for state, _ in streams(slack)] == ["completed", "completed"]
    assert "…" not in streams(slack)[1][1]
    [first, second] = slack.called("chat.startStream")
    assert (first["recipient_team_id"], first["recipient_user_id"]) == ("T1", "U1")
    assert second["task_display_mode"] == "plan"
    assert len(slack.called("chat.update")) == 3, "nobody's thinking is an edit"


async def test_the_next_round_ends_what_the_last_one_left(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    await chat.edit(ref, edited(3, THINKS, THINKS))
    await chat.edit(ref, edited(8, THINKS, number=2))
    assert streams(slack) == [
        ("completed", "⏳ Round 1 of 2\n  ✓ Author\n  ✓ Critic"),
        ("in_progress", "⏳ Round 2 of 2\n  … Author"),
    ]


@pytest.mark.parametrize("error", ["unknown_method", "missing_scope"])
async def test_a_workspace_that_refuses_is_asked_once(
    slack: SlackStandIn, chat: SlackChat, error: str
) -> None:
    slack.faults.append(Fault("chat.startStream", error, times=9))
    ref = await chat.send(PLACE, None, ROOT)
    for number in (1, 2):
        await chat.edit(ref, edited(3, THINKS, number=number))
        await chat.send(PLACE, ref.thread, spoke(4, DONE))
    assert len(slack.called("chat.startStream")) == 1
    assert len(slack.called("chat.postMessage")) == 3


async def test_nobody_outside_the_workspace_is_streamed_to(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    for asker in ("slack:T2/U1", "discord:1/U1", ""):
        post = Post("k", "d1", Shape.ROOT, edits="d1:root", plan=plan(3, THINKS, asker=asker))
        await chat.edit(ref, post)
    assert slack.called("chat.startStream") == []


@pytest.mark.parametrize("then", [edited(9), edited(9, THINKS, number=2), edited(9, DONE, DONE)])
async def test_what_a_dead_process_left_open_is_ended(
    slack: SlackStandIn, chat: SlackChat, again: SlackChat, then: Post
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    await chat.edit(ref, edited(3, THINKS, THINKS))
    await again.edit(ref, then)
    assert streams(slack)[0][0] == "completed"
    assert "…" not in streams(slack)[0][1]
    assert len(streams(slack)) == 1 + (then.plan is not None and not then.plan.over)


async def test_a_round_goes_on_in_the_message_of_a_dead_process(
    slack: SlackStandIn, chat: SlackChat, again: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    slack.faults.append(Fault("chat.startStream", "drop_after"))
    await chat.edit(
        ref, edited(3, THINKS, THINKS)
    )  # it is there, and the process never hears of it
    for process, state in ((chat, THINKS), (again, DONE)):
        await process.send(PLACE, ref.thread, spoke(4, DONE, state))
    assert streams(slack) == [("completed", "⏳ Round 1 of 2\n  ✓ Author\n  ✓ Critic")]


async def test_an_edit_is_tried_again_until_the_stream_has_ended(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    await chat.edit(ref, edited(3, THINKS))
    slack.faults.append(Fault("chat.stopStream", "503"))
    failed = await undelivered(chat.edit(ref, edited(9)))
    assert (failed.kind, failed.done) == ("retry", ref.ids)
    await chat.edit(ref, edited(9))
    assert streams(slack)[0][0] == "completed"


@pytest.mark.parametrize("fault", ["429", "503", "drop"])
async def test_a_failing_stream_fails_no_post(
    slack: SlackStandIn, chat: SlackChat, fault: str
) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    for method in ("chat.startStream", "chat.appendStream", "chat.stopStream"):
        slack.faults.append(Fault(method, fault))
    await chat.edit(ref, edited(2, THINKS, THINKS))
    await chat.edit(ref, edited(3, THINKS, THINKS))
    await chat.send(PLACE, ref.thread, spoke(4, DONE, THINKS))
    await chat.send(PLACE, ref.thread, spoke(5, DONE, DONE))
    await chat.edit(ref, edited(6))
    assert [state for state, _ in streams(slack)] == ["completed"]
    assert len(slack.called("chat.postMessage")) == 3


async def test_streams_go_with_the_texts_of_a_debate(slack: SlackStandIn, chat: SlackChat) -> None:
    ref = await chat.send(PLACE, None, ROOT)
    await chat.edit(ref, edited(3, THINKS))
    await chat.remove_files(PLACE, ref.thread, "d2")
    assert streams(slack)
    await chat.remove_files(PLACE, ref.thread, "d1")
    assert streams(slack) == []
    assert isinstance(ref, Ref)
