"""Recognises a seat by its id, its label or its role."""

from __future__ import annotations

from collections.abc import Mapping

from core.debate.script import SeatId
from core.debate.state import Debate


def seats_by_name(debate: Debate) -> Mapping[str, SeatId]:
    """Returns the arguing seats by every name in small letters, with spaces too."""
    script = debate.open.script
    return {
        spelt.lower(): seat.id
        for seat in script.seats
        if seat.argues
        for name in (seat.id, script.alias(seat.id), script.label(seat.id), seat.role)
        for spelt in (name, name.replace("_", " "))
    }
