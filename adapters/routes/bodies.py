"""Limits what all request bodies together may take of the process's memory.

Each chunk's bytes are reserved before it is kept. A stranger that sends slowly is refused:
platforms send a body in one go, and a body that trickles in keeps its memory from others.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web

TOTAL = 64_000_000
"""Bytes of all bodies that are being read or worked on, in the process."""
UNSIGNED = TOTAL // 2
"""Bytes of these that bodies from strangers may take: nobody knows yet who sent them."""
_PATIENCE = 30.0
"""Seconds within which a body must arrive."""


class BodyTooLarge(Exception):
    """The body is larger than its route takes."""


class NoRoomForBody(Exception):
    """Other bodies take all the memory that there is for them."""


class BodyTooSlow(Exception):
    """The body arrives more slowly than any honest sender's."""


@dataclass(slots=True)
class BodyRoom:
    """The bytes that bodies take at the moment, ``unsigned`` ones included in ``taken``.

    A body from a stranger has ``grace`` seconds, and one more for each ``slowest`` bytes of it.
    """

    total: int = TOTAL
    strangers: int = UNSIGNED
    grace: float = 3.0
    slowest: int = 500_000
    taken: int = 0
    unsigned: int = 0

    def reserve(self, size: int, *, unsigned: bool) -> None:
        """Reserve bytes before they are read. Raises ``NoRoomForBody``."""
        if self.taken + size > self.total:
            raise NoRoomForBody
        if unsigned and self.unsigned + size > self.strangers:
            raise NoRoomForBody
        self.taken += size
        if unsigned:
            self.unsigned += size

    def release(self, size: int, *, unsigned: bool) -> None:
        self.taken -= size
        if unsigned:
            self.unsigned -= size


@dataclass(slots=True)
class BodyShare:
    """What one request has reserved; it is released when the request was answered."""

    room: BodyRoom
    unsigned: bool
    size: int = 0

    async def read(self, request: web.Request, largest: int) -> bytes:
        """Return the whole body of at most ``largest`` bytes. Raises ``BodyTooLarge``,
        ``BodyTooSlow``, ``NoRoomForBody`` and aiohttp's errors of a broken body.
        """
        loop, body = asyncio.get_running_loop(), bytearray()
        began = loop.time()
        while True:
            patience = _PATIENCE
            if self.unsigned:
                patience = self.room.grace + len(body) / self.room.slowest
            try:
                async with asyncio.timeout_at(began + patience):
                    chunk = await request.content.readany()
            except TimeoutError:
                raise BodyTooSlow from None
            if not chunk:
                return bytes(body)
            if len(body) + len(chunk) > largest:
                raise BodyTooLarge
            self.room.reserve(len(chunk), unsigned=self.unsigned)
            self.size += len(chunk)
            body += chunk

    def release(self) -> None:
        self.room.release(self.size, unsigned=self.unsigned)
        self.size = 0
