"""What limits a verdict is said of it, each at its edge, and nothing is said of a sound one."""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.events import DebateConcluded, EndReason, StopOrdered, VotesClosed
from core.debate.ports import Source
from core.debate.replies import Answer, Argument, ArgumentType, Claim, Position
from core.debate.template import Option
from core.words.views.verdict.caveats import warnings
from tests.core.table import START, Table, finding, stance, table

OPINIONS = "No seat quoted or cited anything: these are opinions without evidence."
FAMILY = "All seats are models of one family, so their agreement proves less."
CLOSING = "The closing turn failed, so the report has gaps."
MAINTAINER = "People dispute a severe security finding; a named maintainer must publish the review."
GO = (Option("go", "a", 0), Option("no", "b", 1))
PLACED, QUOTED = finding(), Claim("", "It is tested", quote="assert x")


def vote_of(*options: str, **fields: Any) -> Table:
    """Returns a vote of so many seats, whose first one quotes the material, before its end."""
    seats = ("a", "b", "c", "d")[: len(options)]
    t = table((*seats, "chair:chair"), ballot=GO, findings=False, **fields)
    for n, option in enumerate(options, 1):
        t.says(f"t{n}", option, claims=[QUOTED] if n == 1 else [])
    return t


def of(t: Table, *, closes: bool = True) -> list[str]:
    return [*warnings((t.says("end") if closes else t).debate, {})]


def argument(*evidence: str) -> Argument:
    return Argument(ArgumentType.PROPOSAL, evidence=evidence)


@pytest.mark.parametrize(
    ("fields", "evidence"),
    [
        ({}, False),
        ({"claims": [Claim("", "It is tested")]}, False),
        ({"claims": [QUOTED]}, True),
        ({"claims": [QUOTED], "unverified": frozenset({"t1.c1"})}, False),
        ({"findings": [PLACED]}, True),
        ({"findings": [finding(anchored=False)]}, False),
        ({"answers": [Answer("t2", Position.DISPUTE, "no")]}, False),
        ({"answers": [Answer("t2", Position.DISPUTE, "no", quote="x = 1")]}, True),
        ({"sources": (Source("A page", "https://example.com/a", "It retries."),)}, True),
        ({"argument": argument()}, False),
        ({"argument": argument("app/db.py:12")}, True),
    ],
)
def test_agreement_without_a_quotation_or_a_source_is_opinion(
    fields: dict[str, Any], evidence: bool
) -> None:
    t = table(("a", "b", "chair:chair"), ballot=GO, findings=False)
    t.says("t1", "go", **fields).says("t2", "go")
    assert of(t) == [OPINIONS] * (not evidence)


def test_opinions_are_marked_only_if_most_seats_hold_them() -> None:
    for options, marked in (("go no", False), ("go go no", True), ("go no . .", False)):
        t = table(tuple("abcd"[: len(options.split())]), ballot=GO, findings=False)
        for n, option in enumerate(options.split(), 1):
            t.says(f"t{n}", option.strip("."))
        assert (OPINIONS in of(t, closes=False)) is marked, options


def test_a_finding_that_was_taken_back_is_no_evidence() -> None:
    t = table(("a", "b", "chair:chair"), ballot=GO, findings=False)
    t.says("t1", "go", findings=[PLACED]).says("t2", "go")
    t.says("u1", "go", answers=[Answer("t1.f1", Position.WITHDRAW)])
    assert of(t) == [OPINIONS]


@pytest.mark.parametrize(
    ("models", "demo", "one"),
    [
        ("openai/gpt-5 openai/gpt-4", False, True),
        ("openai/gpt-5 anthropic/claude", False, False),
        ("openai/gpt-5 openai/gpt-4 ollama/qwen3", False, False),
        ("openai/gpt-5", False, False),
        ("demo/a demo/b", True, False),
    ],
)
def test_two_models_of_one_family_prove_less(models: str, demo: bool, one: bool) -> None:
    names = models.split()
    cast = dict(zip("abc", names, strict=False))
    t = vote_of(*["go"] * len(names), cast=cast, terms={"demo": demo})
    assert (FAMILY in of(t)) is one


def test_seats_that_stopped_answering_and_that_gave_way_are_named() -> None:
    t = (
        vote_of("go", "go", "no")
        .fails("u1")
        .says("u2", "no")
        .says("u3", stance("go", moved_by="t1"))
    )
    gone, moved = of(t)
    assert gone == "Stopped answering, so their last stance counts: a."
    assert moved == "Changed sides without naming a reason: b."
    never_heard = table(("a", "b", "chair:chair"), ballot=GO, findings=False).fails("t1")
    assert of(never_heard.says("t2", "go", claims=[QUOTED])) == []


def test_labels_of_secret_seats_are_named_in_their_own_order() -> None:
    for blind, names in ((True, "participant 1 and participant 2"), (False, "z and a")):
        t = table(("z", "a", "chair:chair"), ballot=GO, findings=False, blind=blind)
        t.says("t1", "go", claims=[QUOTED]).says("t2", "go").says("u1", "no").says("u2", "no")
        assert of(t) == [f"Changed sides without naming a reason: {names}."]


@pytest.mark.parametrize(
    ("endings", "gaps"),
    [
        ("says", False), ("fails", True), ("skips", False), ("nothing", False),
        ("says fails", False), ("skips fails", True), ("skips skips", False),
        ("fails nothing", False),
    ],
)  # fmt: skip
def test_a_report_has_gaps_if_no_closing_turn_speaks(endings: str, gaps: bool) -> None:
    last = [f"end{n} chair round=1 closing" for n, _ in enumerate(endings.split())]
    t = table(("a", "chair:chair"), ["t1 a independent", *last], ballot=GO, findings=False)
    t.says("t1", "go", claims=[QUOTED])
    for n, ending in enumerate(endings.split()):
        if ending != "nothing":
            getattr(t, ending)(f"end{n}")
    assert of(t, closes=False) == [CLOSING] * gaps


@pytest.mark.parametrize("closing", [True, False])
def test_a_stop_that_spares_the_closing_turn_leaves_no_gap(closing: bool) -> None:
    t = vote_of("go", "go").add(StopOrdered(EndReason.HUMAN, closing=closing)).fails("end")
    assert of(t, closes=False) == [CLOSING] * closing


def test_a_judge_that_fails_leaves_no_gap_in_a_report() -> None:
    t = table(("a", "b", "judge:judge"), ballot=GO, findings=False)
    t.says("t1", "go", claims=[QUOTED]).says("t2", "go").fails("end")
    assert CLOSING not in of(t, closes=False)


def test_people_who_dispute_a_severe_finding_need_a_maintainer() -> None:
    severe = finding(severity="critical", category="security")
    t = table().says("t1", "request_changes", findings=[severe, finding("Names", line=70)])
    for n in range(5):
        t.votes(f"p{n}", "not_real", "t1.f1")
    assert MAINTAINER in of(t)


def test_a_verdict_under_an_earlier_rule_says_what_today_s_would_be() -> None:
    t = vote_of("go", "go")
    t.says("end").add(DebateConcluded(EndReason.COMPLETED, "no", True, START))
    assert of(t, closes=False) == []
    closed = t.add(VotesClosed("no", True, False, START))
    earlier = "This was decided under an earlier rule: no. By today's it would be go."
    assert of(closed, closes=False) == [earlier]
