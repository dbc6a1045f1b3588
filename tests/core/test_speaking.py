"""How often a turn's calls are noted and paid for, what is asked again, and with which tools."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from core.debate import events as e
from core.debate.budget import Budget
from core.debate.engine import LARGE
from core.debate.log import Call, CallState
from core.debate.lookups import READ, SEARCH
from core.debate.material import Material, MaterialKind
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.replies.tasks import TASKS
from core.debate.state import Debate
from core.debate.template import Evidence
from tests.core.memory import MemoryLog, Voice, Voices, opening, played


async def test_each_call_is_noted_before_it_is_sent_and_once_it_is_settled() -> None:
    first = Counter[str]()

    async def reserve(calls: Sequence[Call], _needs: float, _keep: float) -> bool:
        first.update(call.turn for call in calls if call.attempt == 1)
        return True

    voices = Voices((Voice(fails=0.2, garbage=0.4), Voice("voice-b", "b", 1, garbage=0.4)))
    budget = Budget(lambda _debate, _turn, _model: 0.10, reserve)
    _, log = await played(
        opening(voices=voices, format="phased", anyway=True), voices, budget=budget
    )
    noted: dict[tuple[str, int], list[CallState]] = defaultdict(list)
    for append in log.appends:
        for call in append.calls:
            noted[call.turn, call.attempt].append(call.state)
    assert {attempt for _, attempt in noted} > {1}, "some answers could not be read"
    for states in noted.values():
        assert states in ([CallState.INTENT, CallState.DONE], [CallState.INTENT, CallState.FAILED])
    assert set(first.values()) == {1}, "the day is asked once for the first call of a turn"


async def test_a_process_that_died_asks_again_for_what_was_not_answered_alone() -> None:
    voices = Voices((Voice(usd=0.01),))
    log = MemoryLog(opening("triad", voices=voices))
    await played(log.events, voices, log=log)
    whole = [*log.events]
    begun = next(n for n, event in enumerate(whole) if isinstance(event, e.TurnFinished))
    lost = next(event.turn for event in whole if isinstance(event, e.TurnStarted))
    cut = MemoryLog(whole[: begun - 1])
    cut.rows = {key: row for key, row in log.rows.items() if row.turn == lost}
    cut.rows[lost, 1] = Call(lost, 1, "voice-a", CallState.INTENT, estimate=0.5)
    voices.voices[0].ledger.clear()
    end, _ = await played([], voices, log=cut)
    assert end.finished.keys() >= {lost}
    states = {key: row.state for key, row in cut.rows.items() if row.turn == lost}
    assert states == {(lost, 1): CallState.LOST, (lost, 2): CallState.DONE}
    assert cut.rows[lost, 1].usage.usd == 0.5, "it may have been paid for"


@dataclass
class Attentive(Voice):
    """Keeps what it may use, by task."""

    options: dict[str, CallOptions] = field(default_factory=dict)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.options[asking.task] = asking
        return await super().reply(messages, asking, on_words)


async def options_of(policy: Evidence = Evidence.ALLOW_CITED, **terms: Any) -> Attentive:
    async def repository(_tool: str, _arguments: str) -> str:
        return "nothing"

    voice = Attentive()
    events = opening("triad", voices=Voices((voice,)), **terms)
    opened = events[1]
    assert isinstance(opened, e.DebateOpened)
    events[1] = replace(opened, template=replace(opened.template, evidence_policy=policy))
    await played(events, Voices((voice,)), repository=repository)
    return voice


@pytest.mark.parametrize(
    ("policy", "terms", "tools"),
    [
        (Evidence.ALLOW_CITED, {}, ()),
        (Evidence.ALLOW_CITED, {"search": True}, ("web_search",)),
        (Evidence.ALLOW_ANY, {"search": True}, ("web_search",)),
        (Evidence.DISALLOW_EXTERNAL, {"search": True}, ()),
        (Evidence.DISALLOW_EXTERNAL, {"search": True, "lookups": True}, (READ, SEARCH)),
        (Evidence.ALLOW_CITED, {"search": True, "lookups": True}, ("web_search", READ, SEARCH)),
    ],
)
async def test_a_seat_has_the_tools_that_terms_and_template_allow_and_the_end_has_none(
    policy: Evidence, terms: dict[str, Any], tools: tuple[str, ...]
) -> None:
    voice = await options_of(policy, **terms)
    assert voice.options["open"].tools == tools
    assert (voice.options["open"].look_up is not None) is (READ in tools)
    assert voice.options["chair"].tools == ()
    assert voice.options["chair"].look_up is None


@pytest.mark.parametrize(
    ("terms", "timeout", "temperature"),
    [({}, 90.0, None), ({"timeout": 7.0, "temperature": 0.0}, 7.0, 0.0)],
)
async def test_a_call_is_bound_by_its_task_and_the_debate_s_terms(
    terms: dict[str, Any], timeout: float, temperature: float | None
) -> None:
    voice = await options_of(**terms)
    for task, options in voice.options.items():
        assert options.max_tokens == TASKS[task].max_tokens
        assert (options.timeout, options.temperature) == (timeout, temperature)


@pytest.mark.parametrize(("other", "takes"), [("b/1", True), ("a/2", False)])
async def test_a_model_knows_whether_another_provider_would_take_its_turn(
    other: str, takes: bool
) -> None:
    first, last = Attentive("a/1", fails=1.0), Attentive(other)
    voices = Voices((first, last))
    request, opened = opening("triad", voices=voices)
    assert isinstance(opened, e.DebateOpened)
    opened = replace(opened, cast=dict.fromkeys(opened.cast, (first.name, last.name)))
    await played([request, opened], voices)
    assert first.options["open"].alternative is takes
    assert not last.options["open"].alternative


@pytest.mark.parametrize(("characters", "beside"), [(LARGE, False), (LARGE + 1, True)])
async def test_the_prompts_of_a_large_change_are_made_beside_the_other_debates(
    characters: int, beside: bool
) -> None:
    here = threading.current_thread()
    threads = set[threading.Thread]()

    def cost(debate: Debate, _turn: object, _model: str) -> float:
        if not debate.running:  # else it is asked for the price of what is in flight
            threads.add(threading.current_thread())
        return 0.0

    material = Material(MaterialKind.QUESTION, "Shall we?", "x" * characters)
    await played(opening("triad", material=material), budget=Budget(cost))
    assert threads
    assert (here not in threads) is beside
    assert (threads == {here}) is not beside


@pytest.mark.parametrize(
    ("text", "why"), [("", "before its first word"), ("{ half", "before its end")]
)
async def test_an_answer_that_was_cut_off_says_where(text: str, why: str) -> None:
    class Cut(Voice):
        async def reply(self, *_: Any) -> Reply:
            return Reply(text, cut="it was cut off at its limit of 4000")

    end, _ = await played(opening("triad", voices=Voices((Cut(),))), Voices((Cut(),)))
    assert end.failed
    for failed in end.failed.values():
        assert f"it was cut off at its limit of 4000, {why}; a shorter one is needed" in failed
