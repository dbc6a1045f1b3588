"""A message on its way to an address, as Standard Webhooks says it
(https://github.com/standard-webhooks/standard-webhooks, 1.0.0): signed by HMAC-SHA256 over its id,
the time of this attempt and the exact bytes; nothing but a 2xx is an arrival, and a redirect is
followed nowhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan

import aiohttp
from standardwebhooks import Webhook

from adapters.network import HostReach, not_allowed_behind
from adapters.network.broken import broken_by
from adapters.network.session import session

TIMEOUT = aiohttp.ClientTimeout(total=15.0, connect=10.0)
_GONE = 410
_DAY = 86_400.0
_SLOW_DOWN = (429, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of one attempt.

    ``status`` is 0 if nobody answered, ``after`` the seconds that the receiver asks for; ``busy``
    means that its other messages should wait too.
    """

    status: int
    words: str
    after: float = 0.0

    @property
    def arrived(self) -> bool:
        return 200 <= self.status < 300

    @property
    def gone(self) -> bool:
        return self.status == _GONE

    @property
    def busy(self) -> bool:
        return not self.status or self.status in _SLOW_DOWN


def make_session(inside: Collection[str]) -> aiohttp.ClientSession:
    """Returns a session that reaches public hosts and those that the operator named."""
    return session(HostReach(None, inside), timeout=TIMEOUT, unpack=False)


async def send(
    web: aiohttp.ClientSession,
    address: str,
    id: str,
    text: str,
    secrets: Sequence[str],
    now: datetime,
) -> Answered:
    """Sends a message once; a failure of the receiver or of the network never raises."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Debatebot",
        "webhook-id": id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(Webhook(one).sign(id, now, text) for one in secrets),
    }
    body = text.encode()
    try:
        async with web.post(address, data=body, headers=headers, allow_redirects=False) as answer:
            wait = _seconds(answer.headers.get("Retry-After", ""), now)
            return Answered(answer.status, f"answered {answer.status}", wait)
    except TimeoutError:
        return Answered(0, "no answer within 15 seconds")
    except (aiohttp.ClientError, OSError) as error:
        refused = not_allowed_behind(error)
        return Answered(0, str(refused or f"not reached, {broken_by(error)}"))


def _seconds(text: str, now: datetime) -> float:
    """Returns ``Retry-After`` in seconds, 0 if it says nothing; a day at most."""
    try:
        wait = float(text)
    except ValueError:
        try:
            wait = (parsedate_to_datetime(text).astimezone(UTC) - now).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return 0.0 if isnan(wait) else min(max(wait, 0.0), _DAY)
