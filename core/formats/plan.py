"""What one debate asks of its format beyond the template: the options of a person, a fork or a
complexity assessment.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.script import SeatId
from core.template import Mode


class Form(StrEnum):
    """Size of a panel."""

    STANDARD = "standard"  # proponent, opponent, moderator
    EXTENDED = "extended"  # and advocate, critic, refiner


@dataclass(frozen=True, slots=True)
class Plan:
    """Overrides; every absent one leaves the template's or the format's own value.

    ``rounds`` is the number wanted; ``mode`` decides whether judges are seated; ``without`` names a
    seat that a fork leaves out; ``form`` is the size of a panel; ``questions`` is how many each
    asker puts in a hot seat; ``judges`` is the size of the judges' panel.
    """

    rounds: int | None = None
    mode: Mode | None = None
    without: SeatId = SeatId("")
    blind: bool | None = None
    form: Form | None = None
    questions: int | None = None
    judges: int | None = None

    def rounds_or(self, usual: int) -> int:
        """The number of rounds that was asked for, else the ``usual`` one."""
        if self.rounds is None:
            return usual
        return self.rounds
