"""The round that runs, as the seats that think, have answered or have not."""

from __future__ import annotations

from adapters.ports.chat import Plan, Task, TaskState
from adapters.posts.statement import speaker
from core.debate.script import SeatId, Turn
from core.debate.state import Debate
from core.words.views.course.progress import current_round, round_name


def plan_of(debate: Debate) -> Plan | None:
    """Return the round that runs; None if no seat has a turn: before the first, in a pause, after
    the end, and in a debate that is shown only by its result.
    """
    if debate.opened is None or debate.over or debate.paused is not None or debate.quiet:
        return None
    round_number = current_round(debate)
    seats: dict[SeatId, list[Turn]] = {}
    for turn in debate.turns:
        if turn.round + 1 == round_number:
            seats.setdefault(turn.seat, []).append(turn)
    tasks = tuple(
        Task(number, speaker(debate, turns[0]), _state(debate, turns))
        for number, turns in enumerate(seats.values(), 1)
        if not all(turn.id in debate.skipped for turn in turns)
    )
    if not tasks:
        return None
    asker = debate.request.asker
    return Plan(debate.count, round_number, round_name(debate, round_number), asker, tasks)


def _state(debate: Debate, turns: list[Turn]) -> TaskState:
    open_turns = [turn for turn in turns if turn.id not in debate.settled]
    if any(debate.settled.issuperset(turn.reads) for turn in open_turns):
        return TaskState.THINKING
    if open_turns:
        return TaskState.WAITING
    return TaskState.FAILED if all(t.id in debate.failed for t in turns) else TaskState.DONE
