"""A webhook's verdict can be held against every receipt of its debate that is issued later."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.hooks import HookKind, announced, may_tell, message
from bot.debates.receipts import issue_receipt
from core.debate import commands as c
from core.debate import events as e
from core.debate.state import begin, evolve
from core.debate.status import ENDED
from core.words.outcome import outcome
from core.words.receipt import receipt
from core.words.receipt.canonical import head
from core.words.receipt.verdicts import broken_entries, find_verdict, verdict_entries
from storage.codec import event_hash
from tests.bot.debates.test_replay import held, listening
from tests.bot.hooks.test_hooks import KEY, typed
from tests.bot.parts import until_status
from tests.bot.room.serving import Served, served
from tests.core.test_engine import DEBATES, commands
from tests.patience import PATIENCE
from tests.standins.hooks import receiving

AT = datetime(2026, 3, 1, tzinfo=UTC)


def messages_and_receipt(log: tuple[e.Event, ...]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Returns the verdicts that a webhook hears of, and the receipt at the end."""
    first, *rest = log
    assert isinstance(first, e.DebateRequested)
    states = [*accumulate(rest, evolve, initial=begin(first))]
    hashes = [*map(event_hash, log)]
    heard = []
    for event, (before, after) in zip(rest, pairwise(states), strict=True):
        messages = [*announced(before, event, after)]
        assert may_tell(before, event, after) or not messages
        for one in messages:
            if one.kind is HookKind.VERDICT:
                body = json.loads(message("h", 1, after, one, AT, full=False)["text"])
                body["data"]["chain_head"] = head(hashes[: body["data"]["events"]])
                heard.append(body)
    made = receipt(
        outcome(states[-1]),
        issued_at=AT.isoformat(),
        chain=head(hashes),
        verdicts=verdict_entries(log, hashes),
    )
    return heard, made


@given(
    st.sampled_from(DEBATES),
    st.integers(0, 10**6),
    st.sampled_from((0.0, 0.15)),
    commands,
    st.sampled_from((0.0, 60.0)),
)
@settings(max_examples=6)
def test_on_any_course_the_receipt_names_each_verdict_of_a_message(
    name: tuple[str, str],
    seed: int,
    fails: float,
    injected: list[tuple[int, c.Command]],
    window: float,
) -> None:
    log = asyncio.run(held(name, seed, fails, listening(injected, []), vote_window=window))
    heard, made = messages_and_receipt(tuple(log.events))
    assert broken_entries(made) == ""
    assert heard or any(isinstance(event, e.TurnFailed) for event in log.events)
    for body in heard:
        assert find_verdict(made, body)[0], body
    last = heard[-1]["data"] if heard else {}
    assert last.get("decision") in (made["claim"]["verdict"], None)
    for body in heard:
        for member, value in (("decision", "-"), ("chain_head", "-"), ("events", 1)):
            other = deepcopy(body)
            other["data"][member] = value
            assert not find_verdict(made, other)[0], member


def test_a_message_that_holds_no_verdict_is_in_no_receipt() -> None:
    log = asyncio.run(held(("triad", ""), 3, 0.0, listening([], []), vote_window=60.0))
    (first, *_), made = messages_and_receipt(tuple(log.events))
    for other in ({"type": "debate.started"}, {"data": "text"}, {"data": None}):
        assert find_verdict(made, first | other) == (
            False, "it tells no verdict: only debate.verdict does"
        )  # fmt: skip
    assert find_verdict({**made, "receipt_id": "d2"}, first) == (
        False,
        "it is about another debate",
    )


def test_a_receipt_whose_verdicts_contradict_it_says_so() -> None:
    log = asyncio.run(held(("triad", ""), 3, 0.0, listening([], []), vote_window=60.0))
    _, made = messages_and_receipt(tuple(log.events))
    mechanism = made["attestation"]["mechanism"]
    first, last = mechanism["verdicts"]
    assert last["events"] < mechanism["events"]
    for wrong, why in (
        ([last, first], "the verdicts are not in the order of their events"),
        ([last | {"events": 10**6}], "the verdicts are not in the order of their events"),
        ([first, last | {"decision": "-"}], "the last verdict is '-', not the claimed one"),
        ([last | {"events": mechanism["events"]}], "the last verdict has another chain of events"),
    ):
        mechanism["verdicts"] = wrong
        assert broken_entries(made) == why


async def issued(room: Served, id: str) -> dict[str, Any]:
    return await issue_receipt(
        room.parts.service, room.parts.settings.signing_key, await room.load(id)
    )


async def test_a_vote_a_fork_and_what_comes_later_change_no_proof(tmp_path: Path) -> None:
    async with (
        receiving() as receiver,
        served(tmp_path, DEBATE_SIGNING_KEY=KEY, DEBATE_HOOK_HOSTS="127.0.0.1") as room,
        asyncio.timeout(PATIENCE),
    ):
        await typed(room, f"hooks add {receiver.address}")
        whole = await room.debate(rounds=1, vote_window=3600.0, wait=False)
        await receiver.has(1)
        for option in ("against", "against"):
            await typed(room, f"vote {whole.id} {option}")
        await close_votes(room, whole.id)
        await typed(room, f"held {whole.id} no")
        (fork,) = await fork_without(room, whole.id)
        while fork not in {json.loads(one.body)["data"]["debate"] for one in receiver.taken}:
            await receiver.has(len(receiver.taken) + 1)
        await close_votes(room, fork)
        for one in receiver.taken:
            body = json.loads(one.body)
            assert find_verdict(await issued(room, body["data"]["debate"]), body)[0]


async def close_votes(room: Served, id: str) -> None:
    """Ends a vote window, as its time does."""
    closing = c.Wake(datetime.now(UTC) + timedelta(days=1))
    await room.parts.stores.queue.enqueue(id, closing, f"test:{id}")
    await until_status(room.parts, id, *ENDED)


async def fork_without(room: Served, id: str) -> list[str]:
    """Forks a debate without a seat, and returns the fork's id."""
    before = {line.id for line in await room.parts.stores.debates.find_recent()}
    await typed(room, f"fork {id} --without second")
    return [
        line.id for line in await room.parts.stores.debates.find_recent() if line.id not in before
    ]
