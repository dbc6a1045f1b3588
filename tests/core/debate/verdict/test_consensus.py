"""Every mode has to earn its result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate.replies import Stance
from core.debate.script import SeatId
from core.debate.template import Mode, Option, People
from core.debate.verdict import verdict
from core.debate.verdict.consensus import Consensus, consensus, panel, seats_needed
from core.languages import speaking
from core.words.views.verdict.decision import decision
from core.words.views.verdict.rule import agreement
from tests.core.table import REVIEW, Table, script, table

GO = (Option("go", "white_check_mark"), Option("no", "x", blocks=True), Option("later"))
VOTING = (Mode.MAJORITY, Mode.SUPERMAJORITY, Mode.UNANIMOUS, Mode.WEIGHTED)


def vote(*options: str, mode: Mode = Mode.MAJORITY, threshold: float = 0.5, **fields: Any) -> Table:
    """Returns a debate with one seat for each option; "-" fails, "?" abstains."""
    seats = [f"s{n}" for n, _ in enumerate(options)]
    turns = [f"t{n} {s} independent" for n, s in enumerate(seats)]
    t = table(
        (*seats, "chair:chair"),
        (*turns, "end chair closing"),
        mode=mode,
        threshold=threshold,
        ballot=GO,
        findings=False,
        **fields,
    )
    for n, option in enumerate(options):
        t = (
            t.fails(f"t{n}")
            if option == "-"
            else t.says(f"t{n}", "abstain" if option == "?" else option)
        )
    return t


@pytest.mark.parametrize(
    ("mode", "threshold", "entitled", "needed"),
    [
        (Mode.MAJORITY, 0.5, 4, 3),
        (Mode.MAJORITY, 0.5, 5, 3),
        (Mode.MAJORITY, 0.7, 10, 7),
        (Mode.MAJORITY, 0.99, 5, 5),
        (Mode.SUPERMAJORITY, 0.5, 6, 4),
        (Mode.SUPERMAJORITY, 0.6667, 6, 4),
        (Mode.SUPERMAJORITY, 0.8, 5, 4),
        (Mode.UNANIMOUS, 0.5, 5, 5),
        (Mode.HYBRID, 0.6, 5, 3),
    ],
)
def test_how_many_seats_are_needed(
    mode: Mode, threshold: float, entitled: int, needed: int
) -> None:
    assert seats_needed(mode, threshold, entitled) == needed


@pytest.mark.parametrize("mode", VOTING)
def test_defect_01_a_tie_is_not_reached(mode: Mode) -> None:
    result = consensus(vote("go", "no", mode=mode).debate)
    assert (result.option, result.reached, result.agreement) == ("tie", False, 0.5)


@pytest.mark.parametrize("mode", [*VOTING, Mode.HYBRID, Mode.JUDGE])
def test_defect_02_those_who_failed_stay_in_the_denominator(mode: Mode) -> None:
    result = consensus(vote("go", "-", "-", mode=mode).debate)
    assert not result.reached
    assert result.agreement in (1 / 3, 0.0)


@pytest.mark.parametrize("mode", VOTING)
def test_defect_05_the_threshold_is_honoured_in_every_mode(mode: Mode) -> None:
    assert not consensus(
        vote("go", "go", "go", "go", "no", mode=mode, threshold=0.99).debate
    ).reached
    assert consensus(vote("go", "go", "go", "go", "go", mode=mode, threshold=0.99).debate).reached


def test_defect_06_judge_mode_without_a_judge_reaches_nothing() -> None:
    result = consensus(vote("go", "go", "go", mode=Mode.JUDGE).debate)
    assert (result.option, result.reached, result.mechanism) == ("none", False, "judge: none ruled")


def test_defect_08_confidence_outvotes_nobody() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        Stance("go", 7.0)
    t = vote("-", "-", "-")
    del t.events[2:]
    t.says("t0", Stance("no", 1.0)).says("t1", Stance("go", 0.01)).says("t2", Stance("go", 0.01))
    result = consensus(t.debate)
    assert (result.option, result.reached, result.agreement) == ("go", True, 2 / 3)


def test_defect_40_opposite_seats_agree_on_nothing() -> None:
    result = consensus(vote("go", "no", "later").debate)
    assert (result.option, result.agreement) == ("tie", 1 / 3)


def test_defect_09_two_seats_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="share a name"):
        script(("critic", "critic"), ("t1 critic closing",))


def test_defect_14_silence_has_no_default_result() -> None:
    result = consensus(vote("?", "?", "?").debate)
    assert (result.option, result.reached, result.agreement) == ("none", False, 0.0)


def test_abstaining_is_not_agreeing() -> None:
    assert not consensus(vote("go", "go", "?", "?").debate).reached
    assert not consensus(vote("go", "go", "?", mode=Mode.UNANIMOUS).debate).reached
    assert consensus(vote("go", "go", "?").debate).reached


@pytest.mark.parametrize(
    ("seats", "people", "fields", "option"),
    [
        ("go no", "go go no", {}, "go"),
        ("go no", "go go", {"people": People.SHOWN}, "tie"),
        ("go no", "go", {}, "tie"),
        ("go go no", "no no", {}, "go"),
    ],
)
def test_people_decide_a_tie_without_making_it_an_agreement(
    seats: str, people: str, fields: dict[str, Any], option: str
) -> None:
    t = vote(*seats.split(), **fields)
    for n, choice in enumerate(people.split()):
        t.votes(f"person{n}", choice)
    result = consensus(t.debate)
    assert result.option == option
    assert result.reached is (seats == "go go no")
    by_people = "majority: a tie of the seats, decided by people"
    assert (result.mechanism == by_people) is (people == "go go no")


def weighed(**weights: float) -> Consensus:
    """Returns the result of two seats against one whose votes have these weights."""
    terms = {"weights": {SeatId(seat): weight for seat, weight in weights.items()}}
    return consensus(vote("go", "go", "no", mode=Mode.WEIGHTED, terms=terms).debate)


def test_weights_move_the_result_and_not_the_printed_agreement() -> None:
    assert weighed().option == "go"
    heavy = weighed(s2=5.0)
    assert (heavy.option, heavy.reached, heavy.agreement, heavy.mechanism) == (
        "no",
        True,
        1 / 3,
        "weighted 0.71",
    )
    with pytest.raises(ValueError, match="below zero"):
        weighed(s2=-1.0)


@pytest.mark.parametrize(
    ("go", "no", "silent", "threshold", "result"),
    [
        (0.5, 0.3, 0.2, 0.5, ("go", False)),
        (0.502, 0.298, 0.2, 0.5, ("go", True)),
        (0.7, 0.3, 0.0, 0.7, ("go", True)),
        (0.699, 0.301, 0.0, 0.7, ("go", False)),
        (0.4, 0.4, 0.2, 0.5, ("tie", False)),
        (0.0, 0.0, 1.0, 0.5, ("tie", False)),
    ],
)
def test_a_weight_must_be_more_than_half_of_all_and_not_below_the_threshold(
    go: float, no: float, silent: float, threshold: float, result: tuple[str, bool]
) -> None:
    terms = {"weights": {SeatId("s0"): go, SeatId("s1"): no, SeatId("s2"): silent}}
    debate = vote("go", "no", "-", mode=Mode.WEIGHTED, threshold=threshold, terms=terms).debate
    made = consensus(debate)
    assert (made.option, made.reached) == result


def test_giving_way_without_a_reason_weighs_half() -> None:
    seats = ("a", "b", "c", "chair:chair")
    turns = (
        "t1 a independent",
        "t2 b independent",
        "t3 c independent",
        "u3 c round=1 reads=t1,t2",
        "end chair round=1 closing",
    )
    t = table(seats, turns, mode=Mode.WEIGHTED, ballot=GO, findings=False).says("t1", "go")
    t.says("t2", "no").says("t3", "no").says("u3", "go")
    made = verdict(t.debate)
    assert made.mechanism == "weighted 0.60"
    assert (
        "Counted half, for changing sides without naming what moved them: c."
        in decision(t.debate).summary
    )


def judged(
    *rulings: tuple[str, str],
    votes: tuple[str, ...] = ("go", "go", "no"),
    mode: Mode = Mode.JUDGE,
    **fields: Any,
) -> Table:
    """Returns a debate with one judge for each pair: its ruling, and its ruling with the order
    swapped; "-" fails.
    """
    judges = [f"judge_{n}" for n, _ in enumerate(rulings)]
    turns = ["t0 s0", "t1 s1", "t2 s2"]
    for n, j in enumerate(judges):
        turns += [f"j{n} {j} closing task=judge", f"k{n} {j} closing task=judge about=swapped"]
    more: dict[str, Any] = {"ballot": GO, "findings": False} | fields
    t = table(("s0", "s1", "s2", *(f"{j}:judge" for j in judges)), turns, mode=mode, **more)
    for n, option in enumerate(votes):
        t = t.fails(f"t{n}") if option == "-" else t.says(f"t{n}", option)
    for n, pair in enumerate(rulings):
        for turn, ruling in zip((f"j{n}", f"k{n}"), pair, strict=True):
            t = t.fails(turn) if ruling == "-" else t.says(turn, ruling=ruling)
    return t


def test_a_panel_is_printed_as_two_to_one() -> None:
    result = consensus(judged(("no", "no"), ("no", "no"), ("go", "go")).debate)
    assert (result.option, result.reached, result.split, result.mechanism) == (
        "no",
        True,
        "2-1",
        "judge panel 2-1",
    )
    assert (result.agreement, result.contested) == (1 / 3, False)
    debate = judged(("no", "no"), ("no", "no"), ("go", "go")).debate
    assert agreement(debate) == "1 of 3 seats holds no, 2 needed: the judges decided"


@pytest.mark.parametrize(
    ("mode", "rulings", "votes", "decision"),
    [
        (Mode.JUDGE, ("request_changes",) * 2, ("approve",) * 3, "request_changes"),
        (Mode.HYBRID, ("request_changes",) * 2, ("approve", "approve", "-"), "request_changes"),
        (Mode.JUDGE, ("comment", "comment"), ("approve",) * 3, "comment"),
        (Mode.JUDGE, ("approve", "approve"), (*("request_changes",) * 2, "-"), "request_changes"),
        (Mode.JUDGE, ("approve", "request_changes"), ("approve",) * 3, "approve"),
    ],
)
def test_judges_make_a_review_stricter_and_never_milder(
    mode: Mode, rulings: tuple[str, str], votes: tuple[str, ...], decision: str
) -> None:
    review: dict[str, Any] = {"ballot": REVIEW, "findings": True, "threshold": 0.9}
    made = verdict(judged(rulings, votes=votes, mode=mode, **review).debate)
    stricter = rulings == (decision, decision)
    assert made.decision == decision
    assert ("made stricter by the judges" in made.mechanism) is stricter
    assert made.reached is (stricter or set(votes) == {decision})


def test_a_judge_that_contradicts_itself_is_contested_and_never_averaged() -> None:
    result = consensus(judged(("go", "no")).debate)
    assert (result.option, result.reached, result.contested) == ("contested", False, True)
    assert decision(judged(("go", "no")).debate).headline == (
        "No decision: a judge ruled otherwise when it heard the sides in the other order."
    )
    assert decision(judged(("go", "no")).debate).rest == (), "the headline says it"
    of_three = consensus(judged(("go", "go"), ("go", "no"), ("no", "no")).debate)
    assert (of_three.reached, of_three.contested) == (False, True)


def test_a_judge_heard_in_one_order_only_has_not_ruled() -> None:
    assert panel(judged(("go", "-")).debate).rulings == {"judge_0": "contested"}
    assert consensus(judged(("-", "-")).debate).option == "none"


def test_silent_judges_stay_in_the_denominator() -> None:
    result = consensus(judged(("go", "go"), ("-", "-"), ("-", "-")).debate)
    assert (result.reached, result.split) == (False, "1-2")
    assert not consensus(judged(("go", "go"), ("-", "-")).debate).reached


def test_hybrid_asks_the_judges_only_where_the_vote_falls_short() -> None:
    by_vote = consensus(judged(("no", "no"), mode=Mode.HYBRID).debate)
    assert (by_vote.option, by_vote.reached, by_vote.contested) == ("go", True, True)
    (line,) = decision(judged(("no", "no"), mode=Mode.HYBRID).debate).rest
    assert line.startswith("Contested: judges and seats disagree")
    by_panel = consensus(judged(("no", "no"), votes=("go", "no", "later"), mode=Mode.HYBRID).debate)
    assert (by_panel.option, by_panel.reached) == ("no", True)
    assert by_panel.mechanism == "hybrid: the vote fell short, judge panel 1-0"
    silent = consensus(
        judged(("-", "-"), votes=("go", "go", "-"), mode=Mode.HYBRID, threshold=0.9).debate
    )
    assert (silent.option, silent.reached, silent.mechanism) == (
        "go",
        False,
        "hybrid: the vote fell short and no judge ruled",
    )


NONE_RULED, CONTRADICTED = ("-", "-"), ("go", "no")


@pytest.mark.parametrize(
    ("made", "headline", "counted"),
    [
        (judged(("no", "no"), ("no", "no"), ("go", "go")),
         "No: the judges ruled so; 1 of 3 seats agree.",
         "1 of 3 seats holds no, 2 needed: the judges decided"),
        (judged(CONTRADICTED),
         "No decision: a judge ruled otherwise when it heard the sides in the other order.",
         "no option leads among 3 seats"),
        (judged(NONE_RULED), "No decision: no judge ruled.", "no option leads among 3 seats"),
        (judged(("go", "go"), NONE_RULED), "No decision: too few judges ruled go.",
         "2 of 3 seats hold go, 2 needed: not reached"),
        (judged(NONE_RULED, votes=("go", "go", "-"), mode=Mode.HYBRID, threshold=0.9),
         "No decision: 2 of 3 for go, 3 needed.", "2 of 3 seats hold go, 3 needed: not reached"),
        (judged(NONE_RULED, votes=("go", "no", "-"), mode=Mode.HYBRID),
         "No decision: a tie, 1 of 3 seats for each side.",
         "1 of 3 seats hold each of the leading options"),
        (judged(NONE_RULED, votes=("go", "go", "-"), mode=Mode.MAJORITY),
         "Go: 2 of 3 seats agree.", "2 of 3 seats hold go, 2 needed: reached"),
        (judged(NONE_RULED, votes=("-", "-", "-"), mode=Mode.MAJORITY),
         "No verdict: no seat gave an answer that could be read.",
         "too few seats answered for any decision"),
        (vote("go", "go", "no", mode=Mode.WEIGHTED, terms={"weights": {SeatId("s2"): 5.0}}),
         "No: 1 of 3 seats agree; the s0 and the s1 do not.",
         "1 of 3 seats holds no, 2 needed: their votes weigh more"),
    ],
)  # fmt: skip
def test_a_headline_and_the_rule_name_who_decided(made: Table, headline: str, counted: str) -> None:
    assert (decision(made.debate).headline, agreement(made.debate)) == (headline, counted)


@given(
    st.lists(st.sampled_from(["go", "no", "later", "-", "?"]), min_size=1, max_size=7),
    st.sampled_from(list(Mode)),
    st.floats(0.01, 1.0),
)
def test_a_result_is_a_share_of_all_entitled_and_reached_only_with_enough_of_them(
    options: list[str], mode: Mode, threshold: float
) -> None:
    result = consensus(vote(*options, mode=mode, threshold=threshold).debate)
    assert 0 <= result.agreement <= 1
    if result.reached:
        assert options.count(result.option) * 2 > len(options)
        assert result.agreement >= threshold - 1e-3
        assert result.agreement == options.count(result.option) / len(options)


@pytest.mark.parametrize(("third", "words"), [("go", "erreicht"), ("no", "nicht erreicht")])
def test_whether_a_decision_is_reached_is_in_the_readers_language(third: str, words: str) -> None:
    debate = vote("go", "go", third, mode=Mode.UNANIMOUS).debate
    with speaking("de"):
        assert agreement(debate).endswith(f": {words}")


@pytest.mark.parametrize("scale", [1e-6, 0.7, 1.0, 3.3e7, 1.1e12])
def test_the_scale_of_weights_changes_nothing(scale: float) -> None:
    """Three tenths are one and two tenths, whatever binary fractions say."""

    def made(first: float, second: float, third: float) -> tuple[str, bool]:
        result = weighed(s0=first * scale, s1=second * scale, s2=third * scale)
        return result.option, result.reached

    assert made(0.1, 0.2, 0.3) == ("go", True), "a tie by weight is left to the seats"
    assert made(0.1, 0.2, 0.3003) == ("no", True)
    assert made(0.1, 0.2, 0.2997) == ("go", True)
    assert made(0.0, 0.0, 0.0) == ("none", False)
