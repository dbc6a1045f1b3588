"""A person's challenge: before the verdict the seats concerned answer it and those that speak later
read the answer; after the verdict it reopens the debate.

Then those that hold what it is about, or that decided, answer the person and decide again. What
closed the debate is written again only if one of them moved. Both are bounded, because each costs
calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.debate import commands as c
from core.debate import events as e
from core.debate.errors import Refused
from core.debate.script import MAX_TURNS, MOVED, About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate
from core.debate.verdict import same_option, verdict
from core.debate.verdict.condition import at_the_table
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.debate.verdict.votes import final_votes

MAX_CHALLENGE = 2000
"""The most characters of one challenge; a longer one is refused, never cut."""
_MAX_CHALLENGES = 12
"""The most challenges of one debate before its verdict, and the most after it."""
_MOST_SEATS = 3
"""The most seats that answer an objection to the verdict."""
_MOST_POINTS = 3
"""The most findings that an objection is about if it names none."""
_OF_ONE, _OF_STARTER = 3, 6
"""The most objections of one person to the verdicts of one debate, and of the person who started
it.
"""
_ID = re.compile(r"[\w.:-]*\w")


def challenge(debate: Debate, command: c.RaiseChallenge) -> tuple[e.Event, ...]:
    """Returns the events of a challenge; none for a message that was taken already.

    Raises ``Refused`` if nobody can answer it.
    """
    text = command.text.strip()
    if not text:
        raise Refused("A challenge needs words: what is wrong, and with which point?")
    if len(text) > MAX_CHALLENGE:
        raise Refused(
            "A challenge may have {most} characters; this one has {count}.",
            most=MAX_CHALLENGE,
            count=len(text),
        )
    if command.source and any(known.source == command.source for known in debate.challenges):
        return ()
    if debate.failure:
        raise Refused("It never opened: {failure}", failure=debate.failure)
    if debate.opened is None:
        raise Refused("The debate has not opened yet; challenge it when the first round is there.")
    command = replace(command, text=text)
    if debate.stop is not None and not debate.over:
        raise Refused("The debate is ending. Object as soon as its verdict is there.")
    if debate.over or not debate.waiting:
        return _object(debate, command)
    return _before_verdict(debate, command)


def _before_verdict(debate: Debate, command: c.RaiseChallenge) -> tuple[e.Event, ...]:
    if _after_verdict(debate):
        _require_few(debate, command.author)
    elif len(debate.challenges) >= _MAX_CHALLENGES:
        raise Refused("This debate already has {most} challenges.", most=_MAX_CHALLENGES)
    number = len(debate.challenges) + 1
    called = _called(debate, command)
    to = called if command.to else called[:2] or _spoke_of_it(debate, command.text)
    later = debate.readers
    known = debate.known_before(later[0])  # the answer is given before its first reader speaks
    about = About(Topic.CHALLENGE, f"x{number}")
    turns = tuple(
        Turn(TurnId(f"x{number}.{n}"), seat, "rebut", known, later[0].round, about=about)
        for n, seat in enumerate(to, 1)
    )
    return (
        e.ChallengeRaised(f"x{number}", command.author, command.text, to, command.source),
        e.TurnsAdded(turns, tuple(t.id for t in later), f"x{number}"),
    )


def _object(debate: Debate, command: c.RaiseChallenge) -> tuple[e.Event, ...]:
    if debate.over:
        _require_answerable(debate, command.author)
    points = _points(debate, command.text)
    to = _concerned(debate, command, points)
    number = len(debate.challenges) + 1
    turns = tuple(_turns(debate, number, to, points))
    if not to or len(debate.turns) + len(turns) > MAX_TURNS:
        raise Refused("No seat of this debate can answer any more. Start it again.")
    ids = tuple(m.id for m in points)
    raised = e.ChallengeRaised(
        f"x{number}", command.author, command.text, to, command.source, findings=ids
    )
    reopened = (e.DebateReopened(raised.id, command.author),) if debate.over else ()
    return (raised, *reopened, e.TurnsAdded(turns, (), raised.id))


def _require_answerable(debate: Debate, author: str) -> None:
    """Raises ``Refused`` with the reason why a finished debate takes no objection of this person's,
    if there is one.
    """
    stop = debate.ended_early
    if debate.lost:
        raise Refused("It came to no verdict, so there is none to object to. Start it again.")
    if debate.open.terms.demo:
        raise Refused(
            "It was a demonstration, whose models cannot judge an objection. Start it again with "
            "other models."
        )
    if stop is not None and stop.reason is e.EndReason.HUMAN:
        raise Refused("A person stopped it before its end, so no seat is left. Start it again.")
    if stop is not None and stop.reason is e.EndReason.BUDGET:
        raise Refused(
            "Its budget or its time was used up before its end, so no seat is left. Start it again."
        )
    _require_few(debate, author)


def _require_few(debate: Debate, author: str) -> None:
    """Raises ``Refused`` if there were as many objections to the verdict as there may be; those
    that came while seats answered another one count as well.
    """
    objections = _after_verdict(debate)
    most = _OF_STARTER if author == debate.request.asker else _OF_ONE
    if sum(one.author == author for one in objections) >= most:
        raise Refused(
            "You have objected {most} times to this verdict, which is the most for one person. "
            "Somebody else can, or start it again.",
            most=most,
        )
    if len(objections) >= _MAX_CHALLENGES:
        raise Refused(
            "This verdict already had {most} objections. Start it again.", most=_MAX_CHALLENGES
        )


def _after_verdict(debate: Debate) -> Sequence[e.ChallengeRaised]:
    reopening = {ending.challenge for ending in debate.endings}
    first = (n for n, one in enumerate(debate.challenges) if one.id in reopening)
    return debate.challenges[next(first, len(debate.challenges)) :]


def _points(debate: Debate, text: str) -> tuple[MergedFinding, ...]:
    """Returns the findings that an objection is about: those that it names, else the deciding
    findings with whose words it overlaps, else those that must be fixed.
    """
    findings, named = merge_findings(debate), set(_ID.findall(text))
    if by_name := tuple(m for m in findings if named & set(m.ids)):
        return by_name
    open_ones = [m for m in findings if m.state is FindingState.OPEN and m.evident]
    deciding = [m for m in open_ones if m.blocking] or open_ones
    words = _words(text)
    shared = [len(words & _words(f"{m.wording.title} {m.wording.trigger}")) for m in deciding]
    if most := max(shared, default=0):
        return tuple(m for m, n in zip(deciding, shared, strict=True) if n == most)[:_MOST_POINTS]
    return tuple(m for m in deciding if m.blocking)[:_MOST_POINTS]


def _concerned(
    debate: Debate, command: c.RaiseChallenge, points: Iterable[MergedFinding]
) -> tuple[SeatId, ...]:
    """Returns the seats that answer an objection to the verdict: those that it names, those that
    hold or raised what it is about, else those that decided.
    """
    able = _able(debate)
    named = set(_ID.findall(command.text))
    seats = [*_called(debate, command)]
    if not command.to:
        seats += (t.seat for t in debate.turns if t.id in named)
        for point in points:
            seats += point.fix_by or point.by
            seats += (r.seat for r in point.raised)
    if not set(seats) & set(able):
        decided, held = verdict(debate).decision, final_votes(debate)
        seats = [s for s in able if s in held and same_option(held[s], decided)] or [*able]
        seats.sort(key=lambda seat: -len(_words(command.text) & _said(debate, seat)))
    return tuple(s for s in dict.fromkeys(seats) if s in able)[:_MOST_SEATS]


def _able(debate: Debate) -> tuple[SeatId, ...]:
    spoke = {turn.seat for turn, _ in debate.statements()}
    return tuple(s for s in at_the_table(debate) if s in spoke and s in debate.open.cast)


def _turns(
    debate: Debate, number: int, to: Sequence[SeatId], points: Sequence[MergedFinding]
) -> Iterator[Turn]:
    """Builds the answers to the person, the decisions of the seats that have a vote, and the turns
    that close the debate again.
    """
    about, last = About(Topic.CHALLENGE, f"x{number}"), len(debate.open.script.rounds) - 1
    known = tuple(t.id for t in debate.turns if t.id in debate.finished)
    ids = (TurnId(f"x{number}.{n}") for n in range(1, MAX_TURNS))
    answers = [Turn(next(ids), seat, "explain", known, last, about=about) for seat in to]
    read = (*known, *(t.id for t in answers))
    task = "reconsider" if points else "restate"
    voting = [seat for seat in to if seat in debate.voters]
    again = [Turn(next(ids), seat, task, read, last, about=about) for seat in voting]
    read = (*read, *(t.id for t in again))
    yield from answers
    yield from again
    for turn in debate.turns:
        spoken = turn.id in debate.finished or turn in debate.running
        if turn.closing and spoken and not turn.after_verdict:
            reads = tuple(dict.fromkeys((*turn.reads, *read)))
            yield replace(turn, id=next(ids), reads=reads, round=last, when=MOVED)


def _called(debate: Debate, command: c.RaiseChallenge) -> tuple[SeatId, ...]:
    """Returns the seats that a challenge is put to, or that its text names. Raises ``Refused`` for
    a seat that is not there.
    """
    seats_now = at_the_table(debate)
    named = debate.open.script.seats_by_name
    names = {name: seat for name, seat in named.items() if seat in seats_now}
    if command.to:
        if missing := [n for n in command.to if n.lower() not in names]:
            seats = ", ".join(seats_now)
            raise Refused(
                "There is no seat called {names}. At the table: {seats}.",
                names=", ".join(missing),
                seats=seats,
            )
        return tuple(dict.fromkeys(names[n.lower()] for n in command.to))
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    spoken = re.findall(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", command.text.lower())
    called = {names[name] for name in spoken if name}
    return tuple(s for s in seats_now if s in called)


def _spoke_of_it(debate: Debate, text: str) -> tuple[SeatId, ...]:
    """Returns the seats whose words a challenge shares most, at most two."""
    seats, words = at_the_table(debate), _words(text)
    scored = sorted(((len(words & _said(debate, s)), s) for s in seats), key=lambda pair: -pair[0])
    best = [seat for score, seat in scored if score > 0 and score == scored[0][0]]
    return tuple(best[:2]) or seats[:1]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w{4,}", text.lower()))


def _said(debate: Debate, seat: SeatId) -> frozenset[str]:
    words: frozenset[str] = frozenset()
    for _, statement in debate.statements((seat,)):
        points = (
            *(x.text for x in statement.claims),
            *(f"{x.title} {x.path} {x.trigger}" for x in statement.findings),
        )
        words |= _words(" ".join((statement.text, *points)))
    return words


def refuse_reopened(debate: Debate) -> None:
    """Raise ``Refused`` while seats answer what reopened the verdict."""
    if debate.reopened is not None:
        raise Refused(
            "An objection or a proof that may change the verdict is being answered. The posted "
            "verdict counts until then: try again after it."
        )
