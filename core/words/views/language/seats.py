"""Names the seats and their models for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.debate.script import Duty, SeatId
from core.debate.state import Debate
from core.debate.verdict.findings.merged import CODE, EARLIER, REMARK, SCANNER
from core.languages import msgid, say, say_if
from core.words.views.language.grammar import listed
from core.words.views.language.people import holder_of

COLOURS = 8
"""The number of seats with a distinct colour; every seat also has letters."""
_WORK = {
    Duty.AUTHOR: msgid("defended by"),
    Duty.CHAIR: msgid("report by"),
    Duty.JUDGE: msgid("ruling by"),
    Duty.MODERATOR: msgid("led by"),
}
_WITH = msgid("with")
_SPELLED = {"devils_advocate": msgid("devil's advocate")}
"""The names of roles that people write otherwise than without underscores."""


def models_hidden(debate: Debate) -> bool:
    """True if it is still a secret which model speaks for which seat."""
    secret = debate.opened is not None and debate.opened.script.blind
    return secret and not (debate.over or debate.endings)


def seats_line(debate: Debate) -> str:
    """Lists the seats that vote; all seats if roles are secret."""
    hidden = models_hidden(debate)
    seats = (s for s in seated(debate) if hidden or s in debate.voters)
    return ", ".join(seat_name(debate, s) for s in seats)


def nonvoting_line(debate: Debate) -> str:
    """Lists the seats without a vote by their task: "report by synthesizer, ruling by
    judge".
    """
    if models_hidden(debate):
        return ""
    names: dict[Duty, list[str]] = {}
    for seat in seated(debate):
        if seat not in debate.voters:
            duty = debate.open.script.seat(seat).duty
            names.setdefault(duty, []).append(seat_name(debate, seat))
    return ", ".join(
        f"{say(_WORK.get(duty, _WITH))} {listed(seats)}" for duty, seats in names.items()
    )


def models_line(debate: Debate) -> str:
    """Lists each seat with its model; empty while that is a secret."""
    if models_hidden(debate):
        return ""
    script = debate.open.script
    if script.blind:
        return ", ".join(
            f"{label_words(script.label(s))} ({role_words(script.seat(s).role)}, "
            f"{voice(debate, s)})"
            for s in seated(debate)
        )
    models: dict[str, list[str]] = {}
    for seat in seated(debate):
        models.setdefault(voice(debate, seat), []).append(seat_name(debate, seat))
    if len(models) == 1:
        return next(iter(models))
    return ", ".join(f"{model} ({', '.join(seats)})" for model, seats in models.items())


def voice(debate: Debate, seat: SeatId) -> str:
    """Returns the model of a seat, or who holds it."""
    return holder_of(debate, seat) or debate.model_of(seat)


def seated(debate: Debate) -> list[SeatId]:
    """Returns the seats for which a model, a person or a program speaks, in the order of the
    script, or by their labels if that order would reveal roles.
    """
    opened = debate.open
    taken = opened.cast.keys() | opened.terms.held.keys()
    seats = opened.script.seats
    ids = [s.id for s in seats if s.duty is not Duty.AUDIENCE and s.id in taken]
    if opened.script.blind:
        return sorted(ids, key=opened.script.alias)
    return ids


def seat_name(debate: Debate, seat_id: SeatId) -> str:
    """Returns a seat's role, with a number if several seats share it; its label if roles were
    secret, because its statements are signed with it.
    """
    script = debate.open.script
    role = script.seat(seat_id).role
    if is_labelled(debate, seat_id):
        return label_words(script.label(seat_id))
    sharing = [other.id for other in script.seats if other.role == role]
    if len(sharing) > 1:
        return f"{role_words(role)} {sharing.index(seat_id) + 1}"
    return role_words(role)


def is_labelled(debate: Debate, seat_id: SeatId) -> bool:
    """True if people know the seat by its label, because roles are or were secret."""
    script = debate.open.script
    return script.blind and (models_hidden(debate) or seat_id in script.voters)


def label_words(label: str) -> str:
    """Writes a seat's label: "participant 2"."""
    word, _, number = label.rpartition(" ")
    return say_if(word == "participant", msgid("participant {n}"), n=number) or label


def the_seat(debate: Debate, seat_id: SeatId) -> str:
    """Returns the seat's name within a sentence: "the author", "participant 2"."""
    name = seat_name(debate, seat_id)
    if is_labelled(debate, seat_id):
        return name
    return say("the {name}", name=name)


def role_words(role: str) -> str:
    """Writes a role as people read it."""
    return say(_SPELLED.get(role, role.replace("_", " ")))


def holder(debate: Debate, seat: SeatId) -> str:
    ours = {
        CODE: say("code"),
        SCANNER: say("code (a scanner)"),
        REMARK: say("another reviewer"),
        EARLIER: say("an earlier run"),
    }
    return ours.get(seat) or seat_name(debate, seat)


@dataclass(frozen=True, slots=True)
class SeatName:
    """The display of a seat: ``short`` are one or two letters, ``colour`` one of ``COLOURS``."""

    id: str
    name: str
    short: str
    colour: int


def seat_names(debate: Debate) -> Mapping[str, SeatName]:
    """Returns every seat's display by its id; seats go by their labels if roles are secret."""
    taken: set[str] = set()
    made: dict[str, SeatName] = {}
    for n, seat in enumerate(debate.open.script.seats):
        name = seat_name(debate, seat.id)
        letters = initials(name, taken)
        taken.add(letters)
        made[seat.id] = SeatName(seat.id, name, letters, n % COLOURS)
    if "code" not in made:
        made["code"] = SeatName("code", say("code"), "✓", 0)
    return made


def initials(name: str, taken: Iterable[str] = ()) -> str:
    """Returns one or two letters that no other seat has, if the name has such letters."""
    words = [word for word in name.replace("(", " ").split() if word[0].isalnum()]
    if not words:
        return "?"
    first = words[0]
    letters = "".join(word[0] for word in words[:2])
    if len(words) == 1 and any(c.isdigit() for c in first):
        letters = first[:2]
    tries = [each.upper() for each in (letters, *(first[0] + c for c in first[1:]))]
    return next((each for each in tries if each not in set(taken)), tries[0])
