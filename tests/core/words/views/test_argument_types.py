"""What each argument of a review is, with its evidence and area, on every surface."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.debate.replies import Answer, ArgumentType, Position
from core.debate.script import TurnId
from core.debate.state import Debate
from core.words.outcome import outcome
from core.words.views.course.argued import answer_types
from tests.core.argued import CODE, CONCEDED, UNREAL, Seats, a_finding, opens, reviewed
from tests.core.surfaces import surfaces, thread
from tests.core.table import finding, table
from tests.core.test_argument import CORRECT, FAST, SECURE, by_role
from tests.core.words.outcome.test_outcome import SCHEMA

HELD = opens("request_changes", a_finding(category="security", must_fix=True))
DEFENDED = by_role({SECURE: CONCEDED})


async def argued(**says: Any) -> tuple[Debate, dict[str, str]]:
    """Play a review whose security critic raises one finding; with the text of each surface."""
    debate, log = await reviewed(Seats({SECURE: HELD}, **says))
    return debate, surfaces(debate, thread(log.events))


def types(debate: Debate) -> dict[tuple[str, str], str]:
    """Returns the types of the answers by task and seat."""
    turns: list[Any] = [turn for at in outcome(debate)["rounds"] for turn in at["turns"]]
    return {(t["task"], t["seat"]): a["type"] for t in turns for a in t["answers"]}


async def test_the_sequence_is_proposal_challenge_defense_resolution_on_every_surface() -> None:
    debate, texts = await argued(vouch=UNREAL, weigh=DEFENDED, decide=DEFENDED)
    made = types(debate)
    assert made["vouch", "author"] == made["weigh", CORRECT] == ArgumentType.CHALLENGE
    assert made["weigh", SECURE] == ArgumentType.DEFENSE
    assert made["decide", SECURE] == made["decide", CORRECT] == ArgumentType.RESOLUTION
    for name in ("thread", "page", "exported page", "transcript"):
        text = texts[name].lower()
        for word in ("proposal", "challenge: ", "defense: ", "resolution: ", "security"):
            assert word in text, (name, word)
        assert CODE[1].strip() in texts[name], name  # the evidence
    Draft202012Validator(SCHEMA).validate(json.loads(texts["json"]))
    assert f"app/db.py:11: {CODE[1].strip()}" in texts["json"]


async def test_giving_in_resolves_a_point_and_a_reply_counters() -> None:
    conceding, _ = await argued(vouch=CONCEDED, weigh=UNREAL)
    made = types(conceding)
    assert made["vouch", "author"] == made["weigh", SECURE] == ArgumentType.RESOLUTION
    moved = by_role({SECURE: CONCEDED, CORRECT: CONCEDED})
    debate, _ = await argued(vouch=UNREAL, weigh=moved, reply=UNREAL, decide=UNREAL)
    assert types(debate)["reply", FAST] == ArgumentType.COUNTER
    debate, _ = await argued(vouch=UNREAL, weigh=moved, reply=CONCEDED, decide=UNREAL)
    assert types(debate)["reply", FAST] == ArgumentType.RESOLUTION


REVIEWED = (
    "t1 security_critic task=open",
    "v1 author round=1 task=vouch",
    "w1 security_critic round=1 task=weigh",
    "w2 performance_critic round=1 task=weigh",
    "r1 security_critic round=2 task=reply",
    "r2 performance_critic round=2 task=reply",
    "d1 security_critic round=3 task=decide",
    "end chair round=4 closing",
)
FIX, MINOR, UNREAL_ONE = Position.MUST_FIX, Position.NEED_NOT, Position.NOT_REAL
CHALLENGED, DEFENDED_IT, COUNTERED, RESOLVED = (
    ArgumentType.CHALLENGE, ArgumentType.DEFENSE, ArgumentType.COUNTER, ArgumentType.RESOLUTION,
)  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "made"),
    [
        ([("v1", "t1.f1", UNREAL_ONE, "")], [(CHALLENGED, True)]),
        ([("v1", "t1.f1", FIX, "")], [(RESOLVED, True)]),  # its author has no vote
        ([("w1", "t1.f1", FIX, "")], [(DEFENDED_IT, True)]),
        ([("w1", "t1.f1", UNREAL_ONE, "")], [(RESOLVED, False)]),
        ([("w1", "t1.f1", UNREAL_ONE, "q")], [(RESOLVED, True)]),
        ([("w1", "t1.f2", MINOR, "")], [(CHALLENGED, True)]),  # as it raised it
        ([("w1", "t1.f2", FIX, "")], [(RESOLVED, False)]),
        ([("w2", "t1.f1", UNREAL_ONE, "")], [(CHALLENGED, True)]),
        ([("w2", "t1.f1", FIX, "")], [(DEFENDED_IT, False)]),
        ([("w2", "t1.f1", FIX, "q")], [(DEFENDED_IT, True)]),
        ([("w1", "t1.f1", Position.WITHDRAW, "")], [(RESOLVED, True)]),
        ([("w1", "t1.f1", Position.AGREE, "")], [(DEFENDED_IT, True)]),
        ([("w1", "t1.f1", Position.DISPUTE, "")], [(RESOLVED, True)]),
        ([("w1", "t1.f2", Position.AGREE, "")], [(DEFENDED_IT, True)]),
        ([("w1", "t1.f2", Position.DISPUTE, "")], [(RESOLVED, True)]),
        (
            [("w2", "t1.f1", UNREAL_ONE, ""), ("r2", "t1.f1", Position.AGREE, "")],
            [(CHALLENGED, True), (RESOLVED, True)],
        ),
        # what does not count leaves the position from which the next answer moves
        (
            [("w1", "t1.f1", UNREAL_ONE, ""), ("r1", "t1.f1", FIX, "")],
            [(RESOLVED, False), (COUNTERED, True)],
        ),
        (
            [("w1", "t1.f1", UNREAL_ONE, "q"), ("r1", "t1.f1", FIX, "")],
            [(RESOLVED, True), (RESOLVED, False)],
        ),
        (
            [("w1", "t1.f1", Position.WITHDRAW, ""), ("r1", "t1.f1", FIX, "")],
            [(RESOLVED, True), (COUNTERED, True)],
        ),
        (
            [("w2", "t1.f1", UNREAL_ONE, ""), ("r2", "t1.f1", UNREAL_ONE, "")],
            [(CHALLENGED, True), (COUNTERED, True)],
        ),
        ([("d1", "t1.f1", FIX, "")], [(RESOLVED, True)]),
    ],
)
def test_an_answer_that_changes_a_mind_counts_only_with_a_line(
    answers: Sequence[tuple[str, str, Position, str]], made: Sequence[tuple[ArgumentType, bool]]
) -> None:
    t = table(("security_critic", "performance_critic", "author:author", "chair:chair"), REVIEWED)
    raised = [finding(must_fix=True), finding("Other", line=90, must_fix=False)]
    t.says("t1", "approve", findings=raised)
    for turn, to, position, quote in answers:
        t.says(turn, answers=[Answer(to, position, "because", quote=quote, checked=bool(quote))])
    by_turn = answer_types(t.debate)
    assert [one for turn, *_ in answers for one in by_turn[TurnId(turn)]] == list(made)
