"""Adds the turns of the argument over what the openings contest.

The author's seat answers first. Then a few seats weigh the contested findings, each independently,
with the change, the code around it and look-ups. If they agree, no more calls are made. Else, if
someone moved, a seat replies to the objections; then the seats that argued decide again, each
independently.

These turns follow from the state: the same events add the same turns, so a debate that died
in between adds them when it is resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.debate.events import EndReason, TurnsAdded
from core.debate.replies.tasks import ARGUING
from core.debate.script import (
    ANSWER,
    CONTESTED,
    DEBATE,
    DECISION,
    About,
    Duty,
    Script,
    SeatId,
    Topic,
    Turn,
    TurnId,
)
from core.debate.state import Debate, once
from core.debate.verdict.condition import at_the_table
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.contested import (
    arguing_seats,
    before_the_argument,
    contested,
    openings,
)
from core.debate.verdict.findings.merged import MergedFinding

BECAUSE = "findings"
"""The reason that the events adding these turns give."""
EARLY = (EndReason.CONVERGED, EndReason.CONSENSUS)
"""The reasons for which the rules, and not a person or an error, stop a debate early."""
REPLIES = {1: 1, 2: 2}
"""The number of seats that reply in the second round, by the number that argue; one if more than
two argue.
"""


def owed(debate: Debate) -> TurnsAdded | None:
    """Returns the event that adds the owed turns now and names the turns that read them; None if no
    turn is owed.
    """
    opened = debate.opened
    if opened is None or not opened.template.findings or opened.script.format != CONTESTED:
        return None
    if debate.over or debate.paused is not None or debate.stop is not None:
        return None
    first = [t for t in debate.turns if t.independent]
    readers = [t for t in debate.waiting if t.closing]
    if not readers or not debate.all_settled(first):
        return None
    spoken = [t for t in debate.turns if t.task in ARGUING]
    if not debate.all_settled(spoken) or any(t.task == "decide" for t in spoken):
        return None  # a step is under way, or it was the last
    turns = _second_round(debate, spoken) if spoken else _first_round(debate)
    if not turns:
        return None
    return TurnsAdded(tuple(turns), tuple(t.id for t in readers), BECAUSE)


@once
def at_issue(debate: Debate, turn: Turn) -> tuple[MergedFinding, ...]:
    """Returns the findings that a turn about single findings must answer, as they were after the
    turns that it reads.
    """
    then = debate.heard({*turn.reads, *(t.id for t in debate.turns if t.independent)})
    objections = (c for c in debate.challenges if c.id == turn.about_the(Topic.CHALLENGE))
    named = turn.about_the(Topic.FINDING).split()
    about = {*named, *(id for one in objections for id in one.findings)}
    return tuple(m for m in merge_findings(then) if about & set(m.ids))


def _first_round(debate: Debate) -> list[Turn]:
    """Builds the author's answer and the first round, if the openings contest anything."""
    script, at = debate.script, round_of(debate.script, DEBATE)
    points = contested(debate)
    if at is None or not points:
        return []
    about = _about(points)
    heard = tuple(t.id for t in debate.turns if t.independent and t.id in debate.finished)
    turns: list[Turn] = []
    speaking = at_the_table(debate)
    author = next((s.id for s in script.seats if s.duty is Duty.AUTHOR), None)
    if author is not None and author in speaking:
        answer = round_of(script, ANSWER)
        vouching = Turn(TurnId("a1"), author, "vouch", heard, answer or at, about=about)
        turns.append(vouching)
        heard = (*heard, vouching.id)
    seats = [s for s in arguing_seats(debate) if s in speaking]
    return [*turns, *_turns(debate, "weigh", seats, heard, at, about)]


def _second_round(debate: Debate, spoken: Sequence[Turn]) -> list[Turn]:
    """Builds the replies, if someone moved, and the final decisions, if something is still
    disputed.
    """
    weighed = [t for t in spoken if t.task == "weigh" and t.id in debate.finished]
    seats = [t.seat for t in weighed]
    left, at = disputed_still(debate, seats), round_of(debate.script, DEBATE)
    if at is None or not left or len(seats) < 2:
        return []
    about = _about(left)
    heard = tuple(t.id for t in debate.turns if t.independent or t in spoken)
    heard = tuple(id for id in heard if id in debate.finished)
    replies: list[Turn] = []
    if _moved(debate, seats):
        replying = _replying(left, seats)[: REPLIES.get(len(seats), 1)]
        replies = _turns(debate, "reply", replying, heard, at + 1, about)
    heard = (*heard, *(t.id for t in replies))
    final = round_of(debate.script, DECISION) or at + 1
    return [*replies, *_turns(debate, "decide", seats, heard, final, about)]


def disputed_still(debate: Debate, seats: Iterable[SeatId]) -> list[MergedFinding]:
    """Returns the findings over which the arguing seats still differ: some want one fixed and
    others would not block for it, or one raised it in the argument and nobody has answered.
    """
    arguing = set(seats)
    known = {id for m in contested(debate) for id in m.ids}
    opened = {f.id for opening in openings(debate).values() for f in opening.findings}
    disputed = []
    for m in merge_findings(replace(debate, votes={})):
        want, rest = arguing & set(m.fix_by), arguing - set(m.fix_by)
        late = m.state == "open" and not opened & set(m.ids)
        if m.evident and want and rest and (known & set(m.ids) or late):
            disputed.append(m)
    return disputed


def _moved(debate: Debate, seats: Iterable[SeatId]) -> bool:
    """Return whether a seat left the position of its opening on a contested finding."""
    before = {id: m for m in merge_findings(before_the_argument(debate)) for id in m.ids}
    arguing = set(seats)
    return any(
        arguing & (set(m.fix_by) ^ set(before[id].fix_by))
        for m in merge_findings(replace(debate, votes={}))
        for id in m.ids
        if id in before
    )


def _replying(left: Sequence[MergedFinding], seats: Sequence[SeatId]) -> list[SeatId]:
    """Returns the seats in the order in which they should reply: those that are in the minority on
    most of the disputed findings first, holders before others.
    """

    def rank(seat: SeatId) -> tuple[int, int, int]:
        alone = held = 0
        for m in left:
            want = [s for s in seats if s in m.fix_by]
            mine = seat in want
            alone += mine is (2 * len(want) <= len(seats))
            held += mine
        return -alone, -held, seats.index(seat)

    return sorted(seats, key=rank)


def _turns(
    debate: Debate,
    task: str,
    seats: Iterable[SeatId],
    reads: tuple[TurnId, ...],
    round: int,
    about: About,
) -> list[Turn]:
    letter = task[0]
    return [
        Turn(TurnId(f"{letter}{n}"), seat, task, reads, round, about=about)
        for n, seat in enumerate(seats, 1)
    ]


def _about(points: Iterable[MergedFinding]) -> About:
    return About(Topic.FINDING, " ".join(m.id for m in points))


def round_of(script: Script, phase: str) -> int | None:
    """Returns the index of the first round of a phase, None if there is none."""
    return next((n for n, at in enumerate(script.rounds) if at.phase == phase), None)
