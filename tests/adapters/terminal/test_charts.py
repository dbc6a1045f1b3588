"""Ratings and comparisons as a person sees them, and as a pipe gets them."""

from __future__ import annotations

import io
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from adapters.posts.compare import comparison
from adapters.terminal.charts import IntervalBar
from adapters.terminal.terminal import Terminal
from core.debate.script import SeatId
from core.debate.verdict.learned.ratings import Record, rate
from core.debate.verdict.learned.usefulness import PastDebate, by_kind
from core.debate.verdict.votes import wilson
from core.languages import speaking
from tests.adapters.terminal.screen import STYLE, Screen
from tests.bot.desk.test_compare import outcome


def ratings() -> dict[str, object]:
    """Twelve resolved debates of two models."""
    records = [
        Record(f"d{n}", SeatId(role), model, n % 4 > 0 or model == "m/a", 0.8, 0, 0, role, "code",
               n % 4 == 0)
        for n in range(12)
        for role, model in (("security_critic", "m/a"), ("author", "m/b"))
    ]  # fmt: skip
    records.append(Record("d99", SeatId("author"), "m/new", True, 0.9, 0, 0, "author", "code"))
    rated = rate(records)
    tables = {"models": rated.models, "seats": rated.seats, "dissent": rated.dissent}
    return {"panels": [], "kinds": []} | {n: msgspec.to_builtins(t) for n, t in tables.items()}


def test_a_leaderboard_is_drawn() -> None:
    Terminal(out := Screen(), width=100).leaderboard(ratings(), "as text")
    assert out.lines() == [
        "Right, and its 95 % interval",
        "m/a    ······················├──────●  12 of 12, 76% to 100%, Brier 0.040, moved 0×",
        "m/new  ······├──────────────────────●  1 of 1, too few to tell, moved 0×",
        "m/b    ··············├───────●───┤···  9 of 12, 47% to 91%, Brier 0.190, moved 0×",
        "",
        "By role",
        "security critic, m/a  ······················├──────●  12 of 12, 76% to 100%",
        "author, m/b           ··············├───────●───┤···  9 of 12, 47% to 91%",
        "author, m/new         ······├──────────────────────●  1 of 1, too few to tell",
        "",
        "Who disagreed when a verdict did not hold",
        f"security critic  {'█' * 30}  3 of 3; disagreed with 0 of 9 verdicts that held",
        f"author           {'·' * 30}  0 of 3; disagreed with 0 of 10 verdicts that held",
    ]


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("Podle role", "bezpečnostní kritik, m/a  ······················├──────●  12 z 12"),
        ("Podle druhu rozhodnutí", "code_review, potvrdilo se  ················├───────●───┤·  10"),
    ],
)
def test_a_leaderboard_is_drawn_in_the_readers_language(heading: str, line: str) -> None:
    with speaking("cs"):
        Terminal(out := Screen(), width=100).leaderboard(ratings() | {"kinds": kinds()}, "as text")
    drawn = STYLE.sub("", out.getvalue())
    assert f"\n{heading}\n" in drawn
    assert line in drawn
    assert not re.search(r"\b(of|each|useful|held|moved)\b", drawn)


def kinds() -> object:
    records = [PastDebate("code_review", 0.5, useful=1, held=n > 1) for n in range(12)]
    return msgspec.to_builtins(by_kind([*records, PastDebate("panel", 0.0, useless=1)]))


def test_what_a_kind_of_decision_costs_is_drawn_beside_its_worth() -> None:
    Terminal(out := Screen(), width=100).leaderboard(ratings() | {"kinds": kinds()}, "as text")
    lines = out.lines()
    assert lines[lines.index("By kind of decision") :] == [
        "By kind of decision",
        "code_review, useful  ······················├──────●  12 of 12, 76% to 100%, $0.50 each",
        "code_review, held    ················├───────●───┤·  10 of 12, 55% to 95%",
        "panel, useful        ●──────────────────────┤······  0 of 1, too few to tell, free",
        "panel, held          ●────────────────────────────┤  0 of 0, too few to tell",
    ]


def test_a_comparison_is_drawn() -> None:
    Terminal(out := Screen(), width=100).compare((outcome("d1"), outcome("d2", scores={})), "text")
    assert out.lines() == [
        "■ d1 (panel, standard, 5 seats)",
        "■ d2 (panel, standard, 5 seats)",
        "",
        "decision                                    For with conditions",
        "                                            For with conditions",
        "agreement   ███████████████···············  50% of 2 voting seats",
        "            ███████████████···············  50% of 2 voting seats",
        "quality     ██████████████████▒▒▒·········  0.60",
        "                                            not scored",
        "diversity   █████████████████████·········  5 new of 7 points",
        "            █████████████████████·········  5 new of 7 points",
        "confidence  ████████████████████████······  0.80, unchecked",
        "            ████████████████████████······  0.80, unchecked",
        "cost                                        $0.01, 8 calls",
        "                                            $0.01, 8 calls",
        "lighter: up to the highest value",
    ]


def test_a_comparison_is_drawn_in_the_readers_language() -> None:
    with speaking("cs"):
        Terminal(out := Screen(), width=100).compare((outcome("d1"), outcome("d2")), "text")
    drawn = STYLE.sub("", out.getvalue())
    assert "■ d1 (panel, standardní, míst: 5)" in drawn
    assert not re.search(r"\b(decision|agreement|quality|cost|lighter)\b", drawn)


def test_a_pipe_gets_the_text() -> None:
    Terminal(out := Screen(), plain=True).leaderboard(ratings(), "- m/a: right in 12 of 12")
    text = comparison(outcome("d1"), outcome("d2"))
    Terminal(out, plain=True).compare((outcome("d1"), outcome("d2")), text)
    assert out.getvalue() == f"- m/a: right in 12 of 12\n{text}\n"


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_bar_is_as_wide_as_its_place_and_holds_its_point(counts: tuple[int, int]) -> None:
    right, of = counts
    spread = wilson(right, of)
    console = Console(file=io.StringIO(), width=30, color_system=None)
    console.print(IntervalBar(right / of, spread.low, spread.high, "cyan"), end="")
    drawn = console.file.getvalue().rstrip("\n")  # type: ignore[attr-defined]
    assert len(drawn) == 30
    assert drawn.count("●") == 1
    assert drawn.strip("·")[0] in "├●"
    assert drawn.strip("·")[-1] in "┤●"
