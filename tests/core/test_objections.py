"""An objection to the verdict reopens the debate for the seats concerned; it ends again, by the
same rule.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest

from adapters.review.text import objection_answer
from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.decisions import decide
from core.debate.engine import InboxCommand
from core.debate.errors import Refused
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.prompting import prompt
from core.debate.replies import Answer, Position
from core.debate.state import Debate, replay
from core.debate.template import Mode
from core.debate.usage import Usage
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.words.outcome import outcome
from core.words.views.verdict.decision import decision
from core.words.views.verdict.objection import (
    answered_challenges,
    objection_line,
    objections,
    reopening_line,
)
from storage.codec import EVENTS
from tests.core.argued import (
    CONCEDED,
    SLOW,
    UNREAL,
    Seated,
    Seats,
    a_finding,
    judging,
    opens,
    review,
    reviewed,
)
from tests.core.memory import START, MemoryLog, Voice, Voices, answer, opening, played
from tests.core.table import Table, finding, table

OBJECTION = "the caller checks the name before the query is built"
JUDGED = (e.VerdictRated(True, "bea", START), e.OutcomeResolved(True, "bea", START))
"""A person's rating and outcome of the verdict before the objection."""
BLOCKS = {"security_critic": opens("request_changes", a_finding())}


async def object_to(
    log: MemoryLog, text: str, voices: Voices, *, author: str = "slack:T1/ann", **more: Any
) -> Debate:
    """Gives a person's objection to a finished debate, and plays it to its end."""
    inbox: asyncio.Queue[Any] = asyncio.Queue()
    heard = asyncio.get_running_loop().create_future()
    inbox.put_nowait(InboxCommand(c.RaiseChallenge(author, text), answer=heard))
    end, _ = await played([], voices, log=log, inbox=inbox, **more)
    if why := heard.result():
        raise Refused(why)
    return end


def seated(seats: Seats) -> Voices:
    models = (("alpha/a", "a"), ("beta/b", "b"))
    return Voices([Seated(name, family, seats=seats) for name, family in models])


async def test_an_objection_that_holds_changes_nothing_and_says_that_seats_answered() -> None:
    seats = Seats(openings=BLOCKS, reconsider=CONCEDED)
    before, log = await reviewed(seats)
    assert verdict(before).decision == "request_changes"
    log.events += JUDGED
    after = await object_to(log, OBJECTION, seated(seats))
    assert after.status == "finished"
    assert (after.count_ratings(useful=True), after.resolved) == (1, JUDGED[1])
    assert verdict(after).decision == "request_changes"
    assert objection_line(after) == "held: the seats answered ann's objection."
    added = [t for t in after.turns if t.id.startswith("x1.")]
    assert [t.task for t in added if t.id in after.finished][:2] == ["explain", "explain"]
    assert all(after.skipped[t.id] == "moved" for t in added if t.closing)
    assert "security_critic" in [t.seat for t in added]
    assert len({t.seat for t in added if not t.closing}) <= 3


@pytest.mark.parametrize(
    ("people", "whose"),
    [
        (("ann", "bea"), "ann and bea"),
        (("ann", "bea", "cem"), "ann, bea and cem"),
        (("ann", "bea", "ann", "cem", "dea", "eva"), "ann, bea, cem and 2 more"),
    ],
)
async def test_everybody_who_objected_before_the_answer_is_named(
    people: tuple[str, ...], whose: str
) -> None:
    seats = Seats(openings=BLOCKS, reconsider=CONCEDED)
    _, log = await reviewed(seats)
    for number, person in enumerate(people):
        text = f"{OBJECTION}, {number}"
        log.events += decide(replay(log.events), c.RaiseChallenge(f"slack:T1/{person}", text))
    after, _ = await played([], seated(seats), log=log)
    assert objection_line(after) == f"held: the seats answered the objections of {whose}."
    [view] = objections(after)
    assert list(view.authors) == [f"slack:T1/{one}" for one in dict.fromkeys(people)]


