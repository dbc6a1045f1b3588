"""Rules that every thread keeps, on a whole review: nothing is longer than one reads, every finding
is linked, every id leads somewhere, and no figure comes from nowhere.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from adapters.ports.chat import Post, Shape
from adapters.posts.export import export
from core.events import DebateRequested
from tests.adapters.posts.told import posted, seen, standing
from tests.core.table import Table, agree, dispute, finding, stance, table, withdraw

_NUMBER = re.compile(r"(?<![\w.#/-])\d+(?:\.\d+)?(?![\w/-])")
_ID = re.compile(r"\b(?:t\d+|u\d+|code|e\d+)\.[fc]\d+\b")


def review() -> Table:
    t = table(terms={"vote_window": 600.0, "budget": 0.5})
    t.says("t1", stance("request_changes", 0.93), findings=[finding(confidence=0.9)])
    t.says("t2", stance("comment", 0.6), findings=[finding("It waits too long", path="app/w.py")])
    t.says("t3", stance("comment", 0.7), claims=["As t1.f1 says, nothing is bound."])
    t.says("u1", stance("request_changes", 0.95), answers=[dispute("t2.f1", "it never waits")])
    moved = stance("request_changes", 0.8, moved_by="t1.f1")
    t.says("u2", moved, answers=[withdraw("t2.f1"), agree("t1.f1")], text="I was wrong in t2.f1.")
    t.says("u3", stance("comment", 0.75, would_resolve_if="a test is there"))
    t.votes("ann", "real", "t1.f1").votes("ben", "real", "t1.f1").votes("ann", "comment")
    return t.says("end", text="Bind it.", actions=("Bind the name",)).concluded()


@pytest.fixture(scope="module")
def thread() -> list[Post]:
    return standing(posted(review().events))


def test_a_review_of_three_seats_is_few_messages(thread: list[Post]) -> None:
    shapes = Counter(p.shape for p in thread)
    assert shapes == {Shape.ROOT: 1, Shape.STATEMENT: 6, Shape.FINDING: 2, Shape.VERDICT: 1}


def test_no_message_is_longer_than_one_reads(thread: list[Post]) -> None:
    assert max(len(seen(p)) for p in posted(review().events)) <= 1200


def test_every_finding_is_linked_to_its_line(thread: list[Post]) -> None:
    spans = [s for p in thread for line in (p.subtitle, *p.lines) for s in line]
    places = [s for s in spans if re.search(r"\.py:\d+$", s.text)]
    assert len(places) >= 3, "two cards and the verdict"
    assert all(s.url.endswith(f"{s.text.replace(':', '#L')}") for s in places)
    assert {s.url for s in spans if s.url} == {s.url for s in places}


def test_every_id_leads_to_a_finding_that_can_be_addressed(thread: list[Post]) -> None:
    shown = [(p, id) for p in thread for id in _ID.findall(seen(p))]
    assert {p.shape for p, _ in shown} == {Shape.FINDING}, "elsewhere words stand for them"
    subjects = {p.subject for p in thread if p.shape is Shape.FINDING}
    assert {id for _, id in shown} == subjects
    assert sum(review().debate.id in seen(p) for p in thread) == 1


def test_nothing_is_a_legend(thread: list[Post]) -> None:
    told = "\n".join(map(seen, thread)).lower()
    assert "vote by" not in told
    assert {p.shape for p in thread if p.reaction_options} <= {Shape.FINDING, Shape.VERDICT}


def test_no_figure_comes_from_nowhere(thread: list[Post]) -> None:
    """Every number is one of the events, a share of one, or a count of what they hold."""
    t = review()
    stored = set(_NUMBER.findall(json.dumps(msgspec.to_builtins(t.events), default=str)))
    shares = {f"{float(n):.0%}".rstrip("%") for n in stored if float(n) <= 1}
    spent = {f"{t.debate.spent:.2f}", f"{t.debate.spent:.4f}", "0.50"}
    most = max(len(t.debate.turns), len(t.debate.voters), len(t.debate.script.rounds))
    counts = {str(n) for n in range(most + 1)}
    told = {n for p in thread for n in _NUMBER.findall(seen(p))}
    assert told - stored - shares - spent - counts == set()


def test_quiet_is_root_and_verdict() -> None:
    t = review()
    first = t.events[0]
    assert isinstance(first, DebateRequested)
    asked = replace(first, request=replace(first.request, quiet=True))
    shapes = [p.shape for p in standing(posted([asked, *t.events[1:]]))]
    assert shapes == [Shape.ROOT, Shape.VERDICT]


def test_a_page_links_lines_only_and_runs_nothing() -> None:
    t = review()
    page = export(t.debate, "html")
    found = [m for m in re.findall(r'href="([^"]*)"', page) if not m.startswith("#part-")]
    assert set(found) == {
        "https://github.com/acme/shop/blob/0123abcd/app/db.py#L12",
        "https://github.com/acme/shop/blob/0123abcd/app/w.py#L12",
        "https://github.com/acme/shop/pull/42",
    }
    assert "<script" not in page
    assert page.count("<details><summary>Round ") == 3
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page
    assert page.index("Changes requested: ") < page.index("<details>")
    assert '<svg viewBox="' in page
    parts = set(re.findall(r'href="#(part-\d+)"', page))
    assert parts == set(re.findall(r'id="(part-\d+)"', page))
