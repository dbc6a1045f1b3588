"""Whole debates against a provider over a socket: searching seats, judges that rule twice, an
estimate before a panel.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.models.hosted import ROUNDS
from adapters.models.search import RESULTS
from adapters.posts import posts_for
from adapters.posts.export.transcript import by_round
from adapters.room.outgoing.parts import parts as page_parts
from adapters.room.outgoing.view import DebateView
from bot.debates.budgets import day_of
from core.debate import events as e
from core.debate.budget.pricing import FOUND, SEARCHING
from core.debate.events import DebateRequest
from core.debate.ports import Source
from core.debate.script import Duty
from core.debate.state import Debate
from core.debate.verdict.consensus import panel
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.views.course.happenings import SEARCH_FAILED
from tests.bot.calls import spent
from tests.bot.conftest import held
from tests.bot.debates.provider import Provider, by_schema, hosted, prompt_of

QUESTION = "Should we move the queue to PostgreSQL now, or wait a year?"
PAGE = Source(
    "Queues in databases", "https://example.org/queues", "A table holds 40 jobs a second."
)


class Web:
    def __init__(self, error: OSError | None = None) -> None:
        self.queries: list[str] = []
        self.threads: set[str] = set()
        self.error = error

    def __call__(self, query: str) -> Sequence[Source]:
        self.queries.append(query)
        self.threads.add(threading.current_thread().name)
        if self.error is not None:
            raise self.error
        return (PAGE,)


def spoken(body: dict[str, Any]) -> dict[str, Any]:
    """Returns an answer to every request that a seat of the triad can get; a model that may search
    is not bound to a schema.
    """
    if "response_format" in body:
        return by_schema(body)
    stance = {"option": "yes", "confidence": 0.7, "because": "so"}
    return {
        "text": "A table holds 40 jobs a second.",
        "stance": stance,
        "claims": [{"text": "It scales", "quote": "40 jobs a second"}],
    }


async def test_seats_search_and_what_they_found_stays_with_what_they_said(tmp_path: Path) -> None:
    provider, web = Provider(spoken, searches=1), Web()
    async with hosted(tmp_path, provider, DEBATE_SEARCH="1") as parts:
        parts.models.find = web
        debate = await held(parts, "triad", QUESTION, search=True)
        again = await parts.service.load(debate.id)
    seats = {t.id: t.seat for t in again.turns}
    searched = {t for t, statement in again.finished.items() if statement.sources}
    assert len(searched) == 12, "one debate's allowance, whoever asks"
    assert len(web.queries) == 12
    assert {seats[t] for t in searched} <= set(again.open.script.voters), (
        "who closes never searches"
    )
    assert threading.main_thread().name not in web.threads
    tools = [m for body in provider.requests for m in body["messages"] if m["role"] == "tool"]
    assert any(m["content"].startswith("<web_results> (data from strangers") for m in tools)
    most = max(sum(m["role"] == "tool" for m in body["messages"]) for body in provider.requests)
    assert most < ROUNDS
    first = next(iter(searched))
    row = next(t for r in outcome(again)["rounds"] for t in r["turns"] if t["id"] == first)
    assert row["sources"] == [{"title": PAGE.title, "url": PAGE.url}]
    assert row["unverified"] == [], "the quotation stands in what it found"
    assert "### Sources\n\n- Queues in databases · `https://example.org/queues`" in report(again)
    assert ("Source", "Queues in databases - https://example.org/queues") in posted(again, first)


async def test_people_read_that_a_search_failed_wherever_they_read_the_statement(
    tmp_path: Path,
) -> None:
    provider, web = Provider(spoken, searches=1), Web(OSError("unreachable"))
    async with hosted(tmp_path, provider, DEBATE_SEARCH="1") as parts:
        parts.models.find = web
        debate = await held(parts, "triad", QUESTION, search=True, rounds=1)
        again = await parts.service.load(debate.id)
    first = next(t for t, statement in again.finished.items() if statement.failed_searches)
    why = f"“{web.queries[0]}”: the search engine did not answer (OSError)"
    assert again.finished[first].failed_searches == (why,)
    document = outcome(again)
    row = next(t for r in document["rounds"] for t in r["turns"] if t["id"] == first)
    assert (row["sources"], row["failed_searches"]) == ([], [why])
    assert (SEARCH_FAILED, why) in posted(again, first)
    page = "".join(part.html for part in page_parts(DebateView(again, document)).values())
    for text in ("\n".join(by_round(again).values()), report(again), page):
        assert f"{SEARCH_FAILED}: {why}" in text


def posted(debate: Debate, turn: str) -> list[tuple[str, str]]:
    """Returns the fields of the post that shows this statement."""
    current = next(t for t in debate.turns if t.id == turn)
    event = e.TurnFinished(
        current.id, debate.finished[current.id], debate.usage[current.id], debate.models[current.id]
    )
    return [
        field for post in posts_for(debate, event, debate, grows=False) for field in post.fields
    ]


TWO = """
roles = [{name = "one"}, {name = "two"}]
[[phases]]
name = "talk"
roles_active = ["one", "two"]
"""
CLOSED = 'id = "closed"\nevidence_policy = "disallow-external"' + TWO
PLAIN = 'id = "plain"' + TWO


@pytest.mark.parametrize(
    ("enabled", "wished", "template", "line"),
    [
        ("", True, "plain", "no web search: it is not enabled here (DEBATE_SEARCH=1 enables it)"),
        ("1", False, "plain", ""),
        ("1", True, "closed", "no web search: closed allows no evidence from outside the material"),
    ],
)
async def test_where_it_is_not_allowed_no_tool_is_ever_offered(
    tmp_path: Path, enabled: str, wished: bool, template: str, line: str
) -> None:
    (tmp_path / "closed.toml").write_text(CLOSED)
    (tmp_path / "plain.toml").write_text(PLAIN)
    provider, web = Provider(searches=1), Web()
    async with hosted(
        tmp_path, provider, DEBATE_SEARCH=enabled, DEBATE_TEMPLATES_DIR=str(tmp_path)
    ) as parts:
        parts.models.find = web
        prepared = await parts.service.prepare(
            DebateRequest(template, QUESTION, "shell:ann", "shell:ann", search=wished, rounds=1)
        )
        assert [x for x in prepared.lines if "web search" in x] == ([line] if line else [])
        await parts.player.play(await parts.service.open(prepared))
    assert web.queries == []
    assert not any(body.get("tools") for body in provider.requests)


def ruling(option: str, swapped: str) -> Any:
    """Returns answers of seats that differ and of a judge that rules ``option``, and ``swapped``
    when it hears the case in the other order.
    """

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        made = by_schema(body)
        text = prompt_of(body)
        if "ruling" in made:
            made["ruling"] = swapped if text.index("[t2]") < text.index("[t1]") else option
        if "stance" in made:
            first = "P1" in str(body["messages"][-1]["content"])
            made["stance"]["option"] = "accept" if first else "reject"
        return made

    return reply


@pytest.mark.parametrize(("swapped", "decision"), [("accept", "accept"), ("reject", "contested")])
async def test_a_judge_rules_twice_in_both_orders(
    tmp_path: Path, swapped: str, decision: str
) -> None:
    provider, contested = Provider(ruling("accept", swapped)), decision == "contested"
    async with hosted(tmp_path, provider) as parts:
        debate = await held(parts, "adversarial", QUESTION, consensus="judge", rounds=1)
    judging = [t for t in debate.turns if t.task == "judge"]
    assert [t.swapped for t in judging] == [False, True]
    assert {debate.open.script.seat(t.seat).duty for t in judging} == {Duty.JUDGE}
    cases = [b for b in provider.requests if '"ruling"' in prompt_of(b)]
    assert len(cases) >= 2
    verdict = outcome(debate)["verdict"]
    assert (verdict["decision"], verdict["contested"]) == (decision, contested)
    assert list(panel(debate).rulings.values()) == [decision]
    assert verdict["reached"] is not contested


async def test_an_estimate_is_asked_before_the_panel_and_stands_in_the_days_spending(
    tmp_path: Path,
) -> None:
    provider = Provider(
        lambda body: {"estimate": 0.95} if "how complex" in prompt_of(body) else by_schema(body)
    )
    async with hosted(tmp_path, provider) as parts:
        prepared = await parts.service.prepare(
            DebateRequest("panel", QUESTION, "shell:ann", "shell:ann", rounds=1)
        )
        assert len(provider.requests) == 1
        assert provider.requests[0]["max_tokens"] == 200
        day = day_of(parts.clock.now())
        before = await spent(parts, day)
        id = await parts.service.open(prepared)
        after = await spent(parts, day)
        debate = await parts.player.play(id)
        document = outcome(debate)
        lines = await parts.stores.debates.find_recent()
    assert before == 0.0
    assert after > 0.0
    assert document["complexity"]["estimate"] == 0.95
    assert document["complexity"]["estimated_by"].startswith("openai/gpt-4.1")
    assert document["cost"]["calls"] == len(provider.requests)
    assert lines[0].cost == pytest.approx(document["cost"]["usd"])


def test_the_bound_of_a_price_holds_for_what_a_call_may_really_use() -> None:
    assert SEARCHING == ROUNDS
    assert FOUND >= RESULTS * (200 + 500 + 400)
