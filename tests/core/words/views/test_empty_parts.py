"""Parts that a debate lacks leave no separator behind on any surface: findings without a title or a
place, people without a name, statements without reasons.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest

from core.debate import events as e
from core.debate.finding import Finding
from core.debate.state import replay
from core.languages import speaking
from core.words.views.language.references import noted_place
from tests.core.surfaces import surfaces, thread
from tests.core.table import finding
from tests.core.words.views.test_no_contradictions import drawn

_LEFT = re.compile(
    r"(?<=\S) {2,}(?=\S)|\S ,|\(\)| · {2}| · \(|· ·|: \.|: ;|: ,|, ,|,,|;;|: :|\( | \)|“”|„“"
    r"|^ *[·,;:]|· *$|: *$",
    re.MULTILINE,
)
_FOR_PROGRAMS, _STYLED = ("json", "receipt"), ("page", "exported page")
"""Surfaces without words for people, and those whose spaces a browser joins."""
_EMPTY = {"because", "moved_by", "would_resolve_if", "quote", "trigger", "advice", "supports"}
_CODE = re.compile(r"(?s)```.*?```|`[^`\n]*`|\w+\(\):|:root\{.*?\n\n\n|^ *[+\d].*?$", re.MULTILINE)


def emptied(events: Sequence[e.Event], number: int) -> Iterator[e.Event]:
    """Yields the events without some titles, places, names and reasons."""
    rng = Random(number)

    def bare(part: Any) -> Any:
        names = {field.name for field in fields(part)} & _EMPTY
        return replace(part, **{name: "" for name in sorted(names) if rng.random() < 0.4})

    def finding_of(n: int, one: Finding) -> Finding:
        if (number + n) % 4 == 1:
            return replace(one, title="")
        where: tuple[dict[str, Any], ...] = (
            {"path": "", "line": None}, {}, {"line": None}, {"path": "", "loose": True},
        )  # fmt: skip
        return replace(one, **where[(number + n) % 4])

    for event in events:
        match event:
            case e.DebateOpened() if number % 2:
                material = replace(event.material, title="", source="", revision="")
                yield replace(event, material=material)
            case e.TurnFinished(statement=given):
                raised = tuple(bare(finding_of(n, f)) for n, f in enumerate(given.findings))
                statement = replace(
                    given,
                    findings=raised,
                    stance=given.stance and bare(given.stance),
                    claims=tuple(map(bare, given.claims)),
                    answers=tuple(map(bare, given.answers)),
                )
                yield replace(event, statement=statement)
            case e.VoteCast():
                yield replace(event, voter=rng.choice(("", "slack:T1/")))
            case e.ChallengeRaised():
                yield replace(event, author="slack:T1/")
            case _:
                yield event


@pytest.mark.parametrize(("number", "language"), [(2, "de"), (3, "en"), (7, "cs")])
def test_what_is_empty_leaves_no_separator_behind(number: int, language: str) -> None:
    events = [*emptied(asyncio.run(drawn(number)), number)]
    with speaking(language):
        texts = surfaces(replay(events), thread(events))
    for name in texts.keys() - set(_FOR_PROGRAMS):
        text = _CODE.sub("x", texts[name])
        if name in _STYLED:
            text = re.sub(r"[ \n]+", " ", text)
        left = [text[max(0, m.start() - 40) : m.end() + 20] for m in _LEFT.finditer(text)]
        assert left == [], name


def test_a_place_that_is_not_named_leaves_how_it_was_found() -> None:
    assert noted_place(finding(path="", line=None, loose=True)) == "quoted loosely"
    assert noted_place(finding(path="", line=None)) == ""
    placed = finding(path="a.py", line=3, loose=True)
    assert noted_place(placed, "https://x") == "[`a.py:3`](https://x) (quoted loosely)"
