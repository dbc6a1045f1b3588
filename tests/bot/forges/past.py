"""A bot whose change was reviewed before the test begins. Each process plays a review once; a test
gets a copy of the database and of the forge.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from tests.bot.forges.gitlab_town import ProjectTown, project
from tests.bot.forges.town import Clock, Town, town

NAME = "debate.db"
T = TypeVar("T", bound=Town)
Made = Callable[..., AbstractAsyncContextManager[T]]


@dataclass(frozen=True)
class Past:
    """The database, the forge and the time after the review."""

    database: bytes
    forge: Any
    at: datetime
    number: int


_PASTS: dict[str, Past] = {}


def reviewed(folder: Path, **how: Any) -> AbstractAsyncContextManager[Town]:
    """Runs a bot that has reviewed the pull request; ``how`` as in ``_resumed``, and ``town``'s."""
    return _resumed(town, folder, **how)


def reviewed_on_gitlab(folder: Path, **how: Any) -> AbstractAsyncContextManager[ProjectTown]:
    return _resumed(project, folder, **how)


@asynccontextmanager
async def _resumed(
    made: Made[T], folder: Path, *, posted: bool = False, merged: bool = False, **given: Any
) -> AsyncIterator[T]:
    """Runs a bot after a review. With ``posted`` a person approved the review, with ``merged`` the
    change was merged.
    """
    key = repr((made.__name__, posted, merged, given))
    if key not in _PASTS:
        with tempfile.TemporaryDirectory() as first:
            before = _resumed if posted or merged else _begun
            async with before(made, Path(first), **given) as t:
                if posted:
                    await t.approve()
                if merged:
                    await t.merge()
            t.forge.forget_requests()
            database = (Path(first) / NAME).read_bytes()
        _PASTS[key] = Past(database, t.forge, t.clock.at, t.number)
    past = _PASTS[key]
    copy = folder / NAME
    copy.touch(0o600)
    copy.write_bytes(past.database)
    async with made(folder, **given, forge=deepcopy(past.forge), clock=Clock(past.at)) as t:
        t.number = past.number
        yield t


@asynccontextmanager
async def _begun(made: Made[T], folder: Path, **given: Any) -> AsyncIterator[T]:
    async with made(folder, **given) as t:
        await t.review()
        yield t
