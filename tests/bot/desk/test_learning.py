"""People's later word on a verdict reaches the leaderboard, the casting and the weights."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.models.scripted import Scripted
from bot import settings
from bot.debates.opening.prepare import Prepared
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Held, Leaderboard, Useful
from core.debate.events import DebateRequest, DebateRequested, OutcomeResolved
from core.debate.state import replay
from core.debate.verdict.learned.ratings import ENOUGH, records
from core.words.outcome.report import report
from tests.browser.questions import resolved
from tests.browser.stage import keep

MODELS = ("scripted", "scripted:stance=approve")
CHANGE = "examples/03-orders-as-csv.diff"


@pytest.fixture
def two_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> settings.Settings:
    monkeypatch.setattr(Scripted, "demo", False)  # outcomes of demonstrations count nowhere
    env = {
        "DEBATE_SCRIPTED": "1",
        "DEBATE_MODELS": ",".join(MODELS),
        "DEBATE_DATABASE_URL": f"sqlite:///{tmp_path}/debate.db",
    }
    return settings.read(env, tmp_path)


async def debated(parts: Parts, template: str = "code_review", **options: object) -> str:
    request = DebateRequest(template, CHANGE, "shell:ann", "shell:ann", files=True, **options)  # type: ignore[arg-type]  # a test names its options
    id = await parts.service.open(await parts.service.prepare(request))
    return (await parts.player.play(id)).id


async def resolve(parts: Parts, id: str, held: bool, why: str = "") -> None:
    answer = await parts.desk.take(Held(id, held, why), shell_caller("shell:ann"))
    assert answer.ok, answer.text
    await parts.player.play(id)


async def remembered(parts: Parts, id: str, number: int, held: bool) -> None:
    """Stores a copy of a debate as a past one with a known outcome."""
    first, *rest = await parts.stores.debates.load(id)
    assert isinstance(first, DebateRequested)
    past = [each for each in rest if not isinstance(each, OutcomeResolved)]
    copy = replace(first, id=f"past{number}", at=first.at - timedelta(days=number))
    await keep(parts, [copy, *past, OutcomeResolved(held, "shell:ann", first.at)])


async def prepared(parts: Parts, template: str, consensus: str = "") -> tuple[Prepared, str]:
    """Returns a debate that is not begun, and the report of its opening."""
    request = DebateRequest(
        template, CHANGE, "shell:ann", "shell:ann", files=True, consensus=consensus
    )
    made = await parts.service.prepare(request)
    first = DebateRequested("d1", request, made.opened.at)
    return made, report(replay([first, made.opened]))


async def test_what_became_of_a_review_is_kept_shown_by_role_and_counts_for_the_next_draw(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        first = await parts.service.load(await debated(parts, rounds=1))
        assert first.open.terms.known == {}
        await resolve(parts, first.id, False, "  It leaked rights. ")
        events = await parts.stores.debates.load(first.id)
        sat = records(await parts.service.load(first.id))  # not of a seat that took no stance
        answer = await parts.desk.take(Leaderboard(), shell_caller("shell:ann"))
        second, written = await prepared(parts, "code_review")
    (known,) = [e for e in events if isinstance(e, OutcomeResolved)]
    assert (known.held, known.because) == (False, "It leaked rights.")
    assert "By role:" in answer.text
    assert f"too few to tell (under {ENOUGH})" in answer.text
    assert "Who disagreed when a verdict did not hold:" in answer.text
    document = json.loads(answer.files[0].text)
    assert len(sat) > 1
    assert {one["role"] for one in document["seats"]} == {record.role for record in sat}
    assert set(document) == {"models", "seats", "dissent", "panels", "kinds", "findings"}
    assert {*document["seats"][0]} == {"role", "model", "n", "right", "held"}
    assert "role" not in document["models"][0]

    terms = second.opened.terms
    assert sum(past.of for past in terms.known.values()) == len(first.present)
    assert set(terms.known) <= set(MODELS)
    assert (terms.stated, terms.busy) == ({}, {})
    assert f"no part yet: too few known outcomes (a model needs {ENOUGH})" in written


async def test_few_outcomes_weigh_all_alike_and_enough_weigh_by_the_lower_end(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        id = await debated(parts, "security_audit", consensus="weighted")  # both models sit in it
        await resolve(parts, id, True)
        number = 0
        while True:
            weighted, written = await prepared(parts, "security_audit", "weighted")
            terms = weighted.opened.terms
            assert set(terms.known) == set(MODELS)
            few = min(past.of for past in terms.known.values()) < ENOUGH
            assert (terms.weights == {}) is few
            if not few:
                break
            number += 1
            await remembered(parts, id, number, number != 2)
    assert 0 < number < ENOUGH
    assert set(terms.weights) == set(weighted.opened.script.voters)
    assert all(0 <= w < 1 for w in terms.weights.values())
    assert any("votes weigh by how often a model was right" in line for line in weighted.lines)
    assert any("seats drawn by how often a model was right" in line for line in weighted.lines)
    assert set(terms.stated[""]) == set(terms.busy) == set(MODELS)
    assert min(one.of for one in terms.stated[""].values()) >= ENOUGH
    assert min(terms.busy.values()) > 0, "their calls of the last hour"
    lines = [line for line in weighted.lines if " drawn less: " in line]
    assert len(lines) == 2
    assert all(f"- {line[:1].upper()}{line[1:40]}" in written for line in lines)


async def test_a_resolved_debate_is_read_once_until_something_happens_in_it(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        past = [resolved(f"past{n}", parts.clock.now(), n) for n in range(2)]
        ids = [await keep(parts, each.events) for each in past]
        history = parts.desk.history
        read = []

        def note(_c: object, _cursor: object, text: str, *_more: object) -> None:
            if "FROM event" in text:
                read.append(text)

        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        try:
            first = await history.records()
            counts = [len(read)]
            again = await history.records()
            counts.append(len(read))
            await parts.desk.take(Useful(True, ids[0]), shell_caller("shell:ann"))
            await parts.player.play(ids[0])
            read.clear()
            last = await history.records()
            counts.append(len(read))
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", note)
        fresh = await replace(history, _known={}).records()
    assert counts == [2, 2, 1]
    assert first == again == last == fresh != []
