"""Caches an answer in words with the state of its debate, once for each language."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from core.debate import state
from core.debate.state import Debate
from core.languages import spoken

P = ParamSpec("P")
T = TypeVar("T")


def once(question: Callable[Concatenate[Debate, P], T]) -> Callable[Concatenate[Debate, P], T]:
    """Caches like ``core.debate.state.once``, for the language that is spoken now."""

    @state.once
    def in_language(debate: Debate, _language: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return question(debate, *args, **kwargs)

    @wraps(question)
    def answered(debate: Debate, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return in_language(debate, spoken(), *args, **kwargs)

    return answered
