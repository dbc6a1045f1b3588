"""What a schedule watches, as people write it: ``github:owner/repo label:review base:main author:ann since:2026-05-01 max:5``."""

from __future__ import annotations

from datetime import UTC, datetime

from adapters.material import refusals
from adapters.material.forges import PullFilter
from adapters.material.links import parse_repo
from core.errors import BadInput

PREFIX = "github:"
_MOST = 50  # pull requests of one run
_WORDS = "label:, base:, author:, since: (a date) and max:"


def parse_watch(target: str) -> tuple[str, PullFilter]:
    """(repository, filter). ``BadInput`` with one line for anything else."""
    repo, *words = target.strip().removeprefix(PREFIX).split()
    found: dict[str, str] = {}
    for word in words:
        name, colon, value = word.partition(":")
        if not colon or not value or name not in {"label", "base", "author", "since", "max"}:
            raise BadInput(f"“{refusals.shown(word, 60)}” is not a filter. After the repository I know {_WORDS}.")
        found[name] = value
    return parse_repo(repo), PullFilter(
        label=found.get("label", ""),
        base=found.get("base", ""),
        author=found.get("author", ""),
        updated_since=_date(found["since"]) if "since" in found else None,
        at_most=_count(found.get("max", "10")),
    )


def is_watch(target: str) -> bool:
    """Whether a target names a repository to watch rather than one thing to debate."""
    return target.strip().startswith(PREFIX) and len(target.strip()) > len(PREFIX)


def _date(text: str) -> datetime:
    try:
        day = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadInput(f"since: takes a date like 2026-05-01, not “{refusals.shown(text, 40)}”.") from error
    return day if day.tzinfo else day.replace(tzinfo=UTC)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) <= _MOST:
        raise BadInput(f"max: takes a number from 1 to {_MOST}, not “{refusals.shown(text, 40)}”.")
    return int(text)
