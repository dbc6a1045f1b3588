"""The garbage collector holds nobody up and forgets nothing, counted in objects."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.bot.serve.heaps import SCENES
from tests.project import ROOT


@pytest.fixture(scope="module")
def failed() -> tuple[list[str], str]:
    """Returns the scenes that failed, and why they did."""
    command = [sys.executable, "-m", "tests.bot.serve.heaps"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize("scene", SCENES)
def test_the_collector_looks_at_little_and_lets_all_go(
    scene: str, failed: tuple[list[str], str]
) -> None:
    scenes, why = failed
    assert scene not in scenes, why
