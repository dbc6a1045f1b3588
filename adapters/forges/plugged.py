"""Forges of plugins: how a plugin describes one, reads it and writes to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from adapters.forges.links import ForgeLinks
from adapters.forges.port import ForgeChange, ForgeClient, Reading
from adapters.forges.writing import ReviewPoster
from core.debate.material.since import BranchMove, Since


class ForgeReader:
    """The part of a ``ForgeClient`` that a plugin's forge may leave out: it only reads a change and
    its diff.
    """

    linked = True

    async def reading_at(
        self, change: ForgeChange, since: Since
    ) -> tuple[Reading, BranchMove] | None:
        return None

    async def guidelines(self, change: ForgeChange) -> Sequence[tuple[str, str]]:
        return ()

    async def base_text(self, change: ForgeChange, path: str) -> str | None:
        return None

    async def archive(self, change: ForgeChange) -> bytes | None:
        return None

    async def linked_issues(self, change: ForgeChange) -> Sequence[tuple[int, str, str]]:
        return ()


@dataclass(frozen=True, slots=True)
class Forge:
    """A plugin's forge, which reads the ``links`` to ``host``.

    ``read`` opens a client; its argument is True if the asker may see private repositories, and so
    a credential may be sent. ``write`` opens a client that posts, None if the forge takes nothing.
    """

    links: ForgeLinks
    host: str
    read: Callable[[bool], AbstractAsyncContextManager[ForgeClient]]
    write: Callable[[], AbstractAsyncContextManager[ReviewPoster]] | None = None
