"""Earlier decisions of this place are shown to those who debate the matter again, and to nobody
else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import sqlalchemy as sa

from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import request_of
from bot.debates.precedents import find_precedents
from bot.wire.parts import Parts
from core.application.commands import Start, parse
from core.debate import events as e
from core.debate.material import Material
from core.debate.prompting import prompt
from core.debate.state import Debate, replay
from core.debate.verdict import verdict
from storage.tables import DEBATE

QUESTION = "Should we move the queue of jobs to PostgreSQL now, or wait a year?"
AGAIN = "Do we move the job queue to PostgreSQL now or wait one more year?"
CHANGE = "examples/02-remember-rights.diff"
ASKING = "scripted:stance=request_changes"
HERE = "slack:T1/C1"


async def prepared(parts: Parts, line: str, place: str = HERE) -> Prepared:
    ask = parse(line, templates=("design_doc", "code_review"), prefix="debate")
    assert isinstance(ask, Start)
    request = request_of(ask, asker="slack:T1/U1", place=place, files=True)
    return await parts.service.prepare(request)


async def decided(parts: Parts, line: str) -> Debate:
    """Plays the debate that a typed line starts to its end."""
    ready = await prepared(parts, f"{line} --rounds 1 --vote-window off")
    debate = await parts.player.play(await parts.service.open(ready))
    assert debate.closed is not None
    return debate


async def read(parts: Parts, line: str, place: str = HERE) -> Material:
    return (await prepared(parts, line, place)).opened.material


async def test_a_question_of_nearly_the_same_words(parts: Parts) -> None:
    line = f'design_doc "{QUESTION}" --models scripted:stance=accept'
    await decided(parts, line)
    newest = await decided(parts, line)  # decided alike twice, it is told once
    again = await prepared(parts, f'design_doc "{AGAIN}"')
    (one,) = again.opened.material.precedents
    assert (one.debate, one.decision, one.held) == (newest.id, "accept", None)
    (note,) = [line for line in again.lines if "Decided here before" in line]
    assert re.search(r"Decided here before: accept \(\d+ \w{3} \d{4}, “Should we move", note)
    opened = replay([e.DebateRequested("d", again.request, again.opened.at), again.opened])
    rendered = "\n".join(m.text for m in prompt(opened, opened.turns[0]))
    assert "# Decided here before" in rendered
    other = await read(parts, 'design_doc "Should all pages be rendered on the server?"')
    assert other.precedents == ()


async def test_what_was_not_decided_and_another_nameless_text_are_none(parts: Parts) -> None:
    seats = "accept,accept,reject,reject,rework"
    models = ",".join(f"scripted:stance={one}" for one in seats.split(","))
    first = await decided(parts, f'design_doc "{QUESTION}" --models {models}')
    assert not verdict(first).reached
    assert (await read(parts, f'design_doc "{AGAIN}"')).precedents == ()
    nameless = request_of(Start("code_review", "", rounds=1), asker="a", place=HERE)
    earlier = replace(nameless, text="We keep addresses for ten years.")
    await parts.player.play(await parts.service.open(await parts.service.prepare(earlier)))
    later = await parts.service.prepare(replace(nameless, text="The rollback took an hour."))
    assert later.opened.material.precedents == ()


async def test_a_finding_in_the_same_file_of_the_same_place_unless_a_fresh_look_is_wanted(
    parts: Parts,
) -> None:
    """What is sealed is quoted in nothing that is not: a debate about public material can go
    elsewhere, and would take the quotation along.
    """
    first = await decided(parts, f"code_review {CHANGE} --models {ASKING}")
    (one,) = (await read(parts, f"code_review {CHANGE}")).precedents
    assert one.debate == first.id
    assert one.points
    document = await parts.stores.outcomes.get(first.id)
    assert document is not None
    await parts.stores.outcomes.save(first.id, document.document, document.concluded_at, held=False)
    (one,) = (await read(parts, f"code_review {CHANGE}")).precedents
    assert one.held is False
    for line, place in (
        (f"code_review {CHANGE} --fresh", HERE),
        (f"code_review {CHANGE}", "slack:T1/C12"),
        (f"code_review {CHANGE}", "slack:T2/C1"),
        ("code_review examples/01-retry-payments.diff", HERE),
    ):
        assert (await read(parts, line, place)).precedents == ()
    material = await read(parts, f"code_review {CHANGE}")
    find = partial(find_precedents, parts.stores)
    sealed = sa.update(DEBATE).where(DEBATE.c.id == first.id).values(private=True)
    await parts.stores.database.write(lambda conn: conn.execute(sealed))
    await parts.stores.outcomes.save(first.id, document.document, document.concluded_at)
    assert await find(HERE, material, demo=True) == ()
    (one,) = await find(HERE, replace(material, private=True), demo=True)
    assert one.debate == first.id
    assert await find(HERE, replace(material, private=True), demo=False) == (), "a demonstration"
