"""Wordings of the same thing are grouped, each compared with those near it alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.finding import Finding, Severity
from core.debate.verdict.findings import merging
from core.debate.verdict.findings.merging import components, same

WORDS = st.sampled_from(
    ("missing check", "check of a missing total", "loop", "loop over totals", "index is wrong")
)
WORDINGS = st.builds(
    Finding,
    id=st.just("f"),
    severity=st.just(Severity.HIGH),
    confidence=st.just(0.5),
    title=WORDS,
    path=st.sampled_from(("", "a.py", "b.py")),
    line=st.one_of(st.none(), st.integers(1, 12)),
    side=st.sampled_from(("RIGHT", "LEFT")),
    quote=st.sampled_from(("", "x")),
    trigger=WORDS,
)


@given(st.lists(WORDINGS, max_size=14))
def test_a_finding_is_what_a_chain_of_like_wordings_joins(wordings: list[Finding]) -> None:
    groups = components(wordings)
    joined = {n: group for group in groups for n in group}
    assert sorted(joined) == list(range(len(wordings)))
    assert groups == sorted(sorted(group) for group in groups)
    for n, one in enumerate(wordings):
        reached, new = {n}, {n}
        while new:
            new = {
                i
                for i, other in enumerate(wordings)
                if i not in reached and any(same(wordings[m], other) for m in new)
            }
            reached |= new
        assert sorted(reached) == joined[n], one


def test_thousands_of_wordings_are_not_compared_each_with_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = 0

    def count(one: Finding, other: Finding) -> bool:
        nonlocal compared
        compared += 1
        return same(one, other)

    monkeypatch.setattr(merging, "same", count)
    wordings = [
        Finding("f", Severity.HIGH, 0.5, f"value {n} is wrong in {n * 7}", "a.py", n)
        for n in range(10_000, 13_000)
    ]
    assert len(components(wordings)) == 3_000
    assert 0 < compared < 5 * len(wordings)