async def test_an_objection_that_is_shown_right_changes_the_verdict_and_the_closing() -> None:
    seats = Seats(openings=BLOCKS, reconsider=UNREAL)
    before, log = await reviewed(seats)
    log.events += JUDGED
    after = await object_to(log, OBJECTION, seated(seats))
    assert verdict(after).decision == "approve" != verdict(before).decision
    assert (after.count_ratings(useful=True), after.resolved) == (0, None)
    assert objection_line(after) == (
        "changed by ann's objection: was Changes requested, is Approved."
    )
    assert seats.tasks().count("chair") == 2
    document = outcome(after)
    assert document["verdict"]["decision"] == "approve"
    assert [one["id"] for one in document["challenges"]] == ["x1"]


async def test_who_is_moved_without_showing_a_line_changes_nothing() -> None:
    bare = judging("not_real", quote="", path="", line=0)
    seats = Seats(openings=BLOCKS, reconsider=bare)
    before, log = await reviewed(seats)
    after = await object_to(log, OBJECTION, seated(seats))
    assert verdict(after).decision == verdict(before).decision == "request_changes"


async def test_the_finding_that_is_named_is_answered_by_those_who_hold_it() -> None:
    openings = BLOCKS | {"performance_critic": opens("request_changes", a_finding(**SLOW))}
    seats = Seats(openings=openings, reconsider=CONCEDED)
    before, _ = await reviewed(seats)
    slow = next(m for m in merge_findings(before) if m.wording.title == SLOW["title"])
    events = decide(before, c.RaiseChallenge("ann", f"On {slow.id}: it streams"))
    raised = events[0]
    assert isinstance(raised, e.ChallengeRaised)
    assert raised.findings == (slow.id,)
    assert set(raised.to) <= {*slow.by, *(r.seat for r in slow.raised)}


async def test_failing_answers_leave_the_verdict_as_it_was() -> None:
    seats = Seats(openings=BLOCKS)
    before, log = await reviewed(seats)
    broken = Voices([Voice("alpha/a", "a", fails=1.0), Voice("beta/b", "b", fails=1.0)])
    after = await object_to(log, OBJECTION, broken)
    assert after.status == "finished"
    assert verdict(after).decision == verdict(before).decision
    assert decision(after).reached is decision(before).reached
    assert objection_line(after).startswith("not answered: ann's objection (")


async def test_an_objection_without_an_answer_in_words_is_not_answered() -> None:
    seats = Seats(openings=BLOCKS, reconsider=CONCEDED, explained=())
    _, log = await reviewed(seats)
    after = await object_to(log, OBJECTION, seated(seats))
    assert [t.task for t in after.turns if t.id in after.finished][-1] == "reconsider"
    assert re.fullmatch(r"not answered: ann's objection \(.* no answers\)\.", objection_line(after))
    [challenge] = outcome(after)["challenges"]
    assert (challenge["state"], challenge["answered_by"]) == ("open", [])
    reply = objection_answer(after, "x1", "m1")
    assert reply is not None
    assert reply.body.startswith("Not answered: ann's objection (")


def test_each_of_two_objections_is_said_to_be_answered_or_not() -> None:
    t = table(turns=("t1 security_critic", "t2 performance_critic", "end chair closing"))
    t.says("t1", "comment").says("t2", "comment").says("end").concluded()
    for person, seat in (("ann", "security critic"), ("bea", "performance critic")):
        t.add(*decide(t.debate, c.RaiseChallenge(person, f"{seat}: why?")))
    t.fails("x2.1", "no time").says("x1.1").says("x1.2", "comment").skips("x1.3").concluded()
    assert objection_line(t.debate) == (
        "held: the seats answered ann's objection; not answered: bea's objection (no time)."
    )


