"""The rule of a review whose lone findings are cross-examined: what two found on their own blocks,
what one found has to stand a refuter, and the rest is told.

Plain values in, a plain answer out, as ``outvoted`` beside it: it can be read, tested and
simulated alone. Nothing in it depends on an order.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.replies import Severity
from core.verdict.findings.outvoted import Held

TWICE_FROM = 2
"""Lone findings that are sure and severe, in one review, from which each meets two refuters: seats
that state so many state severities too high.
"""


MOST_REFUTERS = 4
"""Refuters of one review where nobody said how many: more cost calls and decide no better."""
MOST_EXAMINED = 6
"""Findings of one review that meet as many refuters as a person asked for."""
MOST_CALLED = 2
"""Further refuters of one review, for comments that people call real."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What came of a finding's cross-examination.

    ``asked`` refuters were to answer. ``confirmed`` said that it must be fixed; ``refuted`` said
    that it need not be and quoted lines that code found; ``unproven`` said so with nothing that
    code could find. ``kept`` says that a holder keeps it and names an input that reaches it.
    ``called`` says that a person who called it real had it examined.
    """

    asked: int = 0
    confirmed: int = 0
    refuted: int = 0
    unproven: int = 0
    kept: bool = False
    called: bool = False

    @property
    def answered(self) -> int:
        """How many refuters answered at all."""
        return self.confirmed + self.refuted + self.unproven


NOT_EXAMINED = Exchange()
"""Nobody was asked."""


def severe(held: Held) -> bool:
    """Whether an anchored wording is sure and of a severity from which one seat can block."""
    return held.sure(held.bar.alone)


def is_lone(held: Held) -> bool:
    """Whether it is worth a cross-examination: severe, held by one seat at most, and neither proven
    by code nor confirmed by people.
    """
    return severe(held) and held.holders < 2 and not held.certain


def refuters(lone: int, wanted: int = 0) -> int:
    """How many refuters each of so many lone findings meets; ``wanted`` where a person said it."""
    return wanted or (2 if lone >= TWICE_FROM else 1)


def most_refuters(wanted: int = 0) -> int:
    """How many refuters one review may have, without those for comments that people call real."""
    return MOST_EXAMINED * wanted or MOST_REFUTERS


def shared_out(findings: int, each: int, left: int) -> list[int]:
    """How many of the refuters that are ``left`` each of so many findings meets, the gravest first:
    one for each, then a second, up to ``each``.
    """
    shares = [0] * findings
    for _ in range(each):
        for n in range(min(findings, max(0, left - sum(shares)))):
            shares[n] += 1
    return shares


def must_be_fixed(held: Held, exchange: Exchange) -> bool:
    """Whether an open finding blocks.

    A severe one does unless a refuter quoted what stands against it; then only one that is critical
    and kept with an input does. What code proved or people confirmed cannot be refuted. What is
    less than severe blocks only where a person called it real and a refuter says that it must be
    fixed: seats agree that small things are real, which says nothing.
    """
    if held.certain:
        return severe(held)
    if exchange.refuted:
        return exchange.kept and held.sure(Severity.CRITICAL)
    if exchange.called and exchange.confirmed:
        return held.sure(Severity.LOW)
    return severe(held)


def is_contested(held: Held, exchange: Exchange) -> bool:
    """Whether an open finding was refuted, is kept all the same, and does not block."""
    return bool(exchange.refuted) and not held.certain and not must_be_fixed(held, exchange)
