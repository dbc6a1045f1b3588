"""Precedents as seats read them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.material import Precedent
from core.debate.material.rendering import LONGEST, render_precedents

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
    precedents = (
        Precedent("d1", "2026-11-02", "o/r#1 Cache", "request_changes", True, ("a.py:3 leak",)),
        Precedent("d2", "2026-10-01", "o/r#2 Store", "approve", False),
        Precedent("d3", "2026-09-01", "o/r#3 Page", "comment"),
    )
    assert render_precedents(precedents).splitlines() == [
        "request changes (2 Nov 2026, “o/r#1 Cache”), and it held: a.py:3 leak",
        "approve (1 Oct 2026, “o/r#2 Store”), and it did not hold",
        "comment (1 Sep 2026, “o/r#3 Page”)",
    ]


@pytest.mark.parametrize(("spare", "lines"), [(-1, 1), (0, 2)])
def test_another_stands_where_its_decision_has_room(spare: int, lines: int) -> None:
    one = Precedent("d1", "2026-11-02", "Cache", "approve")
    decision = render_precedents([one])
    long = replace(one, points=("x" * (LONGEST - 2 * len(decision) - len(": \n") - spare),))
    rows = render_precedents([long, one, one]).split("\n")
    assert len(rows) == lines
    assert rows[1:] == [decision] * (lines - 1)


@given(st.lists(ANY, max_size=5))
def test_they_are_never_longer_than_promised(precedents: list[Precedent]) -> None:
    text = render_precedents(precedents)
    assert len(text) <= LONGEST
    assert bool(text) is bool(precedents)
