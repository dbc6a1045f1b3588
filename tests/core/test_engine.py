"""The engine's promises, over all shipped templates, with failures, challenges, pauses, stops and
crashes at any event.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from math import fsum
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.templates.catalogue import builtin
from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import Budget
from core.debate.due import due
from core.debate.engine import LARGE, InboxCommand, Leave, play
from core.debate.errors import BadInput, Fenced, StoreAway
from core.debate.log import Append, Call, CallState
from core.debate.material import Material, MaterialKind
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.spoken import OUT_OF_MONEY
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from core.words.views.course.cost import cost
from tests.adapters.posts.told import posted, seen
from tests.core.memory import CrashError, MemoryLog, Voice, Voices, answer, opening, played, table
from tests.core.table import table as debated_at
from tests.drawn import drawn
from tests.patience import PATIENCE

DEBATES = [*((name, "") for name in sorted(builtin())), ("code_review", "phased")]
"""Every shipped template in its own format, and a review in phases."""
SURE = {"option": "approve", "confidence": 0.8}
SETTLING = (e.TurnFinished, e.TurnFailed, e.TurnSkipped)


def injecting(
    *commands: tuple[int, c.Command],
) -> Callable[[asyncio.Queue[object]], Callable[[e.Event, Debate], None]]:
    """Returns a listener that puts commands into the inbox when so many events have happened."""

    def listen(inbox: asyncio.Queue[object]) -> Callable[[e.Event, Debate], None]:
        def inject(_event: e.Event, debate: Debate) -> None:
            for at, command in commands:
                if debate.count == at:
                    inbox.put_nowait(InboxCommand(command))

        return inject

    return listen


async def run(
    name: str, format: str, seed: int, fails: float, commands: list[tuple[int, c.Command]]
) -> tuple[Debate, MemoryLog, Voices]:
    voices = Voices(
        (
            Voice(seed=seed, fails=fails, garbage=fails / 2, usd=0.01),
            Voice("voice-b", "b", seed + 1, fails, usd=0.01),
        )
    )
    inbox: asyncio.Queue[object] = asyncio.Queue()
    end, log = await played(
        opening(name, voices=voices, seed=seed, format=format),
        voices,
        inbox=inbox,
        event_listener=injecting(*commands)(inbox),
        budget=Budget(lambda _debate, _turn, _model: 0.03),
    )
    return end, log, voices


def paid(log: MemoryLog) -> float:
    """Sums the USD of the calls that have ended, or were ended."""
    return fsum(c.usage.usd or 0.0 for c in log.rows.values() if c.state != CallState.INTENT)


COMMANDS = (
    c.RaiseChallenge("ann", "What about the cost of it?"), c.RaiseChallenge("bob", "P1, prove it."),
    c.AskSeat("ann", "t1"), c.AskSeat("bob", "t2"), c.CastVote("ann", "1"), c.CastVote("ann", "2"),
    c.WithdrawVote("ann"), c.Stop("ann"),
)  # fmt: skip
commands = st.lists(st.tuples(st.integers(3, 25), st.sampled_from(COMMANDS)), max_size=3)


@given(st.sampled_from(DEBATES), st.integers(0, 10**6), st.sampled_from((0.0, 0.15, 1.0)), commands)
@drawn(30)
def test_the_promises_hold_on_any_course(
    name: tuple[str, str], seed: int, fails: float, injected: list[tuple[int, c.Command]]
) -> None:
    end, log, _ = asyncio.run(run(*name, seed, fails, injected))
    assert end.over
    assert end == replay(log.events), "the log is the whole truth"
    assert end.spent == pytest.approx(paid(log)), "the verdict names what the calls cost"
    final = {t.id: t for t in end.turns}
    by_code = any(isinstance(x, e.StopOrdered) and not x.closing for x in log.events)
    for position, event in enumerate(log.events):
        if isinstance(event, e.TurnStarted):
            then = replay(log.events[:position])
            turn = then.script.turn(event.turn)
            assert set(turn.reads) <= then.settled, "nobody speaks before what they read is settled"
            assert final[event.turn].reads == turn.reads, (
                "what a turn reads is fixed when it starts"
            )
    for turn in end.turns:
        settled = [x for x in log.events if isinstance(x, SETTLING) and x.turn == turn.id]
        assert len(settled) == 1, f"{turn.id} settles exactly once"
        begun = e.TurnStarted(turn.id) in log.events
        unneeded = turn.when and end.skipped.get(turn.id) == turn.when
        assert not turn.closing or begun or unneeded or by_code or not end.present, (
            "the closing turn always gets its chance, unless no seat answered, its own guard "
            "finds nothing to do or nothing was worth a debate: then code writes the report"
        )


async def unbroken_play(
    name: tuple[str, str], seed: int
) -> tuple[Voices, list[e.Event], Debate, MemoryLog]:
    """Returns the voices and the first events of a debate, and its end that nothing disturbed."""
    voices = Voices((Voice(seed=seed), Voice("voice-b", "b", seed + 1)))
    events = opening(name[0], voices=voices, seed=seed, format=name[1])
    return voices, events, *await played(list(events), voices)


@given(st.sampled_from(DEBATES), st.integers(0, 10**6), st.data())
@drawn(20)
def test_a_crash_after_any_event_still_ends_the_same_debate_and_pays_nothing_twice(
    name: tuple[str, str], seed: int, data: st.DataObject
) -> None:
    async def scenario() -> None:
        voices, events, whole, unbroken = await unbroken_play(name, seed)
        paid = len(voices.voices[0].ledger) + len(voices.voices[1].ledger)
        for voice in voices.voices:
            voice.ledger.clear()
        log = MemoryLog(
            list(events), limit=data.draw(st.integers(2, len(unbroken.events) - 1), label="crash")
        )
        lost = 0
        try:
            await played(events, voices, log=log)
        except* CrashError:
            lost = sum(len(v.ledger) for v in voices.voices) - sum(
                call.state == "done" for call in log.rows.values()
            )
        log.limit = None
        end, _ = await played(events, voices, log=log)
        assert end.over
        assert [t.id for t in end.turns] == [t.id for t in whole.turns], "the same script"
        assert {k: v.text for k, v in end.finished.items()} == {
            k: v.text for k, v in whole.finished.items()
        }
        answered = sum(len(v.ledger) for v in voices.voices)
        assert answered <= paid + lost, "only answers that were never stored are asked for again"

    asyncio.run(scenario())


@given(st.sampled_from(DEBATES), st.integers(0, 10**6), st.data())
@drawn(16)
def test_whoever_leaves_hears_everybody_out_and_another_goes_on_as_if_nothing_had_been(
    name: tuple[str, str], seed: int, data: st.DataObject
) -> None:
    async def scenario() -> None:
        voices, events, whole, unbroken = await unbroken_play(name, seed)
        counts = [len(voice.ledger) for voice in voices.voices]
        leave = data.draw(st.integers(len(events), len(unbroken.events)), label="leave")
        inbox: asyncio.Queue[object] = asyncio.Queue()
        log = MemoryLog(list(events))
        before = len(events)
        if leave == before:
            inbox.put_nowait(Leave())

        def leave_then(_event: e.Event, debate: Debate) -> None:
            nonlocal before
            if debate.count == leave:
                inbox.put_nowait(Leave())
                before = len(log.events)

        left, _ = await played(events, voices, log=log, inbox=inbox, event_listener=leave_then)
        assert not left.running, "nobody is cut off"
        assert not any(isinstance(event, e.TurnStarted) for event in log.events[before:])
        end, _ = await played(events, voices, log=log)
        assert {k: v.text for k, v in end.finished.items()} == {
            k: v.text for k, v in whole.finished.items()
        }
        assert [t.id for t in end.turns] == [t.id for t in whole.turns]
        assert [len(voice.ledger) for voice in voices.voices] == [2 * each for each in counts]

    asyncio.run(scenario())


async def test_a_failing_listener_never_stops_the_debate() -> None:
    def broken(_event: e.Event, _debate: Debate) -> None:
        raise RuntimeError("listener")

    end, _ = await played(opening("design_doc"), event_listener=broken)
    assert end.over
    assert len(end.finished) > 5


async def test_pause_cancels_calls_in_flight_and_resume_goes_on_where_it_stopped() -> None:
    voices = Voices((Voice(wait=3600),))
    log = MemoryLog(opening(voices=voices))
    inbox: asyncio.Queue[object] = asyncio.Queue()
    begun = asyncio.Event()
    running = asyncio.create_task(
        play(
            replay(log.events),
            table(log, voices, inbox=inbox, event_listener=lambda *_: begun.set()),
        )
    )
    await begun.wait()
    inbox.put_nowait(InboxCommand(c.Pause("ann")))
    paused = await asyncio.wait_for(running, PATIENCE)
    assert paused.status == "paused"
    assert due(paused) == ()
    voices.voices[0].wait = 0
    resumed: asyncio.Queue[object] = asyncio.Queue()
    resumed.put_nowait(InboxCommand(c.Resume("ann")))
    end, _ = await played([], voices, log=log, inbox=resumed)
    assert end.status == "finished"
    started = [x.turn for x in log.events if isinstance(x, e.TurnStarted)]
    assert len(started) == len(set(started)), (
        "a turn in flight is spoken again without a second start"
    )


@pytest.mark.parametrize("command", [c.Pause("ann"), c.Stop("ann")], ids=("paused", "stopped"))
async def test_an_answer_that_is_being_read_when_its_debate_is_paused_or_stopped_is_paid_once(
    command: c.Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers on a large change are read in a thread."""
    voices = Voices((Voice(usd=0.01),))
    words = Material(MaterialKind.QUESTION, "Shall we?", "x" * (LARGE + 1))
    log = MemoryLog(opening("triad", voices=voices, material=words))
    inbox: asyncio.Queue[object] = asyncio.Queue()
    commands = [command]

    async def in_thread(work: Callable[..., object], *given: object) -> object:
        if voices.voices[0].ledger and commands:
            inbox.put_nowait(InboxCommand(commands.pop()))
            await asyncio.Event().wait()
        return work(*given)

    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "to_thread", in_thread)
        end, _ = await asyncio.wait_for(played([], voices, log=log, inbox=inbox), PATIENCE)
    if end.status == "paused":
        inbox.put_nowait(InboxCommand(c.Resume("ann")))
        end, _ = await asyncio.wait_for(played([], voices, log=log, inbox=inbox), PATIENCE)
        assert {row.state for row in log.rows.values()} == {CallState.DONE}
    assert end.over
    settled = [x for one in log.appends for x in one.calls if x.state != CallState.INTENT]
    assert end.spent == pytest.approx(fsum(x.usage.usd or 0.0 for x in settled))


