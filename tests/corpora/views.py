"""A debate as the room's pages see it, in the middle and after its end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from functools import cached_property
from random import Random

from adapters.room.outgoing.view import DebateView, view_of
from adapters.room.settings import RoomSettings
from core import events as e
from core.debate import Debate, evolve, replay
from core.errors import DebateError
from tests.core.table import START
from tests.corpora.courses import course
from tests.corpora.surfaces import parent_of, text_of

_VALUES = [
    name
    for name, value in vars(DebateView).items()
    if isinstance(value, property | cached_property)
]
"""The names of everything that a view says without being asked for more."""


def _seen(view: DebateView) -> Iterator[object]:
    yield {name: _value(view, name) for name in _VALUES}
    yield [view.asks_held(now) for now in (None, START, START + timedelta(days=30))]
    for finding in view.document["findings"]:
        yield [view.code(finding), view.wordings(finding), view.challenges_of(finding)]
    yield [view.objection(one) for one in view.document["challenges"]]
    turns = [turn.id for turn in view.debate.turns] if view.opened else []
    for turn in turns:
        yield [view.moved_by(turn), view.model(turn), view.begun(turn), view.refer(turn)]
    yield [view.played(number) for number in range(1, 4)] if view.opened else []
    yield [view.seat_list(["nobody_known", *view.seats]), view.words("See t1.f1 and t2.")]


def _value(view: DebateView, name: str) -> object:
    try:
        return getattr(view, name)
    except DebateError as refused:  # of a debate that has not begun
        return str(refused)


def _after_more(debate: Debate, rng: Random) -> Iterator[Debate]:
    yield debate
    if debate.opened is not None and debate.concluded is None:
        paused = e.DebatePaused(rng.choice(("ann", "")), rng.choice(("lunch", "")))
        yield evolve(debate, paused)


def _views(number: int) -> str:
    rng, made = Random(f"view {number}"), list[object]()
    events = course(number)
    for count in (len(events), rng.randint(1, len(events))):
        for debate in _after_more(replay(events[:count]), rng):
            settings = RoomSettings(receipts=rng.random() < 0.5)
            made += _seen(view_of(settings, debate, parent_of(debate)))
    return text_of(made)


CORPORA = {"views": (20, _views)}
