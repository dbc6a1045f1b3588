"""Guards a plugin's forge: each call has a time limit, and every fault becomes one of the program's
own errors.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from adapters.forges.links import ChangeLink
from adapters.forges.plugged import Forge
from adapters.forges.port import ForgeChange, ForgeClient, Reading
from adapters.forges.refusals import OutcomeUnknown
from adapters.forges.wire import WireLimits
from adapters.forges.writing import ReviewPoster
from adapters.processes.workers import Work
from core.debate.engine import is_ending
from core.debate.errors import CouldNotFinish, DebateError
from core.debate.material.since import BranchMove, Since

T = TypeVar("T")
SECONDS = 60.0


def guarded_forge(bare: Forge) -> Forge:
    """Returns the same forge with its clients guarded."""

    @asynccontextmanager
    async def read(bound: bool) -> AsyncIterator[ForgeClient]:
        opening = bare.read(bound)
        client = await _guard(bare, opening.__aenter__())
        try:
            yield _Guarded(bare, client)
        finally:
            await _guard(bare, opening.__aexit__(None, None, None))

    return replace(bare, read=read, write=_writing(bare))


def _writing(bare: Forge) -> Callable[[], AbstractAsyncContextManager[ReviewPoster]] | None:
    """Guards a function that posts; a fault may come after the post was made."""
    opened = bare.write
    if opened is None:
        return None

    @asynccontextmanager
    async def write() -> AsyncIterator[ReviewPoster]:
        try:
            async with opened() as poster:
                yield poster
        except DebateError:
            raise
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            if is_ending(error):
                raise
            raise OutcomeUnknown(f"{bare.links.title} failed: {type(error).__name__}.") from error

    return write


async def _guard(forge: Forge, call: Awaitable[T]) -> T:
    """Returns the result of a call. Raises ``CouldNotFinish`` for every fault of the plugin,
    without the fault's text, which may hold a key.
    """
    title = forge.links.title
    try:
        async with asyncio.timeout(SECONDS):
            return await call
    except DebateError:
        raise
    except TimeoutError as error:
        raise CouldNotFinish(f"{title} did not answer in {SECONDS:g} s.") from error
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        if is_ending(error):
            raise
        raise CouldNotFinish(f"{title} could not be read: {type(error).__name__}.") from error


@dataclass(frozen=True, slots=True)
class _Guarded:
    """``adapters.forges.port.ForgeClient`` with guarded calls."""

    forge: Forge
    client: ForgeClient

    @property
    def linked(self) -> bool:
        return bool(self.client.linked)

    async def change(self, link: ChangeLink) -> ForgeChange:
        change = await _guard(self.forge, self.client.change(link))
        return replace(change, link=link)

    async def read(self, change: ForgeChange, work: Work) -> Reading:
        reading = await _guard(self.forge, self.client.read(change, work))
        if len(reading.diff or b"") > WireLimits().max_bytes:
            raise CouldNotFinish(f"The diff of {change.link.short} is too large to read.")
        return replace(reading, change=replace(reading.change, link=change.link))

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        return await _guard(self.forge, self.client.reading_at(change, since))

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        return await _guard(self.forge, self.client.guidelines(change))

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        return await _guard(self.forge, self.client.base_text(change, path))

    async def archive(self, change: ForgeChange) -> bytes | None:
        return await _guard(self.forge, self.client.archive(change))

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        return await _guard(self.forge, self.client.linked_issues(change))
