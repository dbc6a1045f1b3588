"""Three tiers that tell what a text is about, and never whether two texts agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.similarity import SPLIT, Similarity, Vector, jaccard, tf_idf

CLAIMS = [
    "the retry loop can charge a card twice",
    "a card can be charged twice by the retry loop",
    "the logo is drawn in the wrong colour",
    "the timeout is longer than the lease",
]
TEXTS = st.lists(st.text(), min_size=1, max_size=6)


@given(TEXTS)
@pytest.mark.parametrize(
    "compare",
    [tf_idf, lambda texts: [[jaccard(a, b) for b in texts] for a in texts]],
    ids=["tf-idf", "jaccard"],
)
def test_scores_are_shares_symmetric_and_full_for_the_same_words(
    compare: object, texts: list[str]
) -> None:
    assert callable(compare)
    matrix = compare(texts)
    for i, row in enumerate(matrix):
        assert all(0.0 <= x <= 1.0 for x in row)
        assert row == pytest.approx([other[i] for other in matrix])
        assert row[i] == pytest.approx(1.0) or row[i] == 0.0


async def test_the_tier_follows_from_what_is_at_hand() -> None:
    plain = Similarity()
    assert [plain.tier(n) for n in (2, 4)] == ["jaccard", "tf-idf"]
    for texts in (CLAIMS[:3], CLAIMS):
        row = (await plain.matrix(texts))[0]
        assert row[1] == max(row[1:]) > 2 * row[2]


async def test_an_embedding_reads_long_texts_in_pieces() -> None:
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Sequence[Vector]:
        read.extend(texts)
        return [(1.0, float("b" in t)) for t in texts]

    model = Similarity(embed)
    matrix = await model.matrix(["a" * SPLIT + "b" * SPLIT, "a"])
    assert model.tier(2) == "embedding"
    assert [len(t) for t in read] == [SPLIT, SPLIT, 1]
    assert matrix[0] == pytest.approx([1.0, 0.894], abs=0.001)
