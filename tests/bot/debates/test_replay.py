"""A stored debate, played once more on its stored answers, is the same debate; a difference is
found, with its cause.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.debates.fork import fork
from bot.debates.replay import replay_debate
from core.debate import commands as c
from core.debate import events as e
from core.debate.budget import Budget
from core.debate.engine import InboxCommand
from core.debate.log import Call
from core.debate.spoken import OUT_OF_MONEY
from core.debate.state import Debate
from core.debate.state import replay as fold
from core.words.outcome import outcome
from core.words.views.course.replayed import Cause, Replayed
from tests.core.memory import START, CrashError, MemoryLog, Voice, Voices, opening, played
from tests.core.test_engine import DEBATES, commands

PAUSES = st.lists(st.integers(3, 30), max_size=2)


def again(log: MemoryLog, **changes: Any) -> Replayed:
    events = changes.get("events", log.events)
    calls = changes.get("calls", list(log.rows.values()))
    document = json.loads(json.dumps(outcome(fold(log.events))))
    return asyncio.run(replay_debate(events, calls, changes.get("document", document)))


async def held(
    name: tuple[str, str], seed: int, fails: float, listener: Callable[..., Any], **more: Any
) -> MemoryLog:
    """Plays a debate on any course: paused and resumed, stopped, challenged, with calls that
    fail.
    """
    voices = Voices(
        (Voice(seed=seed, fails=fails, garbage=fails / 2), Voice("voice-b", "b", seed + 1, fails))
    )
    log = MemoryLog(opening(name[0], voices=voices, seed=seed, format=name[1], **more))
    inbox: asyncio.Queue[object] = asyncio.Queue()
    while True:
        end, _ = await played([], voices, log=log, inbox=inbox, event_listener=listener(inbox))
        if end.over:
            break
        inbox.put_nowait(InboxCommand(c.Resume("ann")))
    if end.concluded is not None and end.closed is None:
        rated = e.VerdictRated(True, "b", START)
        for command in (c.CastVote("ann", "1"), c.Wake(START + timedelta(days=1)), rated):
            inbox.put_nowait(InboxCommand(command))
        await played([], voices, log=log, inbox=inbox)
    return log


def listening(
    injected: list[tuple[int, c.Command]], pauses: list[int]
) -> Callable[[asyncio.Queue[object]], Callable[[e.Event, Debate], None]]:
    commands = [*injected, *((at, c.Pause("ann")) for at in pauses)]

    def listen(inbox: asyncio.Queue[object]) -> Callable[[e.Event, Debate], None]:
        def listener(_event: e.Event, debate: Debate) -> None:
            for at, command in commands:
                if debate.count == at:
                    inbox.put_nowait(InboxCommand(command))

        return listener

    return listen


@given(
    st.sampled_from(DEBATES),
    st.integers(0, 10**6),
    st.sampled_from((0.0, 0.15, 1.0)),
    commands,
    PAUSES,
    st.sampled_from((0.0, 60.0)),
)
@settings(max_examples=8)
def test_any_course_comes_out_again(
    name: tuple[str, str],
    seed: int,
    fails: float,
    injected: list[tuple[int, c.Command]],
    pauses: list[int],
    window: float,
) -> None:
    log = asyncio.run(held(name, seed, fails, listening(injected, pauses), vote_window=window))
    replayed = again(log)
    assert (replayed.same, replayed.reworded) == (True, ()), replayed.document
    assert replayed.events == len(log.events)
    half = log.events[: 2 + len(log.events) // 2]
    assert again(log, events=half, document=None).same, "what is still running, as far as it is"


@given(st.sampled_from(DEBATES), st.integers(0, 10**6), st.data())
@settings(max_examples=5)
def test_a_debate_that_died_in_between_comes_out_again(
    name: tuple[str, str], seed: int, data: st.DataObject
) -> None:
    async def died() -> MemoryLog:
        voices = Voices((Voice(seed=seed), Voice("voice-b", "b", seed + 1)))
        events = opening(name[0], voices=voices, seed=seed, format=name[1])
        log = MemoryLog(list(events), limit=data.draw(st.integers(2, 30), label="crash"))
        try:
            await played(events, voices, log=log)
        except* CrashError:
            log.limit = None
            await played(events, voices, log=log)
        return log

    log = asyncio.run(died())
    replayed = again(log)
    assert replayed.same


async def test_a_fork_comes_out_again_wherever_it_was_cut() -> None:
    """Between any two kinds of events, the first time and the last; between a challenge and the
    turns that this added, too.
    """
    course = listening([(5, c.RaiseChallenge("ann", "Why so?"))], [])
    log = await held(DEBATES[0], 7, 0.0, course)
    kinds = [type(event) for event in log.events]
    assert kinds[kinds.index(e.ChallengeRaised) + 1] is e.TurnsAdded
    parent, voices = fold(log.events), Voices((Voice(seed=8),))
    cuts = [(pair, at) for at, pair in enumerate(pairwise(kinds), 1) if at > 1]
    for at in {*dict(cuts).values(), *dict(reversed(cuts)).values()}:
        condition = e.Fork(parent.id, at, assume="it costs nothing")
        request, begun = fork(parent, log.events, "f1", condition, parent.request, voices, START)
        end, forked = await played([request, *begun], voices)
        assert end.concluded is not None
        replayed = await replay_debate(forked.events, list(forked.rows.values()))
        assert replayed.same, (at, replayed.document)


async def test_money_that_ran_out_runs_out_again() -> None:
    voices = Voices((Voice(usd=0.10),))
    first = opening(voices=voices, format="phased", budget=0.60, reserve=0.20, anyway=True)
    end, log = await played(first, voices, budget=Budget(lambda _debate, _turn, _model: 0.10))
    assert end.stop is not None
    assert (await replay_debate(log.events, list(log.rows.values()))).same


async def test_money_that_does_not_pay_for_a_second_try_pays_for_none_again() -> None:
    voices = Voices(
        (Voice(usd=0.10, fails=0.3, garbage=0.3, seed=1), Voice("voice-b", "b", 1, 0.3, usd=0.10))
    )
    first = opening(voices=voices, format="phased", budget=0.45, reserve=0.0, anyway=True)
    _, log = await played(first, voices, budget=Budget(lambda _debate, _turn, _model: 0.10))
    short = [x.turn for x in log.events if isinstance(x, e.TurnFailed) and x.reason == OUT_OF_MONEY]
    assert short
    assert {x.turn for x in log.rows.values() if x.answered} >= {*short}, "each was tried once"
    assert (await replay_debate(log.events, list(log.rows.values()))).same


async def test_what_was_said_before_the_first_turn_comes_first_again() -> None:
    inbox: asyncio.Queue[object] = asyncio.Queue()
    for text in ("Who pays for it?", "And who keeps it?"):
        inbox.put_nowait(InboxCommand(c.RaiseChallenge("ann", text)))
    _, log = await played(opening("design_doc"), inbox=inbox)
    assert [type(event) for event in log.events[2:5:2]] == [e.ChallengeRaised] * 2
    assert (await replay_debate(log.events, list(log.rows.values()))).same


@pytest.fixture(scope="module")
def log() -> MemoryLog:
    _, log = asyncio.run(played(opening("design_doc", seed=3)))
    return log


def changed(log: MemoryLog, kind: type, **fields: Any) -> list[e.Event]:
    """Returns the record with one event changed, as another rule would have made it."""
    at = next(n for n, event in enumerate(log.events) if isinstance(event, kind))
    event: Any = log.events[at]
    return [*log.events[:at], replace(event, **fields), *log.events[at + 1 :]]


@pytest.mark.parametrize(
    ("kind", "fields", "cause"),
    [
        (e.DebateConcluded, {"decision": "reject", "reached": True}, Cause.VERDICT),
        (e.TurnFinished, {"model": "voice-c"}, Cause.READING),
        (e.TurnStarted, {"turn": "t9"}, Cause.FLOW),
    ],
)
def test_another_rule_is_named(
    log: MemoryLog, kind: type, fields: dict[str, Any], cause: Cause
) -> None:
    replayed = again(log, events=changed(log, kind, **fields), document=None)
    assert replayed.difference is not None
    assert replayed.difference.cause is cause
    assert cause.value in replayed.lines[0]


def test_an_answer_that_is_another_is_read_as_another(log: MemoryLog) -> None:
    calls = list(log.rows.values())
    other = replace(calls[0], response=calls[0].response.replace('"text": "', '"text": "Not '))
    replayed = again(log, calls=[other, *calls[1:]])
    assert replayed.difference is not None
    assert (replayed.difference.cause, replayed.difference.turn) == (Cause.READING, calls[0].turn)


def test_answers_that_are_gone_are_taken_as_recorded_and_said(log: MemoryLog) -> None:
    kept: list[Call] = [call for call in log.rows.values() if call.turn != "t2"]
    replayed = again(log, calls=kept)
    assert (replayed.same, replayed.as_recorded) == (True, ("t2",))
    assert any("t2" in line for line in replayed.lines)


def test_other_words_for_the_same_question_are_said_and_change_nothing(log: MemoryLog) -> None:
    replayed = again(log, calls=[replace(x, request_hash="then") for x in log.rows.values()])
    assert replayed.same
    assert set(replayed.reworded) == {call.turn for call in log.rows.values()}


def test_another_report_of_the_same_events_is_found(log: MemoryLog) -> None:
    document = outcome(fold(log.events)) | {"report": "as it was written then"}
    replayed = again(log, document=document)
    assert replayed.difference is not None
    assert (replayed.difference.cause, replayed.difference.member) == (Cause.DOCUMENT, "report")


@pytest.mark.parametrize(
    ("fields", "more"),
    [
        ({}, []),
        ({"reworded": ("t1", "t2")}, ["Asked in other words today: t1, t2."]),
        ({"older": 2}, ["2 events are stored in the form of an earlier release."]),
        ({"as_recorded": ("t1",)},
         ["Taken as recorded, for their answers are not stored: t1."]),
    ],
)  # fmt: skip
def test_what_else_is_known_of_a_replay_is_a_line_each(
    fields: dict[str, Any], more: list[str]
) -> None:
    assert Replayed("d1", 3, **fields).lines[1:] == more


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "came out again."),
        ({"compared": True}, "came out again, and the verdict and the report."),
        ({"compared": True, "hashed": True},
         "came out again, byte for byte, and verdict, report and receipt with them."),
        ({"compared": True, "hashed": True, "older": 1},
         "came out again, and the verdict and the report."),
    ],
)  # fmt: skip
def test_bytes_are_only_named_if_hashes_of_this_form_were_compared(
    fields: dict[str, Any], words: str
) -> None:
    assert f"d1 {words}" in Replayed("d1", 3, **fields).lines[0]
