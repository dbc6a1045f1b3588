"""Every text that is made of a debate, for each kind of reader."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import timedelta
from functools import cache, cached_property, partial
from typing import Any

import msgspec
from rich.console import Console

from adapters.discord.outgoing import layout as discord
from adapters.hooks import announced, may_tell, message
from adapters.mcp.results import verdict_of
from adapters.ports.chat import Post
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

_LATER = START + timedelta(days=20)


@dataclass(frozen=True)
class Drawn:
    """A drawn debate with what several surfaces are made of."""

    events: Sequence[e.Event]

    @cached_property
    def debate(self) -> Debate:
        return replay(self.events)

    @cached_property
    def posts(self) -> Sequence[Post]:
        return posted(self.events)


@cache
def drawn(number: int) -> Drawn:
    return Drawn(course(number))


@cache
def _parent() -> Mapping[str, Any]:
    return outcome(drawn(0).debate)


def text_of(value: object) -> str:
    """Any value as text that is the same in every process."""
    made = json.dumps(value, ensure_ascii=False, default=_plain)
    return msgspec.json.format(made, indent=1)  # json writes indented text at a third of the speed


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def parent_of(debate: Debate) -> Mapping[str, Any] | None:
    return _parent() if debate.fork is not None else None


def document(one: Drawn) -> Iterator[str]:
    debate = one.debate
    made = outcome(debate, parent_of(debate))
    yield text_of(made)
    yield text_of(retained_outcome(made))
    if debate.opened is not None:
        yield text_of(file_views(debate))


def receipts(one: Drawn) -> Iterator[str]:
    attestor = {"id": "ann", "name": "Ann"}
    several: tuple[dict[str, Any], ...] = ({}, {"attestor": attestor, "chain": "0" * 64})
    for given in several:
        yield text_of(receipt(outcome(one.debate), issued_at=_LATER.isoformat(), **given))


def events_text(events: Sequence[e.Event]) -> str:
    """The events as they are stored."""
    return "\n".join(text_of(EVENTS.encode(event)) for event in events)


def stored(one: Drawn) -> Iterator[str]:
    yield events_text(one.events)
    stored = map(EVENTS.encode, one.events)
    yield text_of([EVENTS.decode(x.kind, x.version, x.payload) for x in stored])


def posts(one: Drawn) -> Iterator[str]:
    yield text_of(one.posts)


def in_slack(one: Drawn) -> Iterator[str]:
    for post in standing(one.posts):
        yield text_of([(p.blocks, p.text) for p in slack.layout(post)])


def in_discord(one: Drawn) -> Iterator[str]:
    for post in standing(one.posts):
        yield text_of(discord.layout(post, 1))


def on_terminals(one: Drawn) -> Iterator[str]:
    events, whole = one.events, one.debate
    live = (Style.LIVE,) * (len(events) % 4 == 0)
    for style in (Style.PLAIN, *live):
        out = io.StringIO()
        terminal = Terminal(out, style=style, width=80, clock=lambda: 0.0)
        debate = replay(events[:1])
        for event in events[1:]:
            debate = evolve(debate, event)
            terminal.on_event(event, debate)
        yield out.getvalue()
    if whole.concluded is not None:
        yield "\n".join(plain_lines(whole))
        for width in (60, 120):
            lines = screen(Console(file=io.StringIO(), width=width), whole)
            yield text_of([(line.plain, [str(span) for span in line.spans]) for line in lines])


def reviews(one: Drawn) -> Iterator[str]:
    debate = one.debate
    yield text_of(ended(debate, "https://room.example/d"))
    yield text_of(sarif(debate))
    for given in (None, ReviewTerms(request_changes=True, link="https://room.example/d")):
        yield text_of(compose(debate, given))


def exports(one: Drawn) -> Iterator[str]:
    debate = one.debate
    yield export(debate, "md", parent_of(debate))
    yield export(debate, "html", parent_of(debate))
    yield play(one.events)


def in_the_room(one: Drawn) -> Iterator[str]:
    debate = one.debate
    view = view_of(RoomSettings(receipts=True), debate, parent_of(debate))
    for name, part in parts(view).items():
        yield f"{name}\n{part.html}"
    yield text_of(change_of(debate))


def messages(one: Drawn) -> Iterator[str]:
    """To whoever asks over MCP or follows, and to webhooks."""
    events = one.events
    yield text_of(news_since(events, 3)[1])
    yield text_of(verdict_of(one.debate, "https://room.example/d").model_dump(mode="json"))
    debate = replay(events[:1])
    for event in events[1:]:
        before, debate = debate, evolve(debate, event)
        announcements = [*announced(before, event, debate)]
        yield text_of([may_tell(before, event, debate), announcements])
        for number, announcement in enumerate(announcements):
            for full in (False, True):
                yield text_of(message("h1", number, debate, announcement, _LATER, full=full))


_SURFACES: Mapping[str, Callable[[Drawn], Iterator[str]]] = {
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


def _made(surface: Callable[[Drawn], Iterator[str]], number: int) -> str:
    """All that a surface makes of a debate; what it refuses ends it, in its own words."""
    made: list[str] = []
    try:
        made.extend(surface(drawn(number)))
    except DebateError as refused:
        made.append(f"{type(refused).__name__}: {refused}")
    return "\n".join(made)


CORPORA = {name: (COUNT, partial(_made, surface)) for name, surface in _SURFACES.items()}
