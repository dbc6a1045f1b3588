"""Debates drawn by number: each the events of a course that holds a bit of everything."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random
from typing import Any

from core import events as e
from core.casting import StatedConfidence
from core.material import (
    Around,
    CodeFinding,
    Coverage,
    EarlierFinding,
    Fate,
    Material,
    Near,
    Precedent,
    Read,
    Scanned,
)
from core.ports import Source
from core.replies import Answer, Claim, Finding, Grade, Metrics, Position, Repair
from core.script import About, SeatId, Topic, Turn, TurnId
from core.template import Mode, People
from core.usage import Usage
from tests.adapters.review.samples import FIX, material
from tests.core.table import CRITICS, RUBRIC, START, Table, finding, stance, table

COUNT = 60
_OPTIONS = ("approve", "comment", "request_changes")
_PEOPLE = ("ann", "bob", "slack:T1/U7", "discord:9", "dora", "eve", "web:kim")
_TITLES = (
    "The query is built from user input",
    "A missing row raises, see t1.f1",
    "The pool is never closed",
    "`find` returns <b>one</b> row, @admin",
    "Names are unclear and " + "long " * 40,
)
_TEXTS = (
    "I agree with t1.f1. It is **not** safe.\n\n- first\n- second",
    "See `find` in app/db.py:12 and t2.c1; P1 says otherwise.",
    "Nothing new.",
    "It fails. " * 60,
    "```diff\n- a\n+ b\n```\nhttps://evil.example/x and [a](https://github.com/o/r)",
)
_LINES = ('row = pool.run("select " + name)', "if row is None:", "raise KeyError", "pool.close()")
_NOTED = (
    "posted", "not_posted", "moved", "issue", "no_issue", "merged", "closed", "reopened",
    "reverted", "objection", "nothing_new",
)  # fmt: skip
_SHARES = (0.0, 0.3, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0)


@cache
def course(number: int) -> tuple[e.Event, ...]:
    """The events of the debate with this number; half of them end, and most of those go on."""
    rng = Random(f"course {number}")
    t = _opened(number, rng)
    if number % 20 == 19:
        reason = rng.choice(("The change is gone.", "no model openai/gpt-0"))
        return (*t.events[:1], e.OpeningFailed(reason, START + timedelta(minutes=1)))
    _play(t, rng)
    if number % 6 == 5:
        return tuple(t.events)
    t.concluded(closed=rng.random() < 0.6)
    _after(t, rng)
    return tuple(t.events)


def _opened(number: int, rng: Random) -> Table:
    mode = list(Mode)[number % len(Mode)]
    seats = [*rng.sample(CRITICS, rng.randint(2, 3)), *(["author"] if number % 3 else [])]
    judge = mode in (Mode.JUDGE, Mode.WEIGHTED, Mode.HYBRID)
    first = [f"t{n} {s} independent task=open" for n, s in enumerate(seats, 1)]
    reads = ",".join(f"t{n}" for n in range(1, len(seats) + 1))
    then = [f"u{n} {s} round=1 reads={reads}" for n, s in enumerate(seats, 1)]
    more = ",".join([reads, *(f"u{n}" for n in range(1, len(seats) + 1))])
    last = [f"j judge round=2 reads={more} task=judge"] if judge else []
    ends = f"end chair round={3 if judge else 2} reads={more} task=close closing"
    request = e.DebateRequest(
        "code_review", "https://github.com/o/r/pull/412", rng.choice(_PEOPLE), "slack:T1/C1",
        quiet=number % 9 == 1, after="debate-0000" if number % 7 == 2 else "",
        schedule="s1" if number % 11 == 3 else "",
        extras={"priority": "high", "department": "<shop>"} if number % 4 == 1 else {},
    )  # fmt: skip
    fork = e.Fork("debate-0000", 3, SeatId("author"), "nobody logs in", ("openai/gpt-5",))
    t = table(
        [*seats, *(["judge:judge"] if judge else []), "chair:chair"], [*first, *then, *last, ends],
        mode=mode, threshold=rng.choice((0.34, 0.5, 0.67, 0.75, 1.0)), quorum=rng.randint(1, 3),
        blind=number % 8 == 6, material=_material(number, rng), terms=_terms(number, rng, seats),
        fork=fork if number % 10 == 4 else None, people=rng.choice(list(People)),
        follow_up_days=rng.choice((None, 14)), findings=number % 5 != 3,
    )  # fmt: skip
    requested, opened = t.events
    assert isinstance(requested, e.DebateRequested)
    assert isinstance(opened, e.DebateOpened)
    if number % 5 == 1:
        rounds = tuple(replace(r, title=f"{r.title} of many " * 9) for r in opened.script.rounds)
        opened = replace(opened, script=replace(opened.script, rounds=rounds))
    cast = {s: (*m, "openai/gpt-5") for s, m in opened.cast.items()}
    return Table([replace(requested, request=request), replace(opened, cast=cast)])


def _terms(number: int, rng: Random, seats: list[str]) -> dict[str, Any]:
    sizing = e.Sizing(
        "standard", 0.4, ("2 files", "a login"), "small", 0.1, rng.choice((None, 0.4)),
        overruled=number % 2 == 0, estimate=rng.choice((None, 0.62)), estimated_by="openai/gpt-5",
        why_not="no model",
    )  # fmt: skip
    return {
        "budget": rng.choice((None, 0.5, 0.001)),
        "reserve": rng.choice((0.0, 0.1)),
        "vote_window": rng.choice((0.0, 3600.0)),
        "quiet": number % 9 == 1,
        "demo": number % 13 == 7,
        "estimate": rng.choice((None, 0.02, 1.5)),
        "converge": rng.random() < 0.8,
        "assume": "nobody logs in" if number % 10 == 4 else "",
        "anyway": number % 6 == 0,
        "sizing": sizing if number % 5 == 2 else None,
        "weights": {SeatId(s): rng.choice((0.5, 1.0, 1.6)) for s in seats} if number % 4 else {},
        "stated": {"": {"openai/gpt-5": StatedConfidence(0.9, 7, 12)}} if number % 7 == 1 else {},
        "thread": rng.choice(("statements", "rounds")),
        "assessed": Usage(900, 0, 10, 0.002, 3000, 1.0) if number % 5 == 2 else None,
    }


def _material(number: int, rng: Random) -> Material:
    read = (
        Coverage("app/db.py", Read.FULL),
        Coverage("app/big.py", Read.PARTIAL, "too long", unread=True),
        Coverage("app/x.lock", Read.LEFT_OUT, "generated"),
        Coverage("app/y.py", Read.LEFT_OUT, "no room", unread=True),
    )
    earlier = tuple(
        EarlierFinding(
            f"e{n}",
            f"mark{n}",
            rng.choice(("low", "high")),
            0.8,
            title,
            "app/db.py",
            rng.choice((None, 11)),
            "RIGHT",
            _LINES[0],
            "a form",
            FIX,
            11,
            fate,
            disputed=rng.random() < 0.3,
            proven=rng.random() < 0.3,
            holders=rng.randint(1, 3),
            role="author",
        )
        for n, (title, fate) in enumerate(zip(_TITLES, Fate, strict=False), 1)
    )
    facts = {"state": rng.choice(("open", "open", "merged", "closed")), "run": "2"}
    made = material(
        facts=facts if number % 3 == 0 else {}, notes=("The branch moved.",) * (number % 2),
        redacted=rng.choice((0, 1, 3)), private=number % 4 == 2, base="main", body="Fixes #7",
        guidelines="Bind names." if number % 3 == 1 else "",
        earlier=earlier if number % 7 == 2 else (), around_left=("b.py",) * (number % 2),
        around=(Around("app/db.py", 1, 2, "find", Near.ENCLOSES, ("def find(name):", "  pass")),),
        scanned=(Scanned("scan.f1", "semgrep sql", "high", "SQL", "app/db.py", 11, _LINES[0]),)
        * (number % 5 == 1),
        proven=(CodeFinding("app/db.py", 12, "RIGHT", "high", "A secret", "if row is None:"),)
        * (number % 6 == 2),
        precedents=(Precedent("d0", "2026-01-02", "Pools", "approve", None, ("Closed",)),)
        * (number % 4 == 3),
    )  # fmt: skip
    return replace(made, coverage=read[: rng.randint(1, 4)])


def _finding(rng: Random) -> Finding:
    line = rng.choice((8, 10, 11, 12, 13, 14, 90))
    return finding(
        rng.choice(_TITLES), severity=rng.choice(("low", "medium", "high", "critical")),
        confidence=rng.choice(_SHARES), line=line, side=rng.choice(("RIGHT", "RIGHT", "LEFT")),
        path=rng.choice(("app/db.py", "app/db.py", "app/big.py", "")), quote=rng.choice(_LINES),
        trigger=rng.choice(("", "name comes from a form")), fix=rng.choice(("", FIX, "Bind it.")),
        anchored=rng.random() < 0.8, end=rng.choice((None, line + 1)), loose=rng.random() < 0.1,
    )  # fmt: skip


def _play(t: Table, rng: Random) -> None:
    points: list[str] = [x.id for x in t.debate.open.material.earlier]
    points += [x.id for x in t.debate.open.material.scanned]
    for turn in t.debate.open.script.turns:
        if rng.random() < 0.12:
            t.add(e.TurnStarted(turn.id))
            used = Usage(100, 0, 5, None, 400, 0.5)
            t.add(e.TurnFailed(turn.id, rng.choice(("timeout: no answer", "refused")), used))
            continue
        if rng.random() < 0.06 and not turn.closing:
            t.skips(turn.id, reason=rng.choice(("converged", "budget", "nothing to answer")))
            continue
        points += _speak(t, turn, points, rng)
        _between(t, rng, points)


def _speak(t: Table, turn: Turn, points: list[str], rng: Random) -> list[str]:
    """Says something of everything and returns the ids of its points."""
    held = stance(
        rng.choice((*_OPTIONS, "request_changes", "abstain")), rng.choice(_SHARES),
        because=rng.choice(("", "t1.f1 shows it", "no test " * 30)),
        moved_by=rng.choice(("", *points, *turn.reads)),
        would_resolve_if=rng.choice(("", "a test is there")),
    )  # fmt: skip
    debates = turn.task not in ("judge", "close")
    raised = [_finding(rng) for _ in range(rng.choice((0, 1, 1, 2)))] if debates else []
    claims = [
        Claim("", rng.choice(_TEXTS[:3]), rng.choice(("", _LINES[0])), rng.choice(("", *_OPTIONS)))
        for _ in range(rng.choice((0, 0, 1, 2)))
    ]
    answers = [
        Answer(
            p,
            rng.choice(list(Position)),
            rng.choice(("", "it can't happen", "right " * 50)),
            rng.choice(("", _LINES[1])),
            rng.choice(("", "name='x'")),
            "app/db.py",
            12,
            checked=rng.random() < 0.5,
        )
        for p in rng.sample(points, min(len(points), rng.choice((0, 1, 2, 4))))
    ]
    used = Usage(rng.randint(1, 9999), 40, 20, rng.choice((0.0, 0.001, 0.2, None)), 400, 0.5)
    more: dict[str, Any] = {
        "unverified": ("https://x.example",) * (rng.random() < 0.2),
        "sources": (Source("Docs", "https://docs.example/a", "Bind names."),)
        * (rng.random() < 0.2),
        "actions": ("Write a test",) * (rng.random() < 0.2),
    }
    if turn.task == "judge":
        more["scores"] = {name: rng.choice(_SHARES) for name in RUBRIC}
        more["ruling"] = rng.choice(_OPTIONS)
        more["metrics"] = Metrics(0.4, 0.5, 0.6, 0.7, {"technical": 0.1})
    if turn.closing:
        more["sections"] = {"summary": rng.choice(_TEXTS), "consensus_notes": "- one"}
        more["repairs"] = tuple(Repair(p, "a form", FIX) for p in points[:2])
        more["grades"] = {t.debate.open.script.turns[0].id: rng.choice(list(Grade))}
    t.says(
        turn.id, held if debates else "", text=rng.choice(_TEXTS), findings=raised, claims=claims,
        answers=answers if debates else (), usage=used, **more,
    )  # fmt: skip
    ids = [f"{turn.id}.f{n}" for n, _ in enumerate(raised, 1)]
    return [*ids, *(f"{turn.id}.c{n}" for n, _ in enumerate(claims, 1))]


def _between(t: Table, rng: Random, points: list[str]) -> None:
    subject = rng.choice(("", *(p for p in points if ".f" in p)))
    option = rng.choice(("real", "not_real", "worse", "milder") if subject else _OPTIONS)
    match rng.randint(0, 13):
        case 0 | 1 | 2 | 3:
            for person in rng.sample(_PEOPLE, rng.randint(1, 5)):
                t.votes(person, option, subject, author=rng.random() < 0.2)
        case 4:
            t.add(e.VoteWithdrawn(rng.choice(_PEOPLE), option, subject))
        case 5:
            _challenge(t, rng)
        case 6:
            t.add(e.DebatePaused("ann", rng.choice(("", "lunch"))), e.DebateResumed("bob"))
        case 7:
            t.add(e.PlaceAdded("slack:T1/C2", "ann"))
        case 8:
            t.add(e.WholeShown("ann"))
        case 9:
            claims = tuple(p for p in points if ".c" in p)
            t.add(e.RoundMeasured(rng.randint(0, 1), "lexical", rng.choice(_SHARES), claims[:2]))
        case 10 if rng.random() < 0.4:
            t.stops(rng.choice(list(e.EndReason)), "because of ann")
        case _:
            return


def _challenge(t: Table, rng: Random) -> None:
    debate = t.debate
    seat = rng.choice([s.id for s in debate.open.script.seats if s.votes])
    name = f"x{len(debate.challenges) + 1}"
    t.challenges(rng.choice(_TEXTS[:4]), seat, id=name, author=rng.choice(_PEOPLE))
    if rng.random() < 0.7:
        turn = Turn(
            TurnId(f"{name}a"),
            seat,
            "answer",
            (TurnId("t1"),),
            1,
            about=About(Topic.CHALLENGE, name),
        )
        t.add(e.TurnsAdded((turn,), (TurnId("end"),), "a person objected"))
        answers = [Answer(name, rng.choice((Position.ANSWERED, Position.CONCEDE)), "a form")]
        t.says(turn.id, stance(rng.choice(_OPTIONS), 0.7), text=_TEXTS[0], answers=answers)


def _after(t: Table, rng: Random) -> None:
    at = START + timedelta(days=15)
    for what in rng.sample(_NOTED, rng.randint(0, 3)):
        t.add(e.ForgeNoted(what, "abc1234 because", at, "ann", "https://github.com/o/r/pull/412"))
    for person in rng.sample(_PEOPLE, rng.randint(0, 3)):
        t.add(e.VerdictRated(rng.random() < 0.5, person, at))
    if rng.random() < 0.3:
        t.add(e.FollowUpDue("Did it hold?", at, rng.choice(("", "the change was reverted"))))
    if rng.random() < 0.4:
        t.add(e.OutcomeResolved(rng.random() < 0.5, "ann", at, rng.choice(("", "no bug came"))))
