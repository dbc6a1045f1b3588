"""What a finding says of the outside world needs a source; from memory it blocks nothing."""

from __future__ import annotations

from typing import Any

import pytest

from core.debate.ledger import Bar, Demand
from core.debate.material import Around, Hunk, Line, Material, MaterialKind, Near
from core.debate.ports import Source
from core.debate.replies import Answer, Position
from core.debate.verdict import verdict
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import MergedFinding
from core.debate.verdict.findings.outside import speaks_of_outside
from core.words.outcome import outcome
from core.words.views.verdict.findings import finding_view
from tests.core.demands import demand
from tests.core.table import Table, finding, table

PIN = "ruff==0.16.0"
SEATS = ("t1", "t2", "t3")
NO_RUFF: dict[str, Any] = {
    "title": "ruff 0.16.0 does not exist",
    "trigger": "pip install fails",
    "path": "requirements.txt",
    "line": 1,
    "quote": PIN,
    "must_fix": True,
}
PAGE = Source("ruff", "https://example.org/ruff", "The newest release of ruff is 0.15.4.")


def review(*, by: tuple[str, ...] = SEATS, demands: tuple[Demand, ...] = (), **given: Any) -> Table:
    """Returns a review of a change that pins a version, in which all seats report the finding."""
    material = Material(
        MaterialKind.PULL_REQUEST, "Shop", "…", "https://github.com/a/b/pull/1", "90fee08",
        hunks=(Hunk("requirements.txt", "", (Line("+", PIN, None, 1),)),),
        around=(Around("docs/pins.md", 1, 1, "pins", Near.ENCLOSES,
                       ("We support ruff only up to 0.15.",)),),
        facts={"run": "2" if demands else "1"}, demands=demands,
    )  # fmt: skip
    t = table(material=material)
    for seat in by:
        t.says(seat, "request_changes", findings=[finding(**{**NO_RUFF, **given})])
    return t


def only(t: Table) -> MergedFinding:
    (one,) = merge_findings(t.debate)
    return one


def test_a_version_that_no_source_denies_blocks_nothing_although_all_seats_say_so() -> None:
    t = review()
    one = only(t)
    assert (one.bar, one.blocking) == (Bar.MEMORY, False)
    assert verdict(t.debate).decision != "request_changes"
    view = finding_view(t.debate, one)
    assert view.state == "from memory"
    assert "no source that a seat quotes shows it" in dict(view.facts)["Blocks nothing"]
    (document,) = outcome(t.debate)["findings"]
    assert (document["bar"], document["source"], document["blocking"]) == ("from_memory", "", False)


def test_a_seat_that_blocks_for_a_finding_from_memory_that_it_calls_minor_does_not_block() -> None:
    assert verdict(review(must_fix=False).debate).decision != "request_changes"


@pytest.mark.parametrize(
    ("quote", "sources"),
    [
        ("The newest release of ruff is 0.15.4.", (PAGE,)),
        ("https://example.org/ruff", (PAGE,)),
        ("We support ruff only up to 0.15.", ()),
        ("ruff: 0.15.4 is the newest", (Source("docs/a.md:3", "", "ruff: 0.15.4 is the newest", 3,
                                               repository=True),)),
    ],
)  # fmt: skip
def test_a_source_that_a_seat_quotes_lets_it_block_and_is_shown(
    quote: str, sources: tuple[Source, ...]
) -> None:
    t = review(by=("t2", "t3"))
    t.says("t1", "request_changes", findings=[finding(**NO_RUFF, source=quote)], sources=sources)
    one = only(t)
    assert (one.bar, one.blocking) == (None, True)
    assert dict(finding_view(t.debate, one).facts)["Source"] == quote


def test_an_answer_can_bring_the_source() -> None:
    t = review(by=("t1", "t3"))
    answer = Answer("t1.f1", Position.AGREE, "look", PAGE.text)
    t.says("t2", "request_changes", answers=[answer], sources=(PAGE,))
    assert only(t).blocking


@pytest.mark.parametrize(
    ("quote", "sources"),
    [
        (PIN, ()),  # the change's own line
        (PIN, (Source("requirements.txt:1", "", PIN, 1, repository=True),)),  # looked up
        ("ruff==0.15.0", (Source("ci/a.txt:1", "", "ruff==0.15.0", 1, repository=True),)),
        ("There is no such release of it.", (PAGE,)),  # invented
        ("Django 6 is out.", (Source("Django", "https://example.org/d", "Django 6 is out."),)),
        ("memory", ()),
    ],
)  # fmt: skip
def test_what_is_no_source(quote: str, sources: tuple[Source, ...]) -> None:
    t = review(by=("t2", "t3"))
    t.says("t1", "request_changes", findings=[finding(**NO_RUFF, source=quote)], sources=sources)
    assert only(t).bar is Bar.MEMORY


def test_two_people_who_confirm_it_are_a_source() -> None:
    t = review().votes("u1", "real", "t1.f1").votes("u2", "real", "t1.f1")
    assert (only(t).bar, only(t).blocking) == (None, True)


