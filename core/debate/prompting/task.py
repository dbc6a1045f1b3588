"""The task in a prompt: the purpose of the round, the request to the seats, and the open points."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from core.debate.prompting.contested import contested_block
from core.debate.prompting.form import fields
from core.debate.prompting.frame import fill, marked, prompt_file, shorten
from core.debate.prompting.material import worth_debating
from core.debate.prompting.proofs import proof_values
from core.debate.prompting.transcript import label, words_of
from core.debate.replies import Position
from core.debate.replies.schema import criteria_of
from core.debate.replies.sections import written_sections
from core.debate.replies.tasks import Task
from core.debate.script import Duty, SeatId, Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.states import PointState, point_states

_WORDS = 120
_NEUTRAL = ("measure", "judge", "grade", "steer")
_AGAINST = (Position.DISPUTE, Position.KEEP)


def task_block(debate: Debate, turn: Turn, task: Task, values: Mapping[str, str]) -> str:
    """Renders the task in the same words for all seats that get the same one."""
    goal, open_points = debate.open.script.rounds[turn.round].goal, ""
    if task.pointed or turn.answers_person or task.name in _NEUTRAL:
        goal = ""  # it says what the other seats do in the round
    if (
        "answers" in task.asks
        and not task.pointed
        and (divided := [m.id for m in worth_debating(debate, turn) if m.contested])
    ):
        open_points = f"Settle first what seats differ on: {', '.join(divided)}\n"
    parts = len(debate.open.material.parts)
    if parts and task.name == "open":
        open_points += f"{fill('after-parts', parts=str(parts))}\n"
    if task.name in ("open", "read") and debate.open.material.hunks:
        open_points += f"{fill('emphasis')}\n"
    disputed = () if task.pointed else _open_points(debate, turn)
    if disputed:
        open_points += f"Still open: {', '.join(disputed)}\n"
    return fill(
        "round",
        goal=goal and f"{goal}\n",
        task=prompt_file(f"task-{task.name}").substitute(values),
        open=open_points,
        fields=fields(debate, task, values),
    )


def variables(debate: Debate, turn: Turn, duty: Duty, token: str) -> dict[str, str]:
    """Returns the values of the variables in prompt files of tasks and fields."""
    template = debate.open.template
    criteria = criteria_of(template)
    return {
        "fence": token,
        "about": _about(debate, turn, token),
        "challenge": turn.about_the(Topic.CHALLENGE),
        "points": contested_block(debate, turn, token) if turn.task == "reconsider" else "",
        "criteria": ", ".join(c.replace("_", " ") for c in criteria),
        "criteria_keys": ", ".join(f'"{c}": 0-1' for c in criteria),
        "options": "|".join(o.option for o in template.ballot),
        "sections": json.dumps(dict.fromkeys(written_sections(template), "")),
        "words": str(_WORDS if duty in (Duty.DEBATER, Duty.AUTHOR) else _WORDS // 2),
        "attacks": ", ".join(t.id for t in debate.turns if t.task == "attack"),
        **proof_values(debate, turn, token),
    }


def _open_points(debate: Debate, turn: Turn) -> tuple[str, ...]:
    """Returns the ids of the findings and claims that are in dispute among the statements that
    ``turn`` reads; what was conceded or taken back is not.
    """
    heard = {id: debate.finished[id] for id in turn.reads if id in debate.finished}
    then = replace(debate, finished=heard, votes={})
    states = point_states(then)
    last: dict[str, Position] = {}
    for _, statement in debate.read_by(turn):
        last |= {answer.to: answer.position for answer in statement.answers}
    claims = (id for id, held in last.items() if held in _AGAINST and id not in states)
    disputed = (
        finding.id for finding in merge_findings(then) if states[finding.id] is PointState.DISPUTED
    )
    return (*disputed, *claims)


def _about(debate: Debate, turn: Turn, token: str) -> str:
    """Renders the subject of the turn."""
    about = turn.about
    if about is None:
        return ""
    match about.topic:
        case Topic.CHALLENGE:
            texts = {c.id: c.text for c in debate.challenges}
            return marked(texts.get(about.name, ""), token)
        case Topic.SEAT:
            return label(debate, SeatId(about.name))
        case Topic.CATEGORY | Topic.ROLE:
            return about.name.replace("_", " ")
        case Topic.ARGUMENT | Topic.LENS:
            return about.name
        case Topic.PART:
            return f"{about.name} of {len(debate.open.material.parts)}"
        case Topic.HOT_SEAT:
            return marked(_defended(debate, about.name), token)
        case Topic.FINDING:
            return contested_block(debate, turn, token)
        case Topic.SWAPPED:
            return ""
        case _:
            assert_never(about.topic)


def _defended(debate: Debate, id: str) -> str:
    """Renders a statement or a finding that a seat must answer for, in its own words."""
    if (statement := debate.statement(id)) is not None:
        return f"[{id}] {words_of(statement)}"
    f = next((f for _, x in debate.statements() for f in x.findings if f.id == id), None)
    if f is None:
        return id
    return f"{id} {f.path}:{f.line} {shorten(f.title, 200)} | {shorten(f.trigger, 300)}"
