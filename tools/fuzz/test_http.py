"""A short run of the attack over HTTP; how long anything took is asserted nowhere."""

from __future__ import annotations

import pytest

from tools.fuzz.http.run import run


async def test_no_request_breaks_the_bot() -> None:
    report = await run(250, 0.0, seed=7, at_once=4)
    assert report.requests == 250
    assert report.survived, report.log[-3_000:]
    assert not report.failed, "\n".join([*report.failed, report.log[-3_000:]])
    assert report.reader["failed"] == 0, report.reader["wrong"]
    assert report.answers[200] > 20
    assert sum(report.debates.values()) >= 1


@pytest.mark.faults
@pytest.mark.timeout(7_200)
async def test_a_hundred_thousand_requests_break_nothing() -> None:
    report = await run(100_000, 0.0, seed=1)
    print("\n".join(report.lines()))
    assert report.survived
    assert not report.failed, "\n".join(report.failed[:20])
    assert report.reader["failed"] == 0, report.reader["wrong"]
    assert report.grew < 300_000_000