@pytest.mark.parametrize("then", [e.DebatePaused, e.VoteCast], ids=("pausing", "paused"))
async def test_a_resume_that_comes_while_a_pause_is_being_stored_asks_the_seats_again(
    then: type[e.Event],
) -> None:
    """The seats' first answers never come: the pause ends their calls."""
    voices = Voices((Voice(wait=3600),))
    log = MemoryLog(opening("triad", voices=voices))
    inbox: asyncio.Queue[object] = asyncio.Queue()

    def listen(event: e.Event, _debate: Debate) -> None:
        if isinstance(event, e.TurnStarted) and event.turn == "t1":
            inbox.put_nowait(InboxCommand(c.Pause("ann")))
        if isinstance(event, then):
            voices.voices[0].wait = 0
            inbox.put_nowait(InboxCommand(c.Resume("ann")))

    playing = played([], voices, log=log, inbox=inbox, event_listener=listen)
    end, _ = await asyncio.wait_for(playing, PATIENCE)
    if then is e.VoteCast:
        assert end.status == "paused"
        inbox.put_nowait(InboxCommand(c.CastVote("ann", "yes")))
        playing = played([], voices, log=log, inbox=inbox, event_listener=listen)
        end, _ = await asyncio.wait_for(playing, PATIENCE)
    assert end.status == "finished"
    states = {at: row.state for at, row in log.rows.items() if at[0] == "t1"}
    assert states == {("t1", 1): CallState.LOST, ("t1", 2): CallState.DONE}


