"""How often a turn's calls are noted and paid for, and what a repeated turn asks for again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from core import events as e
from core.budget import Budget
from core.log import Call, CallState
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
