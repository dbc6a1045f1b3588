"""The garbage collector holds nobody up and forgets nothing, counted in objects."""

from __future__ import annotations

import subprocess
import sys

from tests.bot.serve.heaps import BEGINS, SETTLED
from tests.end_to_end import nursery
from tests.project import ROOT

HEAPS = (sys.executable, "-m", "tests.bot.serve.heaps")


def test_the_collector_looks_at_little_and_lets_all_go() -> None:
    done = subprocess.run([*HEAPS, *SETTLED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [], done.stderr
    begun = nursery.run([*HEAPS, BEGINS], cwd=ROOT, text=True)
    assert (begun.returncode, begun.stdout.split()) == (0, []), begun.stderr
