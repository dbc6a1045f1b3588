"""Reads Slack's escaped text, with people, channels and groups by name."""

from __future__ import annotations

import html
import re
from collections.abc import Awaitable, Callable

Name = Callable[[str], Awaitable[str]]
"""Returns the name of a person (``@U1``), channel (``#C1``) or group (``!subteam^S1``), "" if it is
not known.
"""

WRAPPED = re.compile(r"<([^<>|\n]+)(?:\|([^<>\n]*))?>")
"""A reference in Slack's text: its target and its label."""


async def named(text: str, name: Name) -> str:
    """Returns Slack's escaped text as it reads: links, people, channels and groups as words; after
    ``person:`` the account stays.
    """
    read, at = [], 0
    for match in WRAPPED.finditer(text):
        read.append(text[at : match.start()])
        after = text[match.end() :].lstrip()
        if read[-1].endswith("person:"):  # the account that gets a seat
            read.append(match[1].removeprefix("@"))
        else:
            read.append(await _word(match[1], match[2] or "", name, last=_ends(after)))
        at = match.end()
    return html.unescape("".join([*read, text[at:]]))


async def _word(target: str, label: str, name: Name, *, last: bool) -> str:
    if target.startswith(("#", "@", "!subteam^")):
        known = label.lstrip("@#") or await name(target)
        sign = "#" if target.startswith("#") else "@"
        return sign + (known.lstrip("@#") or target.lstrip("#@").rpartition("^")[2])
    if target.startswith("!date^"):
        return label or target
    if target.startswith("!"):
        return f"@{(label or target[1:]).lstrip('@')}"
    address = target.removeprefix("mailto:").removeprefix("tel:")
    bare = re.sub(r"^https?://", "", address).rstrip("/")
    if label and bare == label and "/" not in bare:
        return label  # a file's name that Slack took for a host
    if not label or last or label in (address, bare) or address.startswith(label.rstrip("….")):
        return address
    return f"{label} ({address})"


def _ends(after: str) -> bool:
    """Return True if a link is the last word of a line, so that it can be a command's target."""
    return not after or after.startswith(("--", "—", "path:"))
