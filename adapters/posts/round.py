"""A whole round as one message, for threads that show rounds: it is posted with the first answer
and edited with each that follows.

Answers to a person's challenge are separate messages, because someone waits for them.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.ports.chat import Plan, Post, Shape, Task, TaskState
from adapters.posts.brevity import LONGEST, fitted, length, sentences
from adapters.posts.keys import post_key
from adapters.posts.statement import Line, answers, holders, silent, speaker, standing, unproven
from adapters.text.emoji import character
from adapters.text.markdown import pieces
from adapters.text.pieces import TextSpan
from core.debate.events import STOPPED
from core.debate.script import SeatId, Topic, Turn, TurnId
from core.debate.state import Debate
from core.debate.template import ThreadForm
from core.languages import say
from core.languages.stored import say_stored
from core.words.views.course.argued import statement_text
from core.words.views.course.happenings import NOTHING_TO_ADD, adds_nothing, missing, occasion
from core.words.views.course.progress import current_round, round_name
from core.words.views.language.faces import faces
from core.words.views.language.grammar import shortened
from core.words.views.language.references import spelled_out
from core.words.views.language.seats import models_hidden

_LEAST = 110
"""A statement shows fewer answers if its text would get fewer characters than this."""
_SPARE = 70
_MOST = 3
"""The most answers shown of one statement."""


def by_rounds(debate: Debate, turn: Turn) -> bool:
    """True if the turn is part of its round's message. A seat that has the round to itself gets a
    message under its own name instead.
    """
    rounds = debate.open.terms.thread == ThreadForm.ROUNDS and not turn.about_the(Topic.CHALLENGE)
    return rounds and not _is_alone(debate, turn.round)


def _is_alone(debate: Debate, number: int) -> bool:
    return len(_turns(debate, number)) == 1


def _turns(debate: Debate, number: int) -> list[Turn]:
    return [t for t in debate.turns if t.round == number and not t.about_the(Topic.CHALLENGE)]


def round_post(before: Debate | None, debate: Debate, at: int, number: int) -> tuple[Post, ...]:
    """Returns the round's message in its present state; none while it is empty."""
    turns = _told(debate, number)
    if not turns:
        return ()
    key, edits = f"{debate.id}:round:{number}", ""
    if before is not None and not _is_alone(before, number) and _told(before, number):
        key, edits = post_key(debate, at, "round"), key
    title = shortened(round_name(debate, number + 1), 110)
    post = Post(
        key=key,
        debate=debate.id,
        shape=Shape.ROUND,
        title=title,
        lines=tuple(_lines(debate, turns, LONGEST - _SPARE - len(title))),
        edits=edits,
        fallback=f"{title}: {', '.join(speaker(debate, t) for t in turns)}",
        facts=holders(debate),
    )
    return (fitted(post),)


def _told(debate: Debate, number: int) -> list[Turn]:
    return [
        t
        for t in _turns(debate, number)
        if _spoke(debate, t) or debate.failed.get(t.id, STOPPED) != STOPPED
    ]


def _spoke(debate: Debate, turn: Turn) -> bool:
    answer = debate.finished.get(turn.id)
    return answer is not None and not silent(debate, turn, answer)


