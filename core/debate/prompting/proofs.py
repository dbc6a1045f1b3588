"""Renders what a seat needs to write or to read a test that is to prove a finding."""

from __future__ import annotations

from core.debate.material.plaintext import one_line
from core.debate.prompting.frame import marked
from core.debate.proof import Framing, TreeName, judge, run_words
from core.debate.script import Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict.findings.proofs import AUDIT, PROVE

_OUTPUT = 1500
_AGAINST = {"base": "before it", "fix": "with the fix of the finding"}


def proof_values(debate: Debate, turn: Turn, token: str) -> dict[str, str]:
    """Returns the variables of the prompts about tests; empty for any other turn."""
    framing = debate.framing or Framing()
    before = next((debate.script.turn(id) for id in turn.reads if _is_try(debate, id)), None)
    values = {
        "framework": framing.framework or "the project's test framework",
        "endings": " or ".join(framing.endings) or "that of the others",
        "tools": framing.tools and f"Where it runs, it finds {one_line(framing.tools, 1500)}.\n",
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
        against = _AGAINST.get(judge(run.result).against, "elsewhere")
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


def _is_try(debate: Debate, id: TurnId) -> bool:
    return debate.script.turn(id).task == PROVE