def decided(*, seats: int = 1, closed: bool = True) -> Table:
    """Returns a debate whose seats agree to comment only."""
    names = ("security_critic", "performance_critic")[:seats]
    t = table(turns=[*(f"t{n} {name}" for n, name in enumerate(names)), "end chair closing"])
    for n in range(seats):
        t.says(f"t{n}", "comment")
    return t.says("end").concluded(closed=closed)


def objected(t: Table, text: str, *, author: str = "ann") -> Table:
    return t.add(*decide(t.debate, c.RaiseChallenge(f"slack:T1/{author}", text)))


def answered(t: Table, number: int, option: str, *, closed: bool = True) -> Table:
    """Answers an objection: the seat holds this option then."""
    t.says(f"x{number}.1", answers=[Answer(f"x{number}", Position.ANSWERED, "it is so")])
    return t.says(f"x{number}.2", option).skips(f"x{number}.3").concluded(closed=closed)


def test_an_objection_that_is_being_answered_has_no_result_yet() -> None:
    one = objected(decided(), "Why?").debate
    both = objected(decided(seats=2), "security critic and performance critic: why?").debate
    assert objection_line(one) == "the security critic answers ann's objection."
    assert objection_line(both) == (
        "the security critic and the performance critic answer ann's objection."
    )
    for debate in (one, both):
        (view,) = objections(debate)
        assert (view.was, view.now, view.changed) == ("Comments only", "", False)
        assert (view.answered, answered_challenges(debate)) == (False, frozenset())
        assert f"{reopening_line(debate)}." == objection_line(debate)


@pytest.mark.parametrize("closed", [True, False])
def test_the_last_objection_is_told_and_those_before_it_are_counted(closed: bool) -> None:
    """Each verdict is the next one's earlier one, whether votes may still come in or not."""
    t, lines = decided(closed=closed), []
    for number, option in enumerate(("comment", "approve", "approve"), 1):
        answered(objected(t, f"Why {number}?"), number, option, closed=closed)
        lines.append(objection_line(t.debate))
    held = "held: the seats answered ann's objection."
    changed = "changed by ann's objection: was Comments only, is Approved."
    assert lines == [
        held,
        f"{changed} 1 before it, of which 0 changed the verdict.",
        f"{held} 2 before it, of which 1 changed the verdict.",
    ]
    assert f"{reopening_line(t.debate)}." == held
    assert [view.changed for view in objections(t.debate)] == [False, True, False]
    assert all(view.answered for view in objections(t.debate))


def test_of_several_who_object_one_answer_is_an_answer() -> None:
    t = objected(objected(decided(), "Why?"), "Why not?", author="bea")
    t.fails("x1.1").fails("x1.2").says("x2.1").skips("x2.2", "x2.3").concluded()
    (view,) = objections(t.debate)
    assert (view.challenge.id, view.answered) == ("x1", True)
    assert view.authors == ("slack:T1/ann", "slack:T1/bea")
    assert answered_challenges(t.debate) == {"x2"}, "x1 has no answer of its own"


def test_any_statement_that_names_an_objection_answers_it() -> None:
    t = table().challenges("Why?", id="x1").challenges("Why not?", id="x2")
    t.says("t1", "comment", answers=[Answer("x1", Position.ANSWERED, "it is so")])
    assert answered_challenges(t.debate) == {"x1"}


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("comment", "held after a proof was asked for"),
        ("approve", "changed by a proof: was Comments only, is Approved"),
    ],
)
def test_a_verdict_that_a_proof_reopened_is_told_apart(option: str, line: str) -> None:
    t = answered(objected(decided(), "Why?"), 1, "comment")
    t.add(e.DebateReopened("proof:t1.f1", "slack:T1/bob"))
    t.says("x1.2", option).concluded()
    assert reopening_line(t.debate) == line
    assert objection_line(t.debate) == "held: the seats answered ann's objection."


