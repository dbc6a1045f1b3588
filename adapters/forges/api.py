"""Calls one forge's API: it adds the headers, types the answers, and words refusals by their true
cause.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

import msgspec

from adapters.forges import refusals
from adapters.forges.links import ForgeKind
from adapters.forges.wire import USER_AGENT, BodyTooLarge, Response, Wire, WireLimits
from adapters.text.documents import NoDocument, read_json, read_object, read_reply
from core.debate.errors import BadInput

T = TypeVar("T")
logger = logging.getLogger(__name__)

PAGE = 100
"""Items of one page of a list, the most that both forges give."""
PAGES = 30
ARCHIVE = WireLimits(seconds=30.0, tries=2, max_bytes=50_000_000)
"""Limits of a repository's archive; a larger one is not read, and the seats see only the diff."""

DECIDING = frozenset({"confidential", "draft", "state"})
"""Members that decide what is read and what starts by itself: a null is not their default."""

Headers = Callable[[str], Mapping[str, str]]
"""The headers of a request that wants an answer of that media type; "" for the forge's own."""


def github_headers(token: str) -> Headers:
    def headers(accept: str) -> Mapping[str, str]:
        from gidgethub import sansio

        return sansio.create_headers(
            USER_AGENT, accept=accept or sansio.accept_format(), oauth_token=token or None
        )

    return headers


def gitlab_headers(token: str) -> Headers:
    def headers(_accept: str) -> Mapping[str, str]:
        plain = {"user-agent": USER_AGENT, "accept": "application/json"}
        if token:
            return {**plain, "private-token": token}
        return plain

    return headers


