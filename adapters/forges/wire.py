"""Sends careful requests to one forge: short timeouts, few tries, bounded bodies, and a token that
never leaves its origin.

A request that reads is tried again; one that writes is sent once, because only the caller knows how
to look whether it arrived.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from adapters.forges import refusals
from adapters.forges.refusals import OutcomeUnknown
from adapters.network import not_allowed_behind, reach_of
from adapters.network.broken import broken_by, certificate_step

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

USER_AGENT = "debatebot"
REDIRECTS = frozenset({301, 302, 307, 308})
_HOPS = 3
_OWN = ("api.github.com", "github.com", "codeload.github.com", "gitlab.com")
# GitHub's word for a diff that takes too long to make: asking again makes it no faster
_NOT_AVAILABLE = b'"not_available"'


@dataclass(frozen=True, slots=True)
class WireLimits:
    """``seconds`` for one request from its start to its last byte, ``pause`` between tries,
    ``max_bytes`` of one body, unpacked.
    """

    seconds: float = 10.0
    tries: int = 3
    pause: float = 0.5
    max_bytes: int = 20_000_000


@dataclass(frozen=True, slots=True)
class Response:
    """An answer; the names of its ``headers`` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class BodyTooLarge(Exception):
    """The body is larger than the limit; what was read of it is dropped."""


class Wire:
    """Requests below one API base.

    ``forge`` is its name for people, ``now`` the clock behind "free again at".
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        base: str,
        forge: str,
        limits: WireLimits,
        now: datetime,
    ) -> None:
        self._session = session
        self._base = base.rstrip("/") + "/"
        self._limits = limits
        self.forge = forge
        self.now = now

    @property
    def base(self) -> str:
        """The API's address, without a slash at its end."""
        return self._base.rstrip("/")

    def within(self, limits: WireLimits) -> Wire:
        """Returns the same client with other limits."""
        return Wire(self._session, self._base, self.forge, limits, self.now)

    async def pause(self, times: float) -> None:
        """Waits ``times`` as long as between two tries."""
        await asyncio.sleep(times * self._limits.pause)

    async def get(
        self,
        path: str,
        headers: Mapping[str, str],
        *,
        follow: bool = True,
        elsewhere: str = "",
    ) -> Response:
        """Returns the answer to GET ``path`` below the base, whatever its status below 500 (and
        GitHub's 5xx for a diff too large to make). Without ``follow`` a redirect is an answer as
        well.

        Raises ``CouldNotFinish`` after the last try, or for a redirect to another origin, which is
        not followed unless it is the host named ``elsewhere``, which gets none of our headers; and
        ``BodyTooLarge``.
        """
        url = urljoin(self._base, path.lstrip("/"))
        for _ in range(_HOPS + 1):
            response = await self._retried(url, headers)
            if response.status not in REDIRECTS or not follow:
                return response
            url, origin = self._target(url, response)
            if origin == ("https", elsewhere, 443):
                headers = {"user-agent": USER_AGENT}
            elif origin != _origin(self._base) or not url.isascii():
                raise refusals.redirected(self.forge)
        raise refusals.unreadable(self.forge, f"more than {_HOPS} redirects")

    def _target(self, url: str, response: Response) -> tuple[str, tuple[str, str, int | None]]:
        """Returns the address to which a redirect leads, and its origin."""
        try:
            target = urljoin(url, response.headers.get("location", ""))
            return target, _origin(target)
        except ValueError as error:  # no address at all
            raise refusals.redirected(self.forge) from error

    async def send(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> Response:
        """Returns the answer to one POST, PATCH, PUT or DELETE, whatever its status below 500. It
        is sent once more to where a repository has moved on the same origin.

        Raises ``CouldNotFinish`` if it never left, ``OutcomeUnknown`` if it may have arrived.
        """
        import aiohttp

        url = urljoin(self._base, path.lstrip("/"))
        try:
            response = await self._once(url, headers, method, body)
            if response.status in REDIRECTS:
                target, origin = self._target(url, response)
                if origin == _origin(self._base) and target.isascii():
                    response = await self._once(target, headers, method, body)
        except aiohttp.ClientConnectorError as error:
            raise refusals.unreachable(
                self.forge, broken_by(error), certificate_step(error)
            ) from error
        except (TimeoutError, aiohttp.ClientError) as error:
            raise OutcomeUnknown(
                f"{self.forge} gave no answer ({type(error).__name__}); it is looked up."
            ) from error
        if response.status in REDIRECTS:
            raise refusals.redirected(self.forge)
        if response.status >= 500:
            raise OutcomeUnknown(f"{self.forge} answered {response.status}; it is looked up.")
        return response

    async def _retried(self, url: str, headers: Mapping[str, str]) -> Response:
        import aiohttp

        failure: Exception = refusals.unreachable(self.forge, "no try was made")
        for attempt in range(self._limits.tries):
            if attempt:
                await asyncio.sleep(self._limits.pause)
            try:
                response = await self._once(url, headers)
            except TimeoutError as error:
                failure = refusals.timed_out(self.forge, self._limits.seconds, self._limits.tries)
                failure.__cause__ = error
            except aiohttp.ClientError as error:
                refused = not_allowed_behind(error)
                if refused is not None:
                    raise refusals.unreachable(self.forge, str(refused)) from error
                failure = refusals.unreachable(
                    self.forge, broken_by(error), certificate_step(error)
                )
                failure.__cause__ = error
            else:
                if response.status < 500 or _NOT_AVAILABLE in response.body:
                    return response
                failure = refusals.refused(
                    self.forge, response.status, response.headers, response.body, self.now
                )
        raise failure

    async def _once(
        self, url: str, headers: Mapping[str, str], method: str = "GET", sent: bytes | None = None
    ) -> Response:
        import aiohttp
        from yarl import URL

        timeout = aiohttp.ClientTimeout(total=self._limits.seconds)
        exact = URL(url, encoded=True)
        async with self._session.request(
            method, exact, headers={**headers}, data=sent, allow_redirects=False, timeout=timeout
        ) as answer:
            body = bytearray()
            async for chunk in answer.content.iter_chunked(1 << 16):
                body += chunk
                if len(body) > self._limits.max_bytes:
                    raise BodyTooLarge
            return Response(
                answer.status,
                {name.lower(): value for name, value in answer.headers.items()},
                bytes(body),
            )


@asynccontextmanager
async def open_wire(
    resolver: AbstractResolver | None, base: str, forge: str, limits: WireLimits, now: datetime
) -> AsyncIterator[Wire]:
    """Opens a ``Wire``, which reaches the forges' own hosts and that of its ``base``."""
    from adapters.network.session import session as client

    async with client(reach_of(base, own=_OWN), resolver, limit=4) as session:
        yield Wire(session, base, forge, limits, now)


def _origin(url: str) -> tuple[str, str, int | None]:
    parts = urlsplit(url)
    return (
        parts.scheme,
        parts.hostname or "",
        parts.port or {"https": 443, "http": 80}.get(parts.scheme),
    )
