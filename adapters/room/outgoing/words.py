"""The words of a page: names of seats and people, states, shares, sums and times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from adapters.posts.words import listed, name_of, plural, seat_name
from core.budget import dollars
from core.debate import Debate
from core.outcome.account import models_hidden
from core.script import Duty, SeatId

COLOURS = 8
"""How many seats have a colour of their own; every seat has letters beside it."""

STATUS = {
    "queued": "starting",
    "running": "under way",
    "waiting": "votes count",
    "paused": "paused",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
}
ENDED = {
    "completed": "It ran to its end.",
    "consensus": "It ended early: the seats agreed.",
    "converged": "It ended early: nothing new was said.",
    "budget": "It ended early: its budget or its time was used up.",
    "human": "A person stopped it.",
    "no_quorum": "Too few seats could be heard.",
    "error": "It could not be completed.",
}
DUTIES = {
    Duty.DEBATER: "votes",
    Duty.CHAIR: "writes the report",
    Duty.JUDGE: "judges",
    Duty.MODERATOR: "leads",
    Duty.AUDIENCE: "people",
}


@dataclass(frozen=True, slots=True)
class SeatName:
    """How a seat is shown: ``short`` are one or two letters, ``colour`` one of ``COLOURS``."""

    id: str
    name: str
    short: str
    colour: int


def seat_names(debate: Debate) -> Mapping[str, SeatName]:
    """Every seat by id; where roles are secret, by its label."""
    taken: set[str] = set()
    made: dict[str, SeatName] = {}
    for n, seat in enumerate(debate.open.script.seats):
        name = seat_name(debate, seat.id)
        letters = initials(name, taken)
        taken.add(letters)
        made[seat.id] = SeatName(seat.id, name, letters, n % COLOURS)
    if "code" not in made:
        made["code"] = SeatName("code", "code", "✓", 0)
    return made


def initials(name: str, taken: Iterable[str] = ()) -> str:
    """One or two letters that no other seat has, as far as the name has any."""
    words = [word for word in name.replace("(", " ").split() if word[0].isalnum()]
    if not words:
        return "?"
    first = words[0]
    label = len(words) == 1 and any(c.isdigit() for c in first)
    tries = [first[:2].upper() if label else "".join(w[0] for w in words[:2]).upper()]
    tries += [(first[0] + c).upper() for c in first[1:]]
    return next((letters for letters in tries if letters not in set(taken)), tries[0])


def names(debate: Debate, seats: Iterable[str]) -> str:
    """Seats in a sentence: "author, security critic and code"."""
    return listed([name_or_id(debate, seat) for seat in seats])


def name_or_id(debate: Debate, seat: str) -> str:
    known = {s.id for s in debate.open.script.seats}
    if seat in known:
        return seat_name(debate, SeatId(seat))
    return seat.replace("_", " ")


def option(text: str | None) -> str:
    """A ballot's option as people read it."""
    return (text or "no stance").replace("_", " ")


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def person(id: str) -> str:
    return name_of(id)


def percent(share: float) -> str:
    return f"{share:.0%}"


def cost_line(cost: Mapping[str, Any]) -> str:
    """What was spent, in one short sum."""
    if cost["usd"] is None:
        return "price unknown"
    sure = ""
    if cost["unpriced"]:
        sure = f" and {plural(cost['unpriced'], 'call')} of unknown price"
    return f"{dollars(cost['usd'])}{sure}"


def moment(at: datetime | str | None) -> datetime | None:
    """A stored time, aware and in UTC."""
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    if at is None:
        return None
    return at.astimezone(UTC)


def clock(seconds: float) -> str:
    """How long something took: "45 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        if whole % 60:
            return f"{whole // 60} min {whole % 60} s"
        return f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def turns_done(debate: Debate) -> tuple[int, int]:
    """Turns that are settled, and all."""
    return len(debate.settled & {t.id for t in debate.turns}), len(debate.turns)


def secret(debate: Debate) -> bool:
    """Whether who speaks with which model is still hidden."""
    return models_hidden(debate)
