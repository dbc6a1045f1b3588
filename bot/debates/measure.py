"""Measures the second signal of convergence: the claims of a round that repeat, in other words, a
claim of another seat.

It is computed only if the first signal leaves the question open (no stance changed in the whole
round, yet there were claims that share few words with earlier ones), between different seats, and
off the event loop. Similarity is never agreement: it can only show that nothing new was claimed,
and it never decides by itself (``core.debate.verdict.convergence``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from adapters.models.similarity import Similarity
from core.debate.engine import Measure
from core.debate.events import RoundMeasured
from core.debate.replies import Claim
from core.debate.script import SeatId
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


@dataclass(frozen=True, slots=True)
class _SeatClaim:
    seat: SeatId
    round: int
    claim: Claim


def measure_with(similarity: Similarity) -> Measure:
    """Returns the function that the engine calls after each round; its result is None if there is
    nothing to measure.
    """

    def measure(debate: Debate, round: int) -> asyncio.Future[RoundMeasured | None]:
        return asyncio.ensure_future(measure_round(debate, round, similarity))

    return measure


async def measure_round(debate: Debate, round: int, similarity: Similarity) -> RoundMeasured | None:
    """Compares the round's claims with the earlier ones of other seats. Returns None unless no
    stance changed and something new was claimed.
    """
    if not stances_stable(debate, round) or not round_news(debate, round).new:
        return None
    claims = _claims(debate, lambda n: n <= round)[-_MOST:]
    fresh = [i for i, s in enumerate(claims) if s.round == round]
    if not fresh:
        return None
    matrix = await similarity.matrix([s.claim.text for s in claims])
    tier = similarity.tier(len(claims))
    repeats = [
        claims[i].claim.id
        for i in fresh
        if any(matrix[i][j] >= _ALIKE[tier] for j in range(i) if claims[j].seat != claims[i].seat)
    ]
    pairs = [
        matrix[i][j] for i in fresh for j in fresh if j < i and claims[i].seat != claims[j].seat
    ]
    mean = sum(pairs) / len(pairs) if pairs else 0.0
    return RoundMeasured(round, tier, _round_off(mean), tuple(repeats))


def _round_off(share: float) -> float:
    return float(f"{min(1.0, max(0.0, share)):.4f}")


def _claims(debate: Debate, wanted: Callable[[int], bool]) -> list[_SeatClaim]:
    return [
        _SeatClaim(turn.seat, turn.round, claim)
        for turn, statement in debate.statements(debate.voters)
        if wanted(turn.round)
        for claim in statement.claims
    ]
