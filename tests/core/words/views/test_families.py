"""A family that the operator's file of models names counts as one."""

from __future__ import annotations

from typing import Any

import pytest

from core.words.outcome import outcome
from tests.core.table import table

ONE = "All seats are models of one family, so their agreement proves less."
CAST = {"security_critic": "relay/alpha", "performance_critic": "relay/beta"}
CAST |= {"maintainability_critic": "relay/gamma"}


@pytest.mark.parametrize("named", [True, False])
def test_models_of_one_server_are_of_as_many_families_as_the_file_names(named: bool) -> None:
    families = {name: name.partition("/")[2] for name in CAST.values()} if named else {}
    t = table(cast=CAST, terms={"families": families})
    for turn in ("t1", "t2", "t3"):
        t.says(turn, "approve")
    document: dict[str, Any] = outcome(t.concluded().debate)
    assert (ONE in document["report"]) is not named
    seats = {s["seat"]: s["family"] for s in document["seats"] if s["seat"] in CAST}
    assert set(seats.values()) == ({"alpha", "beta", "gamma"} if named else {"relay"})
