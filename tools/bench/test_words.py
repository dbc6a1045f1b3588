"""A reader soon reaches the decision and its reason, on every surface."""

from __future__ import annotations

from tools.bench.words import rows, rows_before


def test_decision_and_reason_come_first_everywhere() -> None:
    read = rows()
    assert len(read) == 9
    late = {name for name, words in read.items() if words.decision > 3}
    assert late == {"slack, first message", "discord, first message"}, "they have the title first"
    assert max(words.decision for words in read.values()) <= 12
    reasons = {name: words.reason or 1_000 for name, words in read.items()}
    late = {name for name, words in reasons.items() if words > 22}
    assert late == {"slack, first message", "discord, first message"}
    assert max(reasons.values()) <= 26


def test_no_surface_tells_it_later_than_before() -> None:
    was, read = rows_before(), rows()
    assert was.keys() == read.keys()
    late = [n for n, w in read.items() if w.decision > was[n].decision + 1]
    assert late == []
    assert was["page"].decision > 10 * read["page"].decision
