"""Sources that seats found outside the change, and the places of their quotations, are listed."""

from __future__ import annotations

import pytest

from core.debate.material import Around, Hunk, Line, Material, MaterialKind, Near
from core.debate.ports import Source
from core.debate.replies import Claim
from core.debate.template import Evidence
from core.debate.verdict.findings.evidence import claim_faults, claims_with_source
from core.words.outcome.sections import sources
from tests.core.table import Table, finding, table

MATERIAL = Material(
    MaterialKind.PULL_REQUEST,
    "Retry",
    "…",
    hunks=(Hunk("a.py", "@@", (Line("+", "retry(3)", new=1),)),),
    around=(Around("a.py", 5, 5, "retry", Near.DEFINES, ("def retry(times):",)),),
)
LOOKED_UP = Source(
    "far/b.py:7-8", "https://x.example/b.py#L7", "LIMIT = 3\nWAIT = 9", 7, repository=True
)
AND_MORE = "- and 1 more"
PAGE = Source("A page", "https://y.example", "forty jobs a second")


def reviewed(policy: Evidence = Evidence.ALLOW_CITED) -> Table:
    """Returns a review in which the first seat looked something up and the second quotes it and a
    page of its own.
    """
    t = table(material=MATERIAL, evidence_policy=policy)
    quoted = [Claim("", "It waits", "WAIT = 9"), Claim("", "It is called", "def retry(times):")]
    wrong = finding("Waits too long", path="far/b.py", line=8, quote="WAIT = 9", anchored=False)
    t.says("t1", "comment", claims=quoted, findings=[wrong], sources=(LOOKED_UP,))
    t.says("t2", "comment").says("t3", "comment")
    later = [Claim("", "It has a limit", "LIMIT = 3"), Claim("", "Slow", "forty jobs")]
    return t.says("u2", "comment", claims=later, sources=(PAGE,))


def test_each_quotation_is_told_with_its_place() -> None:
    assert sources(reviewed().debate).splitlines() == [
        "- far/b.py:7-8 · `https://x.example/b.py#L7` (security critic)",
        "- looked up · `far/b.py:8` (security critic)",
        "- code around the change · `a.py:5` (security critic)",
        "- A page · `https://y.example` (performance critic)",
        "- looked up · `far/b.py:7` (performance critic)",
    ]


def test_what_one_seat_looked_up_is_there_for_all() -> None:
    assert claim_faults(reviewed().debate) == {}
    assert all(claims_with_source(reviewed().debate).values())


def test_the_repository_is_not_external_and_a_page_is() -> None:
    assert list(claim_faults(reviewed(Evidence.DISALLOW_EXTERNAL).debate)) == ["u2.c2"]


@pytest.mark.parametrize("more", [0, 1])
def test_long_titles_addresses_and_reasons_are_cut(more: int) -> None:
    def long(letter: str, limit: int) -> str:
        return letter * (limit + more)

    def fitting(letter: str, limit: int) -> str:
        return letter * (limit - more) + "…" * more

    page = Source(long("t", 120), long("u", 300), "")
    t = table().says("t1", "comment", sources=(page,), failed_searches=(long("w", 400),) * 2)
    assert sources(t.debate).splitlines() == [
        f"- {fitting('t', 120)} · `{fitting('u', 300)}` (security critic)",
        f"- Web search without a result: {fitting('w', 400)} (security critic)",
    ]


@pytest.mark.parametrize(("pages", "last"), [(40, "- p39 · `u` (security critic)"), (41, AND_MORE)])
def test_forty_sources_are_listed_and_more_are_counted(pages: int, last: str) -> None:
    cited = [Source(f"p{n}", "u", "") for n in range(pages)]
    listed = sources(table().says("t1", "comment", sources=cited).debate).splitlines()
    assert (len(listed), listed[-1]) == (pages, last)
