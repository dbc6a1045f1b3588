"""The order of seats plays no part in a review that is cross-examined, played from its openings to
its verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.verdict import verdict
from core.verdict.findings import merge_findings
from tests.core.examined import (
    CODE,
    GUARD,
    SEATS,
    Seats,
    a_finding,
    answering,
    opens,
    review,
    reviewed,
)
from tests.core.table import REVIEW

TITLES = (
    "alpha breaks", "beta leaks", "gamma waits", "delta forgets", "epsilon lies", "zeta ends",
    "eta stalls", "theta burns", "iota repeats", "kappa hides", "lambda drops", "mu overflows",
)  # fmt: skip
"""Things that nobody would take for each other, each at a line of its own or of its neighbour's."""
OPTIONS = [o.option for o in REVIEW]

refuting = st.sampled_from(
    (
        answering("agree", input="name='x'"),
        answering("dispute", **GUARD),
        answering("dispute", path="app/db.py", line=1, quote="if safe():"),
    )
)
upholding = st.sampled_from(
    (
        answering("keep", input="name='x'"),
        answering("keep", input=""),
        answering("withdraw", input=""),
    )
)
findings = st.lists(
    st.tuples(
        st.sampled_from(TITLES),
        st.sampled_from(("high", "critical", "medium")),
        st.sampled_from((0.7, 0.8, 0.9, 0.5)),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda one: one[0],
)
openings = st.tuples(st.sampled_from(OPTIONS), findings)


def opening(option: str, raised: Sequence[tuple[str, str, float]]) -> dict[str, Any]:
    reports = []
    for title, severity, confidence in raised:
        at = TITLES.index(title) % 2 + 3
        place = {"line": 10 + at, "quote": CODE[at].strip(), "trigger": title}
        reports.append(a_finding(title, severity=severity, confidence=confidence, **place))
    return opens(option, *reports)


def outcome_of(
    sitting: Sequence[Any], refute: Mapping[str, Any], uphold: Mapping[str, Any]
) -> tuple[object, ...]:
    """Returns the outcome of a debate whose seats raise these findings in this order; each answer
    depends on its finding alone.
    """

    def title(id: str) -> str:
        turn, _, number = id.partition(".f")
        raised: str = sitting[int(turn.removeprefix("t")) - 1][1][int(number) - 1][0]
        return raised

    def answer(by: Mapping[str, Any]) -> Any:
        return lambda role, ids: {
            "answers": [a for id in ids for a in by[title(id)](role, [id])["answers"]]
        }

    reports = {role: opening(*one) for role, one in zip(SEATS, sitting, strict=True)}
    seats = Seats(reports, refute=answer(refute), uphold=answer(uphold))
    debate, _ = asyncio.run(reviewed(seats, review()))
    made = verdict(debate)
    found_ones = sorted(
        (m.wording.title, m.state, m.blocking, m.contested, m.wording.severity, len(m.by))
        for m in merge_findings(debate)
    )
    calls = sorted(task for task in seats.tasks() if task != "uphold")
    return made.decision, made.reached, found_ones, calls


@given(
    st.tuples(openings, openings, openings),
    st.permutations(range(3)),
    st.fixed_dictionaries(dict.fromkeys(TITLES, refuting)),
    st.fixed_dictionaries(dict.fromkeys(TITLES, upholding)),
)
def test_the_order_of_seats_changes_nothing(
    sitting: tuple[Any, ...], order: list[int], refute: Any, uphold: Any
) -> None:
    again = [sitting[n] for n in order]
    assert outcome_of(sitting, refute, uphold) == outcome_of(again, refute, uphold)
