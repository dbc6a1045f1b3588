"""Precedents as seats read them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.material import Precedent
from core.material.precedents import LONGEST, render_precedents

WORDS = st.text(max_size=120)
ANY = st.builds(
    Precedent,
    st.just("d1"),
    st.just("2026-11-02"),
    WORDS,
    st.sampled_from(["approve", "request_changes"]),
    st.sampled_from([None, True, False]),
    st.lists(st.text(max_size=160), max_size=3).map(tuple),
)


def test_one_line_each_with_what_became_of_it() -> None:
    found = (
        Precedent("d1", "2026-11-02", "o/r#1 Cache", "request_changes", True, ("a.py:3 leak",)),
        Precedent("d2", "2026-10-01", "o/r#2 Store", "approve", False),
        Precedent("d3", "2026-09-01", "o/r#3 Page", "comment"),
    )
    assert render_precedents(found).splitlines() == [
        "2026-11-02 “o/r#1 Cache”: request changes (it held): a.py:3 leak",
        "2026-10-01 “o/r#2 Store”: approve (it did not hold)",
        "2026-09-01 “o/r#3 Page”: comment (nobody said whether it held)",
    ]


@given(st.lists(ANY, max_size=5))
def test_they_are_never_longer_than_promised(found: list[Precedent]) -> None:
    shown = render_precedents(found)
    assert len(shown) <= LONGEST
    assert bool(shown) is bool(found)
