"""Three tiers that tell what a text is about, and never whether two texts agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.similarity import SPLIT, Vector, compare, jaccard, tf_idf

CLAIMS = [
    "the retry loop can charge a card twice",
    "a card can be charged twice by the retry loop",
    "the logo is drawn in the wrong colour",
    "the timeout is longer than the lease",
]
TEXTS = st.lists(st.text(), min_size=1, max_size=6)


@given(TEXTS)
@pytest.mark.parametrize(
    "measured",
    [tf_idf, lambda texts: [[jaccard(a, b) for b in texts] for a in texts]],
    ids=["tf-idf", "jaccard"],
)
def test_scores_are_shares_symmetric_and_full_for_the_same_words(
    measured: object, texts: list[str]
) -> None:
    assert callable(measured)
    matrix = measured(texts)
    for i, row in enumerate(matrix):
        assert all(0.0 <= x <= 1.0 for x in row)
        assert row == pytest.approx([other[i] for other in matrix])
        assert row[i] == pytest.approx(1.0) or row[i] == 0.0


def test_the_tier_follows_from_what_is_at_hand() -> None:
    for texts, named in ((CLAIMS[:3], "jaccard"), (CLAIMS, "tf-idf")):
        tier, (row, *_) = compare(texts, None)
        assert tier == named
        assert row[1] == max(row[1:]) > 2 * row[2]


def test_an_embedding_reads_long_texts_in_pieces() -> None:
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Sequence[Vector]:
        read.extend(texts)
        return [(1.0, float("b" in t)) for t in texts]

    tier, matrix = compare(["a" * SPLIT + "b" * SPLIT, "a"], embed)
    assert tier == "embedding"
    assert [len(t) for t in read] == [SPLIT, SPLIT, 1]
    assert matrix[0] == pytest.approx([1.0, 0.894], abs=0.001)
    del read[:]
    compare(["x" * (SPLIT + 1), ""], embed)
    assert [len(t) for t in read] == [SPLIT, 1, 0]


def test_rare_words_weigh_more() -> None:
    matrix = tf_idf(["card charged twice", "card charged", "card lost", "card card"])
    assert matrix == [
        pytest.approx([1.0, 0.6566, 0.0963, 0.1843], abs=1e-4),
        pytest.approx([0.6566, 1.0, 0.1467, 0.2807], abs=1e-4),
        pytest.approx([0.0963, 0.1467, 1.0, 0.2292], abs=1e-4),
        pytest.approx([0.1843, 0.2807, 0.2292, 1.0], abs=1e-4),
    ]


def test_shared_words_are_counted_once() -> None:
    for one, other, share in (
        ("red fish", "blue fish", 1 / 3), ("Red fish", "red FISH fish", 1.0), ("red", "blue", 0.0),
        ("", "blue", 0.0), ("", "", 0.0),
    ):  # fmt: skip
        assert jaccard(one, other) == pytest.approx(share)


def test_vectors_against_one_another_are_shares() -> None:
    vectors = {"a": (3.0, 4.0), "b": (4.0, 3.0), "c": (-3.0, -4.0), "d": (0.0, 0.0)}
    _, matrix = compare(list("abcd"), lambda texts: [vectors[text] for text in texts])
    assert matrix == [
        pytest.approx([1.0, 0.96, 0.0, 0.0]),
        pytest.approx([0.96, 1.0, 0.0, 0.0]),
        pytest.approx([0.0, 0.0, 1.0, 0.0]),
        pytest.approx([0.0, 0.0, 0.0, 0.0]),
    ]
