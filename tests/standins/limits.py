"""The platforms' documented rate limits, enforced: how many calls of a kind fit into a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_JITTER = 0.1
"""Seconds by which two calls that were sent a pause apart may arrive closer to each other."""


@dataclass(frozen=True, slots=True)
class Limit:
    """``calls`` in ``seconds``."""

    calls: int
    seconds: float


SLACK: Mapping[str, Limit] = {
    "chat.postMessage": Limit(1, 1.0),  # in a channel; all others are for a workspace
    "chat.update": Limit(50, 60.0),
    "chat.delete": Limit(50, 60.0),
    "reactions.add": Limit(50, 60.0),
    "reactions.get": Limit(50, 60.0),
    "conversations.replies": Limit(50, 60.0),
    "conversations.history": Limit(50, 60.0),
}
DISCORD: Mapping[str, Limit] = {
    "POST /channels/{channel_id}/messages": Limit(5, 5.0),
    "PATCH /channels/{channel_id}/messages/{message_id}": Limit(5, 5.0),
    "PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me": Limit(1, 0.25),
    "PATCH /channels/{channel_id}": Limit(2, 600.0),
}
"""Discord documents that each answer names its route's limit; these are those that it sends."""


@dataclass
class Used:
    """The calls of one bucket that still count. ``refused`` are the calls that came too early."""

    clock: Callable[[], float] = time.monotonic
    calls: dict[str, deque[float]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def take(self, bucket: str, limit: Limit) -> tuple[float, int, float]:
        """Counts a call. Returns the seconds for which it came too early (0: it is allowed), the
        calls left, and the seconds until all are back.
        """
        now = self.clock()
        calls = self.calls.setdefault(bucket, deque())
        while calls and calls[0] <= now - limit.seconds:
            calls.popleft()
        early = calls[0] + limit.seconds - now if len(calls) >= limit.calls else 0.0
        if early > min(_JITTER, limit.seconds / 4):
            self.refused.append(bucket)
            return early, 0, early
        calls.append(now)
        left = max(0, limit.calls - len(calls))
        return 0.0, left, calls[0] + limit.seconds - now
