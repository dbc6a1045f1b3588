"""Compares the cost of debates of one kind with their use: dollars beside people's ratings and the
outcomes of their verdicts.

The decision record on extended debates asks for a cost-benefit analysis for each type of decision.
A kind of decision is a template here. The worth of a good verdict cannot be measured, so the two
stand side by side and no number is made of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from core.debate.status import DebateStatus
from core.debate.verdict.learned.ratings import ENOUGH
from core.debate.verdict.votes import Interval, wilson


@dataclass(frozen=True, slots=True)
class KindRecord:
    """One finished debate. ``usd`` is None if a call's price is unknown; ``useful`` and ``useless``
    count the people who rated it so; ``held`` is True if the verdict held, None while no person has
    said.
    """

    template: str
    usd: float | None = None
    useful: int = 0
    useless: int = 0
    held: bool | None = None

    @property
    def liked(self) -> bool | None:
        """True if more people found it useful than not; None for a tie or no rating."""
        if self.useful == self.useless:
            return None
        return self.useful > self.useless


def kind_record(template: str, document: Mapping[str, Any], held: bool | None) -> KindRecord | None:
    """Reads the record from an outcome document; None for a demonstration and a debate without a
    verdict.
    """
    if document.get("demo") or document.get("status") == DebateStatus.FAILED:
        return None
    ratings, cost = document.get("useful") or {}, document.get("cost") or {}
    return KindRecord(template, cost.get("usd"), ratings.get("yes", 0), ratings.get("no", 0), held)


@dataclass(frozen=True, slots=True)
class KindStanding:
    """The results of one template's debates: of ``n``, ``priced`` had a known price, ``usd`` each
    on average (None without any); ``useful`` of the ``judged`` ones were found useful, and ``held``
    of the ``resolved`` ones held, each with a 95 % interval.
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
        """True if both measures rest on enough debates to mean anything."""
        return min(self.judged, self.resolved) >= ENOUGH


def by_kind(records: Iterable[KindRecord]) -> tuple[KindStanding, ...]:
    """Returns the kinds of which people rated or resolved a debate, the most frequent first."""
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
        fsum(prices) / len(prices) if prices else None,
        len(liked),
        sum(liked),
        wilson(sum(liked), len(liked)),
        len(held),
        sum(held),
        wilson(sum(held), len(held)),
    )
