"""Coding agents as programs: each speaks the output format of its vendor's pages, and writes down
how it was started.

None is installed where the tests run, so only the formats and flags of those pages are tested.
"""

from __future__ import annotations

import json
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = """#!{python} -I
import json, os, subprocess, sys, time
from pathlib import Path
here = Path({folder!r})
plan = json.loads((here / "{name}.plan").read_text())
if sys.argv[1:] == ["--version"]:
    print(plan["version"])
    raise SystemExit(plan["version_code"])
held = [] if not plan["children"] else [subprocess.Popen(["sleep", "600"])]
started = {{
    "arguments": sys.argv[1:], "environment": dict(os.environ), "folder": os.getcwd(),
    "files": os.listdir("."), "beside": sorted(os.listdir("..")), "prompt": sys.stdin.read(),
    "group": os.getpgid(0), "pid": os.getpid(), "children": [one.pid for one in held],
}}
with (here / "{name}.runs").open("a") as runs:
    runs.write(json.dumps(started) + "\\n")
sys.stderr.write(plan["errors"])
sys.stderr.flush()
for _ in range(plan["times"]):
    sys.stdout.write(plan["printed"])
sys.stdout.flush()
time.sleep(plan["sleeps"])
raise SystemExit(plan["code"])
"""
_PLAN = {
    "version": "9.9.9 (Agent)", "version_code": 0, "children": False, "errors": "", "times": 1,
    "printed": "", "sleeps": 0, "code": 0,
}  # fmt: skip


@dataclass(frozen=True)
class AgentStandIn:
    """One program in ``folder``, a folder of the search path."""

    folder: Path
    name: str

    def plans(self, **plan: Any) -> AgentStandIn:
        """Sets what the next runs do."""
        text = json.dumps({**_PLAN, **plan})
        (self.folder / f"{self.name}.plan").write_text(text, "utf-8")
        return self

    def says(self, text: str, **plan: Any) -> AgentStandIn:
        """Sets the answer of the next runs."""
        return self.plans(printed=FORMATS[self.name](text), **plan)

    @property
    def runs(self) -> list[dict[str, Any]]:
        file = self.folder / f"{self.name}.runs"
        written = file.read_text("utf-8") if file.exists() else ""
        return [json.loads(line) for line in written.splitlines()]


def install(folder: Path, name: str) -> AgentStandIn:
    """Writes the program of an agent into a folder."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    text = PROGRAM.format(python=sys.executable, folder=str(folder), name=name)
    program.write_text(text, "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return AgentStandIn(folder, name).plans()


def claude(text: str, **more: Any) -> str:
    usage = {
        "input_tokens": 100, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 10,
        "output_tokens": 20,
    }  # fmt: skip
    made = {
        "type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": text,
        "session_id": "s-1", "total_cost_usd": 0.0123, "usage": usage, "permission_denials": [],
    }  # fmt: skip
    return json.dumps({**made, **more})


def codex(text: str, *items: dict[str, Any]) -> str:
    usage = {"input_tokens": 100, "cached_input_tokens": 40, "output_tokens": 20}
    answer = {"id": "item_9", "type": "agent_message", "text": text}
    events = [
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "Hm."}},
        *({"type": "item.completed", "item": item} for item in items),
        {"type": "item.completed", "item": answer},
        {"type": "turn.completed", "usage": usage},
    ]
    return "".join(f"{json.dumps(event)}\n" for event in events)


def gemini(text: str, **more: Any) -> str:
    tokens = {"prompt": 100, "candidates": 15, "thoughts": 5, "cached": 40, "total": 120, "tool": 0}
    stats = {
        "models": {"gemini-2.5-pro": {"api": {"totalRequests": 1}, "tokens": tokens}},
        "tools": {"totalCalls": 0},
    }
    return json.dumps({"session_id": "g-1", "response": text, "stats": stats, **more})


FORMATS: dict[str, Any] = {"claude": claude, "codex": codex, "gemini": gemini}
