"""What debates of one kind cost and what they were good for: dollars beside what people said of
their use and what became of their verdicts.

The decision record on extended debates asks for a cost-benefit analysis for each type of decision.
A kind of decision is a template here. What a good verdict is worth nobody can see, so the two stand
side by side and no number is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.verdict.learned.ratings import ENOUGH
from core.verdict.votes import Interval, wilson


@dataclass(frozen=True, slots=True)
class KindRecord:
    """One debate that is over. ``usd`` is None where a call's price is unknown; ``useful`` and
    ``useless`` count the people who said so; ``held`` is what became of it, None: nobody has said.
    """

    template: str
    usd: float | None = None
    useful: int = 0
    useless: int = 0
    held: bool | None = None

    @property
    def liked(self) -> bool | None:
        """Whether more people found it useful than not; None where as many did, or nobody spoke."""
        if self.useful == self.useless:
            return None
        return self.useful > self.useless


def kind_record(template: str, document: Mapping[str, Any], held: bool | None) -> KindRecord | None:
    """What an outcome document says; None for a demonstration and a debate without a verdict."""
    if document.get("demo") or document.get("status") == "failed":
        return None
    said, cost = document.get("useful") or {}, document.get("cost") or {}
    return KindRecord(template, cost.get("usd"), said.get("yes", 0), said.get("no", 0), held)


@dataclass(frozen=True, slots=True)
class KindStanding:
    """How debates of one template did: of ``n`` of them ``priced`` had a known price, ``usd`` each
    on average (None without any); how many were found ``useful``, of how many ``judged``, and how
    many ``held``, of how many ``resolved``, each with a 95 % interval.
    """

    template: str
    n: int
    priced: int
    usd: float | None
    judged: int
    useful: int
    useful_within: Interval
    resolved: int
    held: int
    held_within: Interval

    @property
    def enough(self) -> bool:
        """Whether both measures stand on enough debates to say anything."""
        return min(self.judged, self.resolved) >= ENOUGH


def by_kind(records: Iterable[KindRecord]) -> tuple[KindStanding, ...]:
    """The kinds of which somebody judged a debate, the one that was held most first."""
    kinds: dict[str, list[KindRecord]] = {}
    for one in records:
        kinds.setdefault(one.template, []).append(one)
    made = (_standing(name, mine) for name, mine in kinds.items())
    judged = (one for one in made if one.judged or one.resolved)
    return tuple(sorted(judged, key=lambda one: (-one.n, one.template)))


def _standing(template: str, mine: Sequence[KindRecord]) -> KindStanding:
    liked = [one.liked for one in mine if one.liked is not None]
    held = [one.held for one in mine if one.held is not None]
    prices = [one.usd for one in mine if one.usd is not None]
    return KindStanding(
        template,
        len(mine),
        len(prices),
        sum(prices) / len(prices) if prices else None,
        len(liked),
        sum(liked),
        wilson(sum(liked), len(liked)),
        len(held),
        sum(held),
        wilson(sum(held), len(held)),
    )
