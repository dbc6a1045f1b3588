"""The words of a page: names of seats and people, states, shares, sums and times."""

from __future__ import annotations

from datetime import UTC, datetime

from core.debate.script import Duty
from core.languages import msgid, say

DUTIES = {
    Duty.DEBATER: msgid("votes"),
    Duty.AUTHOR: msgid("defends it"),
    Duty.CHAIR: msgid("writes the report"),
    Duty.JUDGE: msgid("judges"),
    Duty.MODERATOR: msgid("leads"),
    Duty.AUDIENCE: msgid("people"),
}


def option(text: str | None) -> str:
    """Returns a ballot's option as people read it."""
    return say((text or msgid("no stance")).replace("_", " "))


def moment(at: datetime | str | None) -> datetime | None:
    """Returns a stored time, aware and in UTC."""
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    if at is None:
        return None
    return at.astimezone(UTC)


def clock(seconds: float) -> str:
    """Returns a duration in words: "45 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        if whole % 60:
            return f"{whole // 60} min {whole % 60} s"
        return f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
