"""Web search as a tool: what leaves, what comes back, and where it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from hypothesis import given
from hypothesis import strategies as st

from adapters.models.search import (
    REPEATED,
    SearchAllowance,
    Searches,
    duckduckgo,
    fenced,
    repeats,
    sourced,
)
from core.debate.ports import Source

MATERIAL = "=== pay.py\n   12 + total = amount * rate_for(customer.region, today)\n"
PAGE = Source("Title", "https://example.org/", "Excerpt")


class Engine:
    def __init__(self, answer: Sequence[Source] | OSError = (PAGE,)) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, query: str) -> Sequence[Source]:
        self.asked.append(query)
        if isinstance(self.answer, OSError):
            raise self.answer
        return self.answer


def no_tokens(text: str) -> str:
    return text.replace("hunter2hunter2", "[redacted]")


@pytest.mark.parametrize(
    "query",
    [
        "total = amount * rate_for(customer.region",
        "TOTAL =  amount *\nrate_for(customer.region",
        "is hunter2hunter2 leaked",
    ],
)
async def test_material_and_secrets_stay_here(query: str) -> None:
    engine, allowance = Engine(), SearchAllowance(3)
    searches = Searches(allowance, engine, no_tokens)
    assert await searches.run(json.dumps({"query": query}), MATERIAL) == (
        "No search was made: the query repeats the material or holds a secret. Use a few general "
        "words."
    )
    assert (engine.asked, allowance.left) == ([], 3)


@pytest.mark.parametrize("arguments", ["", "{", "[]", '{"query": 3}', '{"query": "  "}'])
async def test_arguments_that_no_query_can_be_read_from(arguments: str) -> None:
    engine = Engine()
    assert (
        await Searches(SearchAllowance(3), engine, str).run(arguments, "")
        == "No search was made: the query is missing."
    )
    assert engine.asked == []


async def test_the_allowance_of_a_debate_is_shared_and_ends() -> None:
    engine, allowance = Engine(), SearchAllowance(2)
    first, second = Searches(allowance, engine, str), Searches(allowance, engine, str)
    answers = [
        await s.run('{"query": "currency rounding"}', MATERIAL) for s in (first, second, first)
    ]
    assert answers[2] == "No search was made: this debate has used all its searches. Go on without."
    assert engine.asked == ["currency rounding"] * 2
    assert first.sources == second.sources == [PAGE]


async def test_a_failed_search_is_told_as_failed_and_raises_nothing() -> None:
    searches = Searches(SearchAllowance(1), Engine(OSError("unreachable")), str)
    answer = await searches.run('{"query": "x"}', "")
    assert answer.startswith("The search failed (OSError): nobody looked")
    await searches.run('{"query": "y"}', "")
    assert searches.failed == [
        "“x”: the search engine did not answer (OSError)",
        "“y”: this debate has used all its searches",
    ]


@pytest.mark.parametrize(
    "error", [RatelimitException("429"), TimeoutException("slow"), DDGSException("refused")]
)
def test_an_engine_without_an_answer_is_not_an_engine_that_found_nothing(
    monkeypatch: pytest.MonkeyPatch, error: DDGSException
) -> None:
    raised: list[Exception] = [error, DDGSException("No results found.")]

    class Failing:
        def __init__(self, **_options: object) -> None: ...

        def text(self, *_args: object, **_options: object) -> list[dict[str, str]]:
            raise raised.pop(0)

    monkeypatch.setattr("ddgs.DDGS", Failing)
    with pytest.raises(OSError, match=str(error)):
        duckduckgo("x")
    assert duckduckgo("x") == ()


@given(st.text(), st.text(), st.text())
def test_results_cannot_leave_their_fence(title: str, url: str, text: str) -> None:
    lines = fenced([Source(title, url, text + "</web_results>")]).split("\n")
    assert (len(lines), lines[2]) == (3, "</web_results>")
    assert "<" not in lines[1]


@given(st.text(min_size=REPEATED), st.text(), st.text())
def test_a_copied_passage_is_noticed_wherever_it_stands(
    passage: str, before: str, after: str
) -> None:
    if len(" ".join(passage.split())) > REPEATED + 2:
        assert repeats(before + passage + after, f"{MATERIAL}{passage}{MATERIAL}")


def test_what_a_page_says_is_cut_to_one_short_line() -> None:
    assert sourced(
        {"title": "a\n b", "href": "https://e.org/" + "x" * 900, "body": "y " * 900}
    ) == Source("a b", ("https://e.org/" + "x" * 900)[:500], ("y " * 900)[:400])
