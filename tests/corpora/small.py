"""Small debates at the edges of the rules, and the answer to every question that the core can be
asked about each: few seats, equal votes, shares that are just enough, findings that are just sure.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import timedelta
from functools import cache, cached_property
from random import Random
from types import ModuleType
from typing import Any

import core.checks
import core.due
import core.outcome
import core.verdict
import core.views
from core import commands as c
from core import events as e
from core.casting import TrackRecord
from core.checks import CHECKS
from core.commands.decisions import MAX_CHALLENGE, decide
from core.debate import Debate
from core.errors import DebateError
from core.material import (
    Coverage,
    EarlierFinding,
    Fate,
    Material,
    MaterialKind,
    Part,
    Read,
    Scanned,
)
from core.replies import (
    Answer,
    Argument,
    ArgumentType,
    Claim,
    Finding,
    Grade,
    Metrics,
    Position,
    Repair,
)
from core.script import SeatId, Turn
from core.template import Mode, Option, People
from core.verdict.findings import merge_findings
from tests.core.argued import MATERIAL
from tests.core.table import CRITICS, REVIEW, START, Table, finding, stance, table

_FORMATS = (
    "phased", "contested", "phased", "panel", "gauntlet", "adversarial", "triad",
    "critique",
)  # fmt: skip
_UNORDERED = (Option("left", "one"), Option("right", "two"))
_SHARES = (0.5, 0.59, 0.6, 0.61, 0.7, 0.9)
_WORDS = (
    "The query is built from input", "The query is built from user text", "Rows leak memory",
    "unbroken" * 120,
)  # fmt: skip
"""Titles and texts; the last is cut wherever there is a limit, at any place."""
_PACKAGES = (core.checks, core.due, core.outcome, core.verdict, core.views)
_NONSENSE = (
    ArithmeticError, AttributeError, LookupError, OSError, StopIteration, TypeError, ValueError,
)  # fmt: skip
"""What a function may raise that is asked about what does not belong together."""
_CIRCLES = ("alike",)
"""Properties that return a value of the same type."""
_LONG = "x" * (MAX_CHALLENGE + 1)
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def small(number: int) -> Table:
    """A debate of one to four seats with every turn over, but for each fifth one."""
    rng = Random(f"small {number}")
    format = _FORMATS[number % len(_FORMATS)]
    seats = [*CRITICS, "author"][: rng.choice((1, 2, 2, 3, 3, 4))]
    ballot = REVIEW if rng.random() < 0.8 else _UNORDERED
    judges = [f"judge_{n}" for n in range(rng.choice((0, 0, 1, 2, 3)))]
    t = table(
        [*seats, *(f"{judge}:judge" for judge in judges), "chair:chair"],
        _turns(format, seats, judges, swapped=rng.random() < 0.5),
        format=format, mode=rng.choice((Mode.MAJORITY, *Mode)), ballot=ballot,
        threshold=rng.choice((0.25, 0.5, 0.5, 0.66, 0.75, 1.0)), quorum=rng.randint(0, 3),
        material=_material(rng), terms=_terms(rng, seats), people=rng.choice(list(People)),
        findings=ballot is REVIEW and rng.random() < 0.6, follow_up_days=rng.choice((None, 1, 2)),
        blind=rng.random() < 0.2, settings={"checks": sorted(CHECKS)} if number % 5 == 2 else {},
    )  # fmt: skip
    _play(t, rng, ballot)
    return t


def _turns(format: str, seats: list[str], judges: list[str], *, swapped: bool) -> list[str]:
    """The openings, two rounds of answers, the judges and the end."""
    first = [f"t{n}" for n, _ in enumerate(seats, 1)]
    second = {"gauntlet": "attack", "adversarial": "argue", "triad": "question"}.get(
        format, "debate"
    )
    lines = [f"t{n} {s} independent task=open" for n, s in enumerate(seats, 1)]
    for mark, round, task in (("u", 1, second), ("v", 2, "debate")):
        reads = ",".join(line.split()[0] for line in lines)
        lines += [
            f"{mark}{n} {s} round={round} reads={reads} task={task}" for n, s in enumerate(seats, 1)
        ]
    reads = ",".join(line.split()[0] for line in lines)
    for n, judge in enumerate(judges):
        task = "measure" if format == "adversarial" else "judge"
        lines.append(f"j{n} {judge} round=3 reads={reads} task={task}")
        if swapped:
            lines.append(f"k{n} {judge} round=3 reads={reads} task={task} about=swapped")
    task = "grade" if format == "gauntlet" else "close"
    return [*lines, f"end chair round=3 reads={','.join(first)} task={task} closing"]


def _material(rng: Random) -> Material:
    earlier = EarlierFinding(
        "e1", "m1", rng.choice(("medium", "high")), 0.6, _WORDS[0], "app/db.py", 13, "RIGHT", "row",
        fate=rng.choice(list(Fate)), disputed=rng.random() < 0.2, proven=rng.random() < 0.2,
        holders=rng.randint(1, 2), role="security",
    )  # fmt: skip
    scan = Scanned("scan.f1", "semgrep", rng.choice(("medium", "critical")), "SQL", "app/db.py", 40)
    return Material(
        rng.choice((MaterialKind.PULL_REQUEST, MaterialKind.QUESTION)), "Retry", MATERIAL.text,
        rng.choice(("", "https://github.com/o/r/pull/4")),
        earlier=(earlier,) * (rng.random() < 0.15), scanned=(scan,) * (rng.random() < 0.15),
        coverage=(Coverage("a.py", Read.FULL), Coverage("b.py", Read.LEFT_OUT, "generated", True))[
            : rng.choice((0, 1, 1, 2))
        ],
        redacted=rng.choice((0, 1, 2)), private=rng.random() < 0.2,
        parts=(Part("a", ("a.py",)), Part("b", ("b.py",))) * (rng.random() < 0.1),
        hunks=MATERIAL.hunks * (rng.random() < 0.8), base="0abcdef", revision="1abcdef",
    )  # fmt: skip


def _terms(rng: Random, seats: list[str]) -> dict[str, Any]:
    return {
        "demo": rng.random() < 0.3,
        "anyway": rng.random() < 0.1,
        "convergence": rng.choice((None, None, 0.5)),
        "vote_window": rng.choice((0.0, 600.0)),
        "budget": rng.choice((None, 0.01)),
        "estimate": rng.choice((None, 0.0, 0.02)),
        "weights": {SeatId(s): rng.choice((0.5, 1.0, 2.0)) for s in seats}
        if rng.random() < 0.3
        else {},
        "known": {"openai/gpt-5": TrackRecord(3, 4)} if rng.random() < 0.2 else {},
        "inherited": rng.choice((-1, -1, 0, 1)),
        "assume": rng.choice(("", "", "nobody logs in")),
        "sizing": _sizing(rng) if rng.random() < 0.3 else None,
    }


def _sizing(rng: Random) -> e.Sizing:
    least, most = (rng.choice((None, 0.0, 0.1)) for _ in range(2))
    estimate = rng.choice((None, 0.5))
    return e.Sizing("standard", 0.5, (), "small", least, most, estimate=estimate, why_not="none")


def _play(t: Table, rng: Random, ballot: tuple[Option, ...]) -> None:
    fails, leaning = rng.choice((0.0, 0.0, 0.2, 0.6)), rng.choice(ballot).option
    for turn in t.debate.turns:
        if rng.random() < fails:
            t.fails(turn.id) if rng.random() < 0.7 else t.skips(turn.id)
        else:
            option = leaning if rng.random() < 0.7 else rng.choice(ballot).option
            _speak(t, turn, rng, option)
        if rng.random() < 0.25:
            _people(t, rng, ballot)


def _speak(t: Table, turn: Turn, rng: Random, option: str) -> None:
    points = [id for _, statement in t.debate.statements() for id in statement.point_ids]
    points += [each.id for each in t.debate.open.material.earlier]
    if turn.task in ("open", "debate", "argue", "attack", "question"):
        held = stance(
            option, rng.choice(_SHARES), because=rng.choice(("", "it is so", _WORDS[3])),
            moved_by=rng.choice(("", *points)),
            would_resolve_if=rng.choice(("", "a test", _WORDS[3])),
        )  # fmt: skip
        argument = Argument(rng.choice(list(ArgumentType))) if turn.task == "argue" else None
        t.says(
            turn.id, held if rng.random() < 0.9 else "", findings=_findings(rng),
            claims=[Claim("", rng.choice(_WORDS), rng.choice(("", "text")))] * rng.choice((0, 1)),
            answers=_answers(rng, points), argument=argument, text=rng.choice(("", *_WORDS)),
        )  # fmt: skip
    elif turn.task == "measure":
        t.says(turn.id, metrics=Metrics(rng.choice((0.4, 0.5, 0.75)), 0.5, 0.5, 0.5))
    elif turn.task == "judge":
        t.says(turn.id, ruling=rng.choice((option, option, "")), scores={"consensus": 0.5})
    else:
        attacks = [each.id for each in t.debate.turns if each.task == "attack"]
        t.says(
            turn.id, sections=_sections(rng), actions=_WORDS * rng.choice((0, 0, 1, 2)),
            grades={id: rng.choice(list(Grade)) for id in attacks if rng.random() < 0.8},
            repairs=[Repair(id, "a form", "Bind it.") for id in points[:1]],
        )  # fmt: skip


def _sections(rng: Random) -> dict[str, str]:
    """What a report holds that its template's checks look for."""
    days = START.date() + timedelta(rng.choice((0, 1)))
    return {
        "summary": "It ends.", "alternatives": "- a way\n" * rng.choice((2, 3, 4)),
        "kill_criteria": rng.choice(("none", "It is slow.")), "review_date": f"{days}",
        "follow_up_date": f"2026-99-99 or {days}",
    }  # fmt: skip


