"""Known defects of other debate programs that concern long texts, each by its number; the others
are tested with their subject.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from random import Random

import pytest

from adapters.templates.catalogue import builtin
from core.debate import commands as c
from core.debate import events as e
from core.debate.engine import InboxCommand
from core.debate.material import Material, MaterialKind
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.prompting import prompt
from core.debate.prompting.size import EXCERPT
from core.debate.replies.tasks import TASKS
from core.debate.state import Debate
from core.debate.usage import Usage
from tests.core.memory import Voice, Voices, answer, opening, played

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
