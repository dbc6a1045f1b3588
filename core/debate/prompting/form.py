"""The form of a reply: the fields that the task asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.debate.prompting.frame import prompt_file
from core.debate.replies.tasks import TASKS, Task, asked_members
from core.debate.script import Turn
from core.debate.state import Debate
from core.debate.verdict.consensus import mode_of


def task_of(debate: Debate, turn: Turn) -> Task:
    """Returns the turn's task. If there are findings of an earlier run, it asks seats that read the
    whole material whether these still hold.
    """
    task, material = TASKS[turn.task], debate.open.material
    earlier = any(demand.listed for demand in material.demands) or material.scanned
    if not earlier or not task.whole or "findings" not in task.asks or "answers" in task.asks:
        return task
    return replace(task, asks=(*task.asks, "answers"))


def fields(debate: Debate, task: Task, values: Mapping[str, str]) -> str:
    """Renders the fields of the reply, a line for each."""
    lines = bool(debate.open.material.hunks)
    names = [*asked_members(task, lines=lines, ruling=mode_of(debate).is_judged)]
    if not task.pointed:
        names.insert(0, "text")
    if task.own_answers:
        names = [f"answers-{task.name}" if n == "answers" else n for n in names]
    return "\n".join(prompt_file(f"field-{n}").safe_substitute(values) for n in names)
