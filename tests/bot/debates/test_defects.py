"""Known defects of other debate programs, which must not be here: those that concern the engine,
each by its number.

The others stand where their subject is tested: votes, consensus, verdict, convergence, ratings,
receipts, chat.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from adapters.templates.catalogue import builtin
from bot.wire.parts import Parts
from core.debate import commands as c
from core.debate import events as e
from core.debate.checks.clauses import cited_clauses
from core.debate.engine import InboxCommand
from core.debate.errors import ModelError
from core.debate.material import Material, MaterialKind
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.prompting import prompt
from core.debate.prompting.size import EXCERPT
from core.debate.replies.objects import Unreadable, find_object
from core.debate.replies.tasks import TASKS
from core.debate.script import About, Topic
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from core.debate.verdict.findings.evidence import figures
from tests.bot.conftest import held
from tests.core.memory import Voice, Voices, answer, opening, played


@dataclass
class Waiting(Voice):
    """Answers after a moment and counts how many wait at once, and how often none did before;
    ``never`` waits until its time is over.
    """

    now: int = 0
    most: int = 0
    rests: int = 0
    never: bool = False
    calls: list[CallOptions] = field(default_factory=list)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.calls.append(asking)
        self.seen.append(messages)
        self.rests += not self.now
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            if self.never:
                await asyncio.sleep(asking.timeout)
                raise ModelError("timeout", f"no answer within {asking.timeout:g} s")
            await asyncio.sleep(0.02)
        finally:
            self.now -= 1
        return Reply(
            json.dumps(answer(asking, Random(str(messages)))),
            Usage(100, 0, 20, 0.0, 400),
            self.name,
        )


async def test_defect_07_a_turns_time_is_kept_and_a_seat_that_needs_longer_has_failed() -> None:
    voices = Voices((Waiting(never=True),))
    end, _ = await played(opening("triad", voices=voices), voices, timeout=0.05)
    assert end.status == "failed"
    assert all("no answer within 0.05 s" in reason for reason in end.failed.values())
    waiting = voices.voices[0]
    assert isinstance(waiting, Waiting)
    assert {a.timeout for a in waiting.calls} == {0.05}


@pytest.mark.parametrize("name", ["triad", "critique", "code_review"])
def test_defect_07_every_seat_is_asked_for_its_reason(name: str) -> None:
    debate = replay(opening(name))
    turns = [t for t in debate.turns if "stance" in TASKS[t.task].asks]
    assert turns
    for turn in turns:
        assert '"because"' in "".join(m.text for m in prompt(debate, turn))


async def test_defect_10_seats_that_may_speak_at_once_are_asked_at_once() -> None:
    voice = Waiting()
    voices = Voices((voice,))
    end, _ = await played(opening("code_review", voices=voices), voices)
    script = end.open.script
    waves = depth(end)
    assert voice.most >= 3
    assert waves < len(script.turns)
    assert voice.rests <= waves


def depth(debate: Debate) -> int:
    """Returns how many answers must be awaited one after the other."""
    levels: dict[str, int] = {}
    for turn in debate.turns:
        levels[turn.id] = 1 + max((levels[r] for r in turn.reads), default=0)
    return max(levels.values())


async def test_defect_11_a_debate_writes_nothing_into_the_folder_it_is_started_in(
    parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    await held(parts, "triad", "Tabs or spaces for the new code base?")
    assert list(elsewhere.iterdir()) == []


async def test_defect_39_later_prompts_hold_what_was_said_and_no_answer_is_overwritten() -> None:
    voice = Voice()
    end, _ = await played(opening("critique", voices=Voices((voice,))), Voices((voice,)))
    texts = ["\n".join(m.text for m in messages) for messages in voice.seen]
    assert len(set(texts)) == len(texts), "no two prompts are the same"
    spoken = [t for t in end.turns if t.id in end.finished]
    assert len({id(end.finished[t.id]) for t in spoken}) == len(spoken)
    for turn in spoken:
        for read in turn.reads:
            assert f"[{read}]" in "\n".join(m.text for m in prompt(end, turn))


HOSTILE = (
    "{" * 30_000,
    '{"a":' * 20_000,
    "[" * 50_000 + '{"stance":',
    '{"text": "' + "\\" * 40_000,
    "clauses " + "1, " * 20_000,
    "1." * 30_000,
    "$" * 40_000 + "9" * 40_000,
    "https://" + "a" * 60_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_defect_41_every_reply_is_read_to_its_end(text: str) -> None:
    """`python -m tools.bench.readers` prints what each costs."""
    with suppress(Unreadable):
        before, document = find_object(text)
        assert len(before) <= len(text)
        assert isinstance(document, dict)
    assert all(clause for clause in cited_clauses(text))
    assert all(figure for figure in figures(text))


DIFF = Material(
    MaterialKind.DOCUMENT,
    "Long",
    "\n\n".join(f"Paragraph {n} says that limit {n} holds for tenant {n}." for n in range(2000)),
)


async def test_defect_45_a_disputed_place_is_before_the_eyes_of_whoever_is_challenged() -> None:
    quote = "Paragraph 1500 says that limit 1500 holds"

    class Quoting(Voice):
        async def reply(
            self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
        ) -> Reply:
            self.seen.append(messages)
            drawn = answer(asking, Random(str(messages)))
            if "claims" in drawn:
                drawn["claims"] = [
                    {"text": "It is wrong for this tenant", "quote": quote, "supports": ""}
                ]
            return Reply(json.dumps(drawn), Usage(1, 0, 1, 0.0, 1), self.name)

    voice = Quoting()
    voices, inbox = Voices((voice,)), asyncio.Queue[object]()

    def listener(event: e.Event, debate: Debate) -> None:
        if len(debate.finished) == 4 and isinstance(event, e.TurnFinished):
            inbox.put_nowait(InboxCommand(c.RaiseChallenge("ann", "Prove it.")))

    end, _ = await played(
        opening("design_doc", voices=voices, material=DIFF),
        voices,
        inbox=inbox,
        event_listener=listener,
    )
    rebuttal = next(t for t in end.turns if t.task == "rebut")
    text = "\n".join(m.text for m in prompt(end, rebuttal))
    assert quote in text
    assert "Prove it." in text
    assert len(text) < len(DIFF.text) / 10


class Answering(Voice):
    """Answers every challenge."""

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        drawn = answer(asking, Random(str(messages)))
        if "answers" in drawn:
            drawn["answers"] = [{"to": "x1", "position": "answered", "because": "so"}]
        return Reply(json.dumps(drawn), Usage(1, 0, 1, 0.0, 1), self.name)


async def test_defect_46_every_rebuttal_is_kept_and_read() -> None:
    voices, inbox = Voices((Answering(),)), asyncio.Queue[object]()

    def listener(_event: e.Event, debate: Debate) -> None:
        if debate.count == 6:
            inbox.put_nowait(InboxCommand(c.RaiseChallenge("ann", "What does it cost?")))

    end, _ = await played(
        opening("design_doc", voices=voices), voices, inbox=inbox, event_listener=listener
    )
    rebuttals = [t for t in end.turns if t.about == About(Topic.CHALLENGE, "x1")]
    assert rebuttals
    closing = next(t for t in end.turns if t.closing)
    for turn in rebuttals:
        assert turn.id in end.finished
        assert turn.id in closing.reads
        assert any(turn.id in t.reads for t in end.turns if not t.closing), (
            "not only for the report"
        )


@pytest.mark.parametrize("name", sorted({t.format: t.id for t in builtin().values()}.values()))
async def test_defect_47_a_long_text_is_read_whole_and_never_cut_in_silence(name: str) -> None:
    voice = Voice()
    end, _ = await played(opening(name, voices=Voices((voice,)), material=DIFF), Voices((voice,)))
    last = "limit 1999 holds for tenant 1999."
    for turn in end.turns:
        if turn.id not in end.finished:
            continue
        text = "\n".join(m.text for m in prompt(end, turn))
        if TASKS[turn.task].whole:
            assert last in text
        elif last not in text:
            assert f"of {len(DIFF.text)} characters]" in text or "more cited places" in text
            assert len(text) < EXCERPT * 20
