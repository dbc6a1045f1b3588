"""Deliveries of a GitHub App's webhooks that failed: GitHub repeats none by itself, keeps them for
three days and sends one again on request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

import msgspec

from adapters.forges.api import PAGE, PAGES, ForgeApi

TRIES = 4
"""Attempts at one delivery, GitHub's own first one among them, before it is left."""
_NEXT = re.compile(r'[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"')


class _Attempt(msgspec.Struct):
    """One attempt at the delivery ``guid``."""

    id: int
    guid: str
    delivered_at: datetime
    status_code: int = 0


async def missed_since(api: ForgeApi, since: datetime) -> Sequence[tuple[datetime, int]]:
    """Returns the deliveries that were tried since then and never arrived, the oldest first: each
    as the time of its first attempt and the id of its last.
    """
    tried: dict[str, list[_Attempt]] = {}
    cursor = ""
    for _ in range(PAGES):
        more = f"&cursor={quote(cursor, safe='')}" if cursor else ""
        response = await api.get(f"app/hook/deliveries?per_page={PAGE}{more}")
        some = api.decoded(response, list[_Attempt])
        for one in some:
            if one.delivered_at >= since:
                tried.setdefault(one.guid, []).append(one)
        following = _NEXT.search(response.headers.get("link", ""))
        if following is None or not some or some[-1].delivered_at < since:
            break
        cursor = following[1]
    missed = [
        (min(one.delivered_at for one in all), max(one.id for one in all))
        for all in tried.values()
        if len(all) < TRIES and not any(200 <= one.status_code < 300 for one in all)
    ]
    return sorted(missed)


async def ask_again(api: ForgeApi, attempt: int) -> bool:
    """True if GitHub sends it again; False if it no longer keeps it. Raises ``CouldNotFinish``."""
    response = await api.send("POST", f"app/hook/deliveries/{attempt}/attempts", None)
    if response.status in {404, 410, 422}:
        return False
    api.successful(response)
    return True
