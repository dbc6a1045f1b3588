"""The words of a page: names of seats and people, states, shares, sums and times."""

from __future__ import annotations

from datetime import UTC, datetime

from core.debate.script import Duty
from core.words.views.language.people import person_name

DUTIES = {
    Duty.DEBATER: "votes",
    Duty.AUTHOR: "defends it",
    Duty.CHAIR: "writes the report",
    Duty.JUDGE: "judges",
    Duty.MODERATOR: "leads",
    Duty.AUDIENCE: "people",
}


def option(text: str | None) -> str:
    """Returns a ballot's option as people read it."""
    return (text or "no stance").replace("_", " ")


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def person(id: str) -> str:
    return person_name(id)


def percent(share: float) -> str:
    return f"{share:.0%}"


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
