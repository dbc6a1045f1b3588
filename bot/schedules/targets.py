"""What a schedule is about: one link, one question, or those of a repository's open pull requests
that its filters choose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from adapters.commands.durations import seconds
from adapters.forges.links import parse_repo, unwrapped
from adapters.forges.port import PullFilter
from core.errors import BadInput

_PULLS = 10
"""Open pull requests that one firing takes, the last updated first, where the schedule does not
say.
"""
_REPOSITORY = re.compile(r"https://([a-z0-9.-]+)/([^/?#]+/[^/?#]+?)(?:\.git)?/?(?:pulls/?)?")


def repository_of(target: str) -> tuple[str, str] | None:
    """(host, owner/name) where a target means all open pull requests of a repository.

    Raises ``BadInput`` for one badly written.
    """
    bare = unwrapped(target)
    if bare.startswith("github:"):
        return "github.com", parse_repo(bare.removeprefix("github:"))
    match = _REPOSITORY.fullmatch(bare)
    if match:
        return (match[1], parse_repo(match[2]))
    return None


def filter_of(filters: Mapping[str, str], now: datetime) -> PullFilter:
    """Which pull requests a schedule takes. Raises ``BadInput``."""
    since: datetime | None = None
    if text := filters.get("since", ""):
        span = seconds(text)
        if not span:
            raise BadInput("--since takes a time like 7d or 12h.")
        since = now - timedelta(seconds=span)
    most = int(filters.get("at-most") or _PULLS)
    return PullFilter(
        filters.get("label", ""), filters.get("base", ""), filters.get("author", ""), since, most
    )
