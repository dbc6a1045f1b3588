"""The difference between two states of a debate turns the page of the one into the page of the
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from adapters.room.outgoing.parts import FINDINGS, ROUNDS, PagePart, changed, parts
from adapters.room.outgoing.view import DebateView
from core.debate.events import Event
from core.debate.material import MaterialKind
from core.debate.state import Debate, replay
from core.words.outcome import outcome
from tests.core.table import dispute, finding, table, withdraw
from tests.core.test_proving import WRITTEN, proven


def story() -> Sequence[Event]:
    """Returns everything a page can show: findings that merge, change places and are taken back, a
    challenge, a seat without an answer, votes.
    """
    made = (
        table()
        .says("t1", "request_changes", findings=[finding(), finding("A secret", line=40)])
        .says("t2", "comment", findings=[finding(severity="critical", confidence=0.9)])
        .fails("t3")
        .challenges("On t1.f1: it cannot happen", "security_critic")
        .says("u1", "comment", answers=[withdraw("t1.f1"), dispute("t2.f1")])
        .says("u2", "request_changes", answers=[dispute("t1.f2")])
        .votes("slack:T1/U1", "real", "t2.f1")
        .says("u3", "approve")
        .says("end", text="It is **unsafe**.")
        .votes("slack:T1/U1", "comment")
        .concluded(closed=False)
        .votes("slack:T1/U2", "comment")
    )
    return made.events


EVENTS = story()


def shown_at(count: int) -> Mapping[str, PagePart]:
    debate = replay(EVENTS[:count])
    return parts(DebateView(debate, outcome(debate)))


def parts_of(debate: Debate) -> Mapping[str, PagePart]:
    return parts(DebateView(debate, outcome(debate)))


@cache
def pages() -> list[Mapping[str, PagePart]]:
    """The page after each event."""
    return [shown_at(n) for n in range(1, len(EVENTS) + 1)]


def test_rounds_that_were_not_played_are_one_sentence() -> None:
    t = table().says("t1", "approve").says("t2", "approve").says("t3", "approve")
    page = parts_of(t.skips("u1", "u2", "u3").says("end").concluded().debate)
    assert [id for id in page if id.startswith(("p-turn-u", "p-round-2"))] == []
    assert "Round 2 was not played: " in page["p-unplayed"].html
    assert page["p-unplayed"].after == "round-3"


def test_the_verdict_has_the_colour_of_its_mark_in_a_list() -> None:
    open_one = table().says("t1", "approve").says("t2", "comment").says("t3", "request_changes")
    silent = table().fails("t1").fails("t2").fails("t3").skips("u1", "u2", "u3").fails("end")
    for made, colour in (
        (open_one.skips("u1", "u2", "u3").says("end"), "comments"),
        (silent, "failed"),
    ):
        page = parts_of(made.concluded().debate)
        assert f'class="card verdict {colour}"' in page["p-verdict"].html
    page = parts_of(silent.debate)
    assert "No verdict: no seat gave an answer" in page["p-verdict"].html
    assert "timeout: no answer in 90 s." in page["p-verdict"].html
    assert "<table" not in page["p-votes"].html


class Browser:
    """Applies changes to a page as ``room.js`` does: elements in lists, each with its text."""

    def __init__(self, page: Mapping[str, PagePart]) -> None:
        self.html = {id: part.html for id, part in page.items()}
        self.lists: dict[str, list[str]] = {}
        for part in page.values():
            if part.parent:
                self.lists.setdefault(part.parent, []).append(part.element)

    def take(self, part: PagePart) -> None:
        for holders in self.lists.values():
            if part.element in holders:
                holders.remove(part.element)
        if not part.html and not part.parent:
            del self.html[part.id]
            return
        self.html[part.id] = part.html
        if part.parent:
            holders = self.lists.setdefault(part.parent, [])
            holders.insert(holders.index(part.after) + 1 if part.after else 0, part.element)


@given(st.data())
def test_the_difference_brings_one_page_to_the_other(data: st.DataObject) -> None:
    numbers = st.integers(0, len(EVENTS) - 1)
    before, now = sorted((data.draw(numbers), data.draw(numbers)))
    browser, wanted = Browser(pages()[before]), Browser(pages()[now])
    for part in changed(pages()[before], pages()[now]):
        browser.take(part)
    assert browser.html == wanted.html
    assert {k: v for k, v in browser.lists.items() if v} == wanted.lists


def test_nothing_is_sent_where_nothing_changed() -> None:
    assert all(changed(page, page) == [] for page in pages())


def test_every_part_is_one_element_with_its_id() -> None:
    for part in pages()[-1].values():
        if part.html:
            assert part.html.lstrip().startswith("<")
            assert f'id="{part.id}"' in part.html.partition(">")[0]
        if part.parent:
            assert f'id="{part.element}"' in part.whole.partition(">")[0]


def test_findings_and_rounds_are_lists() -> None:
    parents = {part.parent for part in pages()[-1].values()}
    assert {FINDINGS, ROUNDS, "turns-1", "turns-2", "turns-3"} <= parents


async def test_a_proof_is_folded_whole_and_its_test_may_be_kept() -> None:
    debate, _, finding = await proven()
    page = parts_of(debate)[f"p-finding-{finding.id}"].html
    assert f"<code>{WRITTEN.path}</code></summary>" in page
    assert WRITTEN.text.strip() in page
    assert 'value="keep"' not in page
    material = replace(debate.open.material, kind=MaterialKind.PULL_REQUEST)
    change = replace(debate, opened=replace(debate.open, material=material))
    page = parts_of(change)[f"p-finding-{finding.id}"].html
    assert 'name="action" value="keep"' in page
    assert 'name="value" value="d1:prove1"' in page
