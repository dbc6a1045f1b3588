"""Measures the second signal of convergence: the claims of a round that repeat, in other words, a
claim of another seat.

It is computed only if the first signal leaves the question open (no stance changed in the whole
round, yet there were claims that share few words with earlier ones), between different seats, and
off the event loop. Similarity is never agreement: it can only show that nothing new was claimed,
and it never decides by itself (``core.debate.verdict.convergence``).
"""

from __future__ import annotations

import asyncio

from adapters.models.similarity import Embed, compare
from core.debate.events import RoundMeasured
from core.debate.state import Debate
from core.debate.verdict.convergence import round_news, stances_stable

_ALIKE = {"embedding": 0.92, "tf-idf": 0.85, "jaccard": 0.8}
"""The similarity from which two claims count as one, for each tier of measure; embeddings rate any
two sentences on one topic high.
"""
_MOST = 160
"""The most claims that are compared, the latest first: every pair is compared, so twice as many
cost four times as much.
"""


async def measure_round(embed: Embed | None, debate: Debate, round: int) -> RoundMeasured | None:
    """Compares the round's claims with the earlier ones of other seats
    (``core.debate.engine.Measure``). Returns None unless no stance changed and something new was
    claimed. ``embed`` is the embedding model, None if none is installed.
    """
    if not stances_stable(debate, round) or not round_news(debate, round).new:
        return None
    claims = [
        (turn, claim)
        for turn, statement in debate.statements(debate.voters)
        if turn.round <= round
        for claim in statement.claims
    ][-_MOST:]
    fresh = [i for i, (turn, _) in enumerate(claims) if turn.round == round]
    if not fresh:
        return None
    texts = [claim.text for _, claim in claims]
    tier, matrix = await asyncio.to_thread(compare, texts, embed)

    def others(i: int) -> list[int]:
        return [j for j in range(i) if claims[j][0].seat != claims[i][0].seat]

    repeats = [
        claims[i][1].id for i in fresh if any(matrix[i][j] >= _ALIKE[tier] for j in others(i))
    ]
    pairs = [matrix[i][j] for i in fresh for j in others(i) if j in fresh]
    mean = sum(pairs) / (len(pairs) or 1)
    return RoundMeasured(round, tier, float(f"{min(1.0, max(0.0, mean)):.4f}"), tuple(repeats))
