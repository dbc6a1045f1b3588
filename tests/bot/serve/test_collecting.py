"""The garbage collector holds nobody up and forgets nothing, counted in objects."""

from __future__ import annotations

import subprocess
import sys

from tests.project import ROOT


def test_the_collector_looks_at_little_and_lets_all_go() -> None:
    command = [sys.executable, "-m", "tests.bot.serve.heaps"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [], done.stderr