@pytest.mark.parametrize("command", [c.Pause("ann"), c.Stop("ann")], ids=("paused", "stopped"))
async def test_a_call_that_is_cut_off_counts_with_the_most_that_it_can_cost(
    command: c.Command,
) -> None:
    """A provider may bill it; otherwise stopped debates would get round every budget."""
    voices = Voices((Voice(wait=3600, usd=0.1),))
    log = MemoryLog(opening("triad", voices=voices))
    inbox: asyncio.Queue[object] = asyncio.Queue()

    def listener(event: e.Event, _debate: Debate) -> None:
        if isinstance(event, e.TurnStarted) and event.turn == "t1":
            inbox.put_nowait(InboxCommand(command))
        if isinstance(event, e.DebatePaused | e.StopOrdered):
            voices.voices[0].wait = 0
            inbox.put_nowait(InboxCommand(c.Resume("ann")))

    budget = Budget(lambda _debate, _turn, _model: 0.25)
    playing = played([], voices, log=log, inbox=inbox, event_listener=listener, budget=budget)
    end, _ = await asyncio.wait_for(playing, PATIENCE)
    assert end.over
    assert [row.usage.usd for row in log.rows.values() if row.state == CallState.LOST] == [0.25] * 3
    assert end.spent == pytest.approx(paid(log))
    assert cost(end)["usd"] == pytest.approx(end.spent)


