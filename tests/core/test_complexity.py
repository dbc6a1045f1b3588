"""The complexity of a question follows the record's weights and thresholds, counted from the text,
and the panel is chosen within a budget.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.errors import BadInput
from core.debate.formats import PanelSize
from core.debate.formats.complexity import Complexity, assess, choose
from core.languages import speaking
from core.languages.stored import say_stored

PLAIN = {"stakeholders": "0", "domains": "0", "horizon": "short_term", "impact": "low"}
HARD = {"stakeholders": "4", "domains": "3", "horizon": "long_term", "impact": "high"}


@pytest.mark.parametrize(
    ("topic", "facts", "estimate", "score", "rounds"),
    [
        ("short", PLAIN, None, 0.3, 2),
        ("x" * 200, PLAIN, None, 0.3, 2),
        ("x" * 201, PLAIN, None, 0.4, 2),
        ("short", PLAIN | {"stakeholders": "3"}, None, 0.3, 2),
        ("short", PLAIN | {"stakeholders": "4"}, None, 0.45, 2),
        ("short", PLAIN | {"domains": "2"}, None, 0.3, 2),
        ("short", PLAIN | {"domains": "3"}, None, 0.45, 2),
        ("short", PLAIN | {"horizon": "long_term"}, None, 0.4, 2),
        ("short", PLAIN | {"impact": "high"}, None, 0.4, 2),
        ("x" * 201, PLAIN | {"stakeholders": "4", "domains": "3"}, None, 0.7, 2),
        ("short", HARD, None, 0.8, 3),
        ("x" * 201, HARD, None, 0.9, 3),
        ("x" * 201, HARD, 1.0, 1.0, 3),
        ("short", PLAIN, 0.5, 0.4, 2),
    ],
)
def test_the_score_is_the_sum_of_the_records_weights(
    topic: str,
    facts: dict[str, str],
    estimate: float | None,
    score: float,
    rounds: int,
) -> None:
    made = assess(topic, facts, estimate)
    assert (round(made.score, 9), made.rounds) == (score, rounds)


def test_what_nobody_stated_is_counted_from_the_question() -> None:
    topic = (
        "Should we migrate the orders database to a managed cloud service over the next three "
        "years? Customers, support, finance, our "
        "developers and the regulators would all notice; latency and privacy are at stake, and "
        "an outage would cost millions."
    )
    assert assess(topic) == Complexity(
        score=0.9,
        factors=(
            "detailed topic",
            "5 groups of stakeholders",
            "5 domains",
            "long-term implications",
            "high impact",
        ),
        reasoning="complexity 0.90: detailed topic, 5 groups of stakeholders, 5 domains, long-term "
        "implications, high impact",
        rounds=3,
    )


def test_an_ordinary_question_says_so() -> None:
    assert (
        assess("Tabs or spaces?").reasoning
        == "complexity 0.30: nothing beyond an ordinary question"
    )


def test_words_count_only_as_words() -> None:
    assert assess("The mlocate cabinet is a trail of said rain").factors == ()


def test_a_high_estimate_is_a_factor_of_its_own() -> None:
    assert assess("?", PLAIN, 0.71).factors == ("estimated as highly complex",)
    assert assess("?", PLAIN, 0.7).factors == ()


@pytest.mark.parametrize("estimate", [-0.1, 1.1, float("nan")])
def test_an_estimate_outside_its_range_is_refused(estimate: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 1"):
        assess("?", None, estimate)


def test_a_stated_number_must_be_one() -> None:
    with pytest.raises(BadInput, match="stakeholders is a number, not 'many'"):
        assess("?", {"stakeholders": "many"})


def complexity(score: float) -> Complexity:
    return Complexity(score, (), f"complexity {score:.2f}", 3 if score >= 0.8 else 2)


@pytest.mark.parametrize(
    ("score", "importance", "left", "large", "form", "rounds"),
    [
        (0.3, "", None, 1.25, PanelSize.STANDARD, 2),
        (0.3, "critical", None, 1.25, PanelSize.EXTENDED, 3),
        (0.8, "", None, 1.25, PanelSize.STANDARD, 2),
        (0.81, "normal", None, 1.25, PanelSize.EXTENDED, 3),
        (0.75, "normal", None, 1.25, PanelSize.STANDARD, 2),
        (0.75, "high", None, 1.25, PanelSize.EXTENDED, 2),
        (0.7, "high", None, 1.25, PanelSize.STANDARD, 2),
        (1.0, "critical", 1.24, 1.25, PanelSize.STANDARD, 2),
        (1.0, "critical", 1.25, 1.25, PanelSize.EXTENDED, 3),
        (1.0, "critical", 9.0, None, PanelSize.STANDARD, 2),
        (1.0, "critical", None, None, PanelSize.EXTENDED, 3),
    ],
)
def test_the_choice_of_a_panel(
    score: float,
    importance: str,
    left: float | None,
    large: float | None,
    form: PanelSize,
    rounds: int,
) -> None:
    assert choose(complexity(score), importance, left, large)[:2] == (form, rounds)


def test_a_question_that_is_estimated_as_hard_and_gets_a_standard_panel_says_why() -> None:
    why = choose(assess("Which name is best?", {}, 0.9), "", None, 1.0)[2]
    assert why == (
        "complexity 0.48: estimated as highly complex; the standard panel is enough up to 0.8 "
        "(0.7 if important), and an estimate adds 0.2 at most"
    )


@pytest.mark.parametrize(
    ("left", "large", "why"),
    [
        (1.0, 1.25, "the extended panel costs $1.25, $1.00 are left today"),
        (1.0, None, "the price of the extended panel is unknown and the day has a budget"),
        (0.004, 1234.5, "the extended panel costs $1,234.50, $0.0040 are left today"),
    ],
)
def test_the_choice_says_why_and_stores_it_in_english(
    left: float, large: float | None, why: str
) -> None:
    with speaking("de"):
        _, _, made = choose(complexity(0.9), "", left, large)
    assert made == f"complexity 0.90; {why}"


def test_an_unknown_importance_is_refused() -> None:
    with pytest.raises(
        BadInput, match="importance is one of low, medium, normal, high, critical, not 'urgent'"
    ):
        choose(complexity(0.5), "urgent", None, None)


@given(st.text(max_size=400), st.none() | st.floats(0, 1))
def test_any_text_has_a_score_in_range(topic: str, estimate: float | None) -> None:
    assert 0.3 <= assess(topic, None, estimate).score <= 1.0


def test_why_a_panel_has_its_size_is_said_in_the_readers_language() -> None:
    _, _, easy = choose(assess("Which name is best?", {}, 0.9), "", None, None)
    _, _, hard = choose(assess("x", HARD, None), "", 1.0, 1.25)
    with speaking("cs"):
        assert say_stored(easy) == (
            "složitost 0.48: odhadem velmi složité; standardní panel stačí do 0.8 (0.7, je-li to "
            "důležité), a odhad přidá nejvýše 0.2"
        )
        assert (
            say_stored(hard)
            .replace("\xa0", " ")
            .endswith(
                ": skupin zúčastněných: 4, oblastí: 3, dlouhodobé důsledky, velký dopad; rozšířený "
                "panel stojí 1,25 US$, na dnešek zbývá 1,00 US$"
            )
        )
