"""The second signal: the same point in other words by another seat, looked for only where all
stances stood still.
"""

from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from random import Random

from adapters.models.similarity import Embed
from bot.debates.measure import measure_round
from bot.wire.parts import Parts
from core.debate import events as e
from core.debate.ports import CallOptions, OnWords, Reply
from core.debate.replies import Claim
from core.debate.state import Debate
from core.debate.usage import Usage
from core.debate.verdict.convergence import should_stop
from tests.bot.conftest import held
from tests.core.memory import Voice, Voices, answer, opening, played
from tests.core.table import Table, table, two_rounds
from tests.patience import PATIENCE

SEATS = ("security_critic", "performance_critic", "maintainability_critic", "chair:chair")
FIRST = "The retry loop has no upper bound, so a dead server is asked for ever"
AGAIN = "Without any ceiling on attempts a broken peer gets requests endlessly"
OTHER = "The cache key leaves out the tenant"


def embed(texts: object) -> list[list[float]]:
    """Returns embeddings that tell two topics apart."""
    assert isinstance(texts, list | tuple)
    return [[1.0, 0.0] if "retry" in t or "ceiling" in t else [0.0, 1.0] for t in texts]


def two(claim: str, options: tuple[str, str] = ("approve", "approve"), seat: str = "u2") -> Table:
    last = tuple(f"v{n} {s} round=2 reads=u1,u2,u3" for n, s in enumerate(SEATS[:3], 1))
    closing = f"end chair round=3 reads={','.join(x.split()[0] for x in last)} task=close closing"
    t = table(SEATS, (*two_rounds(SEATS)[:-1], *last, closing), findings=False)
    t.says("t1", "approve", claims=(FIRST,)).says("t2", options[0]).says("t3", "comment")
    others = [u for u in ("u1", "u2", "u3") if u != seat]
    t.says(seat, options[1], claims=(claim,))
    for turn in others:
        t.says(turn, {"u1": "approve", "u2": options[1], "u3": "comment"}[turn])
    return t


async def taken(debate: Debate, model: Embed = embed) -> e.RoundMeasured | None:
    return await measure_round(model, debate, 1)


async def test_another_seats_point_in_other_words_is_nothing_new_and_ends_the_debate() -> None:
    t = two(AGAIN)
    assert should_stop(t.debate) is None, "by words alone it is new"
    made = await taken(t.debate)
    assert made == e.RoundMeasured(1, "embedding", 0.0, ("u2.c1",))
    stop = should_stop(t.add(made).debate)
    assert stop is not None
    assert stop.reason is e.EndReason.CONVERGED


async def test_a_new_point_is_new_and_the_debate_goes_on() -> None:
    t = two(OTHER)
    made = await taken(t.debate)
    assert made is not None
    assert made.repeats == ()
    assert should_stop(t.add(made).debate) is None
    made = await taken(two(AGAIN, seat="u1").debate)
    assert made is not None
    assert made.repeats == (), "a seat that repeats itself is not another seat"


async def test_nothing_is_measured_while_a_stance_moves_or_nothing_was_claimed() -> None:
    assert await taken(two(AGAIN, ("approve", "comment")).debate) is None
    assert await taken(two(FIRST).debate) is None, "the first signal has said it already"


async def test_defect_12_it_is_reckoned_off_the_loop() -> None:
    threads: list[str] = []

    def noting(texts: object) -> list[list[float]]:
        threads.append(threading.current_thread().name)
        return embed(texts)

    await taken(two(AGAIN).debate, noting)
    assert threads
    assert threading.main_thread().name not in threads


class Steady(Voice):
    """A seat that never changes its stance, with a new word for everything."""

    async def reply(
        self, messages: object, asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        drawn = answer(asking, Random(str(messages)))
        if "stance" in drawn and asking.schema:
            stance = asking.schema["properties"]["stance"]["properties"]
            drawn["stance"]["option"] = stance["option"]["enum"][0]
        return Reply(json.dumps(drawn), Usage(100, 0, 20, 0.0, 400), self.name)


async def test_it_is_asked_by_the_engine_and_kept_in_the_log() -> None:
    voices = Voices((Steady(), Steady("voice-b", "b")))
    measure = partial(measure_round, lambda texts: [[1.0, 0.0] for _ in texts])
    end, log = await played(opening("critique", voices=voices, seed=5), voices, measure=measure)
    kept = [x for x in log.events if isinstance(x, e.RoundMeasured)]
    assert kept
    assert {x.tier for x in kept} == {"embedding"}
    assert any(x.repeats for x in kept), "whatever the other seat said before is said again"
    assert end.measured == {x.round: x for x in kept}
    assert end.stop is not None
    assert end.stop.reason is e.EndReason.CONVERGED


async def test_a_wired_debate_is_measured(parts: Parts) -> None:
    assert parts.advancer.measure is not None
    end = await held(parts, "critique", "Should we rewrite the parser in another language?")
    assert end.final


async def test_many_claims_cost_a_bounded_comparison() -> None:
    t = table(SEATS, findings=False)
    sizes: list[int] = []

    def counting(texts: object) -> list[list[float]]:
        assert isinstance(texts, list | tuple)
        sizes.append(len(texts))
        return [[1.0, float(n)] for n, _ in enumerate(texts)]

    many = [Claim("", f"point number {n} about subject {n * 7}") for n in range(400)]
    t.says("t1", "approve", claims=many).says("t2", "approve").says("t3", "comment")
    t.says("u1", "approve").says("u2", "approve", claims=(AGAIN,)).says("u3", "comment")
    await asyncio.wait_for(taken(t.debate, counting), PATIENCE)
    assert sum(sizes) <= 160
