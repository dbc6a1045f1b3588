"""From what a model wrote to a typed statement, or to one clear sentence of what could not be read.

Models wrap their JSON in prose or fences, add fields and misspell. The reader is lenient about
wrapping and strict about meaning: a stance off the ballot, a confidence of 7 or an unknown severity
is unreadable, never guessed, because a guess would be a vote nobody cast. Whatever refers to the
material is checked against it here, by code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from core.material.escaping import visible
from core.replies import (
    Answer,
    Argument,
    ArgumentType,
    Claim,
    Finding,
    Grade,
    Metrics,
    Position,
    Severity,
    Stance,
    Statement,
)
from core.replies.objects import Quotation, Unreadable, find_object
from core.replies.tasks import Task
from core.script import Topic, Turn
from core.template import Option

MAX_TEXT = 6000
MAX_POINTS = 12
MAX_POINT = 700
MAX_SECTION = 4000

E = TypeVar("E", Severity, Position, ArgumentType, Grade)

Anchor = Callable[[Finding], bool]
Quoted = Callable[[str], bool]


def parse(  # the one place where a foreign reply becomes ours
    text: str,
    task: Task,
    turn: Turn,
    ballot: Sequence[Option],
    *,
    anchored: Anchor = lambda _: False,
    quoted: Quoted = lambda _: True,
    quotation: Quotation = lambda _: False,
    known: frozenset[str] = frozenset(),
) -> Statement:
    """Reads a reply to ``task``. ``known`` are the ids that an answer or a change of mind may name,
    ``quotation`` tells a piece of what the seat read. Raises ``Unreadable``.

    A question of a hot seat quotes an opening, not the material: ``core.verdict.evidence`` checks
    it.
    """
    prose, raw = find_object(text, quotation)
    said = raw.get("text")
    words = _shown(said if isinstance(said, str) and said.strip() else prose).strip()
    fields = _Fields(raw, turn, tuple(o.option for o in ballot), known)
    asked = set(task.asks)
    claims = fields.claims() if "claims" in asked else ()
    statement = Statement(
        text=words[:MAX_TEXT],
        stance=fields.stance() if "stance" in asked else None,
        claims=claims,
        findings=tuple(_anchored(f, anchored) for f in fields.findings())
        if "findings" in asked
        else (),
        answers=fields.answers() if "answers" in asked else (),
        argument=fields.argument() if "argument" in asked else None,
        metrics=fields.metrics() if "metrics" in asked else None,
        scores=fields.shares("scores") if "scores" in asked else {},
        sections=fields.texts("sections", MAX_SECTION) if "sections" in asked else {},
        actions=fields.strings("actions", MAX_POINT) if "actions" in asked else (),
        ruling=fields.ruling() if "ruling" in asked else "",
        grades=fields.grades() if "grades" in asked else {},
        estimate=fields.estimate() if "estimate" in asked else None,
        called=fields.strings("called", 40) if "called" in asked else (),
        unverified=tuple(
            c.id for c in claims if c.quote and task.name != "question" and not quoted(c.quote)
        ),
    )
    missing = [
        name
        for name in task.requires
        if not getattr(statement, name) and getattr(statement, name) != 0.0
    ]
    if missing:
        raise Unreadable(f"the reply has no {' and no '.join(missing)}")
    if not statement.text and not raw:
        raise Unreadable("the reply is empty")
    return statement


def _anchored(finding: Finding, check: Anchor) -> Finding:
    return replace(finding, anchored=check(finding))


class _Fields:
    """Readers of the single fields of one reply.

    Each returns typed values or raises ``Unreadable``.
    """

    def __init__(
        self, raw: Mapping[str, Any], turn: Turn, options: Sequence[str], known: frozenset[str]
    ) -> None:
        self.raw, self.turn, self.options, self.known = raw, turn, options, known

    def stance(self) -> Stance | None:
        value = self.raw.get("stance")
        if value is None or value == "":
            return None
        if isinstance(value, str):
            value = {"option": value, "confidence": self.raw.get("confidence")}
        if not isinstance(value, Mapping):
            raise Unreadable("the stance is not an object")
        option = self._option(value.get("option"))
        moved = _text(value.get("moved_by"), 80)
        return Stance(
            option=option,
            confidence=_share(value.get("confidence"), "the stance's confidence"),
            because=_text(value.get("because"), MAX_POINT),
            moved_by=moved if moved in self.known else "",
            would_resolve_if=_text(value.get("would_resolve_if"), MAX_POINT),
        )

    def _option(self, value: object) -> str:
        wanted = re.sub(r"[\s-]+", "_", str(value or "").strip().lower())
        for option in self.options:
            if option.lower() == wanted:
                return option
        raise Unreadable(f"{str(value)[:60]!r} is not on the ballot ({', '.join(self.options)})")

    def claims(self) -> tuple[Claim, ...]:
        out = []
        for n, item in enumerate(self._items("claims"), 1):
            text = _text(
                item if isinstance(item, str) else item.get("text") or item.get("claim"), MAX_POINT
            )
            if text:
                more = {} if isinstance(item, str) else item
                out.append(
                    Claim(
                        f"{self.turn.id}.c{n}",
                        text,
                        _text(more.get("quote"), MAX_POINT),
                        _text(more.get("supports"), 60),
                    )
                )
        return tuple(out)

    def findings(self) -> tuple[Finding, ...]:
        out = []
        for n, item in enumerate(self._items("findings"), 1):
            if isinstance(item, str):
                raise Unreadable(
                    "a finding is an object with severity, confidence, title, path, line and quote"
                )
            title = _text(item.get("title"), 200)
            if not title:
                raise Unreadable("a finding has no title")
            path, line = _text(item.get("path") or item.get("file"), 400), item.get("line")
            out.append(
                Finding(
                    id=f"{self.turn.id}.f{n}",
                    severity=_member(Severity, item.get("severity"), "severity"),
                    confidence=_share(item.get("confidence"), "a finding's confidence"),
                    title=title,
                    path=path,
                    line=_line(line),
                    side="LEFT" if str(item.get("side", "")).upper() == "LEFT" else "RIGHT",
                    quote=_text(item.get("quote"), MAX_POINT),
                    trigger=_text(item.get("trigger"), MAX_POINT),
                    fix=_prose(item.get("fix"), MAX_POINT),
                )
            )
        return tuple(out)

    def answers(self) -> tuple[Answer, ...]:
        out = []
        for item in self._items("answers"):
            if isinstance(item, str):
                raise Unreadable("an answer is an object with to, position and because")
            to = _text(item.get("to"), 80).strip("[]")
            if to in self.known:
                position = _member(Position, item.get("position"), "position")
                out.append(
                    Answer(
                        to,
                        position,
                        _text(item.get("because"), MAX_POINT),
                        _text(item.get("quote"), MAX_POINT),
                    )
                )
        return tuple(out)

    def argument(self) -> Argument | None:
        value = self.raw.get("argument")
        value = value if isinstance(value, Mapping) else {}
        due = _member(ArgumentType, self.turn.about_the(Topic.ARGUMENT), "argument type")
        kind = _member(ArgumentType, value.get("type") or due, "argument type")
        if kind is not due:
            raise Unreadable(f"a {due} is due now, and this calls itself a {kind}")
        references = [r for r in self.strings_of(value.get("references"), 80) if r in self.known]
        return Argument(
            kind,
            tuple(references),
            self.strings_of(value.get("evidence"), MAX_POINT),
            self.strings_of(value.get("impact_areas"), 60),
        )

    def metrics(self) -> Metrics | None:
        value = self.raw.get("metrics")
        if not isinstance(value, Mapping):
            return None
        risks = value.get("risks")
        return Metrics(
            agreement=_share(value.get("agreement"), "agreement"),
            resolution_quality=_share(value.get("resolution_quality"), "resolution_quality"),
            evidence_strength=_share(value.get("evidence_strength"), "evidence_strength"),
            feasibility=_share(value.get("feasibility"), "feasibility"),
            risks={str(k)[:60]: _share(v, "a risk") for k, v in risks.items()}
            if isinstance(risks, Mapping)
            else {},
        )

    def shares(self, name: str) -> Mapping[str, float]:
        value = self.raw.get(name)
        return (
            {str(k)[:60]: _share(v, f"{name}.{k}") for k, v in value.items()}
            if isinstance(value, Mapping)
            else {}
        )

    def texts(self, name: str, limit: int) -> Mapping[str, str]:
        value = self.raw.get(name)
        return (
            {str(k)[:60]: _prose(v, limit) for k, v in value.items()}
            if isinstance(value, Mapping)
            else {}
        )

    def strings(self, name: str, limit: int) -> tuple[str, ...]:
        return self.strings_of(self.raw.get(name), limit)

    @staticmethod
    def strings_of(value: object, limit: int) -> tuple[str, ...]:
        items = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        return tuple(
            t
            for t in (
                _text(v if not isinstance(v, Mapping) else json.dumps(v), limit)
                for v in items[:MAX_POINTS]
            )
            if t
        )

    def ruling(self) -> str:
        value = self.raw.get("ruling")
        return self._option(value) if value else ""

    def grades(self) -> Mapping[str, Grade]:
        value = self.raw.get("grades")
        if not isinstance(value, Mapping):
            return {}
        return {
            str(k): _member(Grade, v, "grade") for k, v in value.items() if str(k) in self.known
        }

    def estimate(self) -> float | None:
        value = self.raw.get("estimate")
        return None if value is None else _share(value, "the estimate")

    def _items(self, name: str) -> list[Any]:
        value = self.raw.get(name)
        items = value if isinstance(value, list) else []
        if not all(isinstance(i, str | Mapping) for i in items):
            raise Unreadable(f"{name} is a list of objects")
        return items[:MAX_POINTS]


def _shown(text: str) -> str:
    """With every unseen character spelled out: before it is cut, so that what is kept is as long
    as it looks.
    """
    return visible(text.replace("\r\n", "\n"))


def _text(value: object, limit: int) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    return re.sub(r"[ \t]+", " ", _shown(str(value))).strip()[:limit]


def _prose(value: object, limit: int) -> str:
    """A section's Markdown; a list of points becomes a bulleted list."""
    if isinstance(value, list):
        return "\n".join(f"- {_prose(v, limit)}" for v in value[: MAX_POINTS * 2])[:limit]
    if isinstance(value, Mapping):
        return "; ".join(f"{k}: {_prose(v, limit)}" for k, v in value.items())[:limit]
    return _shown(str(value)).strip()[:limit] if isinstance(value, str | int | float) else ""


def _share(value: object, what: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # anything that is no number is refused just below
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(f"{what} is not a number from 0 to 1") from None
    if not 0.0 <= number <= 1.0:
        raise Unreadable(f"{what} is {number}, not a number from 0 to 1")
    return number


def _member(kind: type[E], value: object, what: str) -> E:
    wanted = str(value or "").strip().lower()
    for member in kind:
        if member.value == wanted:
            return member
    raise Unreadable(f"{what} {str(value)[:40]!r} is none of {', '.join(m.value for m in kind)}")


def _line(value: object) -> int | None:
    digits = (
        re.search(r"\d{1,9}", str(value))
        if isinstance(value, int | str) and not isinstance(value, bool)
        else None
    )
    return int(digits.group()) if digits else None