async def test_stop_ends_the_calls_in_flight_and_still_closes() -> None:
    voices = Voices((Voice(wait=3600),))
    log = MemoryLog(opening(voices=voices, format="phased"))
    inbox: asyncio.Queue[object] = asyncio.Queue()

    begun = asyncio.Event()

    def listener(event: e.Event, _debate: Debate) -> None:
        begun.set()
        if isinstance(event, e.StopOrdered):
            voices.voices[0].wait = 0

    running = asyncio.create_task(
        play(replay(log.events), table(log, voices, inbox=inbox, event_listener=listener))
    )
    await begun.wait()
    inbox.put_nowait(InboxCommand(c.Stop("ann")))
    told_bob: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    inbox.put_nowait(InboxCommand(c.Pause("bob"), answer=told_bob))  # pressed at the same moment
    end = await asyncio.wait_for(running, PATIENCE)
    assert end.status == "stopped"
    assert "its closing report still comes" in told_bob.result()
    assert set(end.failed.values()) == {"stopped"}
    assert all(t.id in end.finished for t in end.turns if t.closing)


async def test_an_answer_that_comes_just_after_a_stop_counts_as_cut_off() -> None:
    inbox: asyncio.Queue[object] = asyncio.Queue()

    class Stopping(Voice):
        async def reply(self, *request: Any) -> Reply:
            if self.ledger:
                return await super().reply(*request)
            self.ledger.append("the first")
            inbox.put_nowait(InboxCommand(c.Stop("ann")))
            return Reply(
                json.dumps(answer(request[1], Random(1))), Usage(100, 0, 20, 0.10, 4), self.name
            )

    voices = Voices((Stopping(),))
    budget = Budget(lambda _debate, _turn, _model: 0.25)
    opened = opening("triad", voices=voices)
    end, log = await played(opened, voices, inbox=inbox, budget=budget)
    assert set(end.failed.values()) == {"stopped"}
    assert log.rows["t1", 1].state is CallState.LOST
    assert end.spent == pytest.approx(paid(log))


async def test_a_refused_command_changes_nothing_and_says_why() -> None:
    events = opening("design_doc")
    inbox: asyncio.Queue[object] = asyncio.Queue()
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    inbox.put_nowait(InboxCommand(c.CastVote("ann", "banana"), queued=7, answer=answer))
    _, log = await played(events, inbox=inbox)
    assert "not on the ballot" in answer.result()
    assert not any(isinstance(x, e.VoteCast) for x in log.events)
    applied = next(a for a in log.appends if 7 in a.applied)
    assert "not on the ballot" in applied.answers[7]