def _findings(rng: Random) -> list[Finding]:
    return [
        finding(
            rng.choice(_WORDS), severity=rng.choice(("low", "medium", "high", "high", "critical")),
            confidence=rng.choice(_SHARES), line=rng.choice((11, 13, 13, 14, 30)),
            anchored=rng.random() < 0.85, trigger=rng.choice(("", "a form", _WORDS[3])),
            fix=rng.choice(("", "Bind it.", _WORDS[3])),
        )
        for _ in range(rng.choice((0, 0, 1, 1, 2, 4)))
    ]  # fmt: skip


def _answers(rng: Random, points: list[str]) -> list[Answer]:
    chosen = rng.sample(points, min(len(points), rng.choice((0, 1, 2))))
    return [
        Answer(
            id, rng.choice((Position.DISPUTE, *Position)), rng.choice(("", "no", _WORDS[3])), "row",
            rng.choice(("", "x=1")), "app/db.py", 12, checked=rng.random() < 0.5,
        )
        for id in chosen
    ]  # fmt: skip


def _people(t: Table, rng: Random, ballot: tuple[Option, ...]) -> None:
    ids = [m.id for m in merge_findings(t.debate)]
    subject = rng.choice(("", *ids))
    options = ("real", "not_real", "worse", "milder") if subject else [o.option for o in ballot]
    liked = rng.choice(options)
    for person in ("ann", "bob", "eve", "kim", "dora", "max")[: rng.randint(1, 6)]:
        option = liked if rng.random() < 0.7 else rng.choice(options)
        t.votes(person, option, subject, author=rng.random() < 0.1)


