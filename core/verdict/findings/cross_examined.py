"""The rule of a review whose lone findings are cross-examined: a finding of two independent seats
blocks, one of a single seat has to stand a refuter, and the rest is reported only.

Plain values in, a plain answer out, as in ``outvoted`` beside it: it can be read, tested and
simulated alone. Nothing in it depends on an order.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.replies import Severity
from core.verdict.findings.outvoted import ContestedFinding

TWICE_FROM = 2
"""The number of sure and severe lone findings in one review from which each meets two refuters:
seats that report so many state severities too high.
"""


MOST_REFUTERS = 4
"""The most refuters of one review where no person set a number: more cost calls and decide no
better.
"""
MOST_EXAMINED = 6
"""The number of findings in one review that get as many refuters as a person asked for."""
MOST_CALLED = 2
"""The number of further refuters in one review for findings that people call real."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The result of a finding's cross-examination.

    ``refuters`` is the number of seats that were asked. ``confirmed`` said that it must be fixed;
    ``refuted`` said that it need not be and quoted lines that code found; ``unproven`` said so
    without evidence that code could find. ``kept`` says that a holder keeps it and names an input
    that triggers it. ``called`` says that it was examined because a person called it real.
    """

    refuters: int = 0
    confirmed: int = 0
    refuted: int = 0
    unproven: int = 0
    kept: bool = False
    called: bool = False

    @property
    def answered(self) -> int:
        """The number of refuters that answered."""
        return self.confirmed + self.refuted + self.unproven


NOT_EXAMINED = Exchange()
"""The exchange of a finding that was not cross-examined."""


def severe(held: ContestedFinding) -> bool:
    """Says whether an anchored wording is sure and severe enough for one seat to block."""
    return held.sure(held.bar.alone)


def is_lone(held: ContestedFinding) -> bool:
    """Says whether a finding is worth a cross-examination: severe, held by one seat at most, and
    neither proven by code nor confirmed by people.
    """
    return severe(held) and held.holders < 2 and not held.certain


def refuters(lone: int, wanted: int = 0) -> int:
    """Returns how many refuters each of so many lone findings gets; ``wanted`` is the number that a
    person set.
    """
    return wanted or (2 if lone >= TWICE_FROM else 1)


def most_refuters(wanted: int = 0) -> int:
    """Returns the most refuters of one review, without those for findings that people call real."""
    return MOST_EXAMINED * wanted or MOST_REFUTERS


def shared_out(findings: int, each: int, left: int) -> list[int]:
    """Shares the ``left`` refuters among so many findings, the gravest first: one for each, then a
    second, up to ``each``.
    """
    shares = [0] * findings
    for _ in range(each):
        for n in range(min(findings, max(0, left - sum(shares)))):
            shares[n] += 1
    return shares


def must_be_fixed(held: ContestedFinding, exchange: Exchange) -> bool:
    """Says whether an open finding blocks.

    A severe one blocks unless a refuter quoted evidence against it; then it blocks only if it is
    critical and its holder kept it with an input. A finding that code proved or people confirmed
    cannot be refuted. A less severe one blocks only where a person called it real and a refuter
    says that it must be fixed: seats readily agree that small things are real, so their agreement
    says nothing.
    """
    if held.certain:
        return severe(held)
    if exchange.refuted:
        return exchange.kept and held.sure(Severity.CRITICAL)
    if exchange.called and exchange.confirmed:
        return held.sure(Severity.LOW)
    return severe(held)


def is_contested(held: ContestedFinding, exchange: Exchange) -> bool:
    """Says whether an open finding was refuted, is kept all the same, and does not block."""
    return bool(exchange.refuted) and not held.certain and not must_be_fixed(held, exchange)