async def test_defect_49_the_budget_stops_the_debate_and_still_pays_for_the_report() -> None:
    voices = Voices((Voice(usd=0.10),))
    events = opening(voices=voices, format="phased", budget=0.60, reserve=0.20, anyway=True)
    end, log = await played(events, voices, budget=Budget(lambda _debate, _turn, _model: 0.10))
    assert end.stop is not None
    assert end.stop.reason is e.EndReason.BUDGET
    assert end.spent <= 0.60 + 1e-9
    assert all(t.id in end.finished for t in end.turns if t.closing)
    assert end.concluded is not None
    assert end.concluded.because is e.EndReason.BUDGET
    assert len([x for x in log.events if isinstance(x, e.TurnFinished)]) == 6


class Told:
    """A voice that gives each answer, readable or not, once an event is set. Each costs 0.10."""

    family, demo, window = "x", False, 100_000

    def __init__(self, name: str, *answers: tuple[asyncio.Event, bool]) -> None:
        self.name, self.answers, self.calls = name, list(answers), 0
        self.again = asyncio.Event()

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.calls += 1
        if self.calls > 1:
            self.again.set()
        come, readable = self.answers[self.calls - 1]
        await come.wait()
        text = json.dumps(answer(asking, Random(1))) if readable else "no json here"
        return Reply(text, Usage(100, 0, 20, 0.10, 4), self.name)


@pytest.mark.parametrize("first", ["try", "turn", "both"])
async def test_another_try_and_another_turn_are_not_both_paid_from_the_same_money(
    first: str,
) -> None:
    """There is money for three answers and the closing one. The first seat's answer can't be read,
    and the second seat's next turn begins: before that, after that, or while the budget is asked.
    """
    now, reserving = asyncio.Event(), asyncio.Event()
    now.set()
    one, two = Told("openai/gpt-5"), Told("anthropic/claude-sonnet")
    one.answers = [({"try": now, "turn": two.again, "both": reserving}[first], False)]
    one.answers += [(asyncio.Event() if first == "try" else now, True)]
    two.answers = [(one.again if first == "try" else now, True), (now, True)]
    chair = Told("gemini/gemini-pro", (now, True))

    async def reserve(calls: Sequence[Call], _needs: float, _keep: float) -> bool:
        if calls[0].turn == "u2":
            reserving.set()
            for _ in range(20):  # nothing else is waited for
                await asyncio.sleep(0)
        return True

    turns = (
        "t1 a independent task=open",
        "t2 b independent task=open",
        "u2 b round=1 reads=t2",
        "end chair round=2 reads=t1,u2 task=close closing",
    )
    terms = {"budget": 0.40, "reserve": 0.10}
    debated = debated_at(["a", "b", "chair:chair"], turns, terms=terms)
    budget = Budget(lambda _debate, _turn, _model: 0.10, reserve)
    voices = Voices([one, two, chair])  # type: ignore[list-item]
    end, _ = await asyncio.wait_for(played(debated.events, voices, budget=budget), PATIENCE)
    assert end.over
    assert one.calls + two.calls == 3
    assert chair.calls == 1


async def test_the_days_budget_stops_it_too() -> None:
    async def reserve(_calls: Sequence[Call], _needs: float, _keep: float) -> bool:
        return False

    voices = Voices((Voice(),))
    end, log = await played(
        opening(voices=voices), voices, budget=Budget(lambda _debate, _turn, _model: 0.10, reserve)
    )
    assert end.stop is not None
    assert end.stop.detail == "the day's budget is used up"
    assert end.concluded is not None
    assert end.status == "failed", "nobody was heard: never a pass"
    assert not log.rows, "no closing is paid over a debate in which nobody spoke"