def test_who_decides_again_reads_each_objection_with_its_own_answers() -> None:
    t = table(
        turns=("t1 security_critic task=open", "end chair closing"),
        format="contested",
    )
    t.says("t1", "request_changes", findings=[finding()]).says("end").concluded()
    for number, author in ((1, "ann"), (2, "bea")):
        objected(t, f"t1.f1 is guarded, {number}", author=author)
        own = Answer(f"x{number}", Position.ANSWERED, f"not before, {number}")
        other = Answer(f"x{3 - number}", Position.ANSWERED, "of the other one")
        t.says(f"x{number}.1", answers=[own, other], text=f"I looked, {number}.")
    again = next(turn for turn in t.debate.turns if turn.id == "x1.2")
    read = "\n".join(message.text for message in prompt(t.debate, again))
    assert [line for n in (1, 2) for line in (
        f"| x{n} A person objected: t1.f1 is guarded, {n}",
        f"| - P1: answers (it shows no line). not before, {n}",
        f"|   I looked, {n}.",
    )] == read.partition("so far:\n")[2].split("\n")[:6]  # fmt: skip


async def test_a_stop_ends_the_answers_and_not_the_verdict() -> None:
    seats = Seats(openings=BLOCKS)
    before, log = await reviewed(seats)
    raised = decide(before, c.RaiseChallenge("ann", OBJECTION))
    log.events += raised
    state = replay(log.events)
    assert state.status == "running"
    inbox: asyncio.Queue[Any] = asyncio.Queue()
    inbox.put_nowait(InboxCommand(c.Stop("ann")))
    after, _ = await played([], seated(seats), log=log, inbox=inbox)
    assert after.status == "finished"
    assert verdict(after) == replace(verdict(before), status=verdict(after).status)
    assert objection_line(after) == "not answered: ann's objection (a person stopped it)."


