"""Casting gives seats mixed families at the table, a neutral model at the close, and never P1's own
model over a blind debate.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import builtin, find
from core.debate.casting import ModelCandidate, cast
from core.debate.earned import TrackRecord
from core.debate.formats import FORMATS, Plan
from core.debate.script import Duty, Script, SeatId
from tests.drawn import drawn

FAMILIES = ("openai", "anthropic", "google", "mistral", "qwen")


def candidates(*families: str) -> list[ModelCandidate]:
    return [ModelCandidate(f"{family}/{n}", family) for n, family in enumerate(families)]


def script(name: str, seed: int = 0) -> Script:
    template = find(name)
    return FORMATS[template.format].compile(template, Plan(), Random(seed))


def closers(played: Script) -> list[SeatId]:
    return [s.id for s in played.seats if s.duty in (Duty.CHAIR, Duty.JUDGE)]


@given(st.integers(0, 500))
def test_three_models_of_a_triad_all_sit_at_the_table(seed: int) -> None:
    played = script("triad", seed)
    out = cast(played, candidates("openai", "anthropic", "google"), Random(seed))
    assert sorted(out[s][0] for s in played.voters) == ["anthropic/1", "google/2", "openai/0"]


@given(st.integers(0, 500), st.lists(st.sampled_from(FAMILIES), min_size=2, max_size=5))
def test_defect_48_the_synthesis_is_never_written_by_the_model_of_p1(
    seed: int, families: list[str]
) -> None:
    played = script("triad", seed)
    out = cast(played, candidates(*families), Random(seed))
    first = next(seat for seat, label in played.aliases if label == "P1")
    for seat in closers(played):
        assert out[first][0] not in out[seat], "not even as a fallback"


@given(st.integers(0, 500))
def test_a_fourth_model_closes_a_triad_and_does_not_argue(seed: int) -> None:
    played = script("triad", seed)
    out = cast(played, candidates("openai", "anthropic", "google", "qwen"), Random(seed))
    assert out[SeatId("chair")][0] not in {out[s][0] for s in played.voters}


def test_the_closing_family_does_not_argue_even_if_other_models_have_no_seat() -> None:
    models = candidates("openai", "openai", "anthropic", "anthropic", "google")
    for seed in range(20):
        played = script("triad", seed)
        out = cast(played, models, Random(seed))
        table = {out[s][0].partition("/")[0] for s in played.voters}
        assert out[SeatId("chair")][0].partition("/")[0] not in table


@pytest.mark.parametrize("name", sorted(n for n in builtin() if n != "triad"))
@drawn(12)
@given(seed=st.integers(0, 200))
def test_a_judges_family_has_no_seat_where_three_are_there(name: str, seed: int) -> None:
    played = script(name, seed)
    out = cast(played, candidates("openai", "anthropic", "google"), Random(seed))
    table = {out[s][0].partition("/")[0] for s in played.voters}
    assert all(out[s][0].partition("/")[0] not in table for s in closers(played))
    assert len(table) == min(2, len(played.voters))


@given(st.integers(0, 200), st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=5))
def test_every_seat_has_every_model_once_with_other_families_first(
    seed: int, families: list[str]
) -> None:
    played, named = script("code_review", seed), candidates(*families)
    out = cast(played, named, Random(seed))
    family = {c.name: c.family for c in named}
    for models in out.values():
        assert sorted(models) == sorted(c.name for c in named)
        own = [family[m] == family[models[0]] for m in models[1:]]
        assert own == sorted(own)


def first_seats(known: dict[str, TrackRecord], draws: int = 400) -> list[str]:
    """Counts the models of the first debater of a review, over many draws."""
    played = script("code_review")
    models = candidates("openai", "anthropic")
    first = next(s.id for s in played.seats if s.argues)
    return [cast(played, models, Random(seed), known)[first][0] for seed in range(draws)]


def test_a_good_record_is_seated_first_and_a_poor_one_still_tried() -> None:
    chosen = first_seats({"openai/0": TrackRecord(18, 20), "anthropic/1": TrackRecord(11, 20)})
    share = chosen.count("openai/0") / len(chosen)
    assert 0.9 < share < 1.0


def test_a_newcomer_is_tried_about_as_often_as_one_that_is_right_in_half() -> None:
    chosen = first_seats({"openai/0": TrackRecord(50, 100)})
    assert 0.4 < chosen.count("anthropic/1") / len(chosen) < 0.6


@given(st.integers(0, 300))
def test_families_take_turns_however_good_one_of_them_is(seed: int) -> None:
    played = script("code_review")
    models = candidates("openai", "openai", "anthropic")
    out = cast(
        played,
        models,
        Random(seed),
        {"openai/0": TrackRecord(40, 40), "openai/1": TrackRecord(40, 40)},
    )
    arguing = [s.id for s in played.seats if s.argues]
    assert {out[s][0].partition("/")[0] for s in arguing[:2]} == {"openai", "anthropic"}


@given(st.integers(0, 300))
def test_who_judges_is_drawn_by_its_own_rulings(seed: int) -> None:
    played = script("triad", seed)
    models = candidates("openai", "anthropic", "google", "qwen")
    ruled = {"qwen/3": TrackRecord(400, 400), **{m.name: TrackRecord(0, 400) for m in models[:3]}}
    out = cast(played, models, Random(seed), {}, ruled)
    assert {out[seat][0] for seat in closers(played)} == {"qwen/3"}
    assert "qwen/3" not in {out[s][0] for s in played.voters}, "it never sits at the table as well"
    argued = {m.name: TrackRecord(0, 400) for m in models} | {"qwen/3": TrackRecord(400, 400)}
    apart = cast(played, models, Random(seed), argued, {})
    assert "qwen/3" in {apart[s][0] for s in played.voters}, "arguing well is another thing"


def test_without_rulings_the_draw_is_what_it_was() -> None:
    played, models = script("panel"), candidates(*FAMILIES)
    for seed in range(20):
        assert cast(played, models, Random(seed), {}) == cast(played, models, Random(seed), {}, {})
