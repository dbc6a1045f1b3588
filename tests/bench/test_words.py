"""What was decided and why is read soon, on every surface."""

from __future__ import annotations

from tests.bench.words import rows


def test_decision_and_reason_come_first_everywhere() -> None:
    read = rows()
    assert len(read) == 9
    late = {name for name, words in read.items() if words.decision > 3}
    assert late == {"slack, first message", "discord, first message"}, "they have the title first"
    assert max(words.decision for words in read.values()) <= 12
    assert {name for name, words in read.items() if words.reason > 45} == set()
    assert max(w.reason for name, w in read.items() if "verdict" in name) <= 30
