"""One request to a provider over HTTP, and its streamed answer: bounded, never redirected, never
retried, over connections that are kept for the next call.

Nothing here knows a protocol: what comes out are the data of a stream's events, or the one document
of a server that does not stream.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from adapters.models import faults, limits, prefixes
from adapters.models.exchange import BROKE_OFF, TOO_LONG
from adapters.network import HostReach, not_allowed_behind
from adapters.network.broken import broken_by, certificate_step
from core.debate.errors import ModelError, ModelFailure
from core.debate.stored import stored

if TYPE_CHECKING:
    import aiohttp

_LONGEST_LINE = 1 << 20
"""Bytes of one event, or of an answer that is no stream. More is not a language model talking."""
_LONGEST_ANSWER = 16 << 20
"""Bytes of a whole stream: 600 tokens take about 180,000."""
_CONNECT_SECONDS = 10.0
_SILENCE_SECONDS = 45.0
"""The longest pause of an answer once its words have begun to come."""
_GATHER_SECONDS = 0.04
"""Seconds that the pieces of a stream gather before they are read: taken one by one, 600 of them
cost more than everything else that is done for an answer.
"""
_CLOSING = 4
"""The most kept connections in a row that may turn out to be closing before a request fails."""
KEPT_SECONDS = 60.0
"""Seconds that an idle connection is kept; providers close theirs after a minute or more."""
_ERROR_BYTES = 8000
_SESSION = "adapters.network.session"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a model.

    ``name`` is people's name of the model; ``key`` and ``base`` are the variables to look at when
    its key or its address is wrong.
    """

    name: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str = ""
    base: str = ""
    clean: faults.Redact = str


class Http:
    """The connections of a process to all providers. Belongs to the event loop that first uses it;
    another loop gets new ones.
    """

    def __init__(self, *, silence: float = _SILENCE_SECONDS) -> None:
        self.silence = silence
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._named: set[str] = set()

    def allow(self, base: str) -> None:
        """Allows an address that the operator named, which may be on this machine or in a private
        network.
        """
        self._named.add((urlsplit(base).hostname or "").lower())

    def load(self) -> None:
        """Begins to import, in a thread, the modules that make connections. It takes a tenth of a
        second, most of it for certificates, which the interpreter need not wait for.
        """
        if _SESSION not in sys.modules:
            asyncio.get_running_loop().run_in_executor(None, import_module, _SESSION)

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    @asynccontextmanager
    async def stream(self, address: Address, body: Mapping[str, Any]) -> AsyncIterator[EventStream]:
        """Returns the events that answer one request.

        Raises ``ModelError``; sets no limit to the whole, which is the caller's.
        """
        import aiohttp
        import msgspec

        try:
            async with (
                asyncio.timeout(None) as quiet,
                await self._asked(address, msgspec.json.encode(body)) as response,
            ):
                limits.hear(response.status, response.headers)
                if response.status not in (200, 201):
                    raise await _refusal(address, response)
                yield EventStream(address, response, quiet, self.silence)
        except aiohttp.ClientError as error:
            raise _unreached(address, error) from error
        except TimeoutError as error:
            silent = stored(
                "it fell silent for {seconds} s in mid-answer", seconds=f"{self.silence:g}"
            )
            raise faults.model_error(ModelFailure.TIMEOUT, address.name, silent) from error
        except OSError as error:
            raise faults.model_error(
                ModelFailure.PROVIDER_DOWN, address.name, address.clean(str(error))
            ) from error

    async def _asked(self, address: Address, body: bytes) -> aiohttp.ClientResponse:
        """Sends the request and returns the answer's beginning.

        A kept connection may be closing just as it is taken up again (llama-server closes each
        after its answer): a request that could not be written to it was never made, so another
        connection takes it.
        """
        import aiohttp

        headers = {"Content-Type": "application/json", **address.headers}
        for _ in range(_CLOSING):
            try:
                return await self._pool().post(
                    address.url, data=body, headers=headers, allow_redirects=False
                )
            except aiohttp.ClientOSError as error:
                if not isinstance(error.__cause__, aiohttp.ClientConnectionResetError):
                    raise
        return await self._pool().post(
            address.url, data=body, headers=headers, allow_redirects=False
        )

    async def greet(self, address: Address) -> None:
        """Asks an address that costs nothing. Raises ``ModelError`` if it cannot be reached or
        refuses the key; any other answer is no reason not to ask the model.
        """
        import aiohttp

        try:
            async with self._pool().get(
                address.url, headers=dict(address.headers), allow_redirects=False
            ) as response:
                if response.status == 401:
                    raise await _refusal(address, response)
        except aiohttp.ClientConnectorError as error:
            raise _unreached(address, error) from error
        except (aiohttp.ClientError, OSError):
            return

    async def get(self, url: str, headers: Mapping[str, str], *, most: int) -> bytes:
        """Returns a document. Raises ``ModelError`` for a failure and for more than
        ``most`` bytes.
        """
        import aiohttp

        try:
            async with self._pool().get(url, headers=headers, allow_redirects=False) as response:
                body = b""
                if response.status == 200:
                    body = await _bounded(response, most)
        except (aiohttp.ClientError, OSError) as error:
            raise ModelError(ModelFailure.PROVIDER_DOWN, f"{url} does not answer") from error
        if not body or len(body) >= most:
            raise ModelError(ModelFailure.BAD_REPLY, f"{url} has no list")
        return body

    def _pool(self) -> aiohttp.ClientSession:
        import aiohttp

        from adapters.network.session import session

        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = session(
                HostReach(None, self._named),
                limit=0,
                keepalive=KEPT_SECONDS,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                headers={"Accept-Encoding": "identity", "User-Agent": "debatebot"},
                buffer=1 << 18,
            )
        return self._session


