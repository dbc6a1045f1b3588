"""People's later word on a verdict reaches the leaderboard, the casting and the weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from adapters.models.scripted import Scripted
from bot import settings
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Held, Leaderboard, Useful
from core.debate.events import DebateRequest, DebateRequested, OutcomeResolved
from core.debate.state import replay
from core.debate.verdict.learned.ratings import ENOUGH, records
from core.words.outcome.report import report

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


async def test_why_a_review_did_not_hold_is_kept_and_the_leaderboard_names_roles(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        id = await debated(parts)
        await resolve(parts, id, False, "  It leaked rights. ")
        events = await parts.stores.debates.load(id)
        sat = records(await parts.service.load(id))  # a seat that took no stance has no record
        answer = await parts.desk.take(Leaderboard(), shell_caller("shell:ann"))
    (resolved,) = [e for e in events if isinstance(e, OutcomeResolved)]
    assert (resolved.held, resolved.because) == (False, "It leaked rights.")
    assert "By role:" in answer.text
    assert f"too few to tell (under {ENOUGH})" in answer.text
    assert "Who disagreed when a verdict did not hold:" in answer.text
    document = json.loads(answer.files[0].text)
    assert len(sat) > 1
    assert {one["role"] for one in document["seats"]} == {record.role for record in sat}
    assert set(document) == {"models", "seats", "dissent", "panels", "kinds", "findings"}
    assert {*document["seats"][0]} == {"role", "model", "n", "right", "held"}
    assert "role" not in document["models"][0]


async def test_the_draw_of_seats_is_kept_with_what_it_was_drawn_by(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        first = await parts.service.load(await debated(parts))
        assert first.open.terms.known == {}
        await resolve(parts, first.id, True)
        second = await parts.service.load(await debated(parts))
    assert sum(past.of for past in second.open.terms.known.values()) == len(first.present)
    assert set(second.open.terms.known) <= set(MODELS)
    assert (second.open.terms.stated, second.open.terms.busy) == ({}, {})
    few = f"too few known outcomes (a model needs {ENOUGH})"
    assert f"plays no part yet: {few}" in report(second)


async def test_few_outcomes_weigh_all_alike_and_enough_weigh_by_the_lower_end(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        for n in range(11):  # each model sits at least once in each
            weighted = await parts.service.load(
                await debated(parts, "security_audit", consensus="weighted")
            )
            few = min((past.of for past in weighted.open.terms.known.values()), default=0) < ENOUGH
            assert (weighted.open.terms.weights == {}) is (
                few or len(weighted.open.terms.known) < len(MODELS)
            )
            await resolve(parts, weighted.id, n != 2)
            if weighted.open.terms.weights:
                break
        request = DebateRequest(
            "security_audit", CHANGE, "shell:ann", "shell:ann", files=True, consensus="weighted"
        )
        prepared = await parts.service.prepare(request)
    weights = prepared.opened.terms.weights
    assert set(weights) == set(prepared.opened.script.voters)
    assert all(0 <= w < 1 for w in weights.values())
    assert any("votes weigh by how often a model was right" in line for line in prepared.lines)
    assert any("seats drawn by how often a model was right" in line for line in prepared.lines)
    terms = prepared.opened.terms
    assert set(terms.stated[""]) == set(terms.busy) == set(MODELS)
    assert min(one.of for one in terms.stated[""].values()) >= ENOUGH
    assert min(terms.busy.values()) > 0, "their calls of the last hour"
    lines = [line for line in prepared.lines if " drawn less: " in line]
    assert len(lines) == 2
    written = report(replay([DebateRequested("d1", request, prepared.opened.at), prepared.opened]))
    assert all(f"- {line[:1].upper()}{line[1:40]}" in written for line in lines)


async def test_a_resolved_debate_is_read_once_until_something_happens_in_it(
    two_models: settings.Settings,
) -> None:
    async with open_parts(two_models) as parts:
        ids = [await debated(parts) for _ in range(2)]
        for id in ids:
            await resolve(parts, id, True)
        resolved = parts.desk.history
        read = []

        def note(_c: object, _cursor: object, text: str, *_more: object) -> None:
            if "FROM event" in text:
                read.append(text)

        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        try:
            first = await resolved.records()
            counts = [len(read)]
            again = await resolved.records()
            counts.append(len(read))
            await parts.desk.take(Useful(True, ids[0]), shell_caller("shell:ann"))
            await parts.player.play(ids[0])
            read.clear()
            last = await resolved.records()
            counts.append(len(read))
        finally:
            sa.event.remove(sa.Engine, "before_cursor_execute", note)
        fresh = await replace(resolved, _known={}).records()
    assert counts == [2, 2, 1]
    assert first == again == last == fresh != []
