"""The records of models whose outcomes are known."""

from __future__ import annotations

from dataclasses import dataclass


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