async def test_every_further_try_is_reserved_too_and_what_is_not_paid_for_is_not_asked() -> None:
    requests: list[tuple[int, float, float]] = []

    async def reserve(calls: Sequence[Call], needs: float, keep: float) -> bool:
        requests.append((max(call.attempt for call in calls), round(needs, 2), keep))
        assert all(call.estimate == 0.10 for call in calls)
        return calls[0].attempt == 1

    voices = Voices((Voice(garbage=1.0),))
    end, log = await played(
        opening(voices=voices, reserve=0.20),
        voices,
        budget=Budget(lambda _debate, _turn, _model: 0.10, reserve),
    )
    wave = sum(attempt == 1 for attempt, _, _ in requests)
    assert len(requests) > wave > 0
    assert all(keep == 0.20 for _, _, keep in requests)
    spoken = [t for t in end.turns if t.id in end.failed and not t.closing]
    assert {end.failed[t.id] for t in spoken} == {OUT_OF_MONEY}
    assert {call.attempt for call in log.rows.values() if call.turn in {t.id for t in spoken}} == {
        1
    }


async def test_a_writer_that_was_overtaken_stops_without_a_word() -> None:
    class Overtaken(MemoryLog):
        async def append(self, append: Append) -> None:
            if len(self.events) > 6:
                raise Fenced(append.debate)
            await super().append(append)

    log = Overtaken(opening(format="phased", anyway=True))
    with pytest.raises(Fenced):
        await play(replay(log.events), table(log, Voices()))


async def test_a_store_that_is_away_costs_no_seat_its_turn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A second call can't be noted: the debate stops there, and goes on as it was."""
    voices = Voices((Voice(fails=0.5), Voice("voice-b", "b", 1, fails=0.5)))

    class Away(MemoryLog):
        async def append(self, append: Append) -> None:
            if append.calls and not append.events:
                raise StoreAway("The database does not answer.")
            await super().append(append)

    log = Away(opening(voices=voices))
    with pytest.raises(StoreAway):
        await play(replay(log.events), table(log, voices))
    assert not [event for event in log.events if isinstance(event, e.TurnFailed)]
    assert "turn failed" not in caplog.text
    end, _ = await played(log.events, Voices())
    assert end.over
    assert not end.failed


async def test_a_failing_model_falls_back_to_the_next_of_the_cast_and_a_dead_one_is_named() -> None:
    good, bad = Voice(), Voice("voice-b", "b", fails=1.0)
    end, log = await played(opening(voices=Voices((good, bad))), Voices((good, bad)))
    assert not end.failed
    assert set(end.models.values()) == {"voice-a"}
    assert {call.state for call in log.rows.values()} == {"done", "failed"}
    alone = Voices((Voice(fails=1.0),))
    end, _ = await played(opening(voices=alone), alone)
    assert end.status == "failed"
    assert all("down" in reason for reason in end.failed.values())


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BadInput("DEBATE_EMBEDDED_WEIGHTS names /w."), "DEBATE_EMBEDDED_WEIGHTS names /w."),
        (KeyError("k"), "KeyError: 'k'"),
    ],
)
async def test_the_reason_of_a_failed_turn_names_a_type_only_if_it_is_a_defect(
    error: Exception, reason: str
) -> None:
    class Broken(Voice):
        async def reply(self, *_: object, **__: object) -> Reply:
            raise error

    voices = Voices((Broken(),))
    budget = Budget(lambda _debate, _turn, _model: 0.25)
    end, log = await played(opening(voices=voices), voices, budget=budget)
    assert set(end.failed.values()) == {reason}
    assert end.spent == pytest.approx(paid(log))
    assert bool(end.spent) == isinstance(error, KeyError), "a defect may be billed, a refusal not"


async def test_an_unreadable_reply_is_repaired_once_and_then_the_seat_has_failed() -> None:
    voices = Voices((Voice(garbage=1.0),))
    end, log = await played(opening(voices=voices), voices)
    assert end.status == "failed"
    first = [call for call in log.rows.values() if call.turn == "t1"]
    assert [(call.attempt, call.state) for call in first] == [(1, "done"), (2, "done")]
    assert "twice" in end.failed[end.turns[0].id]
    assert "could not be read" in voices.voices[0].seen[-1][-1].text