@pytest.mark.parametrize(
    ("terms", "reason", "why"),
    [
        ({"demo": True}, None, "was a demonstration"),
        ({}, e.EndReason.HUMAN, "stopped it before its end"),
        ({}, e.EndReason.BUDGET, "budget or its time was used up"),
        ({}, e.EndReason.NO_QUORUM, "came to no verdict"),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_the_reason(
    terms: dict[str, Any], reason: e.EndReason | None, why: str
) -> None:
    _, log = await reviewed(Seats(openings=BLOCKS), review(**terms))
    events = list(log.events)
    if reason is not None:
        at = next(n for n, x in enumerate(events) if isinstance(x, e.DebateConcluded))
        ended = events[at]
        assert isinstance(ended, e.DebateConcluded)
        events[at : at + 1] = [e.StopOrdered(reason), replace(ended, because=reason)]
    with pytest.raises(Refused, match=why):
        decide(replay(events), c.RaiseChallenge("ann", OBJECTION))


async def test_one_person_objects_three_times_and_the_starter_six() -> None:
    seats = Seats(openings=BLOCKS)
    _, log = await reviewed(seats)
    for n in range(3):
        await object_to(log, f"{OBJECTION} {n}", seated(seats), author="bob")
    with pytest.raises(Refused, match="objected 3 times"):
        await object_to(log, OBJECTION, seated(seats), author="bob")
    starter = replay(log.events).request.asker
    for n in range(6):
        await object_to(log, f"{OBJECTION} {n}", seated(seats), author=starter)
    with pytest.raises(Refused, match="objected 6 times"):
        await object_to(log, OBJECTION, seated(seats), author=starter)


async def test_a_verdict_has_twelve_objections_even_if_they_come_while_seats_answer_one() -> None:
    _, log = await reviewed(Seats(openings=BLOCKS))
    events = [*log.events]
    for n in range(12):
        events += decide(replay(events), c.RaiseChallenge(f"p{n}", f"{OBJECTION} {n}"))
    debate = replay(events)
    assert (len(debate.challenges), debate.over) == (12, False)
    with pytest.raises(Refused, match="already had 12 objections"):
        decide(debate, c.RaiseChallenge("p12", OBJECTION))


@dataclass
class Answering(Voice):
    """A voice that addresses its answers to the points of its turn, as a real model does."""

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        rng = Random(f"{self.seed}|{asking.turn}|{asking.role}")
        made = answer(asking, rng)
        points = [p.id for p in asking.scene().points] if asking.scene else []
        for one in made.get("answers", ()):
            one["to"] = rng.choice(points) if points else ""
        if "answers" in made and points and not made["answers"]:
            schema = (asking.schema or {})["properties"]["answers"]["items"]["properties"]
            made["answers"] = [
                {
                    "to": points[0],
                    "position": rng.choice(schema["position"]["enum"]),
                    "because": "b",
                }
            ]
        self.ledger.append(asking.turn)
        return Reply(json.dumps(made), Usage(100, 0, 20, self.usd, 9), self.name)


KINDS = (
    ("code_review", "contested", Mode.MAJORITY),
    ("code_review", "phased", Mode.HYBRID),
    ("panel", "", Mode.MAJORITY),
    ("adversarial", "", Mode.MAJORITY),
    ("gauntlet", "", Mode.MAJORITY),
    ("triad", "", Mode.JUDGE),
    ("critique", "", Mode.SUPERMAJORITY),
    ("security_audit", "", Mode.UNANIMOUS),
)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("name", "format", "mode"), KINDS)
async def test_drawn_debates_end_again_and_say_one_thing(
    name: str, format: str, mode: Mode, seed: int
) -> None:
    voices = Voices([Answering("voice-a", "a", seed), Answering("voice-b", "b", seed + 100)])
    start = opening(name, voices=voices, format=format, seed=seed, consensus=mode.value)
    if format == "contested":
        start = review(seed=seed)
        voices = Voices([Answering("alpha/a", "a", seed), Answering("beta/b", "b", seed + 9)])
    before, log = await played(start, voices)
    if before.lost:
        pytest.skip("nothing was decided")
    first = list(log.events)
    after = await object_to(log, "I object to all of this", voices)
    assert after.final
    # every prefix of the log loads and goes on to the same end
    for cut in range(len(first), len(log.events), 9):
        again, _ = await played(
            [], voices, log=MemoryLog(list(log.events[:cut]), rows=dict(log.rows))
        )
        assert again.over
    # the stored form gives the same debate and the same verdict
    stored = [EVENTS.encode(x) for x in log.events]
    loaded = replay(EVENTS.decode(*one) for one in stored)
    assert verdict(loaded) == verdict(after)
    # the same answers give the same verdict: without any answer nothing changes
    mute = MemoryLog([*first, *decide(replay(first), c.RaiseChallenge("ann", "I object"))])
    silent = Voices([Voice(v.name, v.family, fails=1.0) for v in voices.voices])
    unmoved, _ = await played([], silent, log=mute)
    assert (verdict(unmoved).decision, verdict(unmoved).reached) == (
        verdict(before).decision,
        verdict(before).reached,
    )
    # what is said of the objection agrees with the decision, in the document and in the report
    view, document = objections(after)[-1], outcome(after)
    ends = [x for x in log.events if isinstance(x, e.DebateConcluded)]
    assert len(ends) == 2
    assert view.changed is (view.was != view.now)
    assert view.now == decision(after).label
    assert view.was == decision(before).label
    assert document["verdict"]["decision"] == ends[-1].decision
    assert document["status"] == "finished"


async def test_an_objection_while_the_closing_is_in_flight_is_answered_too() -> None:
    seats = Seats(openings=BLOCKS, reconsider=UNREAL)
    _, log = await reviewed(seats)
    at = max(n for n, x in enumerate(log.events) if isinstance(x, e.TurnStarted))
    closing = replay(log.events[: at + 1])
    raised, added = decide(closing, c.RaiseChallenge("ann", OBJECTION))
    assert isinstance(raised, e.ChallengeRaised)
    assert isinstance(added, e.TurnsAdded)
    assert added.turns[0].task == "explain"
