"""A located defect as one seat words it: the only shape of a finding that is stored."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

FIX_BLOCK = re.compile(r"^```diff[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
"""Matches the code lines of a fix: removed and added lines."""
_CODE_BLOCK = re.compile(
    r"[ \t]*```\w*[ \t]*\n(.*?)(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)


class Severity(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    @property
    def severe(self) -> bool:
        """Whether it is high or above."""
        return self in (Severity.HIGH, Severity.CRITICAL)


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Category(StrEnum):
    """The kind of harm that a finding does; report sections follow it."""

    CORRECTNESS = "correctness"
    SECURITY = "security"
    PERFORMANCE = "performance"
    MAINTAINABILITY = "maintainability"
    TESTS = "tests"
    COMPATIBILITY = "compatibility"
    CONFIGURATION = "configuration"


def share(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{value} is not between 0 and 1")
    return value


@dataclass(frozen=True, slots=True)
class Stated:
    """The place that a seat gave with a quotation, which may be elsewhere."""

    path: str
    line: int | None
    side: str = "RIGHT"


TEXTS = ("trigger", "fix")
"""The texts of a finding that every surface shows. A field that is named here is read from replies,
stored, and given to programs; ``core.words.views.verdict.findings`` has its label.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A located defect. ``id`` is ``<turn>.f<n>``. Code sets ``anchored`` if it finds the quotation
    in the change, from ``line`` to ``end``. ``stated`` is the place that the seat gave if that
    differs; ``loose`` is set if the quotation only nearly matches. ``category`` is None if the seat
    named none; ``must_fix`` is the seat's own word whether the finding blocks, None in older
    replies. ``source`` is its basis outside the change: a copied line, "memory", or a decision
    record that the change breaks ("record 0007").
    """

    id: str
    severity: Severity
    confidence: float
    title: str
    path: str = ""
    line: int | None = None
    side: str = "RIGHT"
    quote: str = ""
    trigger: str = ""
    fix: str = ""
    anchored: bool = False
    end: int | None = None
    stated: Stated | None = None
    loose: bool = False
    category: Category | None = None
    must_fix: bool | None = None
    source: str = ""

    def __post_init__(self) -> None:
        share(self.confidence)

    @property
    def asks_to_block(self) -> bool:
        """Whether its seat wants it fixed before the change is accepted; a reply that does not say
        is read by its severity.
        """
        if self.must_fix is None:
            return self.severity.severe
        return self.must_fix

    @property
    def advice(self) -> str:
        """The fix in words, without its lines of code."""
        return _CODE_BLOCK.sub("", self.fix).strip()

    @property
    def patch(self) -> str:
        """The lines of code of the fix; empty if it has none."""
        return "\n\n".join(block.rstrip() for block in _CODE_BLOCK.findall(self.fix))
