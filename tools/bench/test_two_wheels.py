"""This release and the one before on one database, in short: ``python -m tools.bench.two_wheels``
is the long form.
"""

from __future__ import annotations

import pytest

from tools.bench.two_wheels import before_the_newest_migration, main


@pytest.mark.faults
@pytest.mark.timeout(1200)
def test_replicas_of_two_releases_are_exchanged_there_and_back_under_load(
    capsys: pytest.CaptureFixture[str],
) -> None:
    try:
        before = before_the_newest_migration()
    except SystemExit as none:
        pytest.skip(str(none))
    code = main(["--debates", "10", "--before", before])
    output = capsys.readouterr().out
    assert code == 0, output
    for issuer in ("N-1", "N"):
        for release in ("N-1", "N"):
            assert f"| receipts of {issuer} that verify under {release} | 10 |" in output
