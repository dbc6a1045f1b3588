"""Reviewers with known skill, and changes whose defects they know: the ground on which a
measurement is measured.

A reviewer finds each known defect of a change with probability ``finds``, raises
Poisson(``invents``) findings that are none, each at a line of its own, all high, sure and anchored,
and calls a finding that it reads real or not, right with probability ``judges``. It reads the
prompt that a model would: a defect's line says ``defect``, and who names one calls it an overflow.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from random import Random
from typing import Any

from adapters.models import Vendors
from core.debate.ports import CallOptions, Message, Model, OnWords, Price, Reply
from core.debate.usage import Usage
from core.evaluation import Case, Defect, Spot

LINES = 60
_TRUE, _FALSE = "overflow", "race"
_MARK = re.compile(r"^\| ?", re.MULTILINE)
_PERSONA = re.compile(r"^# You are ([^\n]*\n?[^\n:]*)", re.MULTILINE)
_PATH = re.compile(r"^=== (change\d+\.py)", re.MULTILINE)
_LINE = re.compile(r"^ {0,5}(\d+) \+ (.*)$", re.MULTILINE)
_POINT = re.compile(r"^- (\S+)\.f(\d+) .*?change\d+\.py:\d+ (\w+)", re.MULTILINE)
_ASKED = re.compile(r"^(\S+)\.f(\d+) change\d+\.py:\d+ (\w+)", re.MULTILINE)
_ACCUSED = re.compile(r"^\S+\.f\d+ change\d+\.py:(\d+) ", re.MULTILINE)
_SPOKE = re.compile(r"^\[(\S+)\] (P\d+)", re.MULTILINE)
_SEAT = re.compile(r"# You are (P\d+)")


@dataclass(frozen=True, slots=True)
class Skill:
    finds: float
    invents: float
    judges: float = 1.0


def changes(number: int, rng: Random) -> tuple[Case, ...]:
    """Returns changes, every second one clean, the others with one to three defects far from each
    other.
    """
    return tuple(_change(n, 0 if n % 2 else 1 + rng.randrange(3), rng) for n in range(number))


def _change(n: int, defects: int, rng: Random) -> Case:
    places = sorted(10 * at + 5 for at in rng.sample(range(LINES // 10), defects))
    path = f"change{n}.py"
    lines = [
        f"value_{at} = compute({at})  # defect" if at in places else f"value_{at} = compute({at})"
        for at in range(1, LINES + 1)
    ]
    diff = "\n".join(
        (
            f"diff --git a/{path} b/{path}",
            "new file mode 100644",
            "--- /dev/null",
            f"+++ b/{path}",
            f"@@ -0,0 +1,{LINES} @@",
            *(f"+{line}" for line in lines),
            "",
        )
    )
    known = tuple(Defect("it is wrong", (Spot(path, at),), (_TRUE,)) for at in places)
    return Case(f"change{n}", f"Change {n}", "", diff.encode(), known, not known, "drawn")


@dataclass
class Reviewer:
    """``ports.Model``. The same seed gives the same answers in the same order of calls."""

    name: str
    skill: Skill
    usd: float = 0.0
    family: str = "reviewer"
    demo: bool = False
    window: int = 100_000
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        text = "\n".join(_MARK.sub("", m.text) for m in messages)
        path = _PATH.findall(text)[0]
        persona = _PERSONA.search(messages[-1].text)
        seat = " ".join(persona.group(1).split()[1:]) if persona else ""
        self.calls[path, seat] += 1
        rng = Random(f"{self.name}|{self.skill}|{path}|{seat}|{self.calls[path, seat]}")
        fields = (asking.schema or {}).get("properties", {})
        fields_said = json.dumps(self._said(path, text, fields, rng))
        used = Usage(len(text) // 4, 0, len(fields_said) // 4, self.usd, len(text), 1.0)
        return Reply(fields_said, used, self.name)

    def _said(self, path: str, text: str, fields: Mapping[str, Any], rng: Random) -> dict[str, Any]:
        lines = {int(n): words for n, words in _LINE.findall(text)}
        fields_said: dict[str, Any] = {"text": "I have read it."}
        listed = _POINT.findall(text) or _ASKED.findall(text)
        points = [(f"{turn}.f{n}", turn, what) for turn, n, what in listed]
        real = [self._calls_real(what, rng) for _, _, what in points]
        if "findings" in fields:
            fields_said["findings"] = [] if points else self._findings(path, lines, rng)
        if "answers" in fields:
            own = _own_turns(text)
            allowed = fields["answers"]["items"]["properties"]["position"]["enum"]
            accused = {int(at) for at in _ACCUSED.findall(text)}
            settles = _settling(path, {at: x for at, x in lines.items() if at not in accused})
            fields_said["answers"] = [
                {"to": id, "position": _position(r, allowed, own=turn in own), **settles}
                for (id, turn, _), r in zip(points, real, strict=True)
            ][:8]
        if "stance" in fields:
            blocks = bool(fields_said.get("findings")) or any(real)
            fields_said["stance"] = {
                "option": "request_changes" if blocks else "approve",
                "confidence": 0.9,
                "because": "of what I found",
                "moved_by": "",
                "would_resolve_if": "",
            }
        return fields_said

    def _findings(self, path: str, lines: Mapping[int, str], rng: Random) -> list[dict[str, Any]]:
        true = [at for at, words in lines.items() if "defect" in words]
        raised_at = [at for at in true if rng.random() < self.skill.finds]
        clean = [at for at in lines if all(abs(at - t) > 4 for t in true)]
        drawn = rng.sample(clean, min(len(clean), _poisson(self.skill.invents, rng)))
        return [_finding(path, at, lines[at], _TRUE) for at in raised_at] + [
            _finding(path, at, lines[at], f"{_FALSE} {_of_its_own(at)}") for at in drawn
        ]

    def _calls_real(self, what: str, rng: Random) -> bool:
        right = rng.random() < self.skill.judges
        return (what == _TRUE) is right


def _own_turns(text: str) -> frozenset[str]:
    seat = _SEAT.search(text)
    return frozenset(turn for turn, who in _SPOKE.findall(text) if seat and who == seat[1])


def _position(real: bool, allowed: Sequence[str], *, own: bool) -> str:
    """Returns the word for the position, of those that the question allows."""
    if "must_fix" in allowed:
        return "must_fix" if real else "not_real"
    yes, no = ("keep", "withdraw") if own or "agree" not in allowed else ("agree", "dispute")
    if yes not in allowed:
        yes, no = "concede", "dispute"
    return yes if real else no


def _of_its_own(at: int) -> str:
    """Returns words that no invention at a line nearby has, or two of them would be taken for
    one.
    """
    return " ".join(f"r{at}{letter}" for letter in "abcd")


def _settling(path: str, lines: Mapping[int, str]) -> dict[str, Any]:
    """Returns an answer that settles a finding: a reason, an input, and a line of the change that
    no finding is about.
    """
    at = min(lines, default=1)
    place = {"path": path, "line": at, "quote": lines.get(at, "")}
    return {"because": "the line says so", "input": f"value_{at} = 2**63", **place}


def _finding(path: str, at: int, quote: str, what: str) -> dict[str, Any]:
    return {
        "severity": "high",
        "confidence": 0.9,
        "title": f"{what} in value_{at}",
        "path": path,
        "line": at,
        "quote": quote,
        "trigger": f"a large value_{at}",
        "fix": "check it",
    }


def _poisson(mean: float, rng: Random) -> int:
    """Knuth's way: products of uniform draws until they fall below e^-mean."""
    number, left = -1, 1.0
    while left >= exp(-mean):
        number, left = number + 1, left * rng.random()
    return number


@dataclass(slots=True)
class Reviewers(Vendors):
    """Every name is a reviewer of this ``skill``, at ``usd`` a call."""

    skill: Skill = Skill(0.5, 0.5)
    usd: float = 0.0
    made: dict[str, Reviewer] = field(default_factory=dict)

    def get(self, name: str) -> Model:
        return self.made.setdefault(name, Reviewer(name, self.skill, self.usd))

    def price(self, name: str) -> Price:
        """Returns a price so high that a call costs more than ``usd``, as upper bounds do."""
        return Price(self.usd / 500, self.usd / 500)

    def scoped(self) -> Vendors:
        return replace(self, ended={})
