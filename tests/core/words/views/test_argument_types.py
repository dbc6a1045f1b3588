"""What each argument of a review is, with its evidence and area, on every surface."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator

from core.debate.replies import ArgumentType
from core.debate.state import Debate
from core.words.outcome import outcome
from tests.core.argued import CODE, CONCEDED, UNREAL, Seats, a_finding, opens, reviewed
from tests.core.surfaces import surfaces, thread
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
