"""The options of one debate that its format obeys beyond the template: a person's or a complexity
assessment's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.debate.errors import BadInput
from core.debate.template import Mode, Turns

LEAST_OPENINGS, OPENINGS, MOST_OPENINGS = 3, 5, 9
"""The fewest, the usual and the largest number of openings of a review."""
ROTATING = "rotating"
"""An order that people can ask for besides ``Turns``: in turn, and in each later round from another
role.
"""


class PanelSize(StrEnum):
    """The size of a panel."""

    STANDARD = "standard"  # proponent, opponent, moderator
    EXTENDED = "extended"  # and advocate, critic, refiner


@dataclass(frozen=True, slots=True)
class Plan:
    """Overrides; every absent one leaves the template's or the format's own value.

    ``rounds`` is the number wanted; ``mode`` decides whether judges are seated; ``form`` is the
    size of a panel; ``voices`` is how many different models are there to argue, for a format that
    seats them all; ``turns`` is who speaks when in every phase, with ``rotate`` each from another
    role in later rounds; ``openings`` is how many seats open a review in which what is contested is
    argued.
    """

    rounds: int | None = None
    mode: Mode | None = None
    form: PanelSize | None = None
    voices: int | None = None
    openings: int | None = None
    turns: Turns | None = None
    rotate: bool = False

    def speaking(self, how: str) -> Plan:
        """Returns the plan with this order of speaking; "" leaves the order to the template."""
        if not how:
            return self
        rotating = how == ROTATING
        return replace(self, turns=Turns.ROUND_ROBIN if rotating else Turns(how), rotate=rotating)

    def rounds_or(self, usual: int) -> int:
        """Returns the number of rounds that the plan asks for, else the ``usual`` one."""
        if self.rounds is None:
            return usual
        return self.rounds

    def rounds_within(self, usual: int, most: int) -> int:
        """Returns ``rounds_or``. Raises ``BadInput`` if it is not from 1 to ``most``."""
        rounds = self.rounds_or(usual)
        if not 1 <= rounds <= most:
            raise BadInput(f"this format has 1 to {most} rounds, not {rounds}")
        return rounds
