"""Forges that are brought by plugins: how one says what it is, and who reads and writes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from adapters.forges.links import ForgeLinks
from adapters.forges.port import Change, ForgeClient, Reading
from adapters.forges.writing import ReviewPoster
from core.material.since import Move, Since


class ForgeReader:
    """What a forge need not tell: a ``ForgeClient`` of one that tells a change and its diff."""

    linked = True

    async def reading_at(self, change: Change, since: Since) -> tuple[Reading, Move] | None:
        return None

    async def guidelines(self, change: Change) -> Sequence[tuple[str, str]]:
        return ()

    async def archive(self, change: Change) -> bytes | None:
        return None

    async def linked_issues(self, change: Change) -> Sequence[tuple[int, str, str]]:
        return ()


@dataclass(frozen=True, slots=True)
class Forge:
    """A forge beside GitHub and GitLab: ``links`` to ``host`` are read by it.

    ``read`` opens a client; its argument says whether who asks may see what is not for everybody,
    and so whether a credential may be sent. ``write`` opens what posts there, None where nothing
    does.
    """

    links: ForgeLinks
    host: str
    read: Callable[[bool], AbstractAsyncContextManager[ForgeClient]]
    write: Callable[[], AbstractAsyncContextManager[ReviewPoster]] | None = None
