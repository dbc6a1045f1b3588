"""Every function of the core that takes plain values, given values drawn for its parameters: also
such as its callers never give.

A value is drawn by its type. What belongs to a debate (its turns, its findings, its verdict) is
taken from one small debate, so that it fits together.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import abc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from random import Random
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

import core
from core.debate import Debate
from core.material import Material
from core.material.locating import Lines, runs_of
from core.outcome import outcome
from core.replies import Statement
from core.replies.tasks import TASKS, Task
from core.script import Script, SeatId, Turn
from core.template import Template
from core.verdict import Verdict, verdict
from core.verdict.findings import MergedFinding, merge_findings
from tests.core.table import START
from tests.corpora.small import answered, small

_TRIES = 8
_TEXTS = (
    "", "a", "t1", "t1.f1", "x1", "security_critic", "high", "approve", "1", "12", "2026-12-01",
    "app/db.py", "app/db.py:12", "The query is built from user input.", "- one\n- two\n| a | b |",
    "See `find` in app/db.py:12; **it** fails, said P1: t1.f1", "wide " * 60, "clause 2: new: rows",
    "abc", "ab cd", "twelve signs", "forty-one" * 4 + " long", "unbroken" * 60,
    "openai/gpt-5", "discord:9", "2 seats", "budget", '{"text": "a", "claims": []}',
)  # fmt: skip
_SHARES = (0.0, 0.1, 0.25, 0.5, 0.55, 0.6, 0.65, 0.75, 0.9, 1.0)
_TOGETHER = (tuple, list, abc.Sequence, abc.Iterable, abc.Collection, abc.Container)
_DEBATES = 40


class _Undrawable(Exception):
    """No value of this type can be drawn."""


class _Values:
    """Values for the parameters of one call, all about one debate."""

    def __init__(self, rng: Random) -> None:
        self._rng, self._debate = rng, _debate(rng.randrange(_DEBATES))
        self._texts: Sequence[str] = _TEXTS

    def many(self, hint: Any) -> Any:
        """Returns a value; where that is a list, one of any length, with few different texts."""
        if get_origin(hint) not in _TOGETHER or get_args(hint)[1:] not in ((), (...,)):
            return self.of(hint)
        count = self._rng.choice((0, 1, 2, 3, 11, 40))
        self._texts = self._rng.sample(_TEXTS, 2) if count > 3 else _TEXTS
        return tuple(self.of(get_args(hint)[0]) for _ in range(count))

    def of(self, hint: Any) -> Any:
        """Returns a value of this type."""
        known = self._known(hint)
        if known is not None:
            return known()
        origin, inner, rng = get_origin(hint), get_args(hint), self._rng
        if origin in (Union, UnionType):
            return self.of(rng.choice(inner))
        if origin in (Mapping, dict):
            return {self.of(inner[0]): self.of(inner[1]) for _ in range(rng.randint(0, 3))}
        if origin in (set, frozenset):
            return frozenset(self.of(inner[0]) for _ in range(rng.randint(0, 3)))
        if origin is tuple and inner[-1:] != (...,):
            return tuple(self.of(each) for each in inner)
        if origin in _TOGETHER:
            return tuple(self.of(inner[0]) for _ in range(rng.randint(0, 3)))
        if origin is abc.Callable:
            answer = self.of(inner[-1])
            return lambda *_, **__: answer
        return self.made(hint)

    def made(self, hint: Any) -> Any:
        if isinstance(hint, NewType):
            return self.of(hint.__supertype__)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return self._rng.choice(list(hint))
        if isinstance(hint, type) and is_dataclass(hint):
            hints = _hints(hint)
            return hint(**{x.name: self.of(hints[x.name]) for x in fields(hint) if x.init})
        raise _Undrawable(hint)

    def _known(self, hint: Any) -> Callable[[], Any] | None:
        rng, debate = self._rng, self._debate
        findings = merge_findings(debate)
        kinds: list[tuple[Any, Callable[[], Any]]] = [
            (str, lambda: rng.choice(self._texts)),
            (int, lambda: rng.choice((0, 1, 2, 3, 4, 5, 9, 10, 12, 40))),
            (float, lambda: rng.choice(_SHARES)),
            (bool, lambda: rng.random() < 0.5),
            (NoneType, lambda: None),
            (Any, lambda: rng.choice((*_TEXTS[:5], 0, 1, 0.5, None))),
            (datetime, lambda: START + timedelta(minutes=rng.choice((0, 1, 59, 60, 1440, 20000)))),
            (date, lambda: START.date() + timedelta(days=rng.randint(0, 3))),
            (bytes, lambda: rng.choice(_TEXTS).encode()),
            (Random, lambda: Random(rng.random())),
            (Lines, lambda: Lines(runs_of(debate.open.material.hunks))),
            (Debate, lambda: debate),
            (Script, lambda: debate.script),
            (Turn, lambda: rng.choice(debate.turns)),
            (Template, lambda: debate.open.template),
            (Material, lambda: debate.open.material),
            (Statement, lambda: rng.choice([*debate.finished.values(), Statement("a")])),
            (SeatId, lambda: rng.choice(debate.script.seats).id),
            (Task, lambda: TASKS[rng.choice(sorted(TASKS))]),
            (Verdict, lambda: verdict(debate)),
            (Mapping[str, Any], lambda: _document(rng.randrange(_DEBATES))),
            (tuple[MergedFinding, ...], lambda: findings),
            (Sequence[MergedFinding], lambda: findings),
            (abc.Iterable[MergedFinding], lambda: findings),
        ]  # fmt: skip
        if findings:
            kinds.append((MergedFinding, lambda: rng.choice(findings)))
        return next((make for kind, make in kinds if kind is hint or kind == hint), None)


@cache
def _debate(number: int) -> Debate:
    """Every other one is over."""
    t = small(number)
    return t.concluded().debate if number % 2 else t.debate


@cache
def _document(number: int) -> Mapping[str, Any]:
    return outcome(_debate(number))


@cache
def _hints(of: Callable[..., object]) -> Mapping[str, Any]:
    return get_type_hints(of)


@cache
def _modules() -> tuple[str, ...]:
    return tuple(sorted(each.name for each in pkgutil.walk_packages(core.__path__, "core.")))


def _functions(module: str) -> Iterator[tuple[str, Callable[..., object]]]:
    for name, function in sorted(vars(importlib.import_module(module)).items()):
        public = inspect.isfunction(function) and not name.startswith("_")
        if public and function.__module__ == module and not inspect.iscoroutinefunction(function):
            yield name, function


def _kinds(module: str) -> Iterator[tuple[str, object]]:
    for name, kind in sorted(vars(importlib.import_module(module)).items()):
        own = isinstance(kind, type) and kind.__module__ == module
        if own and is_dataclass(kind) and not name.startswith("_") and kind is not Debate:
            yield name, kind


def _made(number: int) -> str:
    """What the values of a module say of themselves, and its functions to values that are drawn for
    them.
    """
    module, made = _modules()[number], []
    for name, kind in _kinds(module):
        for n in range(_TRIES):
            try:
                made.append(
                    f"{name} {answered(_Values(Random(f'{module}.{name} {n}')).made, kind)}"
                )
            except _Undrawable:
                continue
    for name, function in _functions(module):
        for n in range(_TRIES):
            try:
                plain, named = _given(function, _Values(Random(f"{module}.{name} {n}")))
            except _Undrawable:
                continue
            made.append(f"{name} {answered(function, *plain, **named)}")
    return "\n".join(made)


def _given(
    function: Callable[..., object], values: _Values
) -> tuple[list[object], dict[str, object]]:
    plain: list[object] = []
    named: dict[str, object] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        value = values.many(_hints(function)[name])
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY):
            named[name] = value
        else:
            plain.append(value)
    return plain, named


CORPORA = {"plain": (len(_modules()), _made)}
