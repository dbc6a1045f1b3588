"""Turns a model's text into a typed statement, or into one clear sentence about what could not be
read.

Models wrap their JSON in prose or fences, add fields and misspell. The reader is lenient about
wrapping and strict about meaning: a stance off the ballot, a confidence of 7 or an unknown severity
is unreadable, never guessed, because a guess would be a vote that nobody cast.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from core.debate.finding import TEXTS, Category, Finding, Severity
from core.debate.material.escaping import show_hidden
from core.debate.proof import LARGEST_TEST, ProofTest
from core.debate.replies import (
    Answer,
    Argument,
    ArgumentType,
    Claim,
    Grade,
    Metrics,
    Position,
    Stance,
    Statement,
)
from core.debate.replies.members import ITEMS, as_object, decoded, items_of, require_known
from core.debate.replies.objects import MAX_REPLY, Quotation, Unreadable, find_object
from core.debate.replies.tasks import MOST_ANSWERS, Task
from core.debate.script import Topic, Turn
from core.debate.stored import stored
from core.debate.template import Option

_MAX_TEXT = 6000
MAX_POINTS = 12
"""The most findings or claims of one reply; schemas ask for fewer."""
MAX_MEMBERS = 50
"""The most scores, risks or sections of one reply: more than any template names."""
_MAX_POINT = 700
_MAX_SECTION = 4000

Choice = TypeVar("Choice", Severity, Category, Position, ArgumentType, Grade)


def parse(  # the one place where a foreign reply becomes ours
    text: str,
    task: Task,
    turn: Turn,
    ballot: Sequence[Option],
    *,
    quotation: Quotation = lambda _: False,
    known: frozenset[str] = frozenset(),
) -> Statement:
    """Reads a reply to ``task``. ``known`` are the ids that an answer or a changed stance may name,
    ``quotation`` recognises text that the seat read. Raises ``Unreadable``.
    """
    prose, raw = find_object(text, quotation)
    members = _members_of(raw, task, prose)
    prose = _prose(raw.get("text"), MAX_REPLY) or prose
    fields = _Fields(members, task, turn, tuple(o.option for o in ballot), known)
    withdrawal = fields.withdrawal()
    statement = Statement(
        text="\n\n".join(filter(None, (_shown(prose).strip()[:_MAX_TEXT], fields.left_out()))),
        stance=fields.stance(),
        claims=fields.claims(),
        findings=fields.findings(),
        answers=withdrawal or fields.answers(),
        argument=fields.argument(),
        metrics=fields.metrics(),
        scores=fields.scores(),
        sections=fields.sections(),
        actions=_strings("actions", members.get("actions"), _MAX_POINT),
        ruling=fields.option(members["ruling"]) if members.get("ruling") else "",
        grades=fields.grades(),
        estimate=fields.estimate(),
        called=_strings("called", members.get("called"), 40),
        untold=_text(members.get("untold"), _MAX_POINT),
        test=None if withdrawal else fields.test(),
    )
    missing = [
        name
        for name in (() if withdrawal else task.requires)
        if not getattr(statement, name) and getattr(statement, name) != 0.0
    ]
    if missing:
        raise Unreadable(stored("the reply has no {members}", members=" and no ".join(missing)))
    if not statement.text and not raw:
        raise Unreadable(stored("the reply is empty"))
    return statement


def _members_of(raw: Mapping[str, Any], task: Task, prose: str) -> dict[str, Any]:
    """Returns the members of a reply that the task asks for. Raises ``Unreadable`` if its findings
    would be lost.
    """
    if "findings" in task.asks and not task.requires and raw.keys().isdisjoint(task.asks):
        raise Unreadable(
            stored("the reply has no JSON object with findings (an empty list if none)")
        )
    if "findings" in task.asks:
        require_known(raw, task.asks, prose)
    return {
        name: items_of(name, raw[name]) if name in ITEMS else raw[name]
        for name in (*task.asks, "confidence")
        if name in raw
    }


class _Fields:
    """Reads the single fields of one reply that the task asks for; each method returns a typed
    value, empty for a missing field, or raises ``Unreadable``.
    """

    def __init__(
        self,
        raw: Mapping[str, Any],
        task: Task,
        turn: Turn,
        options: Sequence[str],
        known: frozenset[str],
    ) -> None:
        self.raw, self.task, self.turn = raw, task, turn
        self.options, self.known = options, known

    def left_out(self) -> str:
        """Says in words how much of the reply is not read because it is too much."""
        cut = []
        for name, value in self.raw.items():
            most = _most(name) if isinstance(value, list) else MAX_MEMBERS
            if isinstance(value, list | Mapping) and len(value) > most:
                cut.append(f"{len(value) - most:,} of {len(value):,} {name}")
        return f"[Left out, for a reply holds no more: {', '.join(cut)}.]" if cut else ""

    def stance(self) -> Stance | None:
        value = decoded(self.raw.get("stance"))
        if value is None or value == "":
            return None
        if isinstance(value, str):
            value = {"option": value, "confidence": self.raw.get("confidence")}
        value = as_object("stance", value)
        option = self.option(value.get("option"))
        moved = _text(value.get("moved_by"), 80)
        return Stance(
            option=option,
            confidence=_share(value.get("confidence"), stored("the stance's confidence")),
            because=_text(value.get("because"), _MAX_POINT),
            moved_by=moved if moved in self.known else "",
            would_resolve_if=_text(value.get("would_resolve_if"), _MAX_POINT),
        )

    def option(self, value: object) -> str:
        wanted = re.sub(r"[\s-]+", "_", str(value or "").strip().lower())
        for option in self.options:
            if option.lower() == wanted:
                return option
        options = " or ".join(self.options)
        if value in (None, ""):
            raise _absent(stored("the option"), options)
        raise Unreadable(
            stored(
                "the option {value} is not on the ballot ({options})",
                value=repr(str(value)[:60]),
                options=options,
            )
        )

    def claims(self) -> tuple[Claim, ...]:
        out = []
        for n, item in enumerate(self._items("claims"), 1):
            if text := _text(item.get("text") or item.get("claim"), _MAX_POINT):
                quote = _copied(item.get("quote"))
                supports = _text(item.get("supports"), 60)
                out.append(Claim(f"{self.turn.id}.c{n}", text, quote, supports))
        return tuple(out)

    def findings(self) -> tuple[Finding, ...]:
        out = []
        for n, item in enumerate(self._items("findings"), 1):
            title = _text(item.get("title"), 200)
            if not title:
                raise Unreadable(stored("a finding has no title"))
            texts: dict[str, Any] = {name: _prose(item.get(name), _MAX_POINT) for name in TEXTS}
            out.append(
                Finding(
                    id=f"{self.turn.id}.f{n}",
                    severity=_member(Severity, item.get("severity"), stored("the severity")),
                    confidence=_share(item.get("confidence"), stored("a finding's confidence")),
                    title=title,
                    path=_text(item.get("path") or item.get("file"), 400),
                    line=_line(item.get("line")),
                    side="LEFT" if str(item.get("side", "")).upper() == "LEFT" else "RIGHT",
                    quote=_copied(item.get("quote")),
                    category=_named(Category, item.get("category")),
                    must_fix=_flag(item.get("must_fix")),
                    source=_copied(item.get("source")),
                    **texts,
                )
            )
        return tuple(out)

    def answers(self) -> tuple[Answer, ...]:
        out = []
        for item in self._items("answers"):
            to = _text(item.get("to"), 80).strip("[]")
            if self.task.pointed and len(self.known) == 1:
                to = next(iter(self.known))  # there is nothing else that it could mean
            if to in self.known:
                out.append(self._answer(to, item))
        return tuple(out)

    def _answer(self, to: str, item: Mapping[str, Any]) -> Answer:
        position = _member(Position, item.get("position"), stored("the position"))
        if position not in self.task.positions:
            raise Unreadable(
                stored(
                    "an answer is {positions} and not {position}",
                    positions=" or ".join(self.task.positions),
                    position=position,
                )
            )
        return Answer(
            to,
            position,
            because=_text(item.get("because"), _MAX_POINT),
            quote=_copied(item.get("quote")),
            input=_text(item.get("input"), _MAX_POINT),
            path=_text(item.get("path"), 400),
            line=_line(item.get("line")),
            severity=_named(Severity, item.get("severity")),
        )

    def argument(self) -> Argument | None:
        if "argument" not in self.task.asks:
            return None
        value = as_object("argument", self.raw.get("argument"))
        due = _member(
            ArgumentType, self.turn.about_the(Topic.ARGUMENT), stored("the argument type")
        )
        kind = _member(ArgumentType, value.get("type") or due, stored("the argument type"))
        if kind is not due:
            raise Unreadable(
                stored("a {due} is due now, and this calls itself a {kind}", due=due, kind=kind)
            )
        references = _strings("references", value.get("references"), 80)
        return Argument(
            kind,
            tuple(r for r in references if r in self.known),
            _strings("evidence", value.get("evidence"), _MAX_POINT),
            _strings("impact_areas", value.get("impact_areas"), 60),
        )

    def metrics(self) -> Metrics | None:
        value = as_object("metrics", self.raw.get("metrics"))
        if not value:
            return None
        names = ("agreement", "resolution_quality", "evidence_strength", "feasibility")
        shares = {name: _share(value.get(name), name) for name in names}
        risks = {
            str(k)[:60]: _share(v, stored("a risk"))
            for k, v in _members("risks", value.get("risks"))
        }
        return Metrics(**shares, risks=risks)

    def scores(self) -> Mapping[str, float]:
        given = [(str(k)[:60], v) for k, v in _members("scores", self.raw.get("scores"))]
        return {name: _share(v, f"scores.{name}") for name, v in given}

    def sections(self) -> Mapping[str, str]:
        given = _members("sections", self.raw.get("sections"))
        return {str(k)[:60]: _prose(v, _MAX_SECTION) for k, v in given}

    def grades(self) -> Mapping[str, Grade]:
        given = _members("grades", self.raw.get("grades"))
        return {
            str(k): _member(Grade, v, stored("the grade")) for k, v in given if str(k) in self.known
        }

    def withdrawal(self) -> tuple[Answer, ...]:
        """Returns the answer of a seat that takes its finding back instead of writing a test."""
        reason, test = _text(self.raw.get("withdraw"), _MAX_POINT), self.raw.get("test")
        wrote = bool(test.get("text") if isinstance(test, Mapping) else test)
        if wrote or len(reason.split()) < 2:  # "no" and "none" take nothing back
            return ()
        return (Answer(self.turn.about_the(Topic.FINDING), Position.WITHDRAW, reason),)

    def test(self) -> ProofTest | None:
        value = as_object("test", self.raw.get("test"))
        if not value:
            return None
        path, name = _text(value.get("path"), 300).removeprefix("./"), _text(value.get("name"), 300)
        text = value.get("text")
        if not path or not name or not isinstance(text, str) or not text.strip():
            raise Unreadable(stored("a test is an object with path, name and text"))
        name = name.removeprefix(f"{path}::").replace("::", ".")
        return ProofTest(path, name, f"{_shown(text).strip()[: LARGEST_TEST + 1]}\n")

    def estimate(self) -> float | None:
        value = self.raw.get("estimate")
        if value is None:
            return None
        return _share(value, stored("the estimate"))

    def _items(self, name: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.raw.get(name, [])
        if name == "findings" and len(items) > _most(name):
            items = sorted(items, key=_mildness)
        return items[: _most(name)]


def _members(name: str, value: object) -> list[tuple[Any, Any]]:
    """Returns the first members of an object, as many as a reply may hold, by their own names."""
    return list(islice(as_object(name, value, own_names=True).items(), MAX_MEMBERS))


def _mildness(finding: Mapping[str, Any]) -> int:
    """Returns the place of a finding in the order in which more than a reply may hold are read: the
    mildest are left out. One without a known severity comes first.
    """
    named = str(finding.get("severity")).strip().lower()
    return {"high": 2, "medium": 3, "low": 4}.get(named, 1)


def _most(name: str) -> int:
    return MOST_ANSWERS if name == "answers" else MAX_POINTS


def _strings(name: str, value: object, limit: int) -> tuple[str, ...]:
    """Returns the non-empty texts of a list; a single text counts as a list of one."""
    if value is None:
        return ()
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise Unreadable(stored("the member {name} is a list of texts", name=name))
    items = (json.dumps(v) if isinstance(v, Mapping) else v for v in value[:MAX_POINTS])
    return tuple(filter(None, (_text(item, limit) for item in items)))


def _shown(text: str) -> str:
    """Spells out every invisible character before the text is cut, so that the cut text is as long
    as it looks.
    """
    return show_hidden(text.replace("\r\n", "\n"))


def _text(value: object, limit: int) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return ""
    text = _shown(str(value))
    if "  " in text or "\t" in text:
        text = re.sub(r"[ \t]+", " ", text)
    return text.strip()[:limit]


def _copied(value: object) -> str:
    """Returns a quotation with its white space, so that it can be copied and found again; a list of
    lines is a quotation of several lines.
    """
    if isinstance(value, list):
        value = "\n".join(line.rstrip("\n") for line in value if isinstance(line, str))
    if not isinstance(value, str):
        return _text(value, _MAX_POINT)
    return _shown(value).strip("\n")[:_MAX_POINT].rstrip()


def _prose(value: object, limit: int) -> str:
    """Returns a section's Markdown; a list of points becomes a bulleted list."""
    if isinstance(value, list):
        return "\n".join(f"- {_prose(v, limit)}" for v in value[: MAX_POINTS * 2])[:limit]
    if isinstance(value, Mapping):
        return "; ".join(f"{k}: {_prose(v, limit)}" for k, v in value.items())[:limit]
    if isinstance(value, str | int | float):
        return _shown(str(value)).strip()[:limit]
    return ""


