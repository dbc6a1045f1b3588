"""Free links (design documents) are fetched for anyone who can type, so nothing inside our network
may be reached through them.

Every address that a name leads to must be public (``adapters.network``). Each redirect is a new
link with the same rules. IP literals in any spelling, user parts and other ports are refused. Hops,
bytes (unpacked too) and time are bounded, and only text is read.
"""

from __future__ import annotations

import asyncio
import codecs
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from adapters.forges import refusals
from adapters.forges.wire import USER_AGENT
from adapters.material.prose.html_text import text_of
from adapters.network import PUBLIC, HostReach, not_allowed_behind
from adapters.network.broken import broken_by
from core.debate.errors import BadInput, CouldNotFinish
from core.languages import msgid, say

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

_NAME = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?",
    re.ASCII,
)
_TEXT = re.compile(
    r"text/(?:html|plain|markdown|x-markdown|x-rst|x-web-markdown)|application/(?:json|xml|xhtml\+xml)|text/xml",
    re.ASCII,
)
_WRITTEN_IN = re.compile(
    r"utf-8|utf-16(?:-[lb]e)?|ascii|iso8859-\d+|cp\d{3,4}|koi8-[ru]|mac-\w+|big5|gb\w+|euc_\w+|shift_jis\w*|iso2022_\w+"
)
_LOCAL = (".local", ".localhost", ".internal", ".lan", ".home.arpa", ".onion", ".test", ".invalid")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = 5


@dataclass(frozen=True, slots=True)
class WebRules:
    """Bounds of one fetch: ``seconds`` for all hops together, ``max_bytes`` unpacked. Tests widen
    ``reach`` and ``ports``.
    """

    seconds: float = 10.0
    max_bytes: int = 2_000_000
    ports: frozenset[int] = frozenset({80, 443})
    reach: HostReach = PUBLIC


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page as it came: ``url`` is its address after all redirects, ``kind`` the type that its
    server names, ``body`` the bytes, which anyone may have written.
    """

    url: str
    kind: str
    charset: str
    body: bytes


async def fetch(url: str, rules: WebRules, resolver: AbstractResolver | None = None) -> WebPage:
    """Returns the page behind a link.

    ``BadInput`` for a link that may not be read, ``CouldNotFinish`` when its server fails.
    """
    try:
        async with asyncio.timeout(rules.seconds):
            return await _fetched(url, rules, resolver)
    except TimeoutError as error:
        raise CouldNotFinish(
            "{host} did not answer in {seconds} s. Nothing was started.",
            host=_host(url),
            seconds=f"{rules.seconds:g}",
        ) from error


async def _fetched(url: str, rules: WebRules, resolver: AbstractResolver | None) -> WebPage:
    import aiohttp

    from adapters.network.session import session as client

    try:
        async with client(rules.reach, resolver, unpack=False) as session:
            for _ in range(_HOPS + 1):
                _check_link(url, rules)
                page = await _one_hop(session, url, rules)
                if isinstance(page, WebPage):
                    return page
                url = page
    except aiohttp.ClientError as error:
        if not_allowed_behind(error) is not None:
            raise BadInput(
                "That link does not lead to a public address, so I do not read it. Paste the text, "
                "or attach it as a file."
            ) from error
        raise CouldNotFinish(
            "{host} could not be read ({why}). Nothing was started.",
            host=_host(url),
            why=broken_by(error),
        ) from error
    raise BadInput(
        "The link leads through more than {hops} redirects. Give the final address.",
        hops=_HOPS,
    )


def _check_link(url: str, rules: WebRules) -> None:
    """Raises ``BadInput`` unless the link has an allowed form; it looks up no name."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    except ValueError as error:
        raise _refused(url, msgid("it is not a valid address")) from error
    host = (parts.hostname or "").removesuffix(".")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url or len(url) > 2000:
        raise _refused(url, msgid("it holds characters that a link does not have"))
    if parts.scheme not in {"https", "http"}:
        raise _refused(url, msgid("only https and http are read"))
    if "@" in parts.netloc:
        raise _refused(url, msgid("it has a user part"))
    if port not in rules.ports:
        raise _refused(url, msgid("it names another port"))
    if not _NAME.fullmatch(host) or host.endswith(_LOCAL):
        raise _refused(url, msgid("its host is not a public name"))


async def _one_hop(session: aiohttp.ClientSession, url: str, rules: WebRules) -> WebPage | str:
    """Returns the page, or the address that it redirects to."""
    headers = {
        "user-agent": USER_AGENT,
        "accept": "text/html, text/markdown, text/plain;q=0.9",
        "accept-encoding": "gzip",
    }
    async with session.get(url, headers=headers, allow_redirects=False) as answer:
        if answer.status in _REDIRECTS:
            to = answer.headers.get("location", "")
            try:
                return urljoin(url, to)
            except ValueError as error:
                raise _refused(to, msgid("it is not a valid address")) from error
        if answer.status in {401, 403, 404, 410}:
            raise BadInput(
                "{host} does not show that page (status {status}). Paste the text, or attach it "
                "as a file.",
                host=_host(url),
                status=answer.status,
            )
        if answer.status != 200:
            raise CouldNotFinish(
                "{host} answered with status {status}. Nothing was started.",
                host=_host(url),
                status=answer.status,
            )
        kind = answer.content_type.lower()
        if not _TEXT.fullmatch(kind):
            raise BadInput(
                "{host} sent {kind}, and I read text only. Paste the text, or attach it as a file.",
                host=_host(url),
                kind=refusals.quote(kind, 60),
            )
        return WebPage(url, kind, answer.charset or "", await _body(answer, rules.max_bytes))


def page_text(page: WebPage) -> tuple[str, str]:
    """Returns (title, text) of a page; the title is empty if it has none."""
    text = page.body.decode(_charset(page.charset), "backslashreplace")
    if "html" in page.kind:
        return text_of(text)
    return ("", text)


async def _body(answer: aiohttp.ClientResponse, most: int) -> bytes:
    """Returns the body, unpacked, never more than ``most`` bytes of it in memory."""
    coding = answer.headers.get("content-encoding", "identity").lower()
    if coding not in {"identity", "gzip", "x-gzip", "deflate"}:
        raise CouldNotFinish(
            "The page is packed in a way I do not read ({coding}). Nothing was started.",
            coding=refusals.quote(coding, 40),
        )
    unpack = None if coding == "identity" else zlib.decompressobj(wbits=47)
    body = bytearray()
    async for chunk in answer.content.iter_chunked(1 << 14):
        try:
            body += chunk if unpack is None else unpack.decompress(chunk, most + 1 - len(body))
        except zlib.error as error:
            raise CouldNotFinish("The page could not be unpacked. Nothing was started.") from error
        if len(body) > most or (unpack is not None and unpack.unconsumed_tail):
            raise BadInput(
                "The page is larger than {most} MB. Paste the part to debate, or attach it as a "
                "file.",
                most=most // 1000000,
            )
    return bytes(body)


def _charset(named: str) -> str:
    """Returns the codec that a page names, if pages are written in it: Python has others, which
    unpack, run for ever or are no text.
    """
    try:
        name = codecs.lookup(named).name
    except (LookupError, ValueError):
        return "utf-8"
    if _WRITTEN_IN.fullmatch(name):
        return name
    return "utf-8"


def _refused(url: str, because: str) -> BadInput:
    return BadInput(
        "“{url}” is not a link that I read: {because}. Paste the text, or attach it as a file.",
        url=refusals.quote(url, 120),
        because=say(because),
    )


def _host(url: str) -> str:
    return refusals.quote(urlsplit(url).hostname or "the page", 80)
