"""What the openings contest is argued, and nothing else: who speaks, when it ends, what moves
whom.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.decisions import decide
from core.debate.due.argument import owed
from core.debate.due.proving import writer_of
from core.debate.errors import ModelError, Refused
from core.debate.ports import Source
from core.debate.prompting import prompt
from core.debate.script import SeatId, TurnId
from core.debate.state import Debate, replay
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.words.views.verdict.decision import decision
from tests.core.argued import (
    CONCEDED,
    GUARD,
    MINOR,
    SEATS,
    SLOW,
    UNREAL,
    Say,
    Seats,
    a_finding,
    judging,
    opens,
    review,
    reviewed,
)
from tests.core.memory import MemoryLog
from tests.drawn import drawn

FOUND = a_finding(category="security", must_fix=True)
LEAK = a_finding(**SLOW, category="performance", must_fix=True)
BLOCKS = opens("request_changes", FOUND)
BARE: dict[str, Any] = {"path": "", "line": 0, "quote": ""}
CORRECT, SECURE, FAST, KEPT, READER = SEATS


def by_role(says: Mapping[str, Say], others: Say = UNREAL) -> Say:
    return lambda role, ids: says.get(role, others)(role, ids)


async def argued(openings: Mapping[str, Any], **says: Any) -> tuple[Debate, Seats, MemoryLog]:
    seats = Seats(openings, **says)
    debate, log = await reviewed(seats)
    return debate, seats, log


@pytest.mark.parametrize(
    "openings",
    [
        {},
        dict.fromkeys(SEATS, BLOCKS),
        {**dict.fromkeys(SEATS, BLOCKS), FAST: opens("request_changes", LEAK)},
        dict.fromkeys(SEATS, opens("comment", a_finding(must_fix=False))),
        {SECURE: opens("approve", a_finding(must_fix=False, severity="critical"))},
        {SECURE: opens("request_changes")},
    ],
    ids=["all approve", "one defect", "two defects", "minor", "minor of one", "no place"],
)
async def test_openings_that_contest_nothing_end_the_debate(openings: Mapping[str, Any]) -> None:
    debate, seats, _ = await argued(openings)
    assert set(seats.tasks()) <= {"open", "locate"}
    assert seats.tasks().count("open") == 5
    asking = sum(o["stance"]["option"] == "request_changes" for o in openings.values())
    assert (verdict(debate).decision == "request_changes") is (asking > 2)


async def test_a_lone_finding_is_answered_by_the_author_and_weighed_by_three() -> None:
    debate, seats, _ = await argued({SECURE: BLOCKS}, weigh=by_role({SECURE: CONCEDED}))
    assert seats.tasks()[5:] == ["vouch", *["weigh"] * 3, *["decide"] * 3, "chair"]
    decides = prompt(debate, debate.script.turn(TurnId("d1")))
    last = re.findall(r"\| - P\d: (\w+)\. as (\w+)\n", "\n".join(m.text for m in decides))
    assert Counter(last) == {
        ("request_changes", "argued"): 1,
        ("approve", "argued"): 2,
        ("approve", "found"): 2,
    }
    assert SECURE in seats.spoke("weigh")
    assert "author" not in seats.spoke("weigh") + seats.spoke("decide")
    assert seats.spoke("decide") == seats.spoke("weigh")


async def test_a_seat_that_this_fork_or_an_earlier_one_leaves_out_argues_no_more() -> None:
    _, _, log = await argued({SECURE: BLOCKS})
    at = next(n for n, event in enumerate(log.events) if isinstance(event, e.TurnsAdded))
    first, opened, *openings = log.events[:at]
    assert isinstance(first, e.DebateRequested)
    assert isinstance(opened, e.DebateOpened)
    gone = SeatId(SECURE)
    for condition, earlier in (
        (e.Fork("d0", at, gone), ()),
        (e.Fork("d0", at, assume="It is off."), (gone,)),
    ):
        terms = replace(opened.terms, without=earlier)
        begun = [replace(first, fork=condition), replace(opened, terms=terms), *openings]
        fork = replay(begun)
        added = owed(fork)
        assert added is not None
        assert gone not in {turn.seat for turn in added.turns}
        [finding] = merge_findings(fork)
        assert finding.by == (gone,)
        assert writer_of(fork, finding) is None
        raised, answers = decide(fork, c.RaiseChallenge("ann", f"The {SECURE} misreads it."))
        assert isinstance(raised, e.ChallengeRaised)
        assert isinstance(answers, e.TurnsAdded)
        assert gone not in {*raised.to, *(turn.seat for turn in answers.turns)}
        with pytest.raises(Refused, match="no seat called"):
            decide(fork, c.RaiseChallenge("ann", "You misread it.", to=(SECURE,)))
        with pytest.raises(Refused, match="No seat at the table holds"):
            decide(fork, c.AskSeat("ann", finding.id))
        for subject in (SECURE, finding.id.partition(".")[0]):
            with pytest.raises(Refused, match="neither a finding nor a seat called"):
                decide(fork, c.AskSeat("ann", subject))


async def test_seats_that_agree_after_the_first_round_are_asked_no_more() -> None:
    debate, seats, _ = await argued({SECURE: BLOCKS})
    assert seats.tasks()[5:] == ["vouch", *["weigh"] * 3, "chair"]
    made = verdict(debate)
    assert (made.decision, made.agreement) == ("request_changes", 3 / 5)


async def test_somebody_who_moved_is_answered_before_the_seats_decide() -> None:
    moved = by_role({SECURE: CONCEDED, CORRECT: CONCEDED, FAST: CONCEDED})
    _, seats, _ = await argued({SECURE: BLOCKS, FAST: opens("request_changes", LEAK)}, weigh=moved)
    tasks = seats.tasks()[5:]
    assert tasks.count("reply") <= 1
    assert len(seats.calls) <= 14


async def test_a_finding_that_most_of_those_who_looked_reject_does_not_block() -> None:
    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=UNREAL, decide=UNREAL)
    assert verdict(debate).decision == "approve"
    [finding] = merge_findings(debate)
    assert not finding.fix_by


@pytest.mark.parametrize(
    ("grounded", "decision_now"), [(True, "request_changes"), (False, "comment")]
)
async def test_a_change_of_mind_that_shows_nothing_moves_nobody(
    grounded: bool, decision_now: str
) -> None:
    yields = CONCEDED if grounded else judging("must_fix", "approve", **BARE)
    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=yields, decide=yields)
    assert verdict(debate).decision == decision_now
    [finding] = merge_findings(debate)
    assert len(finding.unshown) == (0 if grounded else 2)


async def test_a_line_that_the_seat_looked_up_before_is_evidence_later() -> None:
    config = Source("far/config.py:1", "", "import os\nROWS = 3", 1, repository=True)
    there: dict[str, Any] = {"path": "far/config.py", "line": 2, "quote": "ROWS = 3"}
    debate, _, _ = await argued(
        {SECURE: BLOCKS},
        weigh=by_role({SECURE: CONCEDED}),
        decide=judging("must_fix", **there),
        looked_up={("weigh", CORRECT): (config,)},
    )
    checked = {
        str(turn.seat): answer.checked
        for turn, statement in debate.statements()
        for answer in (statement.answers if turn.task == "decide" else ())
    }
    assert checked == {CORRECT: True, SECURE: False, FAST: False}


async def test_a_holder_that_gives_way_without_a_line_still_holds() -> None:
    yields = judging("not_real", **BARE)
    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=yields, decide=yields)
    [finding] = merge_findings(debate)
    assert finding.fix_by == (SECURE,)


async def test_the_authors_concession_moves_no_count() -> None:
    debate, _, _ = await argued({SECURE: BLOCKS}, vouch=CONCEDED, weigh=UNREAL, decide=UNREAL)
    assert verdict(debate).decision == "approve"
    assert "author" not in debate.voters


async def test_what_need_not_block_is_kept_and_does_not_block() -> None:
    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=by_role({}, MINOR), decide=MINOR)
    made = verdict(debate)
    assert made.decision == "approve"
    [finding] = merge_findings(debate)
    assert (finding.state, finding.blocking) == ("open", False)
    assert len(finding.by) == 3


async def test_a_holder_may_change_the_severity_of_its_own_finding() -> None:
    lower = judging("must_fix", severity="low")
    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=by_role({SECURE: lower}, CONCEDED))
    [finding] = merge_findings(debate)
    assert finding.wording.severity == "low"
    assert finding.blocking


async def test_a_finding_of_the_first_round_is_answered_by_the_others() -> None:
    def finds(role: str, ids: Any) -> Any:
        answers = CONCEDED(role, ids)
        return answers | {"findings": [LEAK]} if role == SECURE else answers

    debate, seats, _ = await argued({SECURE: BLOCKS}, weigh=finds, decide=UNREAL)
    late = next(m for m in merge_findings(debate) if "held in memory" in m.wording.title)
    assert any(late.id in ids for task, _, ids in seats.calls if task == "decide")
    assert late.debated


async def test_one_that_nobody_answers_is_told() -> None:
    def finds(role: str, ids: Any) -> Any:
        answers = CONCEDED(role, ids)
        return answers | {"findings": [LEAK]} if role == SECURE else answers

    def down(_role: str, _ids: Any) -> Any:
        return ModelError("provider_down", "down")

    debate, _, _ = await argued({SECURE: BLOCKS}, weigh=finds, decide=down, reply=down)
    assert "1 finding was raised late, and nobody answered." in decision(debate).rest


async def test_a_debate_that_died_adds_the_same_turns() -> None:
    openings = {SECURE: BLOCKS}
    whole, _, log = await argued(openings, weigh=by_role({SECURE: CONCEDED}))
    for cut in range(3, len(log.events), 4):
        seats = Seats(openings, weigh=by_role({SECURE: CONCEDED}))
        again, _ = await reviewed(seats, list(log.events[:cut]))
        assert [t.id for t in again.turns] == [t.id for t in whole.turns]
        assert verdict(again).decision == verdict(whole).decision


STANCES = st.sampled_from(["approve", "block", "block_other", "minor", "no_place"])
WORDS = {
    "approve": opens("approve"),
    "block": BLOCKS,
    "block_other": opens("request_changes", LEAK),
    "minor": opens("comment", a_finding(must_fix=False)),
    "no_place": opens("request_changes"),
}


def lines(kind: str, n: int) -> Any:
    """Returns an opening with words of its own, so that two of a kind differ."""
    return WORDS[kind] | {"text": f"I read it, says {n}."}


@drawn(12)
@given(
    st.lists(STANCES, min_size=5, max_size=5),
    st.permutations(range(5)),
    st.integers(1, 9),
    st.sampled_from([CONCEDED, UNREAL, MINOR]),
)
def test_who_argues_and_the_verdict_follow_from_what_is_said_and_not_from_a_draw(
    kinds: list[str], order: list[int], seed: int, says: Say
) -> None:
    """The same five openings at other seats, under another draw of labels and models."""

    def play(places: list[int], seed: int) -> tuple[set[int], str, int]:
        openings = {SEATS[at]: lines(kinds[n], n) for n, at in enumerate(places)}
        seats = Seats(openings, weigh=says, decide=says, reply=says)
        debate, _ = asyncio.run(reviewed(seats, review(seed=seed)))
        speaking = {places.index(SEATS.index(role)) for role in seats.spoke("weigh")}
        return speaking, verdict(debate).decision, len(seats.calls)

    first, other = play(list(range(5)), 1), play(list(order), seed)
    assert first == other
    assert first[2] <= 14 + kinds.count("no_place")


@drawn(12)
@given(
    st.lists(STANCES, min_size=5, max_size=5),
    st.sampled_from([CONCEDED, UNREAL, MINOR]),
    st.sampled_from([CONCEDED, UNREAL, MINOR]),
)
def test_it_blocks_what_most_openings_block_unless_a_seat_moved(
    kinds: list[str], weigh: Say, decide: Say
) -> None:
    openings = {
        seat: lines(kind, n) for n, (seat, kind) in enumerate(zip(SEATS, kinds, strict=True))
    }
    seats = Seats(openings, weigh=weigh, decide=decide, reply=decide)
    debate, _ = asyncio.run(reviewed(seats))
    asking = sum("block" in kind or kind == "no_place" for kind in kinds)
    blocked = verdict(debate).decision == "request_changes"
    if asking == 5 or (asking > 2 and not seats.spoke("weigh")):
        assert blocked
    if asking == 0:
        assert not blocked


async def test_quotations_can_be_copied_from_the_prompts_of_the_argument() -> None:
    guard: Any = {
        **GUARD,
        "quote": "    if not name.isidentifier():\n        raise ValueError(name)",
    }
    debate, _, _ = await argued({SECURE: BLOCKS}, vouch=judging("not_real", **guard))
    turn = debate.script.turn(TurnId("w1"))
    text = "\n".join(m.text for m in prompt(debate, turn))
    assert "|     if not name.isidentifier():\n|         raise ValueError(name)" in text


async def test_of_each_point_a_seat_that_would_block_for_it_argues() -> None:
    """A seat that holds the same finding without blocking does not stand in for it."""
    minor = opens("comment", FOUND | {"must_fix": False, "severity": "low"}) | {"text": "So what."}
    for at in (CORRECT, FAST, KEPT, READER):
        openings = {SECURE: BLOCKS, at: minor}
        _, seats, _ = await argued(openings, weigh=by_role({SECURE: CONCEDED}))
        assert SECURE in seats.spoke("weigh")
