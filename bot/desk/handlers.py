"""Finds the handler of each request: a method of one of the desk's parts, marked with ``handles``.

So a new command is its row (``core.application.commands.requests``) and its handler.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from core.application.desk import Caller, DeskAnswer

Handler = Callable[[Any, Caller], DeskAnswer | Awaitable[DeskAnswer]]
_D = TypeVar("_D")
_R = TypeVar("_R")
_A = TypeVar("_A", bound=DeskAnswer | Awaitable[DeskAnswer])
_Method = Callable[[_D, _R, Caller], _A]
_MARK = "handled_request"


def handles(request: type[_R]) -> Callable[[_Method[_D, _R, _A]], _Method[_D, _R, _A]]:
    """Marks the method of a desk's part that answers this kind of request."""

    def mark(method: _Method[_D, _R, _A]) -> _Method[_D, _R, _A]:
        setattr(method, _MARK, request)
        return method

    return mark


def handlers_of(parts: Iterable[object]) -> Mapping[type, Handler]:
    """Returns the marked methods of these parts, by the request that each answers."""
    return {
        request: getattr(part, name)
        for part in parts
        for name, method in vars(type(part)).items()
        if (request := getattr(method, _MARK, None)) is not None
    }
