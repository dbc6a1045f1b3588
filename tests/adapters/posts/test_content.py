"""Rules that every thread keeps, on two whole reviews, told by statements and by rounds, as each
platform shows them: nothing is longer than one reads, every finding is linked, every id leads
somewhere once, the decision comes first, and no figure comes from nowhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from adapters.ports.chat import Post, Shape
from adapters.posts.export import export
from core.debate import events as e
from core.debate.state import replay
from core.words.views.verdict.decision import MOST_WORDS
from tests.adapters.posts.threads import FORMS, PLATFORMS, four_seats, words
from tests.adapters.posts.told import posted, seen, standing
from tests.core.table import Table, agree, dispute, finding, stance, table, withdraw

LONGEST = 1_200
_TESTS = Path(__file__).parents[2]
THREADS = [*_TESTS.glob("end_to_end/*_review.txt"), *_TESTS.glob("adapters/posts/*_*_*.txt")]
_ID = re.compile(r"\b(?:t\d+|u\d+|code|e\d+)\.[fc]\d+\b")
_LINK = re.compile(r"\[([^\]\n]*)\]\(<?(https?://[^)>]*)>?\)|(\S+) <(https?://[^>]*)>")


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


@cache
def case_of(case: str) -> tuple[tuple[e.Event, ...], tuple[Post, ...]]:
    """Returns the events of a review and every post that they led to."""
    name, form = case.split("-")
    if name == "four":
        events: Sequence[e.Event] = four_seats(form)
    else:
        events = [_by(event, form) for event in review().events]
    return tuple(events), tuple(posted(events))


def _by(event: e.Event, form: str) -> e.Event:
    if isinstance(event, e.DebateOpened):
        return replace(event, terms=replace(event.terms, thread=form))
    return event


CASES = [f"{name}-{form}" for name in ("four", "three") for form in FORMS]
on_every_thread = pytest.mark.parametrize("case", CASES)
on_both = pytest.mark.parametrize("platform", PLATFORMS)


def thread(case: str) -> list[Post]:
    return standing(case_of(case)[1])


def test_a_review_of_three_seats_is_few_messages() -> None:
    shapes = Counter(p.shape for p in thread("three-statements"))
    assert shapes == {Shape.ROOT: 1, Shape.STATEMENT: 6, Shape.FINDING: 2, Shape.VERDICT: 1}
    shapes = Counter(p.shape for p in thread("three-rounds"))
    assert shapes == {Shape.ROOT: 1, Shape.ROUND: 2, Shape.FINDING: 2, Shape.VERDICT: 1}


@pytest.mark.parametrize("golden", THREADS, ids=lambda path: path.stem)
def test_no_message_that_was_delivered_is_longer(golden: Path) -> None:
    """The addresses of links count, as Discord counts them."""
    messages = re.split(r"^(?:----|====.*)$", golden.read_text("utf-8"), flags=re.MULTILINE)
    assert len(messages) > 5
    for message in map(_bare, messages):
        assert len(message) <= LONGEST, message


def _bare(message: str) -> str:
    """Returns the message without its buttons and reactions."""
    lines = message.strip().splitlines()
    return "\n".join(
        x
        for x in lines
        if not re.fullmatch(r"(\[[^\]]*\] ?)+|\{.*\}|(:\w+: \d+ *)+|\(also .*\)", x)
    )


@on_both
@on_every_thread
def test_every_place_in_the_material_is_linked_to_its_line(case: str, platform: str) -> None:
    paths = {
        f.path for _, statement in replay(case_of(case)[0]).statements() for f in statement.findings
    }
    for post in thread(case):
        if post.shape in (Shape.STATEMENT, Shape.ROUND):  # what a seat says is its own
            continue
        text = PLATFORMS[platform](post)
        linked = [(m[1] or m[3], m[2] or m[4]) for m in _LINK.finditer(text)]
        places = [(label, url) for label, url in linked if re.search(r":\d+$", label)]
        assert all(url.endswith(label.replace(":", "#L")) for label, url in places)
        bare = _LINK.sub("", text)
        assert not [path for path in paths if re.search(rf"{re.escape(path)}:\d", bare)]
        if post.shape is Shape.FINDING:
            assert len(places) == 1
        if post.shape is Shape.VERDICT:
            assert len(places) == len(re.findall(r"^• ", text, re.MULTILINE)) > 0


@on_every_thread
def test_words_stand_for_every_id_and_every_finding_can_be_addressed(case: str) -> None:
    assert [id for p in thread(case) for id in _ID.findall(seen(p))] == []
    cards = [p for p in thread(case) if p.shape is Shape.FINDING]
    subjects = [p.subject for p in cards]
    assert len(set(subjects)) == len(subjects)
    assert all(f":{p.subject}" in button.value for p in cards for button in p.buttons)
    debate = replay(case_of(case)[0]).id
    assert [p.shape for p in thread(case) if debate in seen(p)] == [Shape.ROOT]


@on_both
@on_every_thread
def test_the_decision_is_the_first_thing_the_verdict_says(case: str, platform: str) -> None:
    [verdict] = [p for p in thread(case) if p.shape is Shape.VERDICT]
    first, *_ = PLATFORMS[platform](verdict).splitlines()
    assert verdict.title in first
    assert 1 < len(words(first)) <= MOST_WORDS


def test_quiet_is_root_and_verdict() -> None:
    t = review()
    first = t.events[0]
    assert isinstance(first, e.DebateRequested)
    quiet = replace(first, request=replace(first.request, quiet=True))
    posts = standing(posted([quiet, *t.events[1:]]))
    assert [p.shape for p in posts] == [Shape.ROOT, Shape.VERDICT]
    assert posts[0].small.startswith("👀 on this message shows the whole · ")
    assert [o.emoji for o in posts[0].reaction_options] == ["eyes"]
    unfolded = posted([quiet, *t.events[1:], e.WholeShown("ann")])
    assert "👀" not in seen(unfolded[-1])


def test_a_demonstration_says_so_once() -> None:
    t = table(terms={"demo": True})
    for turn in ("t1", "t2", "t3", "u1", "u2", "u3", "end"):
        t.says(turn, "comment", text="It may be so.")
    page = "\n".join(map(seen, standing(posted(t.concluded().events))))
    assert page.lower().count("demonstration") == 1


def test_a_page_links_lines_only_and_runs_nothing() -> None:
    t = review()
    page = export(t.debate, "html")
    links = [m for m in re.findall(r'href="([^"]*)"', page) if not m.startswith("#part-")]
    assert set(links) == {
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


def test_the_root_names_what_decided_only_where_that_blocks() -> None:
    blocked = table()
    approved = table()
    for turn in ("t1", "t2", "t3"):
        blocked.says(turn, stance("request_changes", 0.9), findings=[finding(confidence=0.9)])
        approved.says(turn, stance("approve", 0.9))
    for t, named in ((blocked, True), (approved, False)):
        running = standing(posted(t.events))[0]
        assert "Decided by" not in seen(running), "nothing is decided while it runs"
        t.concluded()
        root = standing(posted(t.events))[0]
        assert ("Decided by: High: The query is built" in seen(root)) is named
