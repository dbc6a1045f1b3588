"""Every amount of money is true and fits its sentence, in every language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from bot.debates.opening.brief import price_words
from core.debate.budget import PROOF_USED_UP
from core.debate.budget.pricing import Estimate
from core.debate.events import EndReason
from core.debate.usage import Usage
from core.languages import LANGUAGES, cents, money, say, speaking
from core.languages.stored import say_stored
from core.words.views.course.cost import (
    calls_words,
    cost,
    estimated_line,
    spent_line,
    spent_so_far,
)
from core.words.views.course.cost import (
    price_words as cost_words,
)
from core.words.views.course.cost import (
    spent as spent_words,
)
from core.words.views.language.grammar import amount, at_most, dollars
from tests.core.table import Table, table


@pytest.mark.parametrize(
    ("usd", "english", "czech", "german"),
    [
        (0, "$0.00", "0,00 US$", "0,00 $"),
        (-3, "$0.00", "0,00 US$", "0,00 $"),
        (0.1 + 0.2 - 0.3, "$0.00", "0,00 US$", "0,00 $"),
        (0.000002, "$0.000002", "0,000002 US$", "0,000002 $"),
        (0.0001, "$0.0001", "0,0001 US$", "0,0001 $"),
        (0.05, "$0.05", "0,05 US$", "0,05 $"),
        (12345.678, "$12,345.68", "12 345,68 US$", "12.345,68 $"),
    ],
)
def test_an_amount_is_written_with_its_figures(
    usd: float, english: str, czech: str, german: str
) -> None:
    for language, text in (("en", english), ("cs", czech), ("de", german)):
        with speaking(language):
            assert amount(usd).replace("\xa0", " ") == text
            assert usd > 0 or dollars(usd) in (say("free"), amount(0))
            if usd > 0:
                assert cents(usd) in money(usd)


def spent(*prices: float | None, budget: float, estimate: float | None = None) -> Table:
    made = table(terms={"budget": budget, "estimate": estimate})
    for n, usd in enumerate(prices, 1):
        made.says(f"t{n}", "approve", usage=Usage(100, 40, 20, usd, 400, 0.5))
    return made


def lines() -> Iterator[str]:
    for budget in (0.0, 0.0001, 5, 12345.678):
        for prices in ((), (0.0,), (None,), (0.01,), (0.0, None), (0.00001, None), (12345.678,)):
            for estimate in (0.0, 0.02, None):
                yield spent_line(spent(*prices, budget=budget, estimate=estimate).debate)
        for likely in (None, 0.0, 0.01):
            yield price_words(Estimate(3, 90, likely, likely), budget)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_free_of_or_unknown_of_an_amount(language: str) -> None:
    with speaking(language):
        free, unknown = say("free"), say("price unknown")
        of = say("{price} of {limit}", price="", limit="").strip()
        limit = say("limit {usd}", usd="").strip()
        for line in lines():
            assert f"{unknown} {of}" not in line
            assert not {f"{free} {of}", f"{of} {free}", f"{limit} {free}"} & pairs(line)


UNKNOWN = "$0.01 and 1 call of unknown price"
SPENT: list[tuple[tuple[float | None, ...], float | None, str, str, str]] = [
    # prices of the calls, the estimate; spent before the end and after it, and of the estimate
    ((), 0.0, "free", "free", "free"),
    ((), 0.02, "$0 so far", "$0", "$0 of about $0.02"),
    ((), None, "$0 so far", "free", "$0 so far"),
    ((0.0,), 0.0, "free", "free", "free"),
    ((0.0,), 0.02, "$0 so far", "$0", "$0 of about $0.02"),
    ((0.01,), 0.0, "$0.01", "$0.01", "$0.01"),
    ((0.01,), 0.02, "$0.01", "$0.01", "$0.01 of about $0.02"),
    ((1.0,), None, "$1.00", "$1.00", "$1.00"),
    ((0.01, None), 0.02, UNKNOWN, UNKNOWN, UNKNOWN),
    ((None, None), 0.02, "price unknown", "price unknown", "price unknown"),
]


@pytest.mark.parametrize(("prices", "estimate", "now", "after", "of_all"), SPENT)
def test_what_is_spent_is_free_nothing_yet_or_an_amount(
    prices: tuple[float | None, ...], estimate: float | None, now: str, after: str, of_all: str
) -> None:
    t = spent(*prices, budget=5.0, estimate=estimate)
    assert (spent_words(t.debate), spent_so_far(t.debate)) == (now, of_all)
    line = f"estimated {dollars(estimate)}" if estimate else ""
    assert estimated_line(t.debate) == line
    t.stops(EndReason.HUMAN).concluded()
    assert (spent_words(t.debate), estimated_line(t.debate)) == (after, "")


def test_a_price_that_was_agreed_to_is_shown_beside_its_limit() -> None:
    assert spent_line(spent(0.01, budget=5.0, estimate=0.02).debate) == "$0.01 of $5.00"
    assert spent_line(spent(budget=5.0, estimate=0.02).debate) == "$0 of $5.00"
    assert spent_line(spent(0.0, budget=5.0, estimate=0.0).debate) == "free"
    assert spent_line(table(terms={"estimate": 0.02}).debate) == "$0 so far"


def test_the_cost_is_the_sum_of_what_was_used() -> None:
    t = table()
    used = (
        Usage(100, 40, 20, 0.1234561, 400, calls=3), Usage(completion_tokens=7, usd=0.0000003),
        Usage(prompt_tokens=5, usd=None), Usage(prompt_chars=9), Usage(),
    )  # fmt: skip
    for n, usage in zip(("t1", "t2", "t3", "u1", "u2"), used, strict=True):
        t.says(n, "approve", usage=usage)
    figures = cost(t.debate)
    assert figures == {
        "usd": 0.123456, "calls": 6, "prompt_tokens": 105, "cached_tokens": 40,
        "completion_tokens": 27, "prompt_chars": 409, "unpriced": 1,
    }  # fmt: skip
    assert cost_words(figures) == "$0.12 and 1 call of unknown price"
    assert calls_words(figures) == "6 calls · 105 tokens read (40 from a cache) · 27 written"
    none = cost(table().debate)
    assert (none["usd"], cost_words(none)) == (0.0, "$0")
    assert calls_words(none) == "0 calls · 0 tokens read · 0 written"
    assert cost_words({**none, "calls": 1}) == "free"


def test_a_price_is_unknown_free_or_an_amount() -> None:
    assert [dollars(usd) for usd in (None, 0.0, 1.0)] == ["unknown", "free", "$1.00"]
    assert [at_most(usd) for usd in (None, 0.0, 1.0)] == ["unknown", "free", "at most $1.00"]


def pairs(line: str) -> set[str]:
    words = line.replace(",", "").split(" ")
    return {f"{one} {two}" for one, two in pairwise(words)}


def test_a_budget_of_nothing_is_an_amount() -> None:
    assert spent_line(spent(0.01, budget=0.0).debate) == "$0.01 of $0.00"
    with speaking("cs"):
        assert spent_line(spent(0.01, budget=0.0).debate) == "0,01\xa0US$ z 0,00\xa0US$"
    unknown = spent(0.0, None, budget=5.0).debate
    assert spent_line(unknown) == "$0.00 and 1 call of unknown price, limit $5.00"
    assert spent_line(spent(None, budget=5.0).debate) == "price unknown, limit $5.00"


def test_a_stored_amount_is_written_as_its_reader_writes_amounts() -> None:
    assert "more than $0.50," in say_stored(PROOF_USED_UP)
    with speaking("de"):
        assert "mehr als 0,50\xa0$ kosten" in say_stored(PROOF_USED_UP)