def _share(value: object, what: str) -> float:
    if isinstance(value, str) and value.strip().endswith("%"):
        with suppress(ValueError):
            value = float(value.strip()[:-1]) / 100
    try:
        number = float(value)  # type: ignore[arg-type]  # anything that is no number is refused just below
    except (TypeError, ValueError, OverflowError):
        raise Unreadable(
            stored("the reply has no number from 0 to 1 for {why_what}", why_what=what)
        ) from None
    if not 0.0 <= number <= 1.0:
        raise Unreadable(
            stored(
                "the reply has {number} and no number from 0 to 1 for {why_what}",
                why_what=what,
                number=number,
            )
        )
    return number


def _named(kind: type[Choice], value: object) -> Choice | None:
    """Returns the member of a closed set that a word names; None for an unknown word."""
    wanted = str(value or "").strip().lower()
    return next((member for member in kind if member.value == wanted), None)


def _member(kind: type[Choice], value: object, what: str) -> Choice:
    member = _named(kind, value)
    members = " or ".join(m.value for m in kind)
    if value in (None, ""):
        raise _absent(what, members)
    if member is None:
        raise Unreadable(
            stored(
                "the reply has {value} and not {members} for {why_what}",
                why_what=what,
                value=repr(str(value)[:40]),
                members=members,
            )
        )
    return member


def _absent(what: str, members: str) -> Unreadable:
    return Unreadable(
        stored("the reply has nothing for {why_what} ({members})", why_what=what, members=members)
    )


def _flag(value: object) -> bool | None:
    """Returns a boolean, also one that was written as a word; otherwise None."""
    return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).strip().lower())


def _line(value: object) -> int | None:
    if isinstance(value, list) and value:  # the first of several, or of a range
        value = value[0]
    if not isinstance(value, int | str) or isinstance(value, bool):
        return None
    digits = re.search(r"\d{1,9}", str(value))
    return int(digits.group()) if digits else None
