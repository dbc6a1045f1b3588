"""Kills a debate over HTTP in its middle with kill -9, and counts the answers that are paid again
when it is resumed.
"""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.served import Served, a_diff, command, provider

SECONDS = 0.25
"""The seconds that an answer takes."""
BEFORE = 0.05
"""The seconds before the kill from which an answer that had left the provider whole may not be paid
again.
"""


@dataclass(frozen=True)
class Killed:
    """One debate that was killed and resumed: its calls, those that were made twice, and those of
    them whose first answer had wholly arrived.
    """

    calls: int
    twice: int
    paid_again: int
    ended: str


def killed(points: int, *flags: str) -> list[Killed]:
    """Plays ``points`` debates and kills each at another point, spread over a debate's length."""
    with provider(SECONDS, *flags) as served:
        length, begun = _whole(served)
        return [_one(served, begun + (length - begun) * (n + 0.5) / points) for n in range(points)]


def _whole(served: Served) -> tuple[float, float]:
    """Returns the seconds from the command to the last answer of a debate, and to its first
    prompt.
    """
    with tempfile.TemporaryDirectory() as folder:
        argv, env = _command(served, Path(folder))
        at = time.monotonic()
        subprocess.run(argv, env=env, check=True, capture_output=True)
        calls = served.calls()
    return calls[-1]["left"] - at, calls[0]["came"] - at


def _one(served: Served, after: float) -> Killed:
    with tempfile.TemporaryDirectory() as folder:
        argv, env = _command(served, Path(folder))
        process = subprocess.Popen(
            argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(after)
        at = time.monotonic()
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = served.calls()
        listed, _ = command(served, Path(folder), "list", "--json")
        debates = json.loads(
            subprocess.run(listed, env=env, check=True, capture_output=True).stdout
        )
        if not debates:
            return Killed(len(before), 0, 0, "never stored")
        id = debates[0]["id"]
        resume, _ = command(served, Path(folder), "resume", id, "--json")
        subprocess.run(resume, env=env, check=False, capture_output=True)  # it may have ended
        show, _ = command(served, Path(folder), "show", id, "--json")
        completed = subprocess.run(show, env=env, check=True, capture_output=True)
        outcome: dict[str, Any] = json.loads(completed.stdout)
        again = {call["prompt"] for call in served.calls()}
    done = {c["prompt"] for c in before if 0 < c["left"] <= at - BEFORE}
    prompts = {c["prompt"] for c in before}
    calls = len(prompts | again)
    return Killed(calls, len(prompts & again), len(done & again), str(outcome["ended_because"]))


def _command(served: Served, folder: Path) -> tuple[list[str], dict[str, str]]:
    diff = folder / "change.diff"
    diff.write_text(a_diff(2000))
    return command(served, folder, "code_review", str(diff), "--yes", "--debate-anyway")
