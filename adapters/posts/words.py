"""The words that all posts share: keys, names, states, one line each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adapters.ports.chat import ReactionOption
from adapters.ports.place import Person
from core.budget import dollars
from core.debate import Debate
from core.outcome.account import models_hidden
from core.outcome.cost import cost
from core.script import Duty, SeatId
from core.verdict.findings import CODE, EARLIER, SCANNER
from core.verdict.unread import covered
from core.verdict.votes import NONE

_SPELLED = {"devils_advocate": "devil's advocate"}
"""Roles that are more than their words without underscores."""
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def root_key(debate: str) -> str:
    return f"{debate}:root"


def verdict_key(debate: str) -> str:
    return f"{debate}:verdict"


def finding_key(debate: str, finding: str) -> str:
    return f"{debate}:finding:{finding}"


def name_of(person: str) -> str:
    """The platform's own id of a person, without the platform."""
    return Person.parse(person).account or "somebody"


def post_key(debate: Debate, at: int, part: str) -> str:
    return f"{debate.id}:{at}:{part}"


def current_round(debate: Debate) -> int:
    """1-based number of the latest round with a turn that has begun; 0 before the first."""
    return max((t.round + 1 for t in debate.turns if t.id in debate.started), default=0)


def round_name(debate: Debate, number: int) -> str:
    """ "Round 2 of 4: Debate", by its 1-based number; "Starting" before the first."""
    if not number:
        return "Starting"
    rounds = debate.open.script.rounds
    at, title = f"Round {number} of {len(rounds)}", rounds[number - 1].title
    if title == f"Round {number}":
        return at
    return f"{at}: {title}"


def title_of(debate: Debate) -> str:
    if debate.opened is not None:
        return debate.opened.material.title or debate.request.target
    return debate.request.target or debate.request.template


def coverage_line(debate: Debate) -> str:
    """How much of the material was read, in one line."""
    states = [c.state.value for c in covered(debate)]
    if not states:
        return ""
    parts = [f"{states.count('full')} of {len(states)} files read"]
    if n := states.count("partial"):
        parts.append(f"{n} in part")
    if n := states.count("left_out"):
        gone = [f"{c.path} ({c.reason})" for c in covered(debate) if c.state.value == "left_out"]
        parts.append(f"{n} left out: {', '.join(gone[:3])}{' ...' if n > 3 else ''}")
    return ", ".join(parts)


def seats_line(debate: Debate) -> str:
    """Who sits at the table and has a vote; everybody where roles are secret."""
    voters = tuple(_seated(debate)) if models_hidden(debate) else debate.voters
    return ", ".join(seat_name(debate, s) for s in _seated(debate) if s in voters)


def beside_line(debate: Debate) -> str:
    """Who leads, judges or sums up, without a vote."""
    if models_hidden(debate):
        return ""
    return ", ".join(seat_name(debate, s) for s in _seated(debate) if s not in debate.voters)


def models_line(debate: Debate) -> str:
    """Who speaks with which model; empty while that is a secret."""
    if models_hidden(debate):
        return ""
    if debate.open.script.blind:
        alias = debate.open.script.alias
        seats = ((s, _role_words(debate.open.script.seat(s).role)) for s in _seated(debate))
        return ", ".join(f"{alias(s)} ({name}, {debate.model_of(s)})" for s, name in seats)
    models: dict[str, list[str]] = {}
    for seat in _seated(debate):
        models.setdefault(debate.model_of(seat), []).append(seat_name(debate, seat))
    if len(models) == 1:
        return next(iter(models))
    return ", ".join(f"{model} ({', '.join(seats)})" for model, seats in models.items())


def _seated(debate: Debate) -> list[SeatId]:
    """Seats in the order of the script; by their labels where that order would tell roles."""
    opened = debate.open
    seats = [s for s in opened.script.seats if s.duty is not Duty.AUDIENCE and s.id in opened.cast]
    ids = [s.id for s in seats]
    if opened.script.blind:
        return sorted(ids, key=opened.script.alias)
    return ids


def state_line(debate: Debate) -> str:
    if debate.deleted is not None:
        return debate.nothing_because
    if debate.failure:
        return f"failed: {debate.failure}"
    if debate.concluded is not None:
        ending = debate.closed or debate.concluded
        decision = "no verdict" if debate.lost else ending.decision.replace("_", " ")
        asked = (
            " (did it hold?)" if debate.follow_up is not None and debate.resolved is None else ""
        )
        votes = " (votes still count)" if votes_count(debate) else asked
        return f"{debate.status}: {decision}{votes}"
    if debate.opened is None:
        return "reading the material"
    where = round_name(debate, current_round(debate))
    where = where[:1].lower() + where[1:]
    if debate.paused is not None:
        return f"paused, {where}"
    return where


def votes_count(debate: Debate) -> bool:
    """Whether people's votes can still change the verdict; where there is none they never can."""
    return debate.closed is None and not debate.lost


def ballot_reactions(debate: Debate) -> tuple[ReactionOption, ...]:
    ballot = debate.open.template.ballot
    return tuple(
        ReactionOption(o.emoji or NUMBERS[n % 9], o.option, o.option.replace("_", " "))
        for n, o in enumerate(ballot)
    )


def seat_name(debate: Debate, seat_id: SeatId) -> str:
    """A seat's role; its label where roles were secret, for its statements are signed with it, and
    beside the role where two share one.
    """
    script = debate.open.script
    role, alias = script.seat(seat_id).role, script.alias(seat_id)
    if script.blind and (models_hidden(debate) or seat_id in script.voters):
        return alias
    shared = sum(other.role == role for other in script.seats) > 1
    named = _role_words(role)
    return f"{named} ({alias})" if shared and alias != seat_id else named


def the_seat(debate: Debate, seat_id: SeatId) -> str:
    """The same within a sentence: "the author", "P2"."""
    name = seat_name(debate, seat_id)
    return name if re.fullmatch(r"P\d+", name) else f"the {name}"


def _role_words(role: str) -> str:
    return _SPELLED.get(role, role.replace("_", " "))


def holder(debate: Debate, seat: SeatId) -> str:
    ours = {CODE: "code", SCANNER: "code (a scanner)", EARLIER: "an earlier run"}
    if seat in ours:
        return ours[seat]
    return seat_name(debate, seat)


def listed(items: Sequence[str]) -> str:
    """Items as one reads them: "author, security critic and code"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def plural(number: int, one: str, many: str = "") -> str:
    """``1 call``, ``2,000 calls``; ``many`` where it is not ``one`` with an s."""
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or one + 's'}"


def option_words(option: str) -> str:
    return option.replace("_", " ").lower()


def spent_line(debate: Debate) -> str:
    """What was spent, of what may be; a price that nobody knows is not nothing."""
    used, limit = cost(debate), debate.open.terms.budget
    spent = "price unknown"
    if used["usd"] is not None:
        spent = dollars(used["usd"])
    if used["unpriced"] and used["usd"] is not None:
        spent += f" and {plural(used['unpriced'], 'call')} of unknown price"
    if limit is None or spent == dollars(0):
        return spent
    return f"{spent} of {dollars(limit)}"


def counted(votes: Mapping[str, int]) -> str:
    return ", ".join(
        f"{n} {'without a stance' if option == NONE else option_words(option)}"
        for option, n in votes.items()
        if n
    )
