"""Every text that is made of a debate, for each kind of reader."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import timedelta
from functools import cache, partial
from typing import Any

from rich.console import Console

from adapters.discord.outgoing import layout as discord
from adapters.hooks import announced, may_tell, message
from adapters.mcp.results import verdict_of
from adapters.posts.export import export
from adapters.posts.export.play import play
from adapters.review.check import ended
from adapters.review.sarif import sarif
from adapters.review.text import ReviewTerms, compose
from adapters.room.outgoing.change import change_of
from adapters.room.outgoing.parts import parts
from adapters.room.outgoing.view import view_of
from adapters.room.settings import RoomSettings
from adapters.slack.outgoing import layout as slack
from adapters.terminal.ending import plain_lines, screen
from adapters.terminal.terminal import Style, Terminal
from core import events as e
from core.debate import Debate, evolve, replay
from core.errors import DebateError
from core.outcome import outcome
from core.outcome.retained import retained_outcome
from core.receipt import receipt
from core.views.course.following import news_since
from core.views.verdict.coverage import file_views
from storage.codec import EVENTS
from tests.adapters.posts.told import posted, standing
from tests.core.table import START
from tests.corpora.courses import COUNT, course

Events = Sequence[e.Event]
_LATER = START + timedelta(days=20)


@cache
def _parent() -> Mapping[str, Any]:
    return outcome(replay(course(0)))


def text_of(value: object) -> str:
    """Any value as text that is the same in every process."""
    return json.dumps(value, ensure_ascii=False, indent=1, default=_plain)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def parent_of(debate: Debate) -> Mapping[str, Any] | None:
    return _parent() if debate.fork is not None else None


def document(events: Events) -> Iterator[str]:
    debate = replay(events)
    made = outcome(debate, parent_of(debate))
    yield text_of(made)
    yield text_of(retained_outcome(made))
    if debate.opened is not None:
        yield text_of(file_views(debate))


def receipts(events: Events) -> Iterator[str]:
    attestor = {"id": "ann", "name": "Ann"}
    several: tuple[dict[str, Any], ...] = ({}, {"attestor": attestor, "chain": "0" * 64})
    for given in several:
        yield text_of(receipt(outcome(replay(events)), issued_at=_LATER.isoformat(), **given))


def events_text(events: Events) -> str:
    """The events as they are stored."""
    return "\n".join(text_of(EVENTS.encode(event)) for event in events)


def stored(events: Events) -> Iterator[str]:
    yield events_text(events)
    yield text_of([EVENTS.decode(x.kind, x.version, x.payload) for x in map(EVENTS.encode, events)])


def posts(events: Events) -> Iterator[str]:
    yield text_of(posted(events))


def in_slack(events: Events) -> Iterator[str]:
    for post in standing(posted(events)):
        yield text_of([(p.blocks, p.text) for p in slack.layout(post)])


def in_discord(events: Events) -> Iterator[str]:
    for post in standing(posted(events)):
        yield text_of(discord.layout(post, 1))


def on_terminals(events: Events) -> Iterator[str]:
    debate = replay(events)
    live = (Style.LIVE,) * (len(events) % 4 == 0)
    for style in (Style.PLAIN, *live):
        out = io.StringIO()
        terminal = Terminal(out, style=style, width=80, clock=lambda: 0.0)
        debate = replay(events[:1])
        for event in events[1:]:
            debate = evolve(debate, event)
            terminal.on_event(event, debate)
        yield out.getvalue()
    if debate.concluded is not None:
        yield "\n".join(plain_lines(debate))
        for width in (60, 120):
            lines = screen(Console(file=io.StringIO(), width=width), debate)
            yield text_of([(line.plain, [str(span) for span in line.spans]) for line in lines])


def reviews(events: Events) -> Iterator[str]:
    debate = replay(events)
    yield text_of(ended(debate, "https://room.example/d"))
    yield text_of(sarif(debate))
    for given in (None, ReviewTerms(request_changes=True, link="https://room.example/d")):
        yield text_of(compose(debate, given))


def exports(events: Events) -> Iterator[str]:
    debate = replay(events)
    yield export(debate, "md", parent_of(debate))
    yield export(debate, "html", parent_of(debate))
    yield play(events)


def in_the_room(events: Events) -> Iterator[str]:
    debate = replay(events)
    view = view_of(RoomSettings(receipts=True), debate, parent_of(debate))
    for name, part in parts(view).items():
        yield f"{name}\n{part.html}"
    yield text_of(change_of(debate))


def messages(events: Events) -> Iterator[str]:
    """To whoever asks over MCP or follows, and to webhooks."""
    yield text_of(news_since(events, 3)[1])
    yield text_of(verdict_of(replay(events), "https://room.example/d").model_dump(mode="json"))
    debate = replay(events[:1])
    for event in events[1:]:
        before, debate = debate, evolve(debate, event)
        announcements = [*announced(before, event, debate)]
        yield text_of([may_tell(before, event, debate), announcements])
        for number, one in enumerate(announcements):
            for full in (False, True):
                yield text_of(message("h1", number, debate, one, _LATER, full=full))


_SURFACES: Mapping[str, Callable[[Events], Iterator[str]]] = {
    "document": document,
    "receipts": receipts,
    "stored": stored,
    "posts": posts,
    "slack": in_slack,
    "discord": in_discord,
    "terminal": on_terminals,
    "reviews": reviews,
    "exports": exports,
    "room": in_the_room,
    "messages": messages,
}


def _made(surface: Callable[[Events], Iterator[str]], number: int) -> str:
    """All that a surface makes of a debate; what it refuses ends it, in its own words."""
    made: list[str] = []
    try:
        made.extend(surface(course(number)))
    except DebateError as refused:
        made.append(f"{type(refused).__name__}: {refused}")
    return "\n".join(made)


CORPORA = {name: (COUNT, partial(_made, surface)) for name, surface in _SURFACES.items()}