def _stages(number: int) -> Iterator[Debate]:
    """The debate after its openings, at the end of its last turn, and when all is known of it."""
    rng = Random(f"stages {number}")
    t = small(number)
    early = Table(t.events[: rng.randint(3, len(t.events))])
    if number % 4 == 1:
        stop = e.StopOrdered(rng.choice(list(e.EndReason)), closing=rng.random() < 0.7)
        early.add(stop)
    yield early.debate
    if number % 3 == 0:
        t.stops(rng.choice(list(e.EndReason)), rng.choice(("", "because")))
    yield t.debate
    t.concluded(closed=number % 2 == 0)
    for person in ("ann", "bob")[: number % 3]:
        t.add(e.VerdictRated(rng.random() < 0.5, person, START))
    if number % 4 == 0:
        t.resolved(rng.random() < 0.5)
    yield t.debate


@cache
def _questions() -> Mapping[str, tuple[Callable[..., object], tuple[str, ...]]]:
    """Every public function of the packages that needs a debate, or one of its turns, statements,
    findings or seats beside it, by its name, with what it needs.
    """
    questions: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {}
    for module in sorted((m for p in _PACKAGES for m in _modules(p)), key=lambda m: m.__name__):
        for name, function in sorted(vars(module).items()):
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            needed = tuple(
                str(one.annotation)
                for one in inspect.signature(function).parameters.values()
                if one.default is one.empty
            )
            if function.__module__ == module.__name__ and needed in _GIVEN:
                questions[f"{module.__name__}.{name}"] = function, needed
    return questions


