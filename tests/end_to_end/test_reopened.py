"""While a proof runs that may change the verdict, the thread says so."""

from __future__ import annotations

import pytest

from core.debate.events import DebateReopened
from core.debate.state import evolve
from core.languages import speaking
from core.words.views.course.progress import stage_line
from tests.core.argued import Seats, reviewed
from tests.core.test_objections import BLOCKS


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Changes requested, a proof that may change it is being made"),
        ("cs", "Vyžádány změny, vzniká důkaz, který to může změnit"),
        ("de", "Änderungen verlangt, ein Nachweis, der es ändern kann, entsteht"),
    ],
)
async def test_a_proof_that_may_change_the_verdict_is_named(language: str, line: str) -> None:
    over, _ = await reviewed(Seats(openings=BLOCKS))
    with speaking(language):
        assert stage_line(evolve(over, DebateReopened("proof:f1", "slack:T1/U2"))) == line
