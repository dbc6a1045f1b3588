"""Names people, and the people and programs that hold seats."""

from __future__ import annotations

from core.debate.events import DebateOpened, Holder
from core.debate.script import SeatId
from core.debate.state import Debate
from core.languages import say, say_many
from core.words.views.language.grammar import listed, minutes


def person_name(person: str) -> str:
    """Returns the platform's own id of a person, without platform and workspace."""
    _, colon, rest = person.partition(":")
    if colon:
        person = rest.rpartition("/")[2]
    return person or say("somebody")


def holder_name(holder: Holder) -> str:
    """Returns a program's name, or a person's id on the platform."""
    return holder.name or person_name(holder.id)


def held_line(opened: DebateOpened) -> str:
    """Describes who holds seats: "one held by ann, waits up to 10 minutes"; "" if nobody does."""
    names = [holder_name(holder) for holder in opened.terms.held.values()]
    if not names:
        return ""
    return say_many(
        len(names),
        "one held by {names}, waits up to {minutes}",
        "{n} held by {names}, waits up to {minutes}",
        names=listed(names),
        minutes=minutes(opened.terms.patience),
    )


def holder_of(debate: Debate, seat: SeatId) -> str:
    """Returns the name of who holds a seat; "" for a model's."""
    if debate.opened is None or seat not in debate.opened.terms.held:
        return ""
    return holder_name(debate.opened.terms.held[seat])
