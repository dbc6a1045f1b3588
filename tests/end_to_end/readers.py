"""Readers of strangers' text that are forked from the nursery, for tests that are not about them: a
real one imports for a fifth of a second before it reads.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.processes import starting
from tests.end_to_end import nursery


@pytest.fixture(autouse=True)
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "Popen", start)


def start(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
    """Forks a reader; starts any other program as it is."""
    python, *flags = command[:3]
    if (python, *flags) == (sys.executable, "-I", "-B"):
        return nursery.Popen([python, *command[3:]], **options)
    return subprocess.Popen(command, **options)