@pytest.mark.parametrize("severity", [{}, {"severity": None}, {"severity": ""}])
async def test_a_severity_that_a_model_left_out_is_named_as_missing(
    severity: dict[str, object],
) -> None:
    class Unsure(Voice):
        async def reply(self, *_: object, **__: object) -> Reply:
            listed = {"title": "Charged twice", "confidence": 0.9} | severity
            return Reply(json.dumps({"stance": SURE, "findings": [listed]}))

    voices = Voices((Unsure(),))
    end, log = await played(opening(voices=voices), voices)
    missing = "twice: the reply has nothing for the severity (low or medium or high or critical)"
    assert end.failed[end.turns[0].id] == f"voice-a, {missing}"
    assert missing in "\n".join(map(seen, posted(log.events)))


async def test_votes_that_arrive_in_the_window_recompute_the_verdict_once() -> None:
    end, log = await played(opening("design_doc", vote_window=600.0))
    assert end.status == "waiting"
    ends = log.appends[-1].wake_at
    assert ends is not None
    inbox: asyncio.Queue[object] = asyncio.Queue()
    early = c.Wake(ends - timedelta(microseconds=1))
    for command in (early, c.CastVote("ann", "1"), c.Wake(ends), c.CastVote("bob", "2")):
        inbox.put_nowait(InboxCommand(command))
    final, _ = await played([], log=log, inbox=inbox)
    assert final.final
    assert [v.voter for v in final.votes.values()] == ["ann"], "only a late vote is refused"


async def test_defect_43_all_turns_of_a_round_start_in_one_commit() -> None:
    _, log = await played(opening("design_doc"))
    starts = [sum(isinstance(x, e.TurnStarted) for x in a.events) for a in log.appends]
    assert max(starts) >= 3
    assert len(log.appends) <= len(log.events)


async def test_debates_take_turns_and_one_that_is_measured_gives_its_own_away() -> None:
    """One place for two debates: the first is measured until the second has ended."""
    at_once, other_ended = asyncio.Semaphore(1), asyncio.Event()

    async def measure(_debate: Debate, _round: int) -> None:
        await other_ended.wait()

    async def other() -> Debate:
        end, _ = await played(opening(seed=2), at_once=at_once)
        other_ended.set()
        return end

    async with asyncio.timeout(PATIENCE):
        (first, _), second = await asyncio.gather(
            played(opening(), at_once=at_once, measure=measure), other()
        )
    assert first.over
    assert second.over
    assert not at_once.locked()


async def test_an_answer_is_stored_before_its_round_is_measured() -> None:
    log = MemoryLog(opening(format="phased", anyway=True))
    kept: list[int] = []

    async def measure(debate: Debate, _round: int) -> None:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        finished = [event for event in log.events if isinstance(event, e.TurnFinished)]
        kept.append(len(finished) - len(debate.finished))

    end, _ = await played(log.events, log=log, measure=measure)
    assert end.over
    assert len(kept) >= 3
    assert set(kept) == {0}


@pytest.mark.parametrize(
    ("kind", "which"), [(e.TurnStarted, 0), (e.TurnFinished, 0), (e.TurnFinished, -1)]
)
async def test_after_a_crash_a_round_is_judged_unless_a_later_one_has_begun(
    kind: type[e.Event], which: int
) -> None:
    """The writer dies at the first start, at the first answer or at the last answer of a round."""
    end, log = await played(opening("panel"))
    second = {turn.id for turn in end.turns if turn.round == 1}
    of_round = (n for n, x in enumerate(log.events, 1)
                if isinstance(x, kind) and getattr(x, "turn", "") in second)  # fmt: skip
    left = replay(log.events[: [*of_round][which]])
    judged: list[Debate] = []
    context = table(MemoryLog(log.events[: left.count]), Voices())
    context.should_stop = judged.append
    await play(left, context)
    assert (second <= left.settled) is (which == -1)
    assert judged[0].settled == left.settled | second, (
        "the first that is judged is the second round"
    )


async def test_a_round_that_needs_no_measuring_stays_one_commit() -> None:
    async def nothing(_debate: Debate, _round: int) -> None:
        return None

    _, measured = await played(opening(), measure=nothing)
    _, plain = await played(opening())
    assert len(measured.appends) == len(plain.appends)
