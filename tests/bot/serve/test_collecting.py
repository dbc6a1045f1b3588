"""The garbage collector's work, counted in objects."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from bot.serve.collecting import settle, sweep, unsettle


class Thing:
    """An object that can be part of a cycle."""

    def __init__(self) -> None:
        self.other: Thing | None = None


@pytest.fixture
def settled() -> Iterator[None]:
    settle()
    yield
    unsettle()
    gc.collect()


@pytest.mark.usefixtures("settled")
def test_what_lived_through_a_full_collection_is_not_looked_at_again() -> None:
    kept = [Thing() for _ in range(50_000)]
    gc.collect()
    assert len(gc.get_objects()) < 10_000
    assert gc.get_freeze_count() > 50_000
    gc.collect()
    assert gc.get_freeze_count() > len(kept), "nor after the next"


@pytest.mark.usefixtures("settled")
def test_what_nothing_holds_any_more_is_let_go_of_all_the_same() -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    gc.collect()
    del thing
    assert gone() is None


@pytest.mark.usefixtures("settled")
async def test_circles_that_are_out_of_sight_go_when_everything_is_looked_at() -> None:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    gc.collect()
    del one, other
    gc.collect()
    assert gone() is not None
    sweeping = asyncio.create_task(sweep(0.0))
    while gone() is not None:  # noqa: ASYNC110  nothing tells that everything was looked at
        await asyncio.sleep(0)
    sweeping.cancel()
    await asyncio.gather(sweeping, return_exceptions=True)


@pytest.mark.usefixtures("settled")
def test_circles_that_are_young_go_soon() -> None:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    del one, other
    kept = [Thing() for _ in range(10_000)]
    assert gone() is None, len(kept)
