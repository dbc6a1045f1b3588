"""An opening that was prepared to show its price is the one that begins, and nothing is read
twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.debates.opening.prepare import Preparer
from bot.debates.opening.retained import RetainedOpenings
from bot.debates.service import DebateService
from bot.settings import Settings
from bot.wire.parts import Parts
from core.debate.events import DebateRequest
from core.debate.material import Material
from core.debate.material.library import ReadRequest
from tests.bot.debates.test_size import HARD, Shop, Words, count_calls, shop
from tests.bot.parts import Hands, NoServers


@dataclass
class Reader(Words):
    """A library that counts its reads."""

    private: bool = False
    reads: int = 0

    async def read(self, request: ReadRequest) -> Material:
        self.reads += 1
        return replace(await super().read(request), private=self.private)


@dataclass
class Bench:
    service: DebateService
    reader: Reader
    hands: Hands
    people: Shop


@pytest.fixture
def bench(parts: Parts) -> Bench:
    reader, hands, people = Reader(), Hands(), shop()
    preparer = Preparer(reader, people, hands, Settings(), NoServers())
    service = replace(parts.service, preparer=preparer, retained=RetainedOpenings(hands))
    return Bench(service, reader, hands, people)


def request(template: str = "triad", target: str = HARD, **more: str) -> DebateRequest:
    return DebateRequest(template, target, "slack:T1/U1", "slack:T1/C1", **more)  # type: ignore[arg-type]  # a test names its fields


async def test_what_was_priced_begins_as_it_was_drawn_and_is_read_once(bench: Bench) -> None:
    priced = await bench.service.price(request())
    again = await bench.service.price(request())
    bench.hands.time += timedelta(minutes=3)
    begun = await bench.service.prepare(request())
    assert bench.reader.reads == 1
    assert again is priced
    assert begun.opened == replace(priced.opened, at=bench.hands.time)
    assert begun.cost == priced.cost
    await bench.service.prepare(request())
    assert bench.reader.reads == 2, "a second debate of the same words is another one"


async def test_the_price_that_a_person_was_shown_is_the_one_that_the_debate_tells(
    bench: Bench,
) -> None:
    """Read and drawn anew, it would be another one."""
    bench.reader.private = True
    begun = await bench.service.prepare(replace(request(), quoted=0.0421))
    assert begun.opened.terms.estimate == 0.0421
    assert begun.cost.likely != 0.0421
    bench.reader.private = False
    await bench.service.price(request())
    reads = bench.reader.reads
    await bench.service.prepare(replace(request(), quoted=0.0421))
    assert bench.reader.reads == reads, "a price makes no other request of it"


async def test_a_panel_is_sized_when_it_begins_and_read_once(bench: Bench) -> None:
    priced = await bench.service.price(request("panel"))
    assert count_calls(bench.people) == 0
    begun = await bench.service.prepare(request("panel"))
    assert (count_calls(bench.people), bench.reader.reads) == (1, 1)
    assert begun.opened.material is priced.opened.material


async def test_only_the_same_request_takes_it(bench: Bench) -> None:
    others = (
        request(target="Tabs or spaces?"),
        replace(request(), place="slack:T1/C2"),
        replace(request(), asker="slack:T1/U2"),
        replace(request(), rounds=1),
    )
    await bench.service.price(request())
    for reads, other in enumerate(others, 2):
        await bench.service.prepare(other)
        assert bench.reader.reads == reads
    await bench.service.prepare(request())
    assert bench.reader.reads == 5


async def test_it_is_kept_for_a_quarter_of_an_hour(bench: Bench) -> None:
    await bench.service.price(request())
    bench.hands.time += timedelta(minutes=15)
    await bench.service.prepare(request())
    assert bench.reader.reads == 2


async def test_private_material_is_read_again_so_that_its_binding_is_asked(bench: Bench) -> None:
    bench.reader.private = True
    await bench.service.price(request())
    await bench.service.prepare(request())
    assert bench.reader.reads == 2


async def test_not_many_are_kept(bench: Bench) -> None:
    for number in range(33):
        await bench.service.price(request(target=f"{number}: {HARD}"))
    for number in (32, 1, 0):
        await bench.service.prepare(request(target=f"{number}: {HARD}"))
    assert bench.reader.reads == 34, "the oldest is read again"


async def test_not_much_is_kept(bench: Bench) -> None:
    for target in "abcd":
        priced = await bench.service.price(request(target=target))
        large = replace(priced.opened.material, text="x" * 3_000_000)
        bench.service.retained.keep(replace(priced, opened=replace(priced.opened, material=large)))
    await bench.service.prepare(request(target="d"))
    assert bench.reader.reads == 4
    await bench.service.prepare(request(target="a"))
    assert bench.reader.reads == 5, "the oldest is read again"
