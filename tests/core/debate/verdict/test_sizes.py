"""Two sizes of a panel, judged by use, by what held and by tokens for each new point; and the
threshold between them.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.formats import PanelSize
from core.debate.formats.complexity import THIRD_ROUND_FROM, assess, choose
from core.debate.verdict.learned.ratings import ENOUGH
from core.debate.verdict.learned.usefulness import PastDebate, by_form, fit_size, past_debate

LARGE, SMALL = PanelSize.EXTENDED, PanelSize.STANDARD


def panel(
    form: PanelSize,
    score: float,
    useful: int = 0,
    useless: int = 0,
    held: bool | None = None,
    tokens: int = 0,
    points: int = 0,
) -> PastDebate:
    return PastDebate("", None, useful, useless, held, tokens, form, score, points)


RECORDS = st.lists(
    st.builds(
        panel,
        st.sampled_from(PanelSize),
        st.floats(0, 1),
        st.integers(0, 3),
        st.integers(0, 3),
        st.sampled_from((None, True, False)),
        st.integers(0, 9000),
        st.integers(0, 20),
    ),
    max_size=40,
)


@pytest.mark.parametrize(
    ("useful", "useless", "held", "good"),
    [
        (0, 0, None, None),
        (1, 1, None, None),
        (2, 1, None, True),
        (0, 1, None, False),
        (0, 0, True, True),
        (3, 0, False, False),
        (0, 3, True, False),
        (3, 0, True, True),
    ],
)
def test_a_panel_is_good_by_both_measures(
    useful: int, useless: int, held: bool | None, good: bool | None
) -> None:
    assert panel(LARGE, 0.9, useful, useless, held).good is good


def test_a_size_is_told_by_its_own_panels_alone() -> None:
    small, large = by_form(
        (
            panel(LARGE, 0.9, 2, 0, True, 9000, 10),
            panel(SMALL, 0.4, 0, 1, None, 1000, 4),
            panel(LARGE, 0.9, 0, 0, False, 3000, 2),
        )
    )
    assert (small.form, small.n, small.judged, small.useful, small.resolved) == (SMALL, 1, 1, 0, 0)
    assert small.tokens == 250
    assert (large.n, large.judged, large.useful, large.resolved, large.held) == (2, 1, 1, 2, 1)
    assert large.tokens == 1000
    assert not large.enough
    assert by_form([]) == ()


def test_a_threshold_is_named_where_it_does_better_than_chance_explains() -> None:
    """Standard panels on middling questions failed, extended ones there did well."""
    easy = [panel(SMALL, 0.4, 1, 0)] * 12
    failed = [panel(SMALL, 0.75, 0, 1)] * 20
    asked_for = [panel(LARGE, 0.75, 1, 0)] * 20
    fitted = fit_size([*easy, *failed, *asked_for], THIRD_ROUND_FROM)
    assert (fitted.judged, fitted.today.threshold, fitted.today.good, fitted.today.n) == (
        52, 0.8, 12, 32,
    )  # fmt: skip
    assert fitted.best is not None
    assert (fitted.best.threshold, fitted.best.good, fitted.best.n) == (0.7, 32, 32)
    assert (fitted.best.larger, fitted.best.smaller) == (20, 0)


@given(RECORDS, st.sampled_from((0.5, 0.7, 0.8)))
def test_nothing_is_named_on_too_few_and_every_judged_panel_is_counted(
    records: list[PastDebate], today: float
) -> None:
    fitted = fit_size(records, today)
    judged = [one for one in records if one.good is not None]
    assert fitted.judged == len(judged)
    for trial in (fitted.today, *fitted.trials):
        assert trial.n + trial.larger + trial.smaller == len(judged)
        assert 0 <= trial.good <= trial.n
    if len(judged) < ENOUGH:
        assert fitted.best is None
    if fitted.best is not None:
        assert fitted.best.within.low > fitted.today.good / fitted.today.n


def test_an_accepted_threshold_decides_the_next_panel() -> None:
    hard = assess("x", {"stakeholders": "4", "domains": "3", "horizon": "long_term"})
    assert hard.score == 0.7
    assert choose(hard, "", None, 1.0)[0] is SMALL
    form, _, why = choose(hard, "", None, 1.0, above=0.65)
    assert (form, why.endswith("; above 0.65")) == (LARGE, True)
    _, _, important = choose(hard, "high", None, 1.0, above=0.75)
    assert important.endswith("; above 0.65 and important")


def test_a_demonstration_and_a_panel_without_a_verdict_are_no_record() -> None:
    document = {
        "complexity": {"form": "extended", "score": 0.85},
        "metrics": {"rounds": [{"new": 3}, {"new": 1}]},
        "cost": {"prompt_tokens": 700, "completion_tokens": 100},
        "useful": {"yes": 2, "no": 1},
    }
    assert past_debate(document, True) == panel(LARGE, 0.85, 2, 1, True, 800, 4)
    assert past_debate(document | {"demo": True}, True) is None
    assert past_debate(document | {"status": "failed"}, None) is None
    other = past_debate({**document, "complexity": None}, None)
    assert other is not None
    assert other.form is None
