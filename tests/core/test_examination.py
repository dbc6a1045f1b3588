"""A review in which only what is in doubt is debated, played through the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import commands as c
from core import events as e
from core.budget import Budget, Estimate, estimate_price
from core.debate import Debate, replay
from core.due.examination import foreseen
from core.engine import InboxCommand
from core.errors import ModelError
from core.outcome.report import report
from core.ports import Price
from core.prompting import prompt
from core.prompting.size import Size
from core.script import Topic
from core.template import Mode
from core.verdict import verdict
from core.verdict.families import family
from core.verdict.findings import FindingState, MergedFinding, merge_findings
from core.verdict.findings.cross_examined import (
    MOST_CALLED,
    MOST_EXAMINED,
    MOST_REFUTERS,
    Exchange,
)
from core.views.verdict.decision import decision
from core.views.verdict.scores import scores
from tests.core.examined import (
    GUARD,
    SEATS,
    SLOW,
    Seats,
    a_finding,
    answering,
    opens,
    review,
    reviewed,
)
from tests.core.memory import CrashError, MemoryLog

SECURITY, SPEED, UPKEEP = SEATS
ALONE = {SECURITY: opens("request_changes", a_finding())}
REFUTED = answering("dispute", **GUARD)
WITHDRAWN = answering("withdraw", input="")


def only(debate: Debate) -> MergedFinding:
    [finding] = merge_findings(debate)
    return finding


async def test_where_nothing_is_found_nobody_is_asked_twice() -> None:
    seats = Seats()
    debate, _ = await reviewed(seats)
    assert seats.tasks() == ["open"] * 3
    made = verdict(debate)
    assert (made.decision, made.reached) == ("approve", True)


@pytest.mark.parametrize("seed", range(1, 7))
async def test_what_one_alone_found_is_put_to_a_seat_of_another_family(seed: int) -> None:
    seats = Seats(ALONE)
    debate, _ = await reviewed(seats, review(seed=seed))
    assert seats.tasks() == ["open"] * 3 + ["refute", "justify"]
    [refuting] = [t for t in debate.turns if t.task == "refute"]
    opened = next(t for t in debate.turns if t.seat == SECURITY)
    assert family(debate.models[refuting.id]) != family(debate.models[opened.id])
    assert only(debate).blocking
    assert verdict(debate).decision == "request_changes"


async def test_a_refuter_reads_the_change_and_the_finding_and_nothing_that_others_said() -> None:
    openings = opens("request_changes", a_finding()) | {
        "text": "An opening that nobody else may read."
    }
    seats = Seats({SECURITY: openings, SPEED: opens("comment") | {"text": "Nor this one."}})
    _, log = await reviewed(seats)
    debate = replay(log.events)
    [turn] = [t for t in debate.turns if t.task == "refute"]
    rendered, first = prompt(debate, turn), prompt(debate, debate.turns[0])
    assert [m.text for m in rendered[:2]] == [m.text for m in first[:2]], "what a cache has served"
    text = "\n".join(m.text for m in rendered)
    assert "The query is built from user input" in text
    assert "nobody else may read" not in text
    assert "Nor this one" not in text
    assert "because" not in text.partition("# Now")[2]
    assert "bind the name" not in text


async def test_what_is_refuted_by_a_line_of_the_code_and_taken_back_is_gone() -> None:
    seats = Seats(ALONE, refute=REFUTED, uphold=WITHDRAWN)
    debate, _ = await reviewed(seats)
    assert seats.tasks() == ["open"] * 3 + ["refute", "uphold"]
    assert only(debate).state is FindingState.WITHDRAWN
    assert verdict(debate).decision != "request_changes"


async def test_a_refutation_whose_quotation_stands_nowhere_counts_for_nothing() -> None:
    seats = Seats(ALONE, refute=answering("dispute", path="app/db.py", line=3, quote="if safe():"))
    debate, _ = await reviewed(seats)
    assert "uphold" not in seats.tasks()
    assert only(debate).blocking


@pytest.mark.parametrize(
    ("positions", "exchange"),
    [
        (["dispute", "dispute", "dispute"], Exchange(1, refuted=1)),
        (["agree", "agree"], Exchange(1, confirmed=1)),
        (["dispute", "agree"], Exchange(1, confirmed=1)),
        (["agree", "dispute"], Exchange(1, confirmed=1)),
    ],
)
async def test_a_refuter_that_answers_more_than_once_is_counted_once(
    positions: list[str], exchange: Exchange
) -> None:
    """It copies the ids of others, too: of what it was not asked about it says nothing."""

    def answer(_role: str, ids: Sequence[str]) -> Any:
        ids = [*ids, "t2.f1", "t1.f9", "t1"]
        return {"answers": [{"to": i, "position": p, **GUARD} for p in positions for i in ids]}

    debate, _ = await reviewed(Seats(ALONE, refute=answer))
    made = only(debate).exchange
    assert made is not None
    assert replace(made, kept=False) == exchange


@pytest.mark.parametrize(
    ("quote", "counts"),
    [
        ("if not name.isidentifier():", True),
        ("   11 +     if not name.isidentifier():", True),
        ("if not name.isidentifier():\n        raise ValueError(name)", True),
        ('sql = f"select * from {name}"', False),  # the accused line itself
        ("):", False),
        ("", False),
    ],
)
async def test_what_counts_as_a_quotation(quote: str, counts: bool) -> None:
    place = {"path": "db.py", "line": 99, "quote": quote}
    debate, _ = await reviewed(Seats(ALONE, refute=answering("dispute", **place)))
    answer = only(debate).reasons
    disputes = [a for a in answer.values() if a.position == "dispute"]
    assert any(a.checked for a in disputes) is counts
    if counts:
        [place_found] = {(a.path, a.line) for a in disputes if a.checked}
        assert place_found == ("app/db.py", 11)


async def test_what_is_refuted_and_kept_is_contested_and_blocks_only_where_it_is_critical() -> None:
    kept, _ = await reviewed(Seats(ALONE, refute=REFUTED))
    assert only(kept).contested
    assert verdict(kept).decision == "comment"
    worst = {SECURITY: opens("request_changes", a_finding(severity="critical"))}
    blocks, _ = await reviewed(Seats(worst, refute=REFUTED))
    assert only(blocks).blocking
    bare, _ = await reviewed(Seats(worst, refute=REFUTED, uphold=answering("keep", input="")))
    assert only(bare).contested


async def test_what_two_found_blocks_and_is_not_debated() -> None:
    both = {
        SECURITY: opens("request_changes", a_finding()),
        SPEED: opens("request_changes", a_finding()),
    }
    seats = Seats(both, justify=lambda _role, _ids: ModelError("provider_down", "no answer"))
    debate, _ = await reviewed(seats)
    assert "refute" not in seats.tasks()
    assert "uphold" not in seats.tasks()
    assert only(debate).blocking
    assert "It was not debated." in decision(debate).summary


async def test_a_medium_finding_of_all_is_told_and_blocks_nothing() -> None:
    held = opens("request_changes", a_finding(severity="medium"))
    seats = Seats(dict.fromkeys(SEATS, held))
    debate, _ = await reviewed(seats)
    assert seats.tasks() == ["open"] * 3
    assert only(debate).holders == 3
    assert verdict(debate).decision == "comment"


async def test_whoever_lets_pass_what_it_holds_is_asked_once() -> None:
    both = {SECURITY: opens("comment", a_finding()), SPEED: opens("request_changes", a_finding())}
    seats = Seats(both, uphold=WITHDRAWN)
    debate, _ = await reviewed(seats)
    assert [role for task, role, _ in seats.calls if task == "uphold"] == [SECURITY]
    assert SECURITY not in only(debate).by


async def test_what_two_found_and_one_took_back_is_put_to_a_third() -> None:
    both = {SECURITY: opens("comment", a_finding()), SPEED: opens("request_changes", a_finding())}
    seats = Seats(both, uphold=WITHDRAWN)
    debate, _ = await reviewed(seats)
    assert [role for task, role, _ in seats.calls if task == "refute"] == [UPKEEP]
    assert only(debate).blocking


async def test_several_lone_findings_meet_two_refuters_of_whom_one_suffices() -> None:
    several = {SECURITY: opens("request_changes", a_finding(), a_finding(**SLOW))}
    roles: list[str] = []

    def one_of_two(role: str, ids: Any) -> Any:
        roles.append(role)
        return (REFUTED if role == SPEED else answering("agree", input="x"))(role, ids)

    debate, _ = await reviewed(Seats(several, refute=one_of_two))
    assert sorted(roles) == sorted([SPEED, UPKEEP] * 2)
    assert all(m.contested for m in merge_findings(debate))
    once = review(refuters=1)
    seats = Seats(several)
    await reviewed(seats, once)
    assert seats.tasks().count("refute") == 2


async def test_the_author_answers_what_would_block_and_that_changes_nothing() -> None:
    seats = Seats(ALONE, justify=answering("dispute", because="it is checked above", **GUARD))
    debate, _ = await reviewed(seats)
    assert [ids for task, _, ids in seats.calls if task == "justify"] == [(only(debate).id,)]
    assert only(debate).blocking
    assert "author" in only(debate).disputed_by


async def test_what_mends_it_is_asked_for_after_the_verdict_where_nobody_said_it() -> None:
    bare = {SECURITY: opens("request_changes", a_finding(trigger="", fix=""))}
    seats = Seats(bare)
    debate, _ = await reviewed(seats)
    assert seats.tasks()[-1] == "mend"
    assert (only(debate).wording.trigger, only(debate).wording.fix) == (
        "name='x; drop'",
        "bind the name",
    )


async def test_a_person_who_calls_a_comment_real_has_it_examined() -> None:
    minor = {
        SECURITY: opens("request_changes", a_finding(), a_finding(severity="medium", **SLOW)),
    }
    inbox: asyncio.Queue[Any] = asyncio.Queue()

    def listen(event: e.Event, debate: Debate) -> None:
        if isinstance(event, e.TurnsAdded) and event.turns[0].id == "r1":
            small = next(m for m in merge_findings(debate) if m.wording.severity == "medium")
            inbox.put_nowait(InboxCommand(c.CastVote("slack:ann", "real", small.id)))

    seats = Seats(minor)
    debate, _ = await reviewed(seats, inbox=inbox, event_listener=listen)
    assert seats.tasks().count("refute") == 2
    small = next(m for m in merge_findings(debate) if m.wording.severity == "medium")
    assert small.blocking, "a person and a refuter say so"


async def test_what_a_budget_does_not_pay_for_stands_undebated() -> None:
    seats = Seats(ALONE)
    budget = Budget(cost=lambda _debate, _turn, _model: 0.01)
    debate, _ = await reviewed(seats, review(budget=0.035), usd=0.01, budget=budget)
    assert seats.tasks() == ["open"] * 3
    made = verdict(debate)
    assert (made.decision, made.reached) == ("request_changes", False)
    assert "It was not debated." in decision(debate).summary


async def test_a_budget_that_ends_after_the_stop_of_the_rules_ends_the_debate() -> None:
    seats = Seats({SECURITY: opens("approve", a_finding())})
    budget = Budget(cost=lambda _debate, _turn, _model: 0.01)
    opening = review(format="phased", budget=0.085)
    debate, _ = await reviewed(seats, opening, usd=0.01, budget=budget)
    assert debate.over
    assert "uphold" not in seats.tasks()


async def test_no_more_is_examined_than_a_price_was_told_for() -> None:
    names = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    many = [
        a_finding(f"{name} breaks {name * 2}", trigger=f"{name} {name * 3}", severity="critical")
        for name in names
    ]
    openings = {SECURITY: opens("request_changes", *many[:5]), SPEED: opens("comment", *many[5:])}
    seats = Seats(openings)
    debate, _ = await reviewed(seats, review(refuters=1))
    assert seats.tasks().count("refute") == MOST_EXAMINED < len(names)
    assert all(m.blocking for m in merge_findings(debate))


async def test_seats_that_call_much_severe_get_no_more_refuters_than_a_review_has() -> None:
    """Each of the gravest meets one before any meets a second; the others stand undebated."""
    names = ("alpha", "beta", "gamma", "delta", "epsilon")
    many = [
        a_finding(
            f"{name} breaks {name * 2}", trigger=f"{name} {name * 3}", confidence=0.9 - n / 100
        )
        for n, name in enumerate(names)
    ]
    seats = Seats({SECURITY: opens("request_changes", *many)}, refute=REFUTED)
    debate, _ = await reviewed(seats)
    refuting = [t.about_the(Topic.FINDING) for t in debate.turns if t.task == "refute"]
    assert refuting == ["t1.f1", "t1.f2", "t1.f3", "t1.f4"]
    assert [m.id for m in merge_findings(debate) if m.blocking] == ["t1.f5"]
    assert "It was not cross-examined: a review has only so many" in decision(debate).summary
    unanswered = ModelError("provider_down", "no answer")
    silent = Seats(seats.openings, refute=REFUTED, justify=lambda _role, _ids: unanswered)
    debate, _ = await reviewed(silent)
    assert "It was not debated." in decision(debate).summary
    seats = Seats({SECURITY: opens("request_changes", *many[:3])}, refute=REFUTED)
    debate, _ = await reviewed(seats)
    refuting = [t.about_the(Topic.FINDING) for t in debate.turns if t.task == "refute"]
    assert refuting == ["t1.f1", "t1.f1", "t1.f2", "t1.f3"]


async def test_what_people_call_real_is_examined_beyond_that() -> None:
    names = ("alpha", "beta", "gamma", "delta")
    many = [a_finding(f"{name} breaks {name * 2}", trigger=f"{name} {name * 3}") for name in names]
    minor = a_finding(severity="medium", **{**SLOW, "title": "zeta is slow"})
    inbox: asyncio.Queue[Any] = asyncio.Queue()

    def listen(event: e.Event, debate: Debate) -> None:
        if isinstance(event, e.TurnsAdded) and event.turns[0].id == "r1":
            small = next(m for m in merge_findings(debate) if m.wording.severity == "medium")
            inbox.put_nowait(InboxCommand(c.CastVote("slack:ann", "real", small.id)))

    seats = Seats({SECURITY: opens("request_changes", *many, minor)})
    debate, _ = await reviewed(seats, inbox=inbox, event_listener=listen)
    assert seats.tasks().count("refute") == MOST_REFUTERS + MOST_CALLED
    small = next(m for m in merge_findings(debate) if m.wording.severity == "medium")
    assert small.exchange is not None
    assert small.exchange.refuters == 2


async def test_where_every_refuter_fails_what_one_found_stands() -> None:
    seats = Seats(ALONE, refute=lambda _role, _ids: ModelError("provider_down", "no answer"))
    debate, _ = await reviewed(seats)
    assert only(debate).blocking


def test_a_price_says_what_is_likely_and_what_is_the_most() -> None:
    def priced(format: str, openings: int = 3, refuters: int = 0) -> Estimate:
        opened = review(format=format, openings=openings, refuters=refuters)[1]
        assert isinstance(opened, e.DebateOpened)
        ahead = foreseen(opened.template, opened.script, opened.terms.refuters)
        size, price = Size(1000), Price(1e-6, 2e-6)
        return estimate_price(opened.script, opened.cast, size, lambda _: price, ahead=ahead)

    three, five = priced("cross_examination"), priced("cross_examination", 5)
    assert (three.calls, five.calls) == (6, 8)
    assert three.most_calls == 5 + MOST_REFUTERS + MOST_CALLED + 3
    assert (
        priced("cross_examination", refuters=2).most_calls
        == 5 + 2 * MOST_EXAMINED + MOST_CALLED + 3
    )
    assert three.most is not None
    assert three.likely is not None
    assert three.likely < three.most
    phased = priced("phased")
    assert phased.calls == phased.most_calls


@given(st.integers(3, 40))
@settings(max_examples=30)
def test_a_debate_that_dies_anywhere_comes_to_the_same(at: int) -> None:
    seats = Seats(ALONE, refute=REFUTED)
    whole, unbroken = asyncio.run(reviewed(seats))
    broken = MemoryLog(list(review()), limit=min(at, len(unbroken.events) - 1))
    again = Seats(ALONE, refute=REFUTED)
    with pytest.raises(BaseExceptionGroup) as died:
        asyncio.run(reviewed(again, log=broken))
    assert died.group_contains(CrashError)
    broken.limit = None
    end, _ = asyncio.run(reviewed(again, log=broken))
    assert verdict(end).decision == verdict(whole).decision
    assert [t.id for t in end.turns] == [t.id for t in whole.turns]
    assert sorted(end.settled) == sorted(whole.settled)


async def test_phased_asks_who_lets_pass_what_it_holds_before_it_ends() -> None:
    seats = Seats({SECURITY: opens("approve", a_finding())})
    debate, _ = await reviewed(seats, review(format="phased"))
    [turn] = [t for t in debate.turns if t.about_the(Topic.FINDING)]
    assert (turn.task, turn.seat) == ("uphold", SECURITY)
    assert debate.stop is not None, "it converged, and the seat was asked all the same"
    assert verdict(debate).decision == "request_changes"
    assert "because nobody took it back; all seats ended at approve" in decision(debate).summary


async def test_whoever_leaves_the_question_unanswered_stays_heard() -> None:
    seats = Seats({SECURITY: opens("approve", a_finding())}, uphold=lambda _role, _ids: {})
    debate, _ = await reviewed(seats, review(format="phased", quorum=4))
    assert debate.concluded is not None
    assert debate.concluded.because is not e.EndReason.NO_QUORUM
    assert only(debate).blocking


async def test_phased_lets_go_of_what_is_taken_back() -> None:
    seats = Seats({SECURITY: opens("comment", a_finding())}, uphold=WITHDRAWN)
    debate, _ = await reviewed(seats, review(format="phased"))
    assert only(debate).state is FindingState.WITHDRAWN
    assert verdict(debate).decision == "approve"


async def test_phased_asks_nobody_who_asks_for_changes() -> None:
    seats = Seats(ALONE, ends="request_changes")
    debate, _ = await reviewed(seats, review(format="phased"))
    assert "uphold" not in seats.tasks()
    assert verdict(debate).decision == "request_changes"


async def test_scores_that_nobody_gave_are_explained_and_a_judge_gives_them() -> None:
    debate, _ = await reviewed(Seats(ALONE))
    assert scores(debate) == {}
    assert "## Security\n" in report(debate)
    assert (
        "### Scores\n\nNot assessed: findings decide a review that is cross-examined, so nobody is "
        "asked to score it. With `--consensus judge` a judge does."
    ) in report(debate)
    judged, _ = await reviewed(Seats(ALONE), review(mode=Mode.JUDGE))
    assert scores(judged) == {"security_coverage": 0.5}
    assert "## Security (5.0/10)" in report(judged)
    assert "### Scores\n\n| Criterion |" in report(judged)
