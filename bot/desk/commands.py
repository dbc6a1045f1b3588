"""The table of commands and buttons: the longest texts of each, the process that works on it, and
the stored part.

Another table defines the permissions (``bot.permissions.actions``). The desk checks every request
against its row first. A command, a button or a text that is not in the table is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from adapters.commands import requests as r
from adapters.routes import SHORT, TYPED, RouteWork
from bot.permissions.actions import PRESSES
from core.errors import BadInput

_MATERIAL = 2_000_000
"""The most characters of a file, or a thread, that is debated."""
_WORDS = 4_000


@dataclass(frozen=True, slots=True)
class CommandBounds:
    """The bounds of one command. ``texts`` are the longest that each text may be, in characters (of
    a list, all of it together). A text without an entry there is a name or a choice, of at most
    ``SHORT`` characters.
    """

    texts: Mapping[str, int] = field(default_factory=dict)
    work: RouteWork = RouteWork.LOOP
    stored: str = ""


_START = {"target": TYPED, "text": _MATERIAL, "models": 1_000, "evidence": 1_000}
_COST = RouteWork.PROCESS

COMMANDS: Mapping[type, CommandBounds] = {
    r.Start: CommandBounds(_START, _COST, "a debate"),
    r.Compare: CommandBounds({}, RouteWork.LOOP, "two debates"),
    r.ForkRequest: CommandBounds(
        {"assume": TYPED, "models": 1_000, "branch": 2_000}, RouteWork.LOOP, "a debate"
    ),
    r.ScheduleAdd: CommandBounds({}, _COST, "a schedule"),
    r.ScheduleDo: CommandBounds({}, RouteWork.LOOP, "what became of it"),
    r.Filters: CommandBounds({"label": 1_000}),
    r.Challenge: CommandBounds({"text": TYPED}, RouteWork.LOOP, "the objection"),
    r.HotSeat: CommandBounds({}, RouteWork.LOOP, "who wants an answer"),
    r.Prove: CommandBounds({}, RouteWork.LOOP, "who wants a proof"),
    r.Vote: CommandBounds({}, RouteWork.LOOP, "the vote"),
    r.Held: CommandBounds({"why": TYPED}, RouteWork.LOOP, "whether it held, and why"),
    r.Useful: CommandBounds({}, RouteWork.LOOP, "whether it helped"),
    r.Control: CommandBounds({}, RouteWork.LOOP, "who did it"),
    r.Mirror: CommandBounds({}, RouteWork.LOOP, "the place"),
    r.Setup: CommandBounds({"labels": 1_000, "on": 1_000}, RouteWork.LOOP, "a binding"),
    r.HookRequest: CommandBounds({"target": 1_000, "kinds": 1_000}, RouteWork.LOOP, "a webhook"),
    r.PostReview: CommandBounds({}, RouteWork.LOOP, "who approved it"),
    r.Show: CommandBounds({}, RouteWork.LOOP, "who read it"),
    r.Export: CommandBounds({}, RouteWork.LOOP, "who read it"),
    r.ReceiptRequest: CommandBounds({}, RouteWork.LOOP, "who read it"),
    r.ReplayRequest: CommandBounds({}, RouteWork.LOOP, "who read it"),
    r.Templates: CommandBounds({"check": _WORDS}),
    r.Help: CommandBounds(),
    r.Status: CommandBounds(),
    r.Listing: CommandBounds(),
    r.SearchRequest: CommandBounds(),
    r.Leaderboard: CommandBounds(),
}

_SAYS = {"challenge": TYPED, "fork": TYPED, "say": TYPED}
PRESSED: Mapping[str, int] = {action: _SAYS.get(action, SHORT) for action in PRESSES}
"""The most characters of text that may come with each button."""


def require_bounded(request: object) -> None:
    """Raises ``BadInput`` for a request with a text that is longer than its row allows."""
    row = COMMANDS.get(type(request))
    if row is None:
        raise BadInput("I can't do that here. `help` shows what I can.")
    for name, value in texts_of(request):
        most = row.texts.get(name, SHORT)
        if _length(value) > most:
            raise BadInput(f"{name.replace('_', ' ')} is too long: at most {most:,} characters.")
    for inner in _within(request):
        require_bounded(inner)


def require_press(action: str, value: str, text: str) -> None:
    """Raises ``BadInput`` for a button with a text that is longer than its row allows."""
    if len(value) > SHORT or len(text) > PRESSED.get(action, SHORT):
        raise BadInput(f"That is too long: at most {PRESSED.get(action, SHORT):,} characters.")


def texts_of(request: Any) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """Returns all texts of a request by their names."""
    for each in fields(request):
        value = getattr(request, each.name)
        if isinstance(value, str) or (isinstance(value, tuple) and value):
            yield each.name, value


def _within(request: Any) -> Iterator[object]:
    """Returns the requests inside a request: a schedule's start, and its choice of pull
    requests.
    """
    held = (getattr(request, each.name) for each in fields(request))
    return (one for one in held if type(one) in COMMANDS)


def _length(value: str | tuple[str, ...]) -> int:
    return len(value) if isinstance(value, str) else sum(map(len, value)) + len(value)
