"""What was decided and why is read soon, on every surface."""

from __future__ import annotations

from tests.bench.words import rows

DECISION, REASON = 40, 60
"""Words; the page has its heading, the report as a page its table of contents before them."""


def test_decision_and_reason_come_first_everywhere() -> None:
    read = rows()
    assert len(read) == 9
    assert {name for name, words in read.items() if words.decision > DECISION} == set()
    late = {name for name, words in read.items() if words.reason > REASON}
    assert late <= {"report as a page"}
    assert read["report as a page"].reason <= 75
    assert max(w.reason for name, w in read.items() if "verdict" in name) <= 30
