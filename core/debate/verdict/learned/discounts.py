"""Discounts models for seats and votes by two things in addition to their record: being surer than
they are right, and having been called often already.

Both only ever lower a model's weight. Neither applies while one of the candidates has fewer than
``ENOUGH`` resolved outcomes: until then all models are drawn and weighed as if nothing were known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from core.debate.casting import ALL_ROLES, Discounts
from core.debate.earned import StatedConfidence
from core.debate.verdict.learned.ratings import ENOUGH, Record, grouped
from core.debate.verdict.votes import wilson

LEAST = 0.5
"""The least factor of a busy model: work is shared out, and no model is excluded by it."""

StatedByRole = Mapping[str, Mapping[str, StatedConfidence]]
"""Factors by role, then by model; ``ALL_ROLES`` holds each model over all its seats."""


def stated(records: Iterable[Record], models: Collection[str]) -> StatedByRole:
    """Returns how sure these models said they were and how often they were right, over all roles
    and in each role with ``ENOUGH`` outcomes.

    The result is empty if any of the models has fewer in all.
    """
    spoken = [r for r in records if r.model in models and not r.ruled]
    groups = grouped(spoken, lambda r: (ALL_ROLES, r.model))
    groups |= grouped((r for r in spoken if r.role), lambda r: (r.role, r.model))
    if any(len(groups.get((ALL_ROLES, model), ())) < ENOUGH for model in models):
        return {}
    made: dict[str, dict[str, StatedConfidence]] = {}
    for (role, model), mine in sorted(groups.items()):
        if len(mine) >= ENOUGH:
            sure = sum(r.confidence for r in mine) / len(mine)
            right = sum(r.right for r in mine)
            made.setdefault(role, {})[model] = StatedConfidence(round(sure, 4), right, len(mine))
    return made


def calibration_factor(one: StatedConfidence) -> float:
    """Returns the factor by which overconfidence lowers a model's weight: 1 less the gap between
    its stated confidence and its share of right answers.

    Calibration in the large (Cox 1958, Biometrika 45: mean prediction less observed share), taken
    against the upper end of the share's 95 % interval (Wilson 1927), so that a gap that chance
    explains costs nothing. Modesty costs nothing: it misleads nobody.
    """
    if one.of < ENOUGH:
        return 1.0
    return round(1.0 - max(0.0, one.confidence - wilson(one.right, one.of).high), 4)


def calibration_of(known: StatedByRole, model: str, role: str = ALL_ROLES) -> float:
    """Returns the factor of a model in a role, or over all its roles if that role has too few
    outcomes.
    """
    for each in (role, ALL_ROLES):
        if (one := known.get(each, {}).get(model)) is not None:
            return calibration_factor(one)
    return 1.0


def load_factor(busy: Mapping[str, int], model: str) -> float:
    """Returns an even share of the calls over the model's own share, from ``LEAST`` to 1. ``busy``
    counts the calls of each candidate. Below ``ENOUGH`` calls in all it is 1.
    """
    total, own = sum(busy.values()), busy.get(model, 0)
    if total < ENOUGH or not own:
        return 1.0
    return round(min(1.0, max(LEAST, total / len(busy) / own)), 4)


def discounts(known: StatedByRole, busy: Mapping[str, int], models: Iterable[str]) -> Discounts:
    """Returns both factors for casting; no discount if no confidence is known."""
    if not known:
        return {}
    factors = {
        role: {model: calibration_factor(one) for model, one in mine.items()}
        for role, mine in known.items()
    }
    factors[ALL_ROLES] = {m: calibration_of(known, m) * load_factor(busy, m) for m in models}
    return factors
