"""The reason why a seat has no answer is in the debate's language, whatever the model wrote."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.diffs import adding
from tests.end_to_end.played import Watched, typed
from tests.standins.clock import Hurried
from tests.standins.openai import Answer, Fail, Raw, Say, openai

FINE: dict[str, Any] = {"stance": {"option": "approve", "confidence": 0.9}, "findings": []}
FOREIGN = re.compile(r"“[^”]*”|'[^']*'|openai/gpt-4.1|--models|OPENAI_API_BASE|HTTP|JSON|findings")


ENGLISH = {"twice", "the", "has", "is", "was", "and", "no", "not", "down", "reply", "set", "check"}


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", FOREIGN.sub("", text))


def says(**members: Any) -> Say:
    return Say((json.dumps(FINE | members),))


ANSWERS: dict[str, Answer] = {
    "words": Say(("It looks good to me.",)),
    "two objects": Say((json.dumps(FINE), json.dumps(FINE | {"text": "no"}))),
    "a bracket is missing": Say((json.dumps(FINE)[:-1],)),
    "cut": Say((json.dumps(FINE)[:9],), finish="length"),
    "another option": says(stance={"option": "merge", "confidence": 0.9}),
    "a high number": says(stance={"option": "approve", "confidence": 7}),
    "findings in words": says(findings=["it leaks"]),
    "no title": says(findings=[{"severity": "high"}]),
    "another severity": says(findings=[{"title": "Leak", "severity": "urgent", "confidence": 1}]),
    "findings elsewhere": Say((json.dumps(FINE | {"issues": [{"title": "Leak"}]}),)),
    "down": Fail(503, "gone"),
    "moved": Raw((), 302, {"Location": "https://other.example/"}),
    "a page": Raw((b"<html><title>Hub</title>",), headers={"Content-Type": "text/html"}),
    "no such page": Fail(404, "gone"),
}


@pytest.mark.parametrize(("what", "language"), [*zip(ANSWERS, cycle(("cs", "de")))])
async def test_the_reason_of_a_silent_seat_is_translated(
    tmp_path: Path, what: str, language: str
) -> None:
    change = tmp_path / "x.diff"
    change.write_bytes(adding("a.py", "x = 1"))
    async with openai() as provider:
        provider.answers = [ANSWERS[what]]
        words = ("code_review", str(change), "--yes", f"--language={language}")
        make = partial(Watched, clock=Hurried())
        played = await typed(tmp_path, None, *words, env=provider.settings(), make_models=make)
    turns = [t for r in played.outcome["rounds"] for t in r["turns"] if t["failed"]]
    assert turns
    reason = turns[0]["failed"]
    lines = [line for line in played.out.splitlines() if "openai/gpt-4.1" in line]
    english = set(words_of(reason)) & ENGLISH
    assert english, reason
    for line in lines[1:]:
        assert not english & set(words_of(line)), (reason, line)
