"""The reviews that are not posted, a check's title, and the line of a later run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.debate import events as e
from core.debate.errors import Refused
from core.debate.ledger import Demand, DemandState, Fate
from core.debate.material import Coverage, Material, MaterialKind, Read
from core.debate.script import SeatId
from core.words.views.documents.forge import run_line
from core.words.views.documents.review import check_title, refuse_unpostable
from tests.core.demands import demand
from tests.core.table import Table, finding, table

APPROVED = "Approved: no finding is open"
UNFINISHED, NO_VERDICT = "No verdict: the debate did not come to its end", "came to no verdict"
WHAT_IF = "What-if, not a review"
PART = (Coverage("a.py", Read.FULL), Coverage("b.py", Read.PARTIAL, "long"))


def change(**known: Any) -> Material:
    link = "https://github.com/acme/shop/pull/42"
    return Material(MaterialKind.PULL_REQUEST, "Retry", "…", link, "0123abcd", **known)


def over(*options: str, stop: e.EndReason | None = None, **fields: Any) -> Table:
    """Returns a debate that ended; "-" is a seat that fails, and all approve if none is named."""
    t = table(**fields)
    for n, option in enumerate(options or ("approve",) * 3, 1):
        t = t.fails(f"t{n}") if option == "-" else t.says(f"t{n}", option)
    if stop is not None:
        t.stops(stop)
    return t.skips("u1", "u2", "u3").says("end").concluded()


def blocking(**fields: Any) -> Table:
    t = table(**fields).says("t1", "request_changes", findings=[finding(severity="critical")])
    return t.says("t2", "request_changes").says("t3", "approve").concluded()


HUMAN, ERROR = e.EndReason.HUMAN, e.EndReason.ERROR
FORK = e.Fork("d0", 5, SeatId("security_critic"))


@pytest.mark.parametrize(
    ("made", "refusal", "title"),
    [
        (over(), "", APPROVED),
        (over(material=change(facts={"state": "open"})), "", APPROVED),
        (blocking(), "", "Changes requested: 1 finding must be fixed before merging"),
        (over(material=change(coverage=PART)), "", f"{APPROVED}; not everything was read"),
        (over(material=change(coverage=PART[:1])), "", APPROVED),
        (blocking(material=change(coverage=PART)), "",
         "Changes requested: 1 finding must be fixed before merging"),
        (over(material=change(facts={"state": "merged"})), "a post-mortem stays here", APPROVED),
        (over(material=replace(change(), kind=MaterialKind.DIFF)), "not about a pull", APPROVED),
        (table().says("t1", "approve"), "There is no verdict yet", APPROVED),
        (over().add(e.DebateReopened("proof:f1", "ann")), "is being answered", APPROVED),
        (over(terms={"demo": True}), "a demonstration", "Demonstration, not a review"),
        (over("approve", "-", "-", quorum=2), NO_VERDICT, UNFINISHED),
        (over("-", "-", "-"), NO_VERDICT, UNFINISHED),
        (over("approve", "-", "-", quorum=2, stop=HUMAN), NO_VERDICT, UNFINISHED),
        (over(stop=ERROR), NO_VERDICT, UNFINISHED),
        (over(stop=HUMAN), "", UNFINISHED),
        (over(terms={"assume": "It is off."}), r"as a review\.$", WHAT_IF),
        (over(fork=FORK), r"as a review\. Post .* it was forked from: `post d0`$", WHAT_IF),
    ],
)  # fmt: skip
def test_what_is_posted_and_what_a_check_is_called(made: Table, refusal: str, title: str) -> None:
    assert check_title(made.debate) == title
    if not refusal:
        refuse_unpostable(made.debate)
        return
    with pytest.raises(Refused, match=refusal):
        refuse_unpostable(made.debate)


def earlier(*fates: Fate, state: DemandState = DemandState.DEMANDED) -> tuple[Demand, ...]:
    one = demand("e1", "f00d", "high", 0.9, "Missing lock", "app/db.py", 12, "RIGHT", "n += 1")
    return tuple(replace(one, fate=fate, state=state) for fate in fates)


LISTED = earlier(Fate.CHANGED, Fate.CHANGED, Fate.REPLACED, Fate.GONE, Fate.SAME)
SETTLED = earlier(Fate.CHANGED, Fate.GONE, state=DemandState.FIXED)
SINCE = "what is new since 0123456"
ONE = "1 earlier finding: 1 with changed lines, 0 gone from it"


@pytest.mark.parametrize(
    ("facts", "demands", "line"),
    [
        ({}, LISTED, ""),
        ({"run": "2"}, (), f"2, {SINCE}"),
        ({"run": "2", "moved": "rebase"}, (), f"2, {SINCE} (rebased)"),
        ({"run": "2"}, LISTED,
         f"2, {SINCE}; 5 earlier findings: 3 with changed lines, 1 gone from it"),
        ({"run": "2"}, (*LISTED[:1], *SETTLED),
         f"2, {SINCE}; {ONE}; 2 demands settled before"),
        ({"run": "3"}, SETTLED[:1], f"3, {SINCE}; 1 demand settled before"),
    ],
)  # fmt: skip
def test_the_line_of_a_later_run_counts_what_became_of_the_demands(
    facts: dict[str, str], demands: tuple[Demand, ...], line: str
) -> None:
    since = {"since": "0123456789abcdef"} if facts else {}
    assert run_line(change(facts=facts | since, demands=demands)) == line


def test_from_the_fourth_run_on_the_line_says_what_can_block() -> None:
    line = run_line(change(facts={"run": "4", "since": "0123456789abcdef"}))
    assert line.startswith(f"4, {SINCE}; Review 4 of this change: only what earlier reviews")
