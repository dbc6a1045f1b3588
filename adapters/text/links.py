"""Links in foreign text: kept only if they are https, on a known host and labelled honestly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime
from urllib.parse import SplitResult, unquote, urlsplit

from adapters.text.foreign import visible
from adapters.text.pieces import TextSpan
from core.languages import msgid

HOSTS = frozenset({"github.com", "gitlab.com"})
"""Hosts that a text of a model may link to; a link elsewhere is shown as its label and its host."""

_BARE = re.compile(r"https://[\w.-]+/[^\s<>|\"'`\\^{}]*[\w/#=&-]")
_LOOKS_LIKE_URL = re.compile(r"://|\bwww\.|[\w-]\.[a-z]{2,}\b", re.IGNORECASE)
_HOST = re.compile(r"[\w.:%-]+")
_SAFE_URL = re.compile(r"[!#$%&'()*+,\-./:;=?@\w~\[\]]+", re.ASCII)


def address_parts(text: str) -> SplitResult | None:
    """Returns the parts of an address with a host, None for a text that is none."""
    try:
        url = urlsplit(text)
        _ = url.port  # raises for a port that is no number
    except ValueError:
        return None
    return url if _HOST.fullmatch(url.hostname or "") else None


def safe_url(url: str, hosts: Collection[str]) -> str:
    """Returns ``url`` if it is https, on one of ``hosts``, without user, port or odd characters;
    else nothing.
    """
    if not _SAFE_URL.fullmatch(url):
        return ""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    known = parts.scheme == "https" and parts.hostname in hosts
    return url if known and port is None and "@" not in parts.netloc else ""


YOUR_TIME = msgid("your time")
"""The text after a time in the reader's time zone."""
_MOMENT = re.compile(r"time:(\d{9,11})", re.ASCII)
"""The address of a moment that a surface can show by the reader's clock."""


def moment_link(moment: datetime, text: str) -> str:
    """Returns Markdown for a moment that a surface shows by the reader's clock or as ``text``."""
    return f"[{text}](time:{int(moment.timestamp())})"


def link_spans(href: str, label: list[TextSpan], hosts: Collection[str]) -> list[TextSpan]:
    """Returns the label as a link, or the label with the address as text if that is not allowed."""
    text = "".join(span.text for span in label)
    if moment := _MOMENT.fullmatch(href):
        return [replace(span, at=int(moment[1])) for span in label]
    url = safe_url(href, hosts)
    plain = not _LOOKS_LIKE_URL.search(unicodedata.normalize("NFKC", text))
    if url and text.strip() and (plain or text == url or _names_its_line(text, url)):
        return [replace(span, url=url, code=False) for span in label]
    return [*label, *target_spans(href)]


def _names_its_line(text: str, url: str) -> bool:
    """True if a label is the very file, or file and line, that its address ends with:
    ``app/db.py:12`` of ``…/app/db.py#L12``.
    """
    parts = urlsplit(url)
    path, _, line = text.partition(":")
    return (
        unquote(parts.path).endswith(f"/{path}") and parts.fragment == f"{'L' * bool(line)}{line}"
    )


def target_spans(href: str) -> list[TextSpan]:
    """Returns a forbidden link's target as inert code: its host, or a word for what it is instead
    of a link.
    """
    try:
        parts = urlsplit(href)
        where = parts.hostname or (parts.scheme and f"{parts.scheme}: link") or href
    except ValueError:
        where = href
    if not where:
        return []
    return [TextSpan(" ("), TextSpan(visible(where)[:200], code=True), TextSpan(")")]


def bare_links(span: TextSpan, hosts: Collection[str]) -> Iterator[TextSpan]:
    """Yields ``span`` with bare addresses on known hosts made links."""
    at = 0
    for match in _BARE.finditer(span.text):
        if url := safe_url(match.group(), hosts):
            yield replace(span, text=span.text[at : match.start()])
            yield replace(span, text=url, url=url)
            at = match.end()
    yield replace(span, text=span.text[at:])
