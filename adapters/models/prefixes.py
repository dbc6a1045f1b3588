"""Lets one call of a round go ahead if its seats read the same long text, so that the others
find it in the provider's cache.

A provider can serve a prefix from its cache once it has begun to answer someone who sent it; calls
that leave together would each pay for all of it. So the first waits for nobody, and the others for
the first sign of its answer, or for ``FOLLOW_SECONDS``: by then a prompt has been read, also by a
model that thinks long before its first word.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar

from core.debate.ports import Message

LEAST = 8000
"""Characters of the shortest prefix that is worth a moment's wait: about half a cent a call."""
FOLLOW_SECONDS = 3.0
KEPT_SECONDS = 240.0
"""Seconds for which a provider surely keeps a prefix in its cache; five minutes is the shortest
that any promises.
"""
_MOST = 4096
"""Prefixes remembered; older ones are forgotten."""


class Lead(asyncio.Event):
    """A call that ``followers`` wait for: set once its answer has begun, or has failed."""

    followers = 0


_CURRENT: ContextVar[Lead | None] = ContextVar("lead", default=None)


def begin() -> None:
    """Notes that the answer to the present call has begun."""
    if (lead := _CURRENT.get()) is not None:
        lead.set()


def leading() -> bool:
    """True if other calls wait until the answer to the present one begins."""
    lead = _CURRENT.get()
    return lead is not None and lead.followers > 0


class Prefixes:
    """The prefixes that a provider has read of late, shared by all debates of a process."""

    def __init__(self) -> None:
        self._leads: dict[bytes, Lead] = {}
        self._read: dict[bytes, float] = {}

    @asynccontextmanager
    async def shared(self, model: str, messages: Sequence[Message]) -> AsyncIterator[None]:
        """Waits while another call has the same prefix read, or goes ahead and lets the others
        wait.
        """
        prefix, fresh = self._longest(model, messages)
        if fresh < LEAST:
            yield
            return
        if (lead := self._leads.get(prefix)) is not None:
            lead.followers += 1
            try:
                async with asyncio.timeout(FOLLOW_SECONDS):
                    await lead.wait()
            except TimeoutError:
                pass  # the prompt has been read by now, whatever the answer waits for
            yield
            return
        lead = self._leads[prefix] = Lead()
        current = _CURRENT.set(lead)
        try:
            await asyncio.sleep(0)  # the other seats of the round come in this same moment
            yield
        finally:
            _CURRENT.reset(current)
            del self._leads[prefix]
            if lead.is_set():
                self._remember(model, messages)
            lead.set()

    def _longest(self, model: str, messages: Sequence[Message]) -> tuple[bytes, int]:
        """Returns the longest prefix that later prompts repeat, and how much of it is not in the
        cache.
        """
        if sum(len(m.text) for m in messages) < LEAST:
            return b"", 0
        now = time.monotonic()
        longest, length, known = b"", 0, 0
        for prefix, size in digests(model, messages):
            longest, length = prefix, size
            if now - self._read.get(prefix, -KEPT_SECONDS) < KEPT_SECONDS:
                known = size
        return longest, length - known

    def _remember(self, model: str, messages: Sequence[Message]) -> None:
        now = time.monotonic()
        for prefix, _ in digests(model, messages):
            self._read.pop(prefix, None)
            self._read[prefix] = now
        while len(self._read) > _MOST:
            del self._read[next(iter(self._read))]


def digests(model: str, messages: Sequence[Message]) -> list[tuple[bytes, int]]:
    """Returns each prefix that ends at a cache mark, and its length in characters."""
    digest, size, prefixes = hashlib.sha256(model.encode()), 0, list[tuple[bytes, int]]()
    for message in messages:
        digest.update(f"\x00{message.role}\x00{message.text}".encode("utf-8", "surrogatepass"))
        size += len(message.text)
        if message.cache:
            prefixes.append((digest.digest(), size))
    return prefixes
