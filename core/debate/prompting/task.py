"""The task in a prompt: the purpose of the round, the request to the seats, and the open points."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import assert_never

from core.debate.material.plaintext import one_line, shorten
from core.debate.prompting.contested import contested_block
from core.debate.prompting.form import fields
from core.debate.prompting.frame import fill, marked
from core.debate.prompting.material import worth_debating
from core.debate.prompting.transcript import label, words_of
from core.debate.proof import Framing, TreeName, judge, run_words
from core.debate.replies import Position
from core.debate.replies.sections import written_sections
from core.debate.replies.tasks import Task
from core.debate.script import Duty, SeatId, Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.proofs import AUDIT, PROVE
from core.debate.verdict.findings.states import PointState, point_states

_WORDS = 120
_NEUTRAL = ("measure", "judge", "grade", "steer")
_AGAINST = (Position.DISPUTE, Position.KEEP)
_OUTPUT = 1500
_PROVEN_AGAINST = {"base": "before it", "fix": "with the fix of the finding"}


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
        task=fill(f"task-{task.name}", **values),
        open=open_points,
        fields=fields(debate, task, values),
    )


def variables(debate: Debate, turn: Turn, duty: Duty, token: str) -> dict[str, str]:
    """Returns the values of the variables in prompt files of tasks and fields."""
    template = debate.open.template
    return {
        "fence": token,
        "about": _about(debate, turn, token),
        "challenge": turn.about_the(Topic.CHALLENGE),
        "points": contested_block(debate, turn, token) if turn.task == "reconsider" else "",
        "criteria": ", ".join(c.replace("_", " ") for c in template.rubric),
        "criteria_keys": ", ".join(f'"{c}": 0-1' for c in template.rubric),
        "options": "|".join(o.option for o in template.ballot),
        "sections": json.dumps(dict.fromkeys(written_sections(template), "")),
        "words": str(_WORDS if duty in (Duty.DEBATER, Duty.AUTHOR) else _WORDS // 2),
        "attacks": ", ".join(t.id for t in debate.turns if t.task == "attack"),
        **_proof_values(debate, turn, token),
    }


def _open_points(debate: Debate, turn: Turn) -> tuple[str, ...]:
    """Returns the ids of the findings and claims that are in dispute among the statements that
    ``turn`` reads; what was conceded or taken back is not.
    """
    then = debate.heard(turn.reads)
    findings, states = merge_findings(then), point_states(then)
    known = {id for finding in findings for id in finding.ids}
    last: dict[str, Position] = {}
    for _, statement in debate.read_by(turn):
        last |= {answer.to: answer.position for answer in statement.answers}
    claims = (id for id, held in last.items() if held in _AGAINST and id not in known)
    disputed = (m.id for m in findings if states[m.id] is PointState.DISPUTED)
    return (*disputed, *claims)


def _about(debate: Debate, turn: Turn, token: str) -> str:
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
    if (statement := debate.statement(id)) is not None:
        return f"[{id}] {words_of(statement)}"
    f = next((f for _, x in debate.statements() for f in x.findings if f.id == id), None)
    if f is None:
        return id
    return f"{id} {f.path}:{f.line} {shorten(f.title, 200)} | {shorten(f.trigger, 300)}"


def _proof_values(debate: Debate, turn: Turn, token: str) -> dict[str, str]:
    """Returns the variables of the prompts about tests; empty for any other turn."""
    framing = debate.framing or Framing()
    known = (debate.script.turn(id) for id in turn.reads)
    before = next((t for t in known if t.task == PROVE), None)
    values = {
        "framework": framing.framework or "the project's test framework",
        "endings": " or ".join(framing.endings) or "that of the others",
        "tools": framing.tools and f"It runs with {one_line(framing.tools, 1500)}.\n",
        "example": marked(framing.example, token),
        "tried": "",
        "test": before.id if before else "",
        "against": "",
        "text": "",
    }
    if before is None or turn.task not in (PROVE, AUDIT):
        return values
    run, statement = debate.proofs.get(before.id), debate.statement(before.id)
    test = statement.test if statement is not None else None
    if run is None or test is None:
        return values
    if turn.task == AUDIT:
        against = _PROVEN_AGAINST.get(judge(run.result).against, "elsewhere")
        return values | {"against": against, "text": marked(f"{test.label}\n{test.text}", token)}
    head = run.result.runs.get(TreeName.HEAD)
    lines = [test.label, test.text, judge(run.result).reason]
    lines += [run_words(tree, each) for tree, each in run.result.runs.items()]
    if head is not None:
        lines.append(head.output[-_OUTPUT:])
    return values | {
        "tried": f"Your first test proved nothing. Write another, or a better one:\n[{token}\n"
        f"{marked(chr(10).join(lines), token)}\n{token}]"
    }
