"""People say below a verdict with one tap whether it was of use to them: counted per person once,
changeable, kept, and used to judge the two sizes of a panel.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.posts.keys import verdict_key
from bot.posting.record import incoming, posts_so_far
from bot.shell.evaluate.calibrate import calibrate
from bot.shell.playing.run import shell_caller
from bot.wire.parts import Parts, open_parts
from core.application.commands import Leaderboard, Useful
from core.application.desk import Caller
from core.debate.events import DebateRequest, VerdictRated
from core.debate.state import Debate
from core.debate.verdict.learned.ratings import ENOUGH
from core.words.outcome import outcome
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.debates.test_follow_up import relied_on
from tests.bot.parts import Hands
from tests.origins import origin

ANN = Caller(ASKER, PLACE, "click-1")
BOB = Caller("slack:T1/U8", PLACE, "click-2")
JUDGED = (
    "n", "judged", "useful", "useful_within", "resolved", "held", "held_within",
)  # fmt: skip
"""What the document of the leaderboard says of each size and of each kind."""


@pytest.fixture
async def parts(file: str, tmp_path: Path) -> AsyncIterator[Parts]:
    settings = settings_for(file, tmp_path)
    async with open_parts(settings, shell=False, clock=Hands()) as opened:
        yield relied_on(opened)


async def held(parts: Parts, key: str = "e1", **extras: str) -> Debate:
    request = DebateRequest(
        "panel", "Tabs or spaces?", ASKER, PLACE, rounds=1, vote_window=0.0, extras=extras
    )
    return await parts.advancer.advance(await parts.service.take(request, origin(key)))


async def tap(parts: Parts, caller: Caller, id: str, answer: str, click: str) -> str:
    reply = await parts.desk.press("useful", f"{id}:{answer}", replace(caller, source=click))
    assert reply.ok, reply.text
    await parts.advancer.advance(id)
    return reply.text


async def test_each_person_counts_once_and_may_change_their_mind(parts: Parts) -> None:
    id = (await held(parts)).id
    post = incoming(posts_so_far(await parts.stores.debates.load(id), PLACE)[-2].body)
    buttons = [(b.label, b.value) for b in post.buttons if b.action == "useful"]
    assert buttons == [("Useful", f"{id}:yes"), ("Not useful", f"{id}:no")]
    reply = await tap(parts, ANN, id, "yes", "c1")
    assert reply == f"Noted: `{id}` was useful to you. Say the other to change it."
    await tap(parts, ANN, id, "yes", "c2")
    await tap(parts, BOB, id, "yes", "c3")
    await tap(parts, ANN, id, "no", "c4")
    events = await parts.stores.debates.load(id)
    rated = [(e.by, e.useful) for e in events if isinstance(e, VerdictRated)]
    assert rated == [(ASKER, True), (BOB.person, True), (ASKER, False)]
    kept = await parts.stores.outcomes.get(id)
    assert kept is not None
    assert kept.document["useful"] == {"yes": 1, "no": 1}
    posts = [incoming(each.body) for each in posts_so_far(events, PLACE)]
    last = [p for p in posts if verdict_key(id) in (p.key, p.edits)][-1]
    assert ("Useful", "to 1 of 2 people") in last.fields


async def test_it_can_be_typed_in_a_shell_and_waits_for_a_verdict(parts: Parts) -> None:
    ann = shell_caller("shell:ann")
    request = DebateRequest("panel", "Which way?", ASKER, PLACE)
    waiting = await parts.service.take(request, origin("e2"))
    early = await parts.desk.take(Useful(True, waiting), ann)
    assert (early.ok, early.text) == (False, "There is no verdict yet that could be useful or not.")
    id = (await held(parts)).id
    assert (await parts.desk.take(Useful(False, id), ann)).ok
    assert outcome(await parts.advancer.advance(id))["useful"] == {"yes": 0, "no": 1}


async def test_sizes_of_panels_are_judged_by_what_people_said(
    parts: Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    ann = shell_caller("shell:ann")
    assert "Panels by size" not in (await parts.desk.take(Leaderboard(), ann)).text
    assert await calibrate((), parts.settings) == 0
    assert "No panel was judged yet." in capsys.readouterr().out
    large = await held(parts, form="extended")
    small = await held(parts, "e2", form="standard")
    await tap(parts, ANN, large.id, "yes", "c1")
    await parts.desk.press("held", f"{small.id}:no", replace(ANN, source="c2"))
    await parts.advancer.advance(small.id)
    board = await parts.desk.take(Leaderboard(), ann)
    (one, other) = json.loads(board.files[0].text)["panels"]
    assert (one["form"], one["judged"], one["resolved"], one["held"]) == ("standard", 0, 1, 0)
    assert (other["form"], other["judged"], other["useful"]) == ("extended", 1, 1)
    assert other["tokens"] is not None
    assert {*one} == {"form", "tokens", *JUDGED}
    assert "- extended, 1 panel: useful 1 of 1 (" in board.text
    assert f"tokens for each new point, too few to tell (under {ENOUGH})" in board.text
    before = [len(await parts.stores.debates.load(d.id)) for d in (large, small)]
    assert await calibrate((), parts.settings) == 0
    output = capsys.readouterr().out
    assert "Panels that somebody judged: 2." in output
    assert f"Too few to choose by: {ENOUGH} at least." in output
    assert await calibrate(("--json",), parts.settings) == 0
    document = json.loads(capsys.readouterr().out)["panels"]
    assert (document["judged"], document["best"]) == (2, None)
    assert before == [len(await parts.stores.debates.load(d.id)) for d in (large, small)]


async def test_what_a_kind_of_decision_costs_stands_beside_what_it_was_good_for(
    parts: Parts,
) -> None:
    assert "By kind of decision" not in (await parts.desk.take(Leaderboard(), ANN)).text
    first, second = await held(parts), await held(parts, "e2")
    assert "By kind of decision" not in (await parts.desk.take(Leaderboard(), ANN)).text
    await tap(parts, ANN, first.id, "yes", "c1")
    for debate, usd, became in ((first, 0.25, True), (second, None, None)):
        kept = await parts.stores.outcomes.get(debate.id)
        assert kept is not None
        document = {**kept.document, "cost": {**kept.document["cost"], "usd": usd}}
        await parts.stores.outcomes.save(debate.id, document, kept.concluded_at, held=became)
    board = await parts.desk.take(Leaderboard(), ANN)
    assert board.text.endswith(
        "By kind of decision:\n- panel, 2 debates: $0.25 each if known (1 of 2), useful 1 "
        f"of 1 (21% to 100%), held 1 of 1 (21% to 100%), too few to tell (under {ENOUGH})"
    )
    shell = await parts.desk.take(Leaderboard(), shell_caller("shell:ann"))
    (kind,) = json.loads(shell.files[0].text)["kinds"]
    assert (kind["template"], kind["n"], kind["priced"], kind["usd"]) == ("panel", 2, 1, 0.25)
    assert {*kind} == {"template", "priced", "usd", *JUDGED}
    other = replace(ANN, place="slack:T2/C1", source="c9")
    assert "By kind" not in (await parts.desk.take(Leaderboard(), other)).text
