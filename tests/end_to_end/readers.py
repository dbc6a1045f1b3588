"""Readers of strangers' text that are forked from the nursery, for tests that are not about them: a
real one imports for a fifth of a second before it reads.
"""

from __future__ import annotations

import pytest

from adapters.processes import starting
from tests.end_to_end import nursery


@pytest.fixture(autouse=True)
def forked_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "Popen", nursery.start_reader)
