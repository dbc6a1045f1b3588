"""What the garbage collector looks at, counted in objects: ``python -m tests.bot.serve.heaps SCENE
...`` runs each scene in a fork and prints which failed. A test's process holds a million objects,
which each full collection would walk.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
import traceback
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bot.serve.collecting import Sweep, collect_everything, keep, settle

WALK = 50_000
"""More objects than a full collection ever looks at, which is 30 ms of the loop."""


class Thing:
    """An object that can be part of a cycle."""

    def __init__(self) -> None:
        self.other: Thing | None = None


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


def no_full_collection_looks_at_much_whatever_came_before(before: Callable[[], None]) -> None:
    old = [Thing() for _ in range(80_000)]
    before()
    with full_collections() as walks:
        new = [Thing() for _ in range(150_000)]
    assert len(walks) > 5, "they still come"
    assert max(walks) < WALK
    assert gc.get_freeze_count() > len(old) + len(new) - WALK


async def everything_is_looked_at_and_frozen_before_anybody_is_served() -> None:
    from bot.shell import serve
    from tests.bot.crashing import settings_for

    gc.unfreeze()
    frozen: list[int] = []

    async def completed(
        start: Coroutine[None, None, None], _name: str, _signalled: asyncio.Event
    ) -> bool:
        frozen.append(gc.get_freeze_count())
        start.close()
        return False

    serve.completed = completed  # type: ignore[assignment]  # instead of a bot that listens
    with tempfile.TemporaryDirectory() as folder:
        await serve._serve(settings_for(f"{folder}/debate.db", Path(folder)))
    assert frozen[0] > 50_000


def what_lived_through_a_full_collection_is_not_looked_at_again() -> None:
    kept = [Thing() for _ in range(50_000)]
    freeze_next()
    assert len(gc.get_objects()) < 10_000
    assert gc.get_freeze_count() > 50_000
    gc.collect()
    assert gc.get_freeze_count() > len(kept), "nor after the next"


def every_other_full_collection_freezes_nothing_so_that_circles_go() -> None:
    kept = [Thing() for _ in range(1_000)]
    freeze_next()
    assert kept
    frozen = gc.get_freeze_count()
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    gc.collect()
    assert gc.get_freeze_count() <= frozen
    del one, other
    gc.collect()
    assert gone() is None


def what_nothing_holds_any_more_is_let_go_of_all_the_same() -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    gc.freeze()
    del thing
    assert gone() is None


async def circles_that_are_out_of_sight_go_when_everything_is_looked_at() -> None:
    gone = frozen_circle()
    gc.collect()
    assert gone() is not None
    await Sweep(lambda: True, growth=-1_000_000).look()
    assert gone() is None


async def everything_is_looked_at_only_where_nobody_waits_and_much_has_grown(
    quiet: bool, growth: int
) -> None:
    gone, looks = frozen_circle(), 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return quiet

    await Sweep(look, growth=growth).look()
    assert gone() is not None
    assert looks == 0 or not quiet


def freeze_next() -> None:
    """Collects until that has frozen what lives."""
    before = gc.get_freeze_count()
    for _ in range(4):
        gc.collect()
        if gc.get_freeze_count() > before:
            return
    raise AssertionError("no full collection freezes")


def frozen_circle() -> weakref.ref[Thing]:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gc.freeze()
    return weakref.ref(one)


async def cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def circles_that_are_young_go_soon() -> None:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    gone = weakref.ref(one)
    del one, other
    kept = [Thing() for _ in range(10_000)]
    assert gone() is None, len(kept)


SETTLED: Mapping[str, Callable[[], object]] = {
    "at first": partial(no_full_collection_looks_at_much_whatever_came_before, settle),
    "after what was loaded is kept": partial(
        no_full_collection_looks_at_much_whatever_came_before, keep
    ),
    "after everything was collected": partial(
        no_full_collection_looks_at_much_whatever_came_before, collect_everything
    ),
    "what lived": what_lived_through_a_full_collection_is_not_looked_at_again,
    "every other": every_other_full_collection_freezes_nothing_so_that_circles_go,
    "what nothing holds": what_nothing_holds_any_more_is_let_go_of_all_the_same,
    "young circles": circles_that_are_young_go_soon,
    "frozen circles": circles_that_are_out_of_sight_go_when_everything_is_looked_at,
    "not while somebody waits": partial(
        everything_is_looked_at_only_where_nobody_waits_and_much_has_grown, False, -1_000_000
    ),
    "not before much has grown": partial(
        everything_is_looked_at_only_where_nobody_waits_and_much_has_grown, True, 1_000_000
    ),
}
"""The scenes of a process that has settled."""
BEGINS = "a bot begins"
SCENES: Mapping[str, Callable[[], object]] = {
    **SETTLED,
    BEGINS: everything_is_looked_at_and_frozen_before_anybody_is_served,
}


def failed(name: str) -> bool:
    """Runs a scene in a fork of this process; the fork prints why it failed."""
    if fork := os.fork():
        return os.waitpid(fork, 0)[1] != 0
    code = 1
    try:
        if name in SETTLED:
            settle()
        scene = SCENES[name]()
        if isinstance(scene, Coroutine):
            asyncio.run(scene)
        code = 0
    except BaseException:  # noqa: BLE001  it is printed, whatever it is
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    print("\n".join(filter(failed, sys.argv[1:])))
