"""The targets of a schedule: one link, one question, or a repository's open pull requests that
match its filters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from adapters.forges.links import parse_repo, unwrapped
from adapters.forges.port import PullFilter
from core.application.commands.kinds import seconds
from core.debate.errors import BadInput

_PULLS = 10
"""The most open pull requests that one firing takes, the last updated first, by default."""
_REPOSITORY = re.compile(r"https://([a-z0-9.-]+)/([^/?#]+/[^/?#]+?)(?:\.git)?/?(?:pulls/?)?")


def repository_of(target: str) -> tuple[str, str] | None:
    """Returns the host and ``owner/name`` if a target means all open pull requests of a repository,
    else None. Raises ``BadInput`` for a malformed one.
    """
    bare = unwrapped(target)
    if bare.startswith("github:"):
        return "github.com", parse_repo(bare.removeprefix("github:"))
    match = _REPOSITORY.fullmatch(bare)
    if match:
        return (match[1], parse_repo(match[2]))
    return None


def filter_of(filters: Mapping[str, str], now: datetime) -> PullFilter:
    """Returns the filter of a schedule's pull requests. Raises ``BadInput``."""
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
