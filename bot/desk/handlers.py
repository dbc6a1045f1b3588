"""Finds the handler of each request: a function of one of the desk's modules, marked with
``handles``. So a new command is its row (``core.application.commands.requests``) and its handler.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from core.application.desk import Caller, DeskAnswer

if TYPE_CHECKING:  # the shell prints its help without the other parts
    from bot.desk.parts import DeskParts

Handler = Callable[["DeskParts", Any, Caller], Awaitable[DeskAnswer]]
_Function = TypeVar("_Function", bound=Handler)
_MARK = "handled_request"


def handles(request: type) -> Callable[[_Function], _Function]:
    """Marks the function that answers this kind of request."""

    def mark(function: _Function) -> _Function:
        setattr(function, _MARK, request)
        return function

    return mark


def handlers_of(modules: Iterable[ModuleType]) -> Mapping[type, Handler]:
    """Returns the marked functions of these modules, by the request that each answers."""
    return {
        request: function
        for module in modules
        for function in vars(module).values()
        if (request := getattr(function, _MARK, None)) is not None
    }