@dataclass(frozen=True, slots=True)
class ForgeApi:
    """``linked`` is True if a credential goes with the requests."""

    wire: Wire
    headers: Headers
    linked: bool

    async def get(
        self, path: str, accept: str = "", etag: str = "", *, follow: bool = True
    ) -> Response:
        """Sends a GET as ``Wire.get`` does. With an ``etag`` the answer may be 304, which means
        that nothing is new. Raises ``CouldNotFinish`` also for a web page that is no refusal.
        """
        headers = dict(self.headers(accept))
        if etag:
            headers["if-none-match"] = etag
        response = await self.wire.get(path, headers, follow=follow)
        if _is_page(response):
            raise refusals.page(self.wire.forge, response.status)
        return response

    async def listed(
        self,
        path: str,
        kind: type[T],
        what: str,
        query: Mapping[str, str] | None = None,
        pages: int = PAGES,
    ) -> AsyncIterator[T]:
        """Yields all items of a list, page by page as they are used.

        Raises ``BadInput`` if ``what``, the owner of the list in people's words, is not visible.
        """
        for page in range(1, pages + 1):
            some = await self._page(path, kind, what, query or {}, page, PAGE)
            for one in some:
                yield one
            if len(some) < PAGE:
                return

    async def listed_on(
        self,
        path: str,
        kind: type[T],
        what: str,
        query: Mapping[str, str],
        branch: Mapping[str, str],
    ) -> list[T]:
        """Returns the items of a list on the ``branch`` that a parameter names, or on the
        repository's own if that one is gone.
        """
        try:
            return [one async for one in self.listed(path, kind, what, {**query, **branch})]
        except BadInput:
            return [one async for one in self.listed(path, kind, what, query)]

    async def _page(
        self, path: str, kind: type[T], what: str, query: Mapping[str, str], page: int, size: int
    ) -> list[T]:
        """Returns the items of one page; a page that is too large is read in ten smaller ones."""
        parameters = urlencode({**query, "per_page": size, "page": page})
        try:
            response = await self.get(f"{path}?{parameters}")
        except BodyTooLarge as error:
            if size == 1:
                raise refusals.unreadable(self.wire.forge, "one item beyond 20 MB") from error
            some: list[T] = []
            for part in range(10 * (page - 1) + 1, 10 * page + 1):
                items = await self._page(path, kind, what, query, part, size // 10)
                some += items
                if len(items) < size // 10:
                    break
            return some
        if response.status == 404:
            forge: ForgeKind = "gitlab" if self.wire.forge == "GitLab" else "github"
            raise refusals.cannot_see(what, forge, linked=self.linked)
        return self.decoded(response, list[kind])  # type: ignore[valid-type]

    async def archive(self, path: str, elsewhere: str = "") -> bytes | None:
        """Returns a repository's archive; None if it is larger than ``ARCHIVE`` allows, or not
        there.
        """
        wire = self.wire.within(ARCHIVE)
        try:
            response = await wire.get(path, self.headers(""), elsewhere=elsewhere)
        except BodyTooLarge:
            return None
        if response.status == 404:
            return None
        return self.successful(response).body

    async def send(self, method: str, path: str, body: Mapping[str, Any] | None) -> Response:
        """Sends a JSON body, or none, as ``Wire.send`` does."""
        headers = dict(self.headers(""))
        if body is None:
            return await self.wire.send(method, path, headers, None)
        headers["content-type"] = "application/json"
        return await self.wire.send(method, path, headers, msgspec.json.encode(body))

    async def remove(self, method: str, path: str, body: Mapping[str, Any] | None) -> None:
        """Deletes one text, or replaces it by the ``body``; one that is gone already counts as
        done.
        """
        response = await self.send(method, path, body)
        if response.status not in (404, 410):
            self.successful(response, undone="It is still there.")

    def successful(self, response: Response, *, undone: str = refusals.STARTED) -> Response:
        if not 200 <= response.status < 300:
            raise refusals.refused(
                self.wire.forge,
                response.status,
                response.headers,
                response.body,
                self.wire.now,
                linked=self.linked,
                undone=undone,
            )
        return response

    def decoded(
        self, response: Response, kind: type[T], *members: str, undone: str = refusals.STARTED
    ) -> T:
        """Returns the answer, or the value to which its ``members`` lead, one in the other."""
        body = self.successful(response, undone=undone).body
        part = body
        try:
            for name in members:
                part = read_json(part, dict[str, msgspec.Raw]).get(name, b"null")
            return read_reply(part, kind, DECIDING)
        except NoDocument as error:
            if body.lstrip()[:1] == b"<":
                raise refusals.page(self.wire.forge, response.status, undone) from error
            raise refusals.unreadable(self.wire.forge, str(error)) from error

    def readable(self, items: Sequence[msgspec.Raw], kind: type[T], what: str) -> list[T]:
        """Returns the items of a list that can be read; the log names the others, and ``what`` they
        belong to. Raises ``CouldNotFinish`` if there are only others.
        """
        read, unread = list[T](), list[dict[str, str]]()
        for at, item in enumerate(items, 1):
            try:
                read.append(read_reply(item, kind, DECIDING))
            except NoDocument as error:
                unread.append({"item": _name_of(item, at), "reason": str(error)})
        if unread and not read:
            raise refusals.unreadable(self.wire.forge, unread[0]["reason"])
        for facts in unread:
            facts |= {"action": "list", "of": what}
            logger.warning("an item of a list can't be read and is left out", extra=facts)
        return read


def _name_of(item: msgspec.Raw, at: int) -> str:
    """Returns the number by which a forge's page shows an item, or its place in the list."""
    try:
        members = read_object(item)
    except NoDocument:
        members = {}
    names = (f"{name} {members[name]}" for name in ("number", "iid", "id") if name in members)
    return refusals.quote(next(names, f"item {at} of the page"))


def _is_page(response: Response) -> bool:
    """Return True if a proxy or a website answered, not the API, which sends no HTML. The pages of
    a refused sign-in or of a rate limit say by their status what they are.
    """
    html = response.headers.get("content-type", "").startswith("text/html")
    return html and (response.status < 300 or response.status == 404)