def _lines(debate: Debate, turns: Sequence[Turn], room: int) -> list[Line]:
    """Returns the lines of a round: each seat with its stance and statement, with as many answers
    as leave each seat some sentences.
    """
    quiet = [t for t in turns if _is_quiet(debate, t)]
    turns = [t for t in turns if t not in quiet]
    last = _nothing_from(debate, quiet)
    if not turns:
        return last
    room -= sum(map(length, last))
    heads = [_head(debate, turn) for turn in turns]
    replies = [_replies(debate, turn) for turn in turns]
    most = _MOST
    while most and _share(room, heads, [each[:most] for each in replies]) < _LEAST:
        most -= 1
    replies = [each[:most] for each in replies]
    share = max(_share(room, heads, replies), _LEAST // 2)
    lines: list[Line] = []
    for turn, head, reply in zip(turns, heads, replies, strict=True):
        lines += [head, *_text(debate, turn, share), *reply]
    return [*lines, *last]


def _is_quiet(debate: Debate, turn: Turn) -> bool:
    answer = debate.finished.get(turn.id)
    return answer is not None and not _replies(debate, turn) and adds_nothing(debate, turn, answer)


def _nothing_from(debate: Debate, quiet: Sequence[Turn]) -> list[Line]:
    who: list[TextSpan] = []
    for turn in quiet:
        who += [TextSpan(", ")] * bool(who) + [TextSpan(_signed(debate, turn), bold=True)]
    return [(*who, TextSpan(f": {say(NOTHING_TO_ADD)}"))] if who else []


def _share(room: int, heads: Sequence[Line], replies: Sequence[Sequence[Line]]) -> int:
    used = sum(length(line) for lines in (heads, *replies) for line in lines)
    return (room - used) // len(heads)


def _head(debate: Debate, turn: Turn) -> Line:
    who = TextSpan(_signed(debate, turn), bold=True)
    answer = debate.finished.get(turn.id)
    if answer is None:
        parts = [missing(debate, turn)]
        if not models_hidden(debate):
            parts.append(shortened(say_stored(debate.failed[turn.id]), 80))
        return (who, TextSpan(f" {': '.join(filter(None, parts))}"))
    stands = [standing(debate, turn, answer)]
    if why := occasion(debate, turn):
        stands.append((TextSpan(why),))
    return (who, *(span for each in stands if each for span in (TextSpan(" · "), *each)))


def _text(debate: Debate, turn: Turn, limit: int) -> list[Line]:
    """Returns the beginning of a statement on one line. Of its markup only code stays, so that no
    statement can look like another seat's.
    """
    answer = debate.finished.get(TurnId(turn.id))
    if answer is None:
        return []
    short = sentences(spelled_out(debate, statement_text(debate, turn, answer)), limit)
    spans: list[TextSpan] = []
    for piece in pieces(short, ()):
        spans += [TextSpan(" ")] * bool(spans) + [
            TextSpan(s.text, code=s.code) for s in piece.spans
        ]
    return [tuple(spans)] if spans else []


def _signed(debate: Debate, turn: Turn) -> str:
    return f"{character(faces(debate)[turn.seat])} {speaker(debate, turn)}"


def _replies(debate: Debate, turn: Turn) -> list[Line]:
    answer = debate.finished.get(turn.id)
    if answer is None:
        return []
    lines = (*unproven(debate, turn, answer), *answers(debate, turn, answer))
    return [(TextSpan("→ "), *line) for line in lines]


def plan_of(debate: Debate) -> Plan | None:
    """Return the round that runs; None if no seat has a turn: before the first, in a pause, after
    the end, and in a debate that is shown only by its result.
    """
    if debate.opened is None or debate.over or debate.paused is not None or debate.quiet:
        return None
    round_number = current_round(debate)
    seats: dict[SeatId, list[Turn]] = {}
    for turn in debate.turns:
        if turn.round + 1 == round_number:
            seats.setdefault(turn.seat, []).append(turn)
    tasks = tuple(
        Task(number, speaker(debate, turns[0]), _state(debate, turns))
        for number, turns in enumerate(seats.values(), 1)
        if not all(turn.id in debate.skipped for turn in turns)
    )
    if not tasks:
        return None
    asker = debate.request.asker
    return Plan(debate.count, round_number, round_name(debate, round_number), asker, tasks)


def _state(debate: Debate, turns: list[Turn]) -> TaskState:
    open_turns = [turn for turn in turns if turn.id not in debate.settled]
    if any(debate.settled.issuperset(turn.reads) for turn in open_turns):
        return TaskState.THINKING
    if open_turns:
        return TaskState.WAITING
    if all(turn.id in debate.failed for turn in turns):
        return TaskState.FAILED
    return TaskState.DONE
