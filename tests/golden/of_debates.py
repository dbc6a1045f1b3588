"""What is made of a debate, for each kind of reader."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from rich.console import Console

from adapters.hooks import announced, message
from adapters.mcp.results import verdict_of
from adapters.posts.compare import comparison
from adapters.posts.export import export
from adapters.review.check import ended
from adapters.review.sarif import sarif
from adapters.review.text import compose
from adapters.room.outgoing.parts import parts
from adapters.room.outgoing.view import view_of
from adapters.room.settings import RoomSettings
from adapters.terminal.ending import screen
from adapters.terminal.status import StatusLine, lines
from adapters.terminal.terminal import Style, Terminal
from core.debate import events as e
from core.debate.prompting import prompt, scene
from core.debate.state import evolve, replay
from core.languages import LANGUAGES, speaking
from core.words.outcome import outcome
from core.words.receipt import receipt
from tests.adapters.posts.threads import PLATFORMS, page
from tests.adapters.posts.told import posted, standing
from tests.core.table import START
from tests.golden.debates import busy, demonstrated, review
from tests.golden.readable import pretty, words_of

_LATER = START + timedelta(days=20)
_ROOM = "https://room.example/d"
Debates = Callable[[], Sequence[e.Event]]


def _thread(platform: str, debate: Debates) -> str:
    return page(platform, standing(posted(debate())))


def _terminal(debate: Debates) -> str:
    """What a shell prints while the debate runs and at its end."""
    events, out = debate(), io.StringIO()
    terminal = Terminal(out, style=Style.PLAIN, width=100, clock=lambda: 0.0)
    state = replay(events[:1])
    for event in events[1:]:
        state = evolve(state, event)
        terminal.on_event(event, state)
    ending = screen(Console(file=io.StringIO(), width=100), state)
    return "\n".join([out.getvalue(), *(line.plain for line in ending)])


def _status(debate: Debates) -> str:
    """The lines below a running debate, after every fifth event."""
    events, made = debate(), list[str]()
    for count in range(2, len(events), 5):
        state = replay(events[:count])
        status = StatusLine(state, seconds=61.0, typed="vote approve")
        for turn in state.turns:
            status.heard(turn, "The name comes from a form, and nobody looks at it.")
        made += [line.plain for line in lines(status, 80, 9)]
    return "\n".join(made)


def _report(debate: Debates) -> str:
    return export(replay(debate()), "md")


def _room(debate: Debates) -> str:
    view = view_of(RoomSettings(receipts=True), replay(debate()), None)
    return "\n\n".join(f"[{name}]\n{words_of(part.html)}" for name, part in parts(view).items())


def _review(debate: Debates) -> str:
    """What a pull request gets: the review, its comments and the check."""
    state, made = replay(debate()), list[str]()
    for asks, link in ((False, ""), (True, _ROOM)):
        composed = compose(state, request_changes=asks, link=link)
        made += [f"[{composed.event}]", composed.body]
        made += [f"[{c.path}:{c.line} {c.side}]\n{c.body}" for c in composed.comments]
        made += [pretty(answer) for answer in composed.answers]
    return "\n\n".join([*made, f"[check] {pretty(ended(state, _ROOM))}"])


def _hooks(debate: Debates) -> str:
    """The messages that a hook gets, the last in full."""
    return "\n".join(map(pretty, _announced(debate())))


def _announced(events: Sequence[e.Event]) -> Iterator[object]:
    state = replay(events[:1])
    for event in events[1:]:
        before, state = state, evolve(state, event)
        for number, announcement in enumerate(announced(before, event, state)):
            yield message("h1", number, state, announcement, _LATER, full=True)


def _prompts(debate: Debates) -> str:
    """The first prompt of every task, and what a small model on this machine gets instead."""
    state, made, tasks = replay(debate()), list[str](), set[str]()
    for turn in state.open.script:
        if turn.seat != "audience" and turn.task not in tasks:
            tasks.add(turn.task)
            for message in prompt(state, turn):
                made.append(f"=== {turn.task}: {message.role}\n{message.text}")
            made.append(f"=== {turn.task} on a small model\n{pretty(scene(state, turn))}")
    return "\n".join(made)


def _in_language(language: str) -> str:
    """The same debate's thread, page and review, all in one language."""
    events = [
        replace(event, terms=replace(event.terms, language=language))
        if isinstance(event, e.DebateOpened)
        else event
        for event in busy()
    ]

    def debate() -> Sequence[e.Event]:
        return events

    with speaking(language):
        made = {
            "thread": _thread("slack", debate), "page": _room(debate), "review": _review(debate)
        }  # fmt: skip
    return "\n\n".join(f"===== {name}\n{text}" for name, text in made.items())


def _compared() -> str:
    return comparison(outcome(replay(review())), outcome(replay(busy())))


def _receipt(debate: Debates) -> str:
    attestor = {"id": "ann", "name": "Ann"}
    document = outcome(replay(debate()))
    made = receipt(document, issued_at=_LATER.isoformat(), attestor=attestor, chain="0" * 64)
    return re.sub(r"[0-9a-f]{64}", "HASH", pretty(made))


_FORMATS: Mapping[str, tuple[str, str]] = {
    "adversarial": ("adversarial", ""), "contested": ("code_review", ""),
    "critique": ("critique", ""), "gauntlet": ("gauntlet", ""), "panel": ("panel", ""),
    "phased": ("design_doc", ""), "triad": ("triad", ""),
}  # fmt: skip
TEXTS: Mapping[str, Callable[[], str]] = {
    **{
        f"thread-{name}.txt": partial(_terminal, partial(demonstrated, *given))
        for name, given in _FORMATS.items()
    },
    "prompts-review.txt": partial(_prompts, partial(demonstrated, "code_review")),
    "prompts-design.txt": partial(_prompts, partial(demonstrated, "design_doc")),
    "outcome.json": lambda: pretty(outcome(replay(review()))),
    "outcome-busy.json": lambda: pretty(outcome(replay(busy()))),
    "report.md": partial(_report, review),
    "report-busy.md": partial(_report, busy),
    "report-incident.md": partial(_report, partial(demonstrated, "incident_response")),
    "page-export.txt": lambda: words_of(export(replay(busy()), "html")),
    "page-room.txt": partial(_room, busy),
    "review.md": partial(_review, review),
    "review-busy.md": partial(_review, busy),
    "sarif.json": lambda: pretty(sarif(replay(review()))),
    "receipt.json": partial(_receipt, review),
    "mcp.json": lambda: pretty(verdict_of(replay(busy()), _ROOM).model_dump(mode="json")),
    "hooks.json": partial(_hooks, busy),
    "terminal.txt": partial(_terminal, busy),
    "status.txt": partial(_status, busy),
    "compare.txt": _compared,
    **{f"languages-{code}.txt": partial(_in_language, code) for code in LANGUAGES},
    **{
        f"thread-busy-{platform}.txt": partial(_thread, platform, busy) for platform in PLATFORMS
    },
}  # fmt: skip
