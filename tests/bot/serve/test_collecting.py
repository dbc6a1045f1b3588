"""The garbage collector holds nobody up and forgets nothing, counted in objects."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bot.serve.heaps import SCENES
from tests.project import ROOT


@pytest.mark.parametrize("scene", SCENES)
def test_the_collector_looks_at_little_and_lets_all_go(scene: str) -> None:
    command = [sys.executable, "-m", "tests.bot.serve.heaps", scene]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
