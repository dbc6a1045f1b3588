"""Whatever a task refers to is in its prompt, in every format: no seat answers what it was not
shown.
"""

from __future__ import annotations

import asyncio
import re
from functools import cache

import pytest

from core.debate.finding import Finding
from core.debate.prompting import prompt
from core.debate.replies import Statement
from core.debate.script import SeatId, Topic, Turn
from core.debate.state import Debate
from tests.core.argued import MATERIAL, SEATS, Seats, a_finding, judging, opens, reviewed
from tests.core.memory import Voice, Voices, opening, played
from tests.core.test_engine import DEBATES


@cache
def held(name: str, format: str) -> Debate:
    voices = Voices((Voice(seed=3), Voice("voice-b", "b", 4)))
    events = opening(name, voices=voices, material=MATERIAL, format=format, converge=False)
    debate, _ = asyncio.run(played(events, voices))
    return debate


def prompt_text(debate: Debate, turn: Turn) -> str:
    """Returns a prompt without the marks of foreign lines."""
    text = "\n".join(m.text for m in prompt(debate, turn))
    return re.sub(r"^\| ?", "", text, flags=re.MULTILINE)


def points(statement: Statement) -> list[str]:
    """Returns every word of a statement that another seat may be asked about."""
    texts = [text for c in statement.claims for text in (c.text, *c.quote.split("\n"))]
    findings: tuple[Finding, ...] = statement.findings
    texts += [text for f in findings for text in (f.title, f.trigger, *f.quote.split("\n"))]
    texts += [a.because for a in statement.answers]
    texts += [text for text in statement.sections.values() if text.strip()]
    if statement.argument is not None:
        texts += [*statement.argument.evidence, *statement.argument.impact_areas]
    return [text for text in texts if text.strip()]


@pytest.mark.parametrize(("name", "format"), DEBATES)
def test_what_a_turn_reads_and_is_asked_about_is_in_its_prompt(name: str, format: str) -> None:
    debate = held(name, format)
    for turn in (t for t in debate.turns if t.id in debate.finished):
        text = prompt_text(debate, turn)
        for id in re.findall(r"^Still open: (.*)$", text, re.MULTILINE):
            assert all(one in text.replace(id, "") for one in id.split(", ")), id
        asked_of = SeatId(turn.about_the(Topic.SEAT))
        for speaker, statement in debate.read_by(turn):
            missing = [p for p in points(statement) if p not in text]
            assert turn.about_the(Topic.FINDING) or not missing, (turn, missing)
            if turn.task == "question" and speaker.seat == asked_of and speaker.independent:
                assert statement.text in text, "the opening that it must quote"
            if turn.task == "answer" and speaker.task == "question":
                assert statement.text in text, "the question that it must answer"


async def test_a_contested_finding_is_shown_whole_to_whoever_weighs_it() -> None:
    other = a_finding("Rows are held", line=14, quote="    return [row for row in db.execute(sql)]")
    openings = {SEATS[0]: opens("request_changes", a_finding()), SEATS[1]: opens("comment", other)}
    why = judging("not_real", because="the guard above it")
    debate, _ = await reviewed(Seats(openings, vouch=why, weigh=judging("must_fix"), decide=why))
    arguing = [t for t in debate.turns if t.about_the(Topic.FINDING)]
    assert {t.task for t in arguing} >= {"vouch", "weigh"}
    for turn in arguing:
        text = prompt_text(debate, turn)
        for id in turn.about_the(Topic.FINDING).split():
            finding = next(f for _, s in debate.statements() for f in s.findings if f.id == id)
            for part in (id, finding.title, finding.trigger, f"\n{finding.quote}\n"):
                assert part in text
        for speaker, statement in debate.read_by(turn):
            for answer in statement.answers:
                assert "the guard above it" in text or speaker.task != "vouch"
                assert f"\n{answer.quote}\n" in text
