"""Wordings of one defect are merged, with their holders, withdrawals and people's votes."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from core.debate.finding import Finding, Severity
from core.debate.material import CodeFinding, Material, MaterialKind
from core.debate.replies import Answer, Position
from core.debate.script import SeatId
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merging import fingerprint, same
from core.words.views.verdict.findings import counts_words, withdrawals
from tests.core.table import CRITICS, Table, agree, dispute, finding, table, withdraw

SECURITY, PERFORMANCE, UPKEEP = map(SeatId, CRITICS)


INJECTION = "SQL injection in user lookup"


def worded(title: str = INJECTION, trigger: str = "", **place: Any) -> Finding:
    return finding(title, trigger=trigger, **place)


NOWHERE: dict[str, Any] = {"path": "", "line": None}
EIGHT = "red blue green black white teal navy plum"
OTHER = "red blue green pink cyan gold lime rust"
SEVEN = "aqua beige coral ivory khaki mauve olive"


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (worded(), worded("Query built by string concatenation allows SQL injection"), True),
        (worded(), worded(line=15), True),
        (worded(), worded(line=40), False),
        (worded(), worded(path="app/web.py"), False),
        (worded(), worded(side="LEFT"), False),
        (worded(), worded("Connection is never closed"), False),
        (
            worded("Missing timeout on HTTP call", "the server hangs, the worker waits for ever"),
            worded("Missing error handling on HTTP call", "a 500 crashes the loop", line=14),
            False,
        ),
        (  # two reviewers' words for one defect on one line: they share four tenths of them
            worded(
                "Race between the count and the insert",
                "two requests pass the limit at the same time",
            ),
            worded(
                "Concurrent requests exceed the device limit",
                "count and insert run outside of a transaction",
            ),
            True,
        ),
        (  # neighbours about different things, with more than half of their words in common
            worded(
                "The served directory is resolved again for every request",
                "many small files are asked for at once",
            ),
            worded(
                "No test asks for a file beside the served directory",
                "somebody simplifies the check again and every test stays green",
                line=14,
            ),
            False,
        ),
        (
            worded("Retry has no ceiling", **NOWHERE),
            worded("No ceiling for retries", **NOWHERE),
            True,
        ),
        (worded("Retry has no ceiling", **NOWHERE), worded("Costs are unknown", **NOWHERE), False),
        # the share of words that they must have in common: 2 of 5 on one line
        (worded("red blue green black white"), worded("red blue pink cyan gold"), True),
        (worded("red blue green black white teal"), worded("red blue pink cyan gold lime"), False),
        # 3 of 8 if they quote the same
        (*(worded(words, quote=quote) for words, quote in ((EIGHT, "x = 1"), (OTHER, " x = 1 "))),
         True),
        (*(worded(words, quote=quote) for words, quote in ((EIGHT, "x = 1"), (OTHER, "x = 2"))),
         False),
        (worded(EIGHT), worded(OTHER), False),
        # 3 of 5 up to three lines apart, or where a line is missing
        (worded("red blue green black white"), worded("red blue green cyan gold", line=15), True),
        (worded("red blue green black white"), worded("red blue green cyan gold", line=9), True),
        (worded("red blue green black white"), worded("red blue green cyan gold", line=16), False),
        (worded(f"{SEVEN} red blue"), worded(f"{SEVEN} pink cyan gold", line=13), True),
        (worded("red blue green black white"), worded("red blue pink cyan gold", line=13), False),
        (worded("red blue green black white"), worded("red blue green cyan gold", line=None), True),
        (worded("red blue green black white"), worded("red blue pink cyan gold", line=None), False),
        (worded("red"), worded("red", line=None), False),
        # 3 of 4 without a file
        (worded("red blue green black", **NOWHERE), worded("red blue green pink", **NOWHERE), True),
        (worded("red blue green black white", **NOWHERE),
         worded("red blue green pink cyan", **NOWHERE), False),
    ],
)  # fmt: skip
def test_wordings_are_one_defect_by_place_and_meaning(
    one: Finding, other: Finding, is_same: bool
) -> None:
    assert same(one, other) is is_same
    assert same(other, one) is is_same


def test_merging_keeps_every_wording_and_shows_the_gravest() -> None:
    t = table().says(
        "t1", findings=[finding("Injection through the name", severity="medium", confidence=0.9)]
    )
    t.says("t2", findings=[finding("Name allows injection", severity="critical", confidence=0.7)])
    (findings,) = merge_findings(t.debate)
    assert (findings.id, findings.by, findings.ids) == (
        "t1.f1",
        (SECURITY, PERFORMANCE),
        ("t1.f1", "t2.f1"),
    )
    assert (findings.wording.title, findings.wording.severity, findings.wording.id) == (
        "Name allows injection",
        Severity.CRITICAL,
        "t1.f1",
    )


def test_agreeing_is_holding_and_disputing_is_not_and_a_seat_s_last_answer_counts() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", answers=[agree("t1.f1")])
    t.says("u3", answers=[dispute("t1.f1", "dead code")])
    (made,) = merge_findings(t.debate)
    assert (made.by, made.disputed_by) == ((SECURITY, PERFORMANCE), (UPKEEP,))
    assert (made.state, made.reasons[UPKEEP].because) == ("open", "dead code")
    (made,) = merge_findings(t.says("u2", answers=[dispute("t1.f1")]).debate)
    assert (made.by, made.disputed_by) == ((SECURITY,), (PERFORMANCE, UPKEEP))


def test_a_finding_is_withdrawn_when_nobody_holds_it_any_more() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", answers=[agree("t1.f1")])
    t.says("u1", answers=[withdraw("t1.f1")])
    assert [f.state for f in merge_findings(t.debate)] == ["open"]
    t.says("u2", answers=[Answer("t1.f1", Position.WITHDRAW)])
    assert [(f.state, f.blocking) for f in merge_findings(t.debate)] == [("withdrawn", False)]


def disputed(by: int, **fields: Any) -> Table:
    """Returns a finding of the first seat that the ``by`` others dispute."""
    t = table().says("t1", findings=[finding(**fields)])
    for n in range(2, 2 + by):
        t.says(f"u{n}", answers=[dispute("t1.f1")])
    return t


@pytest.mark.parametrize(
    ("by", "fields", "blocking", "contested", "words"),
    [
        (0, {}, True, False, "1 holds"),
        (1, {}, False, True, "1 holds, 1 disputes"),
        (1, {"severity": "critical"}, False, True, "1 holds, 1 disputes"),
        (1, {"confidence": 0.1}, False, True, "1 holds, 1 disputes"),
        (2, {}, False, True, "1 holds, 2 dispute"),
    ],
)
def test_a_finding_that_no_more_hold_than_dispute_does_not_block_whatever_is_stated(
    by: int, fields: dict[str, Any], blocking: bool, contested: bool, words: str
) -> None:
    t = disputed(by, **fields)
    (made,) = merge_findings(t.debate)
    assert (made.state, made.blocking, made.contested) == ("open", blocking, contested)
    assert counts_words(made) == words
    assert verdict(t.debate).contested is contested
    if by == 2:  # but people who confirmed it hold it
        t.votes("ann", "real", "t1.f1").votes("bob", "real", "t1.f1")
        assert [(f.blocking, f.contested) for f in merge_findings(t.debate)] == [(True, False)]


@pytest.mark.parametrize(
    ("fields", "holders", "blocking"),
    [
        ({"severity": "high"}, 1, False),  # nobody else looked, and no vote blocks
        ({"severity": "high", "confidence": 0.01}, 2, True),
        ({"severity": "high", "anchored": False}, 2, False),
        ({"severity": "medium"}, 2, False),
        ({"severity": "medium", "must_fix": True}, 2, True),
        ({"severity": "critical", "must_fix": False}, 2, False),
    ],
)
def test_what_blocks(fields: dict[str, Any], holders: int, blocking: bool) -> None:
    t = table().says("t1", findings=[finding(**fields)]).says("t3", "approve")
    t.says("t2", "approve", answers=[agree("t1.f1")] if holders == 2 else ())
    assert [f.blocking for f in merge_findings(t.debate)] == [blocking]


def test_a_chain_of_like_wordings_is_one_finding() -> None:
    first = finding("Token compared with a plain equals sign", line=10)
    between = finding("Token compared by plain equals, timing leaks the secret", line=12)
    last = finding("Timing leaks the secret", line=14)
    assert same(first, between)
    assert same(between, last)
    assert not same(first, last)
    for order in itertools.permutations((first, between, last)):
        t = table()
        for turn, wording in zip(("t1", "t2", "t3"), order, strict=True):
            t.says(turn, findings=[wording])
        assert [len(f.raised) for f in merge_findings(t.debate)] == [3]


def test_a_later_withdrawal_of_one_wording_overrides_an_earlier_agreement_with_another() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", findings=[finding()])
    t.says("t3", answers=[agree("t2.f1")]).says("u3", answers=[withdraw("t1.f1")])
    (findings,) = merge_findings(t.debate)
    assert (findings.by, counts_words(findings)) == ((SECURITY, PERFORMANCE), "2 hold")


def test_within_one_reply_the_answer_to_the_own_wording_counts() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", findings=[finding()])
    for answers in (withdraw("t1.f1"), agree("t2.f1")), (agree("t2.f1"), withdraw("t1.f1")):
        again = Table(list(t.events)).says("u1", answers=answers)
        assert merge_findings(again.debate)[0].by == (PERFORMANCE,)


def test_raising_it_again_is_holding_it_in_the_new_words_alone() -> None:
    t = table().says("t1", findings=[finding(severity="high")])
    t.says("u1", answers=[withdraw("t1.f1")], findings=[finding(severity="low")])
    (findings,) = merge_findings(t.debate)
    assert (findings.by, findings.wording.severity, findings.blocking) == (
        (SECURITY,),
        "low",
        False,
    )


def people_say(*options: str) -> Table:
    t = table().says("t1", findings=[finding()])
    for n, option in enumerate(options):
        t.votes(f"person{n}", option, "t1.f1")
    return t


@pytest.mark.parametrize(
    ("severity", "option", "moved"),
    [("critical", "worse", "critical"), ("low", "milder", "low"), ("low", "worse", "medium")],
)
def test_people_move_a_severity_by_one_step_within_the_scale(
    severity: str, option: str, moved: str
) -> None:
    t = table().says("t1", findings=[finding(severity=severity)])
    t.votes("ann", option, "t1.f1").votes("bob", option, "t1.f1")
    assert merge_findings(t.debate)[0].wording.severity == moved


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"severity": "critical", "anchored": False}, {"severity": "low"}),
        ({"severity": "high"}, {"severity": "critical", "confidence": 0.1}),
        ({"confidence": 0.6}, {"confidence": 0.7}),
    ],
)
def test_the_wording_that_is_shown_has_a_place_is_grave_and_sure_in_this_order(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    for first, second in ((one, other), (other, one)):
        t = table().says("t1", findings=[finding(**first)])
        t.says("t2", findings=[finding(**second)])
        (made,) = merge_findings(t.debate)
        known = {name: getattr(made.wording, name) for name in other}
        assert (made.wording.id, known) == ("t1.f1", other)


def test_the_author_cannot_vote_a_finding_away() -> None:
    t = table().says("t1", findings=[finding()]).votes("ann", "not_real", "t1.f1", author=True)
    t.votes("bob", "not_real", "t1.f1")
    (findings,) = merge_findings(t.debate)
    assert (findings.state, findings.people["not_real"], findings.author["not_real"]) == (
        "open",
        1,
        1,
    )


def test_a_severe_security_finding_that_people_dispute_asks_for_a_maintainer() -> None:
    assert merge_findings(people_say("x", "x").debate)[0].maintainer
    by_another = table().says("t2", findings=[finding()]).votes("a", "x", "t2.f1")
    by_another.votes("b", "x", "t2.f1")
    assert not merge_findings(by_another.debate)[0].maintainer


@pytest.mark.parametrize(
    ("votes", "state", "confirmed", "severity"),
    [
        (("not_real",), "open", False, "high"),
        (("not_real", "not_real", "real", "real"), "open", False, "high"),
        (("❌", "x", "real"), "disputed", False, "high"),
        (("real",), "open", False, "high"),
        (("real", "not_real"), "open", False, "high"),
        (("real", "milder"), "open", True, "high"),
        (("real", "worse", "not_real"), "open", True, "high"),
        (("real", "worse", "not_real", "not_real"), "open", False, "high"),
        (("worse",), "open", False, "high"),
        (("worse", "worse"), "open", True, "critical"),
        (("milder", "milder"), "open", True, "medium"),
        (("worse", "worse", "milder", "milder"), "open", True, "high"),
    ],
)
def test_a_strict_majority_of_at_least_two_people_disputes_confirms_or_moves_the_severity(
    votes: tuple[str, ...], state: str, confirmed: bool, severity: str
) -> None:
    (made,) = merge_findings(people_say(*votes).debate)
    assert (made.state, made.confirmed, made.wording.severity) == (state, confirmed, severity)
    assert not (made.blocking and state == "disputed")
    assert made.people["not_real"] == sum(vote in ("not_real", "❌", "x") for vote in votes)


def test_confirmed_by_people_is_exempt_from_withdrawal() -> None:
    t = people_say("real", "worse").says("u1", answers=[withdraw("t1.f1")])
    assert [(f.state, f.confirmed) for f in merge_findings(t.debate)] == [("open", True)]


def test_a_person_who_votes_on_two_wordings_counts_once_with_the_last_vote() -> None:
    t = table().says("t1", findings=[finding()]).says("t2", findings=[finding()])
    nobody = {"real": 0, "not_real": 0, "worse": 0, "milder": 0}
    assert merge_findings(t.debate)[0].people == nobody
    t.votes("bob", "not_real", "t1.f1").votes("bob", "not_real", "t2.f1")
    (findings,) = merge_findings(t.debate)
    assert (findings.people["not_real"], findings.state) == (1, "open")
    t.votes("bob", "real", "t1.f1")
    assert merge_findings(t.debate)[0].people == {**nobody, "real": 1}


def test_what_code_proved_is_a_finding_that_seats_can_neither_take_back_nor_dispute_away() -> None:
    proven = CodeFinding("app/settings.py", 3, "RIGHT", "high", "A secret in an added line")
    t = table(material=Material(MaterialKind.DIFF, "d", "…", proven=(proven,)))
    t.says("t1", answers=[withdraw("code.f1")])
    for turn in ("u1", "u2", "u3"):
        t.says(turn, answers=[dispute("code.f1")])
    (one,) = merge_findings(t.debate)
    assert (one.id, one.by, one.disputed_by) == ("code.f1", ("code",), (*map(SeatId, CRITICS),))
    assert (one.blocking, one.contested, counts_words(one)) == (True, False, "1 holds, 3 dispute")


def test_a_finding_keeps_its_fingerprint_when_its_line_moves() -> None:
    assert fingerprint(finding(line=12, quote="x = 1")) == fingerprint(
        finding(line=90, quote=" x  = 1")
    )
    assert fingerprint(finding()) != fingerprint(finding(path="app/web.py"))


def test_a_title_is_the_same_with_other_endings_of_words_of_three_letters() -> None:
    one, other, third = (fingerprint(finding(title=t)) for t in ("Key leaks", "Keys leak", "Ke"))
    assert one == other != third


def test_only_a_finding_that_is_withdrawn_names_who_took_it_back() -> None:
    """One seat of two that took it back leaves it open, so nothing is said yet."""
    gone = Answer("t1.f1", Position.WITHDRAW, "the input is checked")
    for holders in (1, 2):
        t = table().says("t1", "comment", findings=[finding()])
        t.says("t2", "comment", findings=[finding()] * (holders - 1))
        (merged,) = merge_findings(t.says("u1", "comment", answers=[gone]).debate)
        rows = [("Withdrawn by", "security critic: the input is checked")] * (holders == 1)
        assert withdrawals(t.debate, merged, 200) == rows