class EventStream:
    """The data of a stream's events, as they arrive; of an answer that is no stream, its body."""

    def __init__(
        self,
        address: Address,
        response: aiohttp.ClientResponse,
        quiet: asyncio.Timeout,
        silence: float,
    ) -> None:
        self._address = address
        self._response = response
        self._quiet = quiet
        self._silence = silence
        self._rest = b""
        self._total = 0
        self._body: list[bytes] | None = []
        """Lines so far of what may turn out to be no stream; None once it is one."""
        self._read = False
        self.refused = 0
        """Bytes of what looked like an answer and was too long to read."""

    async def read(self, *, begun: bool) -> list[bytes]:
        """Returns the next events, at least one; empty at the end. Raises ``ModelError``.

        Once the words have ``begun``, the next piece may not be long in coming; before that a model
        may think.
        """
        if self._read and self._body is None:
            await self._gather()
        if begun:
            self._limit()
        while piece := await self._response.content.readany():
            if not self._read:
                self._read = True
                prefixes.begin()
            self._total += len(piece)
            *lines, self._rest = (self._rest + piece).split(b"\n")
            if data := [line[5:].strip() for line in lines if line.startswith(b"data:")]:
                self._body = None
            elif self._body is not None:
                self._body += [line for line in lines if not line.startswith(b":")]
            self._check()
            if data:
                return data
        return self._last()

    async def _gather(self) -> None:
        """Lets pieces gather in the socket. An answer that is there whole is not waited for."""
        connection = self._response.connection
        if connection is None or connection.protocol is None or self._response.content.is_eof():
            return
        connection.protocol.pause_reading()
        try:
            await asyncio.sleep(_GATHER_SECONDS)
        finally:
            connection.protocol.resume_reading()

    def _check(self) -> None:
        """Bounds what is kept in memory."""
        unread = len(self._rest)
        if self._body is not None:
            unread = self._total
        if unread > _LONGEST_LINE or self._total > _LONGEST_ANSWER:
            begins = b"".join((*(self._body or ()), self._rest)).lstrip()
            if begins.startswith((b"{", b"data:")):
                self.refused = unread
            raise faults.model_error(ModelFailure.BAD_REPLY, self._address.name, TOO_LONG)

    def _limit(self) -> None:
        """Ends the wait for the next piece in time; set anew only now and then, for it costs as
        much as reading a piece.
        """
        due = asyncio.get_running_loop().time() + self._silence
        if due - (self._quiet.when() or 0.0) > self._silence / 40:
            self._quiet.reschedule(due)

    def _last(self) -> list[bytes]:
        rest, self._rest, body, self._body = self._rest, b"", self._body, None
        if rest.startswith(b"data:"):
            return [rest[5:].strip()]
        if body is not None and (whole := b"\n".join((*body, rest))):
            return [whole]
        return []


def _unreached(address: Address, error: aiohttp.ClientError) -> ModelError:
    """Returns the error for a connection that was not made, or broke."""
    import aiohttp

    refusal, step, cause = not_allowed_behind(error), "", ""
    message = str(refusal or error) or type(error).__name__
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError):
        message = BROKE_OFF
    if refusal is None and isinstance(error, aiohttp.ClientConnectorError):
        cause = stored("no connection")  # the provider may be up, and this machine's network down
        message = stored(
            "{host} was not reached, {why}",
            host=urlsplit(address.url).hostname,
            why=broken_by(error),
        )
        step = certificate_step(error) or stored(
            "check the network, HTTPS_PROXY if it is set, and the address"
        )
    return faults.model_error(
        ModelFailure.PROVIDER_DOWN, address.name, address.clean(message), step=step, cause=cause
    )


async def _refusal(address: Address, response: aiohttp.ClientResponse) -> Exception:
    """Returns the error for a response that is no answer."""
    if 300 <= response.status < 400:
        return faults.redirected(address.name, response.status, address.base)
    body = (await _bounded(response, _ERROR_BYTES)).decode(errors="replace")
    return faults.fault(
        address.name,
        response.status,
        body,
        headers=response.headers,
        key=address.key,
        step=faults.address_step(address.url, address.base),
        clean=address.clean,
    )


async def _bounded(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Reads a response's body up to ``most`` bytes."""
    body = b""
    while len(body) < most and (piece := await response.content.readany()):
        body += piece
    return body[:most]
