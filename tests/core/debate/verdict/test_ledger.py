"""The rules of the ledger, each with the smallest review that shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.debate.ledger import Bar, Demand, DemandState, Fate, SettledBy
from core.debate.material import Hunk, Line, LineRange, Material, MaterialKind
from core.debate.replies import Answer, Position
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.findings.merged import FindingState, MergedFinding
from core.words.views.verdict.findings import finding_view
from tests.core.demands import demand, reworded
from tests.core.table import Table, finding, table

SEATS = ("t1", "t2", "t3")
LOCK = demand(
    "e1", "f00d", "high", 0.9, "Missing lock around the counter", "app/db.py", 12, "RIGHT",
    "count = count + 1", fix="Add a lock around it.", blocked=True,
)  # fmt: skip
FIXED = replace(
    LOCK, state=DemandState.FIXED, settled_by=SettledBy.CODE, settled_in=2, fate=Fate.REPLACED
)
REJECTED = replace(LOCK, state=DemandState.REJECTED, settled_by=SettledBy.SEATS, settled_in=2)
LINES = (
    *(Line(" ", f"old {n}", n, n) for n in range(1, 10)),
    *(Line("+", f"new {n}", None, n) for n in range(10, 30)),
)


def review(
    *demands: Demand, run: int = 3, fresh: int | None = 0, to: int = 0, **given: Any
) -> Table:
    """Returns a review in which the lines from ``fresh`` to ``to`` changed since the last one,
    which is not known in the first one or with None, and all seats report the finding.
    """
    ranges = (LineRange("app/db.py", "RIGHT", fresh, to or fresh),) if fresh else ()
    known = None if run == 1 or fresh is None else ranges
    material = Material(
        MaterialKind.PULL_REQUEST, "Shop", "…", "https://github.com/a/b/pull/1", "90fee08",
        demands=demands, fresh=known, hunks=(Hunk("app/db.py", "", LINES),),
        facts={"run": f"{run}"},
    )  # fmt: skip
    t = table(material=material)
    for seat in SEATS:
        t.says(seat, "request_changes", findings=[finding(**given)] if given else [])
    return t


def only(t: Table) -> MergedFinding:
    (one,) = [m for m in merge_findings(t.debate) if m.state is FindingState.OPEN]
    return one


@pytest.mark.parametrize(
    ("t", "bar"),
    [
        (review(FIXED, title="Needless lock around the counter", fix="Remove the lock."),
         Bar.CONTRADICTION),
        (review(FIXED, title="Slow", fix="```diff\n-with lock: x\n+count = count + 1\n```"),
         Bar.CONTRADICTION),
        (review(reworded(FIXED, quote="n+=1"), title="Slow", fix="```diff\n+n+=1\n```"),
         Bar.CONTRADICTION),
        (review(reworded(FIXED, quote="end"), title="Slow", fix="```diff\n+end\n```"),
         Bar.REPEATED),
        (review(reworded(FIXED, title="Missing lock around the shared counter"),
                title="Needless lock around one other thing"), Bar.CONTRADICTION),
        (review(reworded(FIXED, title="Missing lock around the shared global counter"),
                title="Needless lock around one other thing"), Bar.REPEATED),
        (review(reworded(FIXED, title="Missing lock", fix=""), title="Drop the lock"),
         Bar.CONTRADICTION),
        (review(reworded(FIXED, title="Missing lock counter", fix=""), title="Drop the lock here"),
         Bar.REPEATED),
        (review(reworded(FIXED, title="No lock", fix=""), title="Drop the lock"),
         Bar.CONTRADICTION),
        (review(FIXED, title="Needless lock around the counter", fix="Add nothing, remove it."),
         Bar.CONTRADICTION),
        (review(FIXED, title="The lock around the counter is slow"), Bar.REPEATED),
        (review(reworded(FIXED, title="The lock around the counter", fix=""),
                title="Needless lock around the counter"), Bar.REPEATED),
        (review(reworded(FIXED, title="Needless lock around the counter", fix=""),
                title="The lock around the counter is slow"), Bar.REPEATED),
        (review(FIXED, title="Slow", fix="```\ncount = count + 1\n```"), Bar.CONTRADICTION),
        (review(FIXED, title="Slow", fix="```diff\n def add():\n+count = count + 1\n```"),
         Bar.CONTRADICTION),
        (review(FIXED, title="Two threads race here", line=11, end=12), Bar.REPEATED),
        (review(FIXED, title="Two threads race here", line=13), None),
        (review(reworded(FIXED, quote="a\nb"), title="Two threads race here"), Bar.REPEATED),
        (review(reworded(FIXED, quote="a\nb"), title="Two threads race here", line=13),
         Bar.REPEATED),
        (review(FIXED, title="Two threads race here", line=11), None),
        (review(FIXED, title="Two threads race here", side="LEFT"), Bar.REPEATED),
        (review(replace(FIXED, fate=Fate.SAME), title="Two threads race here", side="LEFT"),
         Bar.PRE_EXISTING),
        (review(FIXED, title="Two threads race here", path="app/web.py"), Bar.PRE_EXISTING),
        (review(reworded(FIXED, line=None), title="Two threads race here"), None),
        (review(REJECTED, title="The counter has no lock around it", line=None), Bar.REPEATED),
        (review(REJECTED, title="Two threads race here"), Bar.REPEATED),
        (review(REJECTED, title="The counter has no lock around it", line=28), Bar.REPEATED),
        (review(REJECTED, title="Two threads race here", fresh=12), None),
        (review(reworded(LOCK, must_fix=False), title="Missing lock around the counter"),
         Bar.REPEATED),
        (review(run=1, title="Never closed", line=3), Bar.PRE_EXISTING),
        (review(run=1, title="Wrong beside the change", line=9), None),
        (review(run=3, title="Never closed", line=20), None),
        (review(run=4, title="Never closed", line=20), Bar.LATE),
        (review(run=4, title="Never closed", line=20, fresh=None), None),
        (review(run=4, title="Never closed", line=20, fresh=20), None),
        (review(run=4, title="Never closed", line=19, fresh=18, to=20), None),
        (review(run=4, title="Never closed", line=19, end=20, fresh=20), None),
        (review(run=4, title="Never closed", line=20, end=21, fresh=20), None),
        (review(run=4, title="Never closed", line=20, side="right", fresh=20), None),
        (review(run=4, title="Never closed", line=21, fresh=20), Bar.LATE),
        (review(run=4, title="Never closed", line=18, end=19, fresh=20), Bar.LATE),
        (review(run=4, title="Never closed", line=None, fresh=20), Bar.LATE),
        (review(LOCK, run=9, title="Missing lock around the counter"), None),
    ],
)  # fmt: skip
def test_what_the_ledger_bars_from_blocking(t: Table, bar: Bar | None) -> None:
    one = only(t)
    assert one.bar is bar
    assert one.blocking is (bar is None)
    assert (verdict(t.debate).decision == "request_changes") is (bar is None)
    facts = dict(finding_view(t.debate, one).facts)
    assert ("Blocks nothing" in facts) is (bar is not None)


def test_the_opposite_of_an_open_demand_is_no_wording_of_it() -> None:
    t = review(LOCK, title="Needless lock around the counter", fix="Drop the lock.", fresh=12)
    assert [(m.id, m.bar, m.blocking) for m in merge_findings(t.debate)] == [
        ("e1", None, True),
        ("t1.f1", Bar.CONTRADICTION, False),
    ]


def test_evidence_that_nobody_quoted_before_is_named() -> None:
    t = review(REJECTED, title="Two threads race here")
    quoted = Answer("t1.f1", Position.AGREE, "look", "run(worker, worker)", checked=True)
    t.says("t2", "request_changes", findings=[finding(title="Two threads race here")],
           answers=[quoted])  # fmt: skip
    one = only(t)
    assert (one.bar, one.blocking) == (None, True)
    assert one.evidence == "a line that nobody quoted before: run(worker, worker)"
    assert one.evidence in dict(finding_view(t.debate, one).facts)["New evidence"]


def test_a_seat_that_names_nothing_blocks_no_more_after_three_reviews() -> None:
    assert verdict(review(run=3).debate).decision == "request_changes"
    assert verdict(review(run=4).debate).decision != "request_changes"


@pytest.mark.parametrize(
    ("fate", "given", "state", "by"),
    [
        (Fate.SAME, None, DemandState.DEMANDED, None),
        (Fate.REPLACED, None, DemandState.FIXED, SettledBy.CODE),
        (Fate.GONE, None, DemandState.FIXED, SettledBy.CODE),
        (Fate.CHANGED, None, DemandState.DEMANDED, None),
        (Fate.CHANGED, "The pool is never closed", DemandState.SUPERSEDED, SettledBy.LATER),
    ],
)
def test_what_becomes_of_a_demand(
    fate: Fate, given: str | None, state: DemandState, by: SettledBy | None
) -> None:
    line = None if fate is Fate.GONE else 12
    t = review(reworded(replace(LOCK, fate=fate), line=line), fresh=12)
    if given is not None:
        t.says("t1", "request_changes", findings=[finding(title=given)])
    demand = next(d for d in demands_after(t.debate) if d.mark == LOCK.mark)
    assert (demand.state, demand.settled_by, demand.review) == (state, by, 1)
    assert demand.finding.anchored is (line is not None)


def test_what_is_settled_stays_in_the_ledger() -> None:
    after = demands_after(review(FIXED, title="Never closed", line=20).debate)
    assert [(d.finding.title, d.state) for d in after] == [
        (LOCK.finding.title, DemandState.FIXED),
        ("Never closed", DemandState.DEMANDED),
    ]
