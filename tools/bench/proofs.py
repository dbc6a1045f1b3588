"""``python -m tools.bench.proofs FOLDER [--out FILE]``: how many findings get a proof.

FOLDER holds a folder for each case, with a ``case.json``: ``repo`` (a checkout with its environment
installed; its path from the case's folder), ``base`` and ``head`` (commits), ``finding`` (``path``,
``line``, ``quote``, ``title``, ``trigger``, ``fix``, ``severity``), and ``true`` (whether it is
right). The environment sets the models (``DEBATE_MODELS``, ``OPENAI_API_BASE``, keys). A seat that
is given the finding writes the test, the sandbox runs it, another seat reads it. Prints the result
of each case with its minutes and dollars.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from adapters.proofs.local import SandboxProofs
from adapters.proofs.sandbox import find_sandbox
from adapters.redaction import clean
from bot import settings
from bot.wire.parts import Parts, open_parts
from core.debate import events as e
from core.debate.commands.decisions import decide
from core.debate.engine import EngineContext, play
from core.debate.errors import DebateError
from core.debate.events import DebateRequest
from core.debate.finding import Finding, Severity
from core.debate.replies import Stance, Statement
from core.debate.replies.placing import placed
from core.debate.speaking import Speaker
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from core.debate.verdict.convergence import should_stop
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.evidence import change_lines
from core.words.views.proofs import proof_words
from tests.core.memory import MemoryLog

PERSON = "shell:bench"


class Case(msgspec.Struct):
    """One case, as its file holds it."""

    repo: str
    base: str
    head: str
    finding: dict[str, Any]
    true: bool = True


async def proven(parts: Parts, case: Case) -> Debate:
    """Plays only the proof of a case's finding: its openings are given, not asked for."""
    target = f"git:{case.base}..{case.head}"
    request = DebateRequest(
        "code_review", target, PERSON, PERSON, rounds=1, format="contested", files=True
    )
    prepared = await parts.service.prepare(request)
    opened = replace(prepared.opened, terms=replace(prepared.opened.terms, converge=False))
    events: list[e.Event] = [e.DebateRequested("bench", request, opened.at), opened]
    debate = replay(events)
    holder = next(t for t in debate.turns if t.independent)
    made = placed(_finding(case.finding, holder.id), change_lines(debate))
    for turn in (t for t in debate.turns if t.independent):
        mine = turn is holder
        stance = Stance("request_changes" if mine else "approve", 0.8)
        statement = Statement("", stance, findings=(made,) if mine else ())
        events += [e.TurnStarted(turn.id), e.TurnFinished(turn.id, statement, Usage(), "")]
    events.append(e.ProofAsked(PERSON, made.id))
    project = partial(parts.library.project, opened.material, PERSON, True)
    context = EngineContext(
        log=MemoryLog(events),
        clock=parts.clock,
        inbox=asyncio.Queue(),
        speaking=Speaker(
            parts.models.scoped(), clean, float(os.environ.get("DEBATE_TIMEOUT", "90"))
        ),
        decide=decide,
        should_stop=should_stop,
        redact=clean,
        proves=SandboxProofs(find_sandbox, project),
    )
    return await play(replay(events), context)


def _finding(given: Mapping[str, Any], turn: str) -> Finding:
    return Finding(
        f"{turn}.f1",
        Severity(given.get("severity", "high")),
        0.9,
        str(given["title"]),
        str(given["path"]),
        given.get("line"),
        quote=str(given.get("quote", "")),
        trigger=str(given.get("trigger", "")),
        fix=str(given.get("fix", "")),
        must_fix=True,
    )


async def measured(folder: Path) -> dict[str, Any]:
    case = msgspec.json.decode((folder / "case.json").read_bytes(), type=Case)
    os.chdir((folder / case.repo).resolve())
    scratch = folder / ".bench"
    scratch.mkdir(exist_ok=True)
    env = {
        **os.environ,
        "DEBATE_DATABASE_URL": str(scratch / "debate.db"),
        "DEBATE_PROVE": "sandbox",
    }
    row: dict[str, Any] = {"case": folder.name, "true": case.true}
    began = time.monotonic()
    try:
        async with open_parts(settings.read(env, scratch)) as parts:
            debate = await proven(parts, case)
    except DebateError as error:
        return row | {"standing": "not_played", "words": str(error), "minutes": 0.0, "usd": 0.0}
    wanted = debate.proof_requests[0].finding
    finding = next(m for m in merge_findings(debate) if wanted in m.ids)
    proof = finding.proof
    problem = debate.framing.problem if debate.framing else "nothing was run"
    return row | {
        "standing": proof.result.standing.value if proof else "not_framed",
        "words": proof_words(debate, finding) if proof else problem,
        "tries": sum(t.task == "prove" for t in debate.turns),
        "minutes": round((time.monotonic() - began) / 60, 2),
        "usd": round(debate.spent, 4),
        "test": proof.test.text if proof and proof.test else "",
    }


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns the shares of true and false findings that were proven."""
    lines = []
    for true, label in ((True, "true"), (False, "false")):
        some = [row for row in rows if row["true"] is true]
        hits = sum(row["standing"] == "proven" for row in some)
        share = f"{hits / len(some):.0%}" if some else "-"
        lines.append(f"{label} findings proven: {hits} of {len(some)} ({share})")
    minutes = sorted(row["minutes"] for row in rows) or [0.0]
    spent = sum(row["usd"] for row in rows)
    lines.append(
        f"minutes: median {minutes[len(minutes) // 2]}, most {minutes[-1]}; USD {spent:.2f}"
    )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.proofs")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    out = given.out.resolve() if given.out else None
    rows = []
    for file in sorted(given.folder.resolve().glob("*/case.json")):
        row = asyncio.run(measured(file.parent))
        rows.append(row)
        print(f"{row['case']:<32} {row['standing']:<14} {row['minutes']:>5} min  {row['words']}")
    print(summary(rows))
    if out is not None:
        out.write_text(json.dumps(rows, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