def _modules(package: ModuleType) -> Iterator[ModuleType]:
    yield package
    for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        yield importlib.import_module(each.name)


_GIVEN: Mapping[tuple[str, ...], Callable[[Debate], Iterator[tuple[Any, ...]]]] = {
    ("Debate",): lambda d: iter([(d,)]),
    ("Debate", "Turn"): lambda d: ((d, turn) for turn in d.turns),
    ("Debate", "Turn", "Statement"): lambda d: ((d, *each) for each in d.statements()),
    ("Debate", "MergedFinding"): lambda d: ((d, m) for m in merge_findings(d)),
    ("Debate", "SeatId"): lambda d: ((d, seat.id) for seat in d.script.seats),
}


def whole(value: object) -> object:
    """A value with what its properties say."""
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _member(value, name) for name in _members(type(value))}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


@cache
def _members(of: type) -> tuple[str, ...]:
    stored = [each.name for each in fields(of) if each.init]
    computed = inspect.getmembers(of, lambda each: isinstance(each, property | cached_property))
    return (*stored, *(name for name, _ in computed if name not in _CIRCLES))


def _member(value: object, name: str) -> object:
    try:
        return getattr(value, name)
    except (DebateError, *_NONSENSE) as refused:
        return type(refused).__name__


def answered(question: Callable[..., object], *given: object, **named: object) -> str:
    """The answer as text: what a function refuses, it says so; an address in memory says
    nothing.
    """
    try:
        answer = question(*given, **named)
        value = [*answer] if inspect.isgenerator(answer) else answer
        text = json.dumps(value, ensure_ascii=False, default=whole, skipkeys=True)
    except DebateError as refused:
        return f"{type(refused).__name__}: {refused}"
    except _NONSENSE as refused:
        return type(refused).__name__
    return _ADDRESS.sub("", text)


def _commands(debate: Debate) -> Iterator[c.Command]:
    """What people and the clock may ask of a debate, twice and too late as well."""
    at, later = START + timedelta(minutes=5), START + timedelta(days=2)
    spoken, findings = [*debate.finished, "t9"][0], [*merge_findings(debate)][:2]
    yield from (c.RaiseChallenge("ann", text) for text in ("", "Rows leak", "P1, why?", _LONG))
    yield from (c.RaiseChallenge("ann", _LONG[1:], (seat,)) for seat in ("author", "P2", "nobody"))
    yield from (c.AskSeat(by, spoken, own) for by, own in (("shell:ann", False), ("bob", True)))
    yield from (c.AskSeat("bob", id) for id in ("author", "@P1", "t9", *(m.id for m in findings)))
    for subject in ("", spoken, "t9.f9", *(m.id for m in findings)):
        for option in ("approve", "1", "real", "thumbsup"):
            yield c.CastVote("ann", option, subject)
        yield c.WithdrawVote("ann", "", subject)
    yield from (c.Pause("ann"), c.Pause(""), c.Resume("ann"), c.Stop("ann"), c.CloseVotes(at))
    yield from (c.AddPlace("shell", "ann"), c.AddPlace("slack:T1/C1", "ann"), c.ShowWhole("ann"))
    nine = START.replace(hour=9, minute=0)
    for days in (1, 2, 3):
        yield from (c.FollowUp(nine + timedelta(days, seconds=s)) for s in (-1, 0))
    yield from (c.ResolveOutcome(True, "ann", later), c.AskHeld("Did it?", "merged", later))
    yield from (c.RateVerdict(useful, by, later) for useful in (True, False) for by in ("ann", "x"))


def _answers_to_all(number: int) -> str:
    made = []
    for debate in _stages(number):
        made += [f"{command} {answered(decide, debate, command)}" for command in _commands(debate)]
        for name, (question, needed) in _questions().items():
            made += [f"{name} {answered(question, *given)}" for given in _GIVEN[needed](debate)]
    return "\n".join(made)


CORPORA = {"questions": (36, _answers_to_all)}
