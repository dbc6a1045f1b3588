"""Time travel: what is kept, what is not paid again, what goes on, and the two verdicts side by
side.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.posts.export import export
from bot.debates.fork import LEFT_OUT, ended_at, fork
from bot.debates.opening.request import request_again
from bot.debates.service import parent_outcome
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts
from core.application.commands.actions import Action
from core.application.commands.requests import ForkRequest
from core.debate import events as e
from core.debate.due.argument import BECAUSE
from core.debate.errors import BadInput
from core.debate.state import Debate
from core.debate.usage import Usage
from core.words.outcome import outcome
from tests.bot.conftest import held
from tests.bot.debates.test_money import Priced

QUESTION = "Should we move the queue to PostgreSQL now, or wait a year?"
NOW = datetime(2026, 12, 1, tzinfo=UTC)


def paid(parts: Parts) -> int:
    ledger = Path(parts.settings.env["DEBATE_SCRIPTED_LEDGER"])
    return len(ledger.read_text().splitlines()) if ledger.exists() else 0


async def forked(parts: Parts, parent: Debate, **condition: object) -> Debate:
    ask = ForkRequest(parent.id, **condition)  # type: ignore[arg-type]  # a test names its condition
    copy = await parts.desk.permissions.copy(shell_caller("shell:ann"), Action.FORK, parent)
    return await parts.player.play(await parts.service.fork(copy, ask, asker="shell:ann"))


async def test_a_fork_keeps_what_was_said_and_pays_only_for_the_rest(parts: Parts) -> None:
    """Other models take over at the fork."""
    parent = await held(parts, "critique", QUESTION, rounds=3)
    before = paid(parts)
    events = await parts.stores.debates.load(parent.id)
    half = len(events) // 2
    child = await forked(parts, parent, at=half)
    kept = [x for x in events[:half] if isinstance(x, e.TurnFinished)]
    assert len(kept) > 3
    assert child.open.script == parent.open.script
    assert (child.open.seed, child.open.cast) == (parent.open.seed, parent.open.cast)
    for event in kept:
        assert child.finished[event.turn] == event.statement
        assert child.usage[event.turn] == Usage(), "its parent paid"
    fresh = len(child.finished) - len(kept)
    assert paid(parts) - before == fresh > 0
    assert outcome(child)["cost"]["calls"] == fresh
    other = await forked(parts, parent, at=half, models=("scripted:stance=drop",))
    old = {event.turn for event in kept}
    assert {other.models[t] for t in other.finished if t not in old} == {"scripted:stance=drop"}
    assert {other.models[t] for t in old} == {"scripted"}


async def test_a_seat_that_is_left_out_keeps_its_words_and_says_nothing_more(parts: Parts) -> None:
    """A fork of that fork keeps both conditions."""
    parent = await held(parts, "critique", QUESTION, rounds=3)
    child = await forked(parts, parent, without="builder", assume="the budget is halved")
    silent = [t for t in child.turns if t.seat == "builder"]
    assert {child.skipped[t.id] for t in silent} == {LEFT_OUT}
    assert child.final
    assert outcome(child)["votes"]["final"]["none"] == 1, "it stays entitled"
    assert {t.id for t in child.turns if t.closing} <= set(child.finished)
    grandchild = await forked(parts, child, at=2, without="guardian", assume="nobody may be hired")
    assert grandchild.open.terms.assume == "the budget is halved\nnobody may be hired"
    assert grandchild.open.terms.without == ("builder", "guardian")
    assert {
        t.seat
        for t in grandchild.turns
        if t.id in grandchild.finished and t.seat in grandchild.open.script.voters
    } == {"explorer"}
    assert grandchild.fork is not None
    assert grandchild.fork.parent == child.id


async def test_the_assumption_reaches_every_prompt_and_the_report_shows_both_verdicts(
    parts: Parts,
) -> None:
    parent = await held(parts, "critique", QUESTION, rounds=2)
    child = await forked(parts, parent, assume="the table has ten million rows")
    above = await parent_outcome(parts.stores.debates, child)
    assert above is not None
    document = json.loads(export(child, "json", above))
    assert document["parent"]["id"] == parent.id
    assert document["parent"]["verdict"]["decision"] == above["verdict"]["decision"]
    for text in (document["report"], export(child, "md", above)):
        table = text[text.index("### Fork") :]
        assert f"Forked from {parent.id} after " in table
        assert "assuming: the table has ten million rows." in table
        assert f"| | {parent.id} | {child.id} |" in table
        assert "| Decision | " in table


@pytest.mark.parametrize(
    ("template", "models"),
    [("critique", ()), ("design_doc", ("scripted:stance=accept",))],
    ids=["converged", "unanimous"],
)
async def test_a_fork_of_a_debate_that_stopped_early_goes_on(
    parts: Parts, template: str, models: tuple[str, ...]
) -> None:
    parent = await held(parts, template, QUESTION, models=models)
    events = await parts.stores.debates.load(parent.id)
    assert parent.stop is not None
    assert ended_at(events) < len(events)
    child = await forked(parts, parent, at=len(events))
    assert child.fork is not None
    assert child.fork.at == ended_at(events), "how the parent ended is not inherited"
    assert len(child.finished) > len(parent.finished), "there is more to say than the report"


REVIEW = {"format": "contested", "files": True}
CHANGE = "examples/02-remember-rights.diff"


async def test_a_fork_of_a_review_in_which_nobody_was_heard_begins_with_its_openings(
    parts: Parts,
) -> None:
    parent = await held(parts, "code_review", CHANGE, models=("scripted:fail",), **REVIEW)
    assert not parent.finished
    child = await forked(parts, parent, models=("scripted",))
    opened = [t for t in child.turns if t.independent]
    assert {t.id for t in opened} <= set(child.finished)
    assert child.status == "finished"


async def test_a_fork_of_a_review_keeps_its_openings_and_argues_again(parts: Parts) -> None:
    """A seat that is left out is asked nothing about findings."""
    parent = await held(parts, "code_review", CHANGE, **REVIEW)
    argued = [t.id for t in parent.turns if t.task == "weigh"]
    assert argued
    child = await forked(parts, parent, assume="the table has ten million rows")
    opened = {t.id for t in child.turns if t.independent}
    fresh = {id for id, usage in child.usage.items() if usage != Usage()}
    assert opened <= set(child.finished)
    assert not opened & fresh, "their parent paid"
    assert set(argued) <= fresh
    events = await parts.stores.debates.load(parent.id)
    had = next(n for n, x in enumerate(events, 1) if getattr(x, "because", "") == BECAUSE)
    shop = Priced(parts.models)
    priced = [
        fork(parent, events, "f1", e.Fork(parent.id, at), parent.request, shop, NOW)[1][0]
        for at in (had - 1, had)
    ]
    before, after = (x.terms.estimate or 0 for x in priced if isinstance(x, e.DebateOpened))
    assert after >= before >= 0
    seat = "security_critic"
    less = await forked(parts, parent, without=seat)
    assert less.final
    fresh = {id for id, usage in less.usage.items() if usage != Usage()}
    assert fresh
    assert not [t.id for t in less.turns if t.seat == seat and t.id in fresh]


async def test_a_fork_of_a_review_that_argued_nothing_opens_again(parts: Parts) -> None:
    parent = await held(parts, "code_review", CHANGE, models=("scripted:lie",), **REVIEW)
    assert not [t for t in parent.turns if t.task == "weigh"]
    child = await forked(parts, parent, assume="the table has ten million rows")
    assert child.usage.keys() >= {t.id for t in child.turns if t.independent}
    assert all(usage != Usage() for usage in child.usage.values())


async def test_only_a_condition_that_can_be_is_taken_and_a_debate_started_again_names_the_first(
    parts: Parts,
) -> None:
    parent = await held(parts, "critique", QUESTION, rounds=1, schedule="s1")
    table = "No debater is called 'nobody'. At the table: builder, guardian, explorer."
    conditions: tuple[tuple[dict[str, object], str], ...] = (
        ({"at": 1}, "--at is a position from 2 to"),
        ({"at": 9999}, "--at is a position from 2 to"),
        ({"without": "nobody"}, table),
        ({"without": "chair"}, "No debater is called 'chair'"),
    )
    for condition, says in conditions:
        with pytest.raises(BadInput, match=says):
            await forked(parts, parent, **condition)
    for action, named in ((Action.RERUN, parent.id), (Action.FORK, "")):
        copy = await parts.desk.permissions.copy(shell_caller("shell:ben"), action, parent)
        again = request_again(copy, asker="shell:ben", files=True)
        assert (again.again, again.asker, again.schedule) == (named, "shell:ben", "")
        assert (again.target, again.place, again.files) == (QUESTION, copy.place, False)
    copy = await parts.desk.permissions.copy(shell_caller("shell:ben"), Action.RERUN, parent)
    chained = replace(parent, request=replace(parent.request, after="d0", story="o/r#1"))
    for place, kept in ((parent.request.place, ("d0", "o/r#1")), ("slack:T1/C1", ("", ""))):
        other = request_again(
            replace(copy, debate=chained, place=place), asker="shell:ben", files=False
        )
        assert (other.after, other.story, other.place) == (*kept, place)
