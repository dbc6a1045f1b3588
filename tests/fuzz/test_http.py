"""A short run of the attack over HTTP; how long anything took is asserted nowhere."""

from __future__ import annotations

import pytest

from tests.fuzz.http.run import run


@pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")
async def test_no_request_breaks_the_bot() -> None:
    found = await run(250, 0.0, seed=7, at_once=4)
    assert found.requests == 250
    assert found.survived, found.log[-3_000:]
    assert not found.failed, "\n".join([*found.failed, found.log[-3_000:]])
    assert found.reader["failed"] == 0, found.reader["wrong"]
    assert found.answers[200] > 20
    assert sum(found.debates.values()) >= 1


@pytest.mark.faults
@pytest.mark.timeout(7_200)
async def test_a_hundred_thousand_requests_break_nothing() -> None:
    found = await run(100_000, 0.0, seed=1)
    print("\n".join(found.lines()))
    assert found.survived
    assert not found.failed, "\n".join(found.failed[:20])
    assert found.reader["failed"] == 0, found.reader["wrong"]
    assert found.grew < 300_000_000
