"""The script of a demonstration has fewer turns, and every turn that a later one reads is there."""

from __future__ import annotations

from random import Random

import pytest

from adapters.templates.catalogue import builtin, find
from core.debate.formats import FORMATS, Plan
from core.debate.formats.changes import shortened
from core.debate.script import LEFT_TO_CODE, Script

PHASED = [name for name in builtin() if find(name).format == "phased"]


def compiled(name: str, rounds: int | None = None) -> Script:
    return FORMATS["phased"].compile(find(name), Plan(rounds=rounds), Random(1))


@pytest.mark.parametrize("name", PHASED)
@pytest.mark.parametrize("long", [False, True])
def test_nobody_speaks_again_before_something_new_was_said(name: str, long: bool) -> None:
    whole = compiled(name, None if long else len(find(name).phases))
    short = shortened(whole)
    heard: dict[str, set[str]] = {}
    for turn in (t for t in short.turns if not t.closing):
        by = {t.id: t.seat for t in short.turns}
        fresh = {r for r in turn.reads if by[r] != turn.seat} - heard.get(turn.seat, set())
        assert fresh or turn.seat not in heard
        heard[turn.seat] = set(turn.reads)
    assert short.voters == whole.voters
    assert [t.when for t in short.turns if t.closing] == [LEFT_TO_CODE]
    assert len(short.turns) <= len(whole.turns)


def test_a_review_is_openings_an_answer_and_one_exchange() -> None:
    short = shortened(compiled("code_review", 4))
    assert [(t.task, t.seat) for t in short.turns if not t.closing] == [
        ("open", "correctness_critic"),
        ("open", "security_critic"),
        ("open", "performance_critic"),
        ("open", "maintainability_critic"),
        ("respond", "author"),
        ("debate", "correctness_critic"),
        ("debate", "security_critic"),
        ("debate", "performance_critic"),
        ("debate", "maintainability_critic"),
    ]
