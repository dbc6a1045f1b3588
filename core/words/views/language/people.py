"""Names people, and the people and programs that hold seats."""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.debate.events import DebateOpened, Holder
from core.debate.material.plaintext import one_line
from core.debate.script import SeatId
from core.debate.state import Debate
from core.languages import say, say_many
from core.words.views.language.grammar import length_of_time, listed


def person_name(person: str) -> str:
    """Returns the platform's own id of a person, without platform and workspace."""
    _, colon, rest = person.partition(":")
    if colon:
        person = rest.rpartition("/")[2]
    return person or say("somebody")


def people_in(debate: Debate) -> tuple[str, ...]:
    """Returns the people whom texts about a debate may call by their platform's ids."""
    stops = (debate.stop, *(ending.stop for ending in debate.endings))
    acts = (debate.paused, debate.resolved, *stops, *debate.endings, *debate.seat_requests)
    people = [one.author for one in debate.challenges]
    people += [act.by for act in (*acts, *debate.proof_requests, *debate.noted) if act is not None]
    if debate.opened is not None:
        people += [holder.id for holder in debate.opened.terms.held.values()]
    return tuple(dict.fromkeys(filter(None, people)))


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Returns a text of ours with people's display names instead of their platform's ids, as far as
    the names are known.
    """
    known = {person_name(one): one_line(name, 60) for one, name in names.items() if name}
    if not known:
        return text
    ids = "|".join(re.escape(id) for id in sorted(known, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{ids})(?!\w)", lambda id: known[id[0]], text)


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
        minutes=length_of_time(opened.terms.patience),
    )


def holder_of(debate: Debate, seat: SeatId) -> str:
    """Returns the name of who holds a seat; "" for a model's."""
    holder = debate.open.terms.held.get(seat)
    return holder_name(holder) if holder is not None else ""
