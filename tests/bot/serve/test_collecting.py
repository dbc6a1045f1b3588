"""The garbage collector's work, counted in objects."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.serve.collecting import collect_everything, keep, settle, sweep, unsettle
from bot.shell import serve
from tests.bot.crashing import settings_for

WALK = 50_000
"""More objects than a full collection ever looks at, which is 30 ms of the loop."""


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


@contextmanager
def full_collections() -> Iterator[list[int]]:
    """Notes how many objects each full collection of garbage looks at."""
    walks: list[int] = []

    def count(phase: str, about: Mapping[str, Any]) -> None:
        if phase == "start" and about["generation"] == 2:
            walks.append(len(gc.get_objects()))

    gc.callbacks.append(count)
    try:
        yield walks
    finally:
        gc.callbacks.remove(count)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("before", [settle, keep, collect_everything])
def test_no_full_collection_looks_at_much_whatever_came_before(before: Any) -> None:
    old = [Thing() for _ in range(200_000)]
    before()
    with full_collections() as walks:
        new = [Thing() for _ in range(300_000)]
    assert len(walks) > 5, "they still come"
    assert max(walks) < WALK
    assert gc.get_freeze_count() > len(old) + len(new) - WALK


@pytest.mark.usefixtures("settled")
async def test_everything_is_looked_at_and_frozen_before_anybody_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unsettle()
    frozen: list[int] = []

    async def started(start: Coroutine[None, None, None], _stopped: asyncio.Event) -> bool:
        frozen.append(gc.get_freeze_count())
        start.close()
        return False

    monkeypatch.setattr(serve, "started", started)
    await serve._serve(settings_for(str(tmp_path / "debate.db"), tmp_path))
    assert frozen[0] > 50_000


@pytest.mark.usefixtures("settled")
def test_what_lived_through_a_full_collection_is_not_looked_at_again() -> None:
    kept = [Thing() for _ in range(50_000)]
    freeze_next()
    assert len(gc.get_objects()) < 10_000
    assert gc.get_freeze_count() > 50_000
    gc.collect()
    assert gc.get_freeze_count() > len(kept), "nor after the next"


@pytest.mark.usefixtures("settled")
def test_every_other_full_collection_freezes_nothing_so_that_circles_go() -> None:
    freeze_next()
    frozen = gc.get_freeze_count()
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    gc.collect()
    assert gc.get_freeze_count() <= frozen
    del one, other
    gc.collect()
    assert gone() is None


@pytest.mark.usefixtures("settled")
def test_what_nothing_holds_any_more_is_let_go_of_all_the_same() -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    gc.freeze()
    del thing
    assert gone() is None


@pytest.mark.usefixtures("settled")
async def test_circles_that_are_out_of_sight_go_when_everything_is_looked_at() -> None:
    gone = frozen_circle()
    gc.collect()
    assert gone() is not None
    sweeping = asyncio.create_task(sweep(lambda: True, 0.0, growth=-1_000_000))
    while gone() is not None:  # noqa: ASYNC110  nothing tells that everything was looked at
        await asyncio.sleep(0)
    await cancel(sweeping)


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize(("quiet", "growth"), [(False, -1_000_000), (True, 1_000_000)])
async def test_everything_is_looked_at_only_where_nobody_waits_and_much_has_grown(
    quiet: bool, growth: int
) -> None:
    gone, looks = frozen_circle(), 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return quiet

    sweeping = asyncio.create_task(sweep(look, 0.0, growth=growth))
    for _ in range(20):
        await asyncio.sleep(0)
    assert gone() is not None
    assert looks == 0 or not quiet
    await cancel(sweeping)


def freeze_next() -> None:
    """Collects until that has frozen what lives."""
    before = gc.get_freeze_count()
    while gc.get_freeze_count() <= before:
        gc.collect()


def frozen_circle() -> weakref.ref[Thing]:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gc.freeze()
    return weakref.ref(one)


async def cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.usefixtures("settled")
def test_circles_that_are_young_go_soon() -> None:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    del one, other
    kept = [Thing() for _ in range(10_000)]
    assert gone() is None, len(kept)
