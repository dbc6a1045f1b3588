"""What became of earlier findings, and of models' earlier stances: whether a category of findings
may block, and how often a model was right.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

KNOWN_FROM = 10
"""The number of judged findings from which their frequency says anything."""


class Gate(StrEnum):
    """Whether reviews block on the forge."""

    ADVISE = "advise"
    EARNED = "earned"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a category must reach: ``precision`` as the lower bound at this ``certainty``."""

    precision: float = 0.7
    certainty: float = 0.9


@dataclass(frozen=True, slots=True)
class Frequency:
    """Of ``judged`` findings ``right`` were right."""

    judged: int = 0
    right: int = 0

    @property
    def share(self) -> float | None:
        """The share of right ones; None below ``KNOWN_FROM`` findings."""
        return self.right / self.judged if self.judged >= KNOWN_FROM else None


@dataclass(frozen=True, slots=True)
class Standing:
    """A category's record since it last lost the right: of the newest ``judged`` findings ``right``
    were right, so its precision is at least ``low``; ``earned`` is true if it may block.
    """

    judged: int = 0
    right: int = 0
    low: float = 0.0
    earned: bool = False


@dataclass(frozen=True, slots=True)
class CategoryRecord:
    """What became of earlier findings of one category, ``demanded`` ones or all others. ``alike``
    counts those of the repository, or of the template in all repositories (``wider``) if the
    repository has too few. ``standing`` is that of the demands in the repository.
    """

    category: str
    demanded: bool
    alike: Frequency = Frequency()
    wider: bool = False
    standing: Standing = Standing()


@dataclass(frozen=True, slots=True)
class GateTerms:
    """The gate of one debate, with the records as they were when it opened."""

    gate: Gate = Gate.EARNED
    threshold: Threshold = Threshold()
    records: tuple[CategoryRecord, ...] = ()

    def record(self, category: str, *, demanded: bool) -> CategoryRecord:
        """Returns the record of a category, an empty one if there is none."""
        for one in self.records:
            if (one.category, one.demanded) == (category, demanded):
                return one
        return CategoryRecord(category, demanded)


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """A model's record: how often it was ``right``, ``of`` how many resolved outcomes."""

    right: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class StatedConfidence:
    """A model's average stated confidence in [0, 1], and how often it was ``right``, ``of`` how
    many resolved outcomes.
    """

    confidence: float
    right: int
    of: int
