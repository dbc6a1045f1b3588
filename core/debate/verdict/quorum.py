"""The one place that defines a quorum: which seats still answer, and whether they are enough."""

from __future__ import annotations

from core.debate.events import STOPPED
from core.debate.replies.tasks import TASKS
from core.debate.script import SeatId, Turn
from core.debate.state import Debate
from core.debate.stored import stored


def lost_seats(debate: Debate) -> tuple[SeatId, ...]:
    """Returns the entitled seats whose latest attempt to speak failed.

    A turn that a stop cut off is no failure of its seat, nor is an unanswered question about single
    findings or after the verdict: the seat's earlier statement remains valid.
    """
    last: dict[SeatId, bool] = {}
    for turn in debate.turns:
        if turn.id not in debate.finished and (TASKS[turn.task].pointed or turn.after_verdict):
            continue
        if turn.id in debate.finished:
            last[turn.seat] = True
        elif turn.id in debate.failed and not (debate.stop and debate.failed[turn.id] == STOPPED):
            last[turn.seat] = False
    return tuple(s for s in debate.voters if last.get(s) is False)


def round_done(debate: Debate, number: int) -> bool:
    """True if every turn of the round is settled and one of them was due; closing turns do not
    count.
    """
    turns = turns_in(debate, number)
    return bool(turns) and debate.all_settled(turns)


def why_no_quorum(debate: Debate) -> str:
    """Returns why the debate no longer has a quorum, or "".

    Too few entitled seats still answer at all, or in a round in which several of them were due
    fewer answered than the quorum's share of them (rounded down, at least one).
    """
    entitled, needed = debate.voters, debate.open.terms.quorum
    left = len(entitled) - len(lost_seats(debate))
    if left < needed:
        text = stored("{left} of {total} seats still answer, {needed} are needed")
        return stored(text, left=left, total=len(entitled), needed=needed)
    for number, at in enumerate(debate.open.script.rounds):
        due_turns = [
            t
            for t in turns_in(debate, number)
            if not TASKS[t.task].pointed and t.seat in entitled and t.id not in debate.skipped
        ]
        seats = {t.seat for t in due_turns}
        heard = {t.seat for t in due_turns if t.id in debate.finished}
        floor = max(1, needed * len(seats) // len(entitled))
        if (
            len(seats) > 1
            and round_done(debate, number)
            and len(heard) < floor
            and not _stopped(debate, due_turns)
        ):
            text = stored("{n} of {total} seats answered in '{why_title}', {needed} are needed")
            n, total = len(heard), len(seats)
            return stored(text, n=n, total=total, why_title=at.title, needed=floor)
    return ""


def turns_in(debate: Debate, number: int) -> tuple[Turn, ...]:
    """Returns the turns of a round, without the closing ones."""
    return tuple(t for t in debate.turns if t.round == number and not t.closing)


def _stopped(debate: Debate, turns: list[Turn]) -> bool:
    return debate.stop is not None and any(debate.failed.get(t.id) == STOPPED for t in turns)
