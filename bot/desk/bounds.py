"""The bounds of what people send: the longest texts of each command and button.

The bounds of a command are at its fields (``core.application.commands.requests``). The desk checks
every request against them first. A command, a button or a text without a row is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """Checks a request and the requests inside it: a schedule's start, and its choice of pull
    requests.
    """
    bounds = most_of(type(request))
    for each in fields(request):
        value = getattr(request, each.name)
        most = bounds.get(each.name, SHORT)
        if is_dataclass(value):
            _require_fields_bounded(value)
        elif isinstance(value, str | tuple) and _length(value) > most:
            raise BadInput(
                "{name} is too long: at most {most} characters.",
                name=each.name.replace("_", " "),
                most=number(most),
            )


def require_press(action: str, value: str, text: str) -> None:
    """Raises ``BadInput`` for a button with a text that is longer than its row allows."""
    if len(value) > SHORT or len(text) > PRESSED.get(action, SHORT):
        raise BadInput(
            "That is too long: at most {most} characters.", most=number(PRESSED.get(action, SHORT))
        )


def _length(value: str | tuple[str, ...]) -> int:
    return len(value) if isinstance(value, str) else sum(map(len, value)) + len(value)
