"""The decision and the findings that must be fixed do not depend on the order of seats, of lists or
of arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from core.debate.finding import Finding
from core.debate.replies import Answer, Position
from core.debate.state import Debate
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.words.views.verdict.findings import counts_words
from tests.core.table import CRITICS, finding, table
from tests.drawn import drawn

T = TypeVar("T")
TITLES = (
    "Token compared with a plain equals sign",
    "Token compared by plain equals, timing leaks the secret",
    "Timing leaks the secret",
    "Query built from user input",
    "User input builds the query",
)
SEATS = (*CRITICS, "author")
ROUNDS = ("t", "u", "v")
ANSWERS = (Position.AGREE, Position.DISPUTE, Position.KEEP, Position.WITHDRAW, Position.CONCEDE)


@dataclass(frozen=True)
class Said:
    """The statement of one seat in one round; answers name wordings by (seat, its own number)."""

    findings: tuple[Finding, ...]
    answers: tuple[tuple[str, int, Position], ...]


wordings = st.builds(
    finding,
    st.sampled_from(TITLES),
    line=st.integers(10, 16),
    severity=st.sampled_from(("low", "medium", "high", "critical")),
    confidence=st.sampled_from((0.5, 0.6, 0.9)),
    anchored=st.sampled_from((True, True, False)),
)
replies = st.builds(
    Said,
    st.lists(wordings, max_size=2).map(tuple),
    st.lists(
        st.tuples(st.sampled_from(SEATS), st.integers(0, 3), st.sampled_from(ANSWERS)), max_size=4
    ).map(tuple),
)
debates = st.lists(st.fixed_dictionaries(dict.fromkeys(SEATS, replies)), min_size=2, max_size=3)
Rounds = Sequence[dict[str, Said]]


def played(rounds: Rounds, rng: Random | None = None) -> Debate:
    """Plays the debate with these statements; ``rng`` draws the order of seats, of findings and
    answers in a reply, and of arrival within a round.
    """

    def shuffled(items: Sequence[T]) -> list[T]:
        return rng.sample(items, len(items)) if rng is not None else list(items)

    seats = shuffled(SEATS)
    turns = [
        f"{ROUNDS[n]}{i} {seat} round={n}"
        for n in range(len(rounds))
        for i, seat in enumerate(seats, 1)
    ]
    t = table(seats, [*turns, f"end {seats[0]} round={len(rounds)} task=close closing"])
    known: dict[str, list[str]] = {seat: [] for seat in SEATS}
    for n, statements in enumerate(rounds):
        named = dict(known.items())  # a round reads what was said before it
        fresh: dict[str, list[str]] = {}
        for seat in shuffled(SEATS):
            turn = f"{ROUNDS[n]}{seats.index(seat) + 1}"
            order = shuffled(range(len(statements[seat].findings)))
            t.says(
                turn,
                "approve",
                findings=[statements[seat].findings[i] for i in order],
                answers=[
                    Answer(named[whose][i], position)
                    for whose, i, position in shuffled(statements[seat].answers)
                    if i < len(named[whose])
                ],
            )
            fresh[seat] = [f"{turn}.f{order.index(i) + 1}" for i in range(len(order))]
        known = {seat: [*known[seat], *fresh[seat]] for seat in SEATS}
    return t.debate


def decided(debate: Debate) -> object:
    """Returns the decision with the findings that must be fixed and those that are contested, each
    in every seat's own words.
    """
    findings = merge_findings(debate)

    def wordings(of: str) -> list[list[str]]:
        return sorted(
            sorted(repr((r.seat, r.finding.title, r.finding.line)) for r in m.raised)
            for m in findings
            if getattr(m, of)
        )

    return (
        verdict(debate).decision,
        wordings("blocking"),
        wordings("contested"),
        sorted((sorted(m.by), sorted(m.disputed_by), counts_words(m), m.state) for m in findings),
        sorted(m.wording.severity.rank for m in findings),
    )


@drawn(20)
@given(debates, st.integers(0, 2**32))
def test_no_order_changes_the_decision_or_what_must_be_fixed(rounds: Rounds, seed: int) -> None:
    assert decided(played(rounds)) == decided(played(rounds, Random(seed)))
