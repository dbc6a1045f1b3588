"""Hidden until the end: who speaks in a triad, in posts, in documents and on the screen; and
questions that quote what they attack.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from adapters.posts import posts_for
from adapters.posts.export import export
from core.debate import events as e
from core.debate.replies import Claim, Stance, Statement
from core.debate.script import Topic, TurnId
from core.debate.state import Debate, evolve, replay
from core.debate.usage import Usage
from core.debate.verdict.findings.evidence import NOT_OF_OPENING, claim_faults, quotes_opening
from core.languages import speaking
from core.words.outcome import outcome
from core.words.outcome.report import report
from tests.core.memory import Voice, Voices, opening, played

VOICES = Voices(
    (
        Voice("gpt-secret", "openai"),
        Voice("claude-secret", "anthropic", 1),
        Voice("gemini-secret", "google", 2),
    )
)
SECRETS = ("gpt-secret", "claude-secret", "gemini-secret", "first", "second", "third")


def texts_with_end(events: list[e.Event]) -> list[tuple[bool, str]]:
    """Returns the text of every post, with whether the debate was over by then."""
    assert isinstance(events[0], e.DebateRequested)
    states = [replay(events[: n + 1]) for n in range(len(events))]
    out = []
    for n, event in enumerate(events):
        posts = posts_for(states[n - 1] if n else None, event, states[n])
        out += [(states[n].over, json.dumps([str(p) for p in posts]))]
    return out


@pytest.mark.parametrize("fails", [0.0, 0.4])
async def test_no_post_names_a_seat_or_a_model_before_the_end(fails: float) -> None:
    voices = Voices(tuple(replace(v, fails=fails, seen=[], ledger=[]) for v in VOICES.voices))
    _, log = await played(opening("triad", voices=voices), voices)
    before = [text for over, text in texts_with_end(log.events) if not over]
    after = [text for over, text in texts_with_end(log.events) if over]
    assert len(before) > 10
    for text in before:
        assert not [s for s in SECRETS if s in text.replace("the first", "")], text
    assert "participant 1" in "".join(before)
    assert not re.search(r"\bP\d\b", "".join(before + after)), "a label that only seats know"
    assert any(f"articipant {n} (" in t and "-secret)" in t for t in after for n in (1, 2, 3)), (
        "the reveal"
    )


async def test_no_document_names_a_model_before_the_end_and_the_report_reveals_it() -> None:
    voices = Voices(tuple(replace(v, seen=[], ledger=[]) for v in VOICES.voices))
    end, log = await played(opening("triad", voices=voices), voices)
    models = {v.name for v in voices.voices}
    middle = replay(log.events[: len(log.events) // 2])
    failed = evolve(middle, e.TurnFailed(middle.turns[-2].id, "gpt-secret: provider down"))
    for debate in (middle, failed):
        for form in ("md", "json"):
            assert not [m for m in models if m in export(debate, form)]
    rendered = report(end)
    table = rendered[rendered.index("### Who was who") :]
    for seat in end.open.script.seats:
        assert f"| {end.open.script.label(seat.id)} | {seat.role} | " in table
    assert models <= set(table.replace("|", " ").split())
    with speaking("cs"):
        table = report(end).partition("### Kdo byl kdo")[2]
    assert table.split("\n")[2] == "| Štítek | Místo | Model |"
    assert "| účastník 1 | " in table
    assert {s["model"] for s in outcome(end)["seats"]} <= models


def questioned(quote: str, text: str = "Really?") -> tuple[Debate, TurnId]:
    """Returns a triad after one opening and one question about it."""
    events = opening("triad")
    debate = replay(events)
    question = next(t for t in debate.turns if t.task == "question")
    target = next(
        t for t in debate.turns if t.seat == question.about_the(Topic.SEAT) and t.independent
    )
    claim = Statement(
        "We should wait.",
        Stance("no", 0.6, because="it costs too much"),
        (Claim(f"{target.id}.c1", "Nobody is trained  for it"),),
    )
    objection = Statement(
        text, claims=(Claim(f"{question.id}.c1", "Who would train them?", quote),)
    )
    for turn, statement in ((target, claim), (question, objection)):
        debate = evolve(
            evolve(debate, e.TurnStarted(turn.id)), e.TurnFinished(turn.id, statement, Usage(), "m")
        )
    return debate, question.id


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("We should wait", "Really?"),
        ("Nobody is trained for it", "Really?"),
        ("it costs too much", "Really?"),
        ("", "You say “We should wait.” Until when?"),
    ],
)
def test_a_question_that_quotes_the_opening_is_not_marked(quote: str, text: str) -> None:
    """Words between quotation marks count as a quotation."""
    debate, question = questioned(quote, text)
    assert quotes_opening(debate, debate.script.turn(question))
    assert claim_faults(debate) == {}


@pytest.mark.parametrize(
    ("quote", "text"),
    [("", "Really?"), ("We must wait", "Really?"), ("", 'You say "we can never know".')],
)
def test_a_question_that_quotes_nothing_of_it_is_marked(quote: str, text: str) -> None:
    debate, question = questioned(quote, text)
    assert claim_faults(debate) == {f"{question}.c1": NOT_OF_OPENING}
    turns = [t for r in outcome(debate)["rounds"] for t in r["turns"] if t["id"] == question]
    assert turns[0]["unverified"] == [f"{question}.c1"]
