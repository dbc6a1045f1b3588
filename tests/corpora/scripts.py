"""Debates of every shipped template in every format: what is compiled, asked, answered and read."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import reduce
from random import Random
from typing import Any

from adapters.models.scripted import BEHAVIOURS, Scripted
from adapters.templates.catalogue import builtin, find, in_format
from core.budget import closing_reserve, estimate_price
from core.casting import (
    Discounts,
    ModelCandidate,
    TrackRecord,
    cast,
    count_voices,
    left_out,
    one_family,
)
from core.commands import AskSeat, Command, RaiseChallenge
from core.commands.decisions import decide
from core.debate import evolve, replay
from core.due.argument import foreseen
from core.errors import DebateError
from core.formats import FORMATS, PanelSize, Plan
from core.material import MaterialKind
from core.outcome import outcome
from core.ports import CallOptions, Price
from core.prompting import prompt, scene
from core.prompting.size import Size
from core.replies.schema import schema
from core.replies.tasks import TASKS
from core.script import Topic, in_turn
from core.template import Mode, Turns
from core.verdict.findings import merge_findings
from core.views.course.following import news_since
from tests.adapters.review.samples import material
from tests.core.argued import SEATS, Seats, a_finding, judging, opens, review, reviewed
from tests.core.memory import Voice, Voices, opening, played
from tests.corpora.courses import course
from tests.corpora.surfaces import events_text, text_of

_NAMES = tuple(sorted(builtin()))
_MODES = (None, *Mode)


def _plan(rng: Random) -> Plan:
    return Plan(
        rounds=rng.choice((None, None, 1, 2, 3, 5)), mode=rng.choice(_MODES),
        blind=rng.choice((None, True, False)), form=rng.choice((None, *PanelSize)),
        questions=rng.choice((None, 1, 3)), judges=rng.choice((None, 2, 3)),
        voices=rng.choice((None, 2, 4)), turns=rng.choice((None, *Turns)),
        rotate=rng.random() < 0.3, openings=rng.choice((None, 2, 4)),
    )  # fmt: skip


def _compiled(number: int) -> str:
    rng = Random(f"script {number}")
    name, format = _NAMES[number % len(_NAMES)], sorted(FORMATS)[number // 2 % len(FORMATS)]
    try:
        template = in_format(find(name), format) if rng.random() < 0.7 else find(name)
        script = FORMATS[template.format].compile(template, _plan(rng), rng)
    except DebateError as refused:
        return str(refused)
    return text_of(script)


def _events(number: int, rng: Random) -> tuple[list[Any], Voices]:
    name = _NAMES[number % len(_NAMES)]
    voices = Voices(
        [
            Voice("voice-a", "a", number, rng.choice((0.0, 0.2)), rng.choice((0.0, 0.2)), 0.01),
            Voice("voice-b", "b", number + 1, 0.0, rng.choice((0.0, 0.1))),
        ]
    )
    change = (
        material()
        if find(name).material in ("", MaterialKind.PULL_REQUEST) and number % 2
        else None
    )
    terms: dict[str, Any] = {
        "budget": rng.choice((None, 0.05, 0.3)),
        "converge": rng.random() < 0.5,
    }
    terms |= {"quorum": rng.randint(1, 2), "anyway": rng.random() < 0.5}
    return opening(name, voices=voices, material=change, seed=number, **terms), voices


def _played(number: int) -> str:
    """A debate by models that answer at random, sometimes nothing and sometimes nonsense."""
    rng = Random(f"play {number}")
    events, voices = _events(number, rng)
    debate, log = asyncio.run(played(events, voices))
    calls = [text_of(call) for _, call in sorted(log.rows.items())]
    news = [text_of(news_since(log.events, 2)[1]), text_of(outcome(debate))]
    return "\n".join([events_text(log.events), *calls, *news])


def _prompts(number: int) -> str:
    """The prompts of a finished debate, and what the embedded model is given instead."""
    rng = Random(f"play {number}")
    events, voices = _events(number, rng)
    debate, _ = asyncio.run(played(events, voices))
    turns = [turn for turn in debate.open.script if turn.seat != "audience"]
    return "\n".join(text_of([prompt(debate, turn), scene(debate, turn)]) for turn in turns)


def _argued(number: int) -> str:
    """A review whose seats open and answer at random."""
    rng = Random(f"argued {number}")
    options = ("approve", "comment", "request_changes")
    places: tuple[dict[str, Any], ...] = (
        {},
        {"line": 14, "title": "Rows are held"},
        {"severity": "low", "confidence": 0.4},
    )
    openings = {
        role: opens(rng.choice(options), *(a_finding(**p) for p in places if rng.random() < 0.6))
        for role in SEATS
    }
    drawn: dict[str, Any] = {
        task: judging(
            rng.choice(("must_fix", "need_not_block", "not_real")),
            **({"quote": ""} if rng.random() < 0.3 else {}),
        )
        for task in ("vouch", "weigh", "reply", "decide")
    }
    seats = Seats(openings, **drawn, ends=rng.choice(options))
    mode = rng.choice(list(Mode))
    events = review(openings=rng.randint(3, 5), seed=number, mode=mode)
    debate, log = asyncio.run(reviewed(seats, events, usd=0.01))
    return "\n".join([events_text(log.events), text_of(seats.calls), text_of(outcome(debate))])


def _double(number: int) -> str:
    """What the scripted model answers to every task."""
    rng = Random(f"double {number}")
    behaviours = [b for b in (*sorted(BEHAVIOURS), "stance=approve") if b not in ("slow", "stall")]
    behaviour, made = behaviours[number % len(behaviours)], []
    events, voices = _events(number, rng)
    debate, _ = asyncio.run(played(events, voices))
    for turn in rng.sample(debate.open.script.turns, min(4, len(debate.open.script.turns))):
        for task in rng.sample(sorted(TASKS), 3):
            form = schema(TASKS[task], debate.open.template, findings=True, ruling=True)
            try:
                model = Scripted(behaviour, seed=number)
                reply = asyncio.run(model.reply(prompt(debate, turn), CallOptions(schema=form)))
                made.append(text_of(reply))
            except DebateError as refused:
                made.append(repr(refused))
    return "\n".join(made)


def _interrupted(number: int) -> str:
    """The prompts in the middle of a debate into which people put questions."""
    rng, events = Random(f"interrupted {number}"), course(number)
    debate = replay(events[: rng.randint(2, len(events))])
    if debate.opened is None:
        return debate.failure
    subjects = rng.sample([*debate.finished, *(m.id for m in merge_findings(debate)), "P1"], 1)
    commands: list[Command] = [AskSeat("bob", each, own=True) for each in subjects]
    commands.append(RaiseChallenge("ann", rng.choice(("P1, why?", "The pool is never closed."))))
    made = []
    for command in commands:
        try:
            debate = reduce(evolve, decide(debate, command), debate)
        except DebateError as refused:
            made.append(str(refused))
    added = [t for t in debate.turns if t.about_the(Topic.HOT_SEAT) or t.about_the(Topic.CHALLENGE)]
    turns = (*rng.sample(debate.turns, min(3, len(debate.turns))), *added[:4])
    made += [text_of([prompt(debate, turn), scene(debate, turn)]) for turn in turns]
    return "\n".join(made)


def _cast(number: int) -> str:
    """Who sits where in a script, and what it costs."""
    rng, template = Random(f"cast {number}"), find(_NAMES[number % len(_NAMES)])
    script = FORMATS[template.format].compile(template, Plan(mode=template.consensus), rng)
    script = replace(script, blind=rng.random() < 0.4)
    families = rng.choice((("a",), ("a", "b"), ("a", "b", "c"), ("a", "a", "b", "c", "d")))
    candidates = [ModelCandidate(f"m{n}", f) for n, f in enumerate(families * rng.randint(1, 2))]
    past = {c.name: TrackRecord(rng.randint(0, 9), 9) for c in candidates if rng.random() < 0.6}
    known, ruled = (rng.choice((None, past)) for _ in range(2))
    roles = {seat.role: {"m0": 0.5, "m1": 0.2} for seat in script.seats[:2]}
    less = rng.choice((None, Discounts({"m0": 0.5}, roles)))
    terms: tuple[Any, ...] = (candidates, rng, known, ruled, less)
    seats, voices = cast(script, *terms), count_voices(*terms)
    prices = {c.name: Price(1e-6, rng.choice((2e-6, 2e-6, None)), tools=True) for c in candidates}
    size, search = Size(rng.choice((0, 1500, 1501, 9000))), rng.random() < 0.5
    ahead = foreseen(template, script)
    price = estimate_price(script, seats, size, prices.__getitem__, ahead=ahead, search=search)
    kept = closing_reserve(script, seats, size, prices.__getitem__)
    alike = one_family(script, seats, {c.name: c.family for c in candidates})
    return text_of([seats, voices, left_out(seats), alike, ahead, price, kept, [*in_turn(script)]])


CORPORA = {
    "scripts": (90, _compiled),
    "plays": (45, _played),
    "prompts": (30, _prompts),
    "argued": (45, _argued),
    "double": (30, _double),
    "interrupted": (60, _interrupted),
    "casts": (90, _cast),
}