def test_a_wording_that_is_not_about_the_outside_world_keeps_the_finding_blocking() -> None:
    t = review(by=("t1", "t3"))
    inside = {"title": "ruff 0.16.0 breaks the build", "trigger": "the import in app/db.py fails"}
    t.says("t2", "request_changes", findings=[finding(**{**NO_RUFF, **inside})])
    assert only(t).blocking


def test_a_seat_can_say_itself_that_it_is_from_memory() -> None:
    by_seat: dict[str, Any] = {"title": "Toto vydání není", "trigger": "", "source": "From memory."}
    assert only(review(**by_seat)).bar is Bar.MEMORY


def test_a_demand_that_blocked_is_not_barred_by_the_next_review() -> None:
    before = demand("e1", "f00d", "high", 0.9, NO_RUFF["title"], "requirements.txt", 1, "RIGHT",
                    PIN, blocked=True)  # fmt: skip
    assert only(review(demands=(before,))).blocking


OUTSIDE = (
    ("Version 0.16.0 of ruff has not been released", "pyproject.toml", 'ruff = "0.16.0"'),
    ("There is no ruff 0.16.0 on PyPI", "a.txt", ""),
    ("Model `gpt-7-mini` does not exist", "app/ai.py", 'model="gpt-7-mini"'),
    ("Unknown model claude-opus-6", "app/ai.py", ""),
    ("gemini-4-pro isn't a valid model id", "app/ai.py", 'M = "gemini-4-pro"'),
    ("Non-existent version of actions/checkout@v9", ".github/workflows/ci.yml", ""),
    ("actions/checkout@v9 does not exist", ".github/workflows/ci.yml", ""),
    ("This action does not exist", ".github/workflows/ci.yml", "uses: a/b@v9"),
    ("The package fastjsonx is not found on npm", "package.json", ""),
    ("The package `fastjsonx` doesn’t exist", "package.json", '"fastjsonx": "^1"'),
    ("`datetime.utcnow` is deprecated since Python 3.12", "app/t.py", "datetime.utcnow()"),
    ("`asyncio.now` does not exist in Python 3.11", "app/t.py", "asyncio.now()"),
    ("`os.errno` was removed in Python 3.7", "app/t.py", ""),
    ("Node 26 is not yet available", "Dockerfile", "FROM node:26"),
    ("python:3.15-slim is an invalid image", "Dockerfile", "FROM python:3.15-slim"),
    ("The latest release of Django is 5.2, so 6.1 is wrong", "a.txt", "Django==6.1"),
    ("Pydantic v3 doesn't exist", "a.txt", ""),
    ("Hallucinated dependency: fastjsonx", "package.json", '"fastjsonx": "1"'),
    ("The version pinned here does not exist", "go.mod", "require a v9"),
    ("The runner ubuntu-26.04 is unknown", ".github/workflows/ci.yml", "runs-on: ubuntu-26.04"),
    ("pip finds no matching version for torch==3.0", "requirements.txt", "torch==3.0"),
)
INSIDE = (
    ("The query is built from user input", "app/db.py", "execute(q)"),
    ("`store.fetch_all` does not exist", "app/db.py", "store.fetch_all()"),
    ("Upgrading from 1.2 to 2.0 fails because the column does not exist", "m/1.py", "ALTER"),
    ("Returns 500 for a user that does not exist", "app/v.py", "user = get(id)"),
    ("A missing version answers 500: the version does not exist", "app/v.py", "get(version)"),
    ("The model `User` does not exist any more and is still imported", "app/v.py", "import U"),
    ("An invalid token is accepted", "app/auth.py", "return True"),
    ("Removed check: amounts of 1.5 pass", "app/pay.py", "amount"),
    ("The image logo.png does not exist", "web/a.html", '<img src="logo.png">'),
    ("The image has no USER and runs as root", "Dockerfile", "FROM python:3.12"),
    ("The action has no permissions block", ".github/workflows/ci.yml", "uses: a/b@v4"),
    ("Lock of the package removed: it is not pinned", "package.json", '"left-pad": "*"'),
    ("TLS 1.0 is not removed from the accepted versions", "app/tls.py", "TLSv1.0"),
    ("A package of 0 bytes is not supported", "app/net.py", "read(0)"),
    ("No lock around the counter", "app/a.py", "count += 1"),
    ("Dockerfile copies a folder that does not exist", "Dockerfile", "COPY dist /srv"),
    ("API version v1 is removed while clients still call it", "app/api.py", "v1 = Blueprint()"),
    ("API version 1.2 is removed while clients still call it", "app/api.py", "api(1, 2)"),
    ("The v1 API is removed without a redirect", "app/api.py", "v1 = Blueprint()"),
    ("Schema v2 is not supported by old readers", "app/s.py", "SCHEMA = 2"),
)


@pytest.mark.parametrize(
    ("claim", "outside"), [*((c, True) for c in OUTSIDE), *((c, False) for c in INSIDE)]
)
def test_claims_about_the_outside_world_are_told_from_those_about_the_change(
    claim: tuple[str, str, str], outside: bool
) -> None:
    title, path, quote = claim
    assert speaks_of_outside(finding(title, path=path, quote=quote)) is outside
