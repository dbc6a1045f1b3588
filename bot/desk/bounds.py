"""The bounds of what people send: the longest texts of each command and button.

The bounds of a command are at its fields (``core.application.commands.requests``). The desk checks
every request against them first. A command, a button or a text without a row is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from core.application.commands.actions import SHORT, TYPED
from core.application.commands.row import Request, most_of
from core.application.permissions.actions import PRESSES
from core.debate.errors import BadInput
from core.languages import number

_SAYS = {"challenge": TYPED, "fork": TYPED, "say": TYPED}
PRESSED: Mapping[str, int] = {action: _SAYS.get(action, SHORT) for action in PRESSES}
"""The most characters of text that may come with each button."""


def require_bounded(request: object) -> None:
    """Raises ``BadInput`` for a request with a text that is longer than its row allows."""
    if not isinstance(request, Request):
        raise BadInput("I can't do that here. `help` shows what I can.")
    _require_fields_bounded(request)


def _require_fields_bounded(request: Any) -> None:
    bounds = most_of(type(request))
    for name, value in texts_of(request):
        most = bounds.get(name, SHORT)
        if _length(value) > most:
            raise BadInput(
                "{name} is too long: at most {most} characters.",
                name=name.replace("_", " "),
                most=number(most),
            )
    for inner in _within(request):
        _require_fields_bounded(inner)


def require_press(action: str, value: str, text: str) -> None:
    """Raises ``BadInput`` for a button with a text that is longer than its row allows."""
    if len(value) > SHORT or len(text) > PRESSED.get(action, SHORT):
        raise BadInput(
            "That is too long: at most {most} characters.", most=number(PRESSED.get(action, SHORT))
        )


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
    return (one for one in held if is_dataclass(one))


def _length(value: str | tuple[str, ...]) -> int:
    return len(value) if isinstance(value, str) else sum(map(len, value)) + len(value)
