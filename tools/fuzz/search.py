"""One piece of the search: a number of inputs for one reader, drawn from one seed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random

from tools.fuzz.targets import TARGETS, Target

BASE, A_CHARACTER = 0.05, 80e-6
"""Seconds of processor time that an input may take: a twentieth, and 80 microseconds a character.
Lines of one character that is shown as ten cost a writer of Markdown most, 66 a character.
"""


@dataclass(frozen=True)
class Found:
    """``bad`` are lines that show an input and what it did; ``slowest`` is (seconds, characters);
    ``dearest`` microseconds a character, of inputs of 500 and more.
    """

    name: str
    inputs: int = 0
    failed: int = 0
    slow: int = 0
    slowest: tuple[float, int] = (0.0, 0)
    dearest: float = 0.0
    bad: tuple[str, ...] = ()

    def and_also(self, other: Found) -> Found:
        return Found(
            self.name,
            self.inputs + other.inputs,
            self.failed + other.failed,
            self.slow + other.slow,
            max(self.slowest, other.slowest),
            max(self.dearest, other.dearest),
            (*self.bad, *other.bad)[:20],
        )

    def line(self) -> str:
        seconds, characters = self.slowest
        return (
            f"{self.name:<10} {self.inputs:>9,} inputs  {self.failed} failed  {self.slow} over "
            f"their time  slowest {seconds * 1000:6.1f} ms ({characters:,} characters)  "
            f"at most {self.dearest:5.2f} µs a character"
        )


def search(name: str, seed: str, inputs: int) -> Found:
    (target,) = (one for one in TARGETS if one.name == name)
    random = Random(seed)
    _once(target, "")  # what is read or compiled once is no input's fault
    result = Found(name)
    for _ in range(inputs):
        result = _tried(target, target.make(random), result)
    return result


def _tried(target: Target, text: str, result: Found) -> Found:
    """Adds one more input to the finding so far; a slow one gets a second try, for compilers and
    collectors of garbage have their own time.
    """
    spent, problem = _once(target, text)
    if spent > BASE + A_CHARACTER * len(text):
        spent, problem = min((spent, problem), _once(target, text))
    slow = spent > BASE + A_CHARACTER * len(text)
    if not problem and slow:
        problem = f"took {spent:.3f} s"
    bad = (f"{target.name}: {problem} on {text[:300]!r} ({len(text)})",) if problem else ()
    return Found(
        result.name,
        result.inputs + 1,
        result.failed + bool(problem and not slow),
        result.slow + slow,
        max(result.slowest, (spent, len(text))),
        max(result.dearest, spent / len(text) * 1e6 if len(text) >= 500 else 0.0),
        (*result.bad, *bad),
    )


def _once(target: Target, text: str) -> tuple[float, str]:
    """Returns the seconds of processor time, and the error if there was one."""
    problem = ""
    began = time.process_time()
    try:
        target.read(text)
    except target.refuses:
        pass
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
        problem = f"{type(error).__name__}: {error}"[:200]
    return time.process_time() - began, problem
