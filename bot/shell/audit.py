"""``debate audit``: prints who did what, and whether the log is complete."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from adapters.terminal.printing import document, put, put_line
from bot.settings import Settings
from core.application.commands.help import example
from core.application.commands.kinds import seconds
from core.debate.errors import BadInput
from storage.audit import AuditLine, AuditLog
from storage.database.clock import utc_now


async def audit(typed: Sequence[str], settings: Settings) -> int:
    """Prints the log and returns 0 if it is complete, 1 if someone has changed it."""
    since, as_json = _options(typed)
    async with settings.opened_database() as database:
        log = AuditLog(database)
        lines, fault = await log.load(since), await log.find_fault()
        last = await log.last_hash()
    if as_json:
        put(document({"whole": not fault, "fault": fault, "last_hash": last,
                      "lines": [_as_dict(line) for line in lines]}))  # fmt: skip
        return 1 if fault else 0
    for line in lines:
        put_line(format_line(line))
    if fault:
        put(f"Somebody has changed this list: {fault}.")
        return 1
    put(f"Lines: {len(lines)}. The list is whole. Its last hash: {last or 'none'}")
    return 0


def format_line(line: AuditLine) -> str:
    """Formats one entry as a line: the time, the person, the place, the action, its object, and
    further facts.
    """
    text = ", ".join(f"{name} {value}" for name, value in line.detail.items())
    parts = (
        f"{line.at:%Y-%m-%d %H:%M:%S}",
        line.who or "nobody",
        f"({line.surface})",
        line.what,
        line.about,
        text and f"[{text}]",
    )
    return "  ".join(filter(None, parts))


def _as_dict(line: AuditLine) -> dict[str, Any]:
    return {
        "number": line.number, "at": line.at.isoformat(), "who": line.who,
        "surface": line.surface, "place": line.place, "what": line.what, "about": line.about,
        "detail": dict(line.detail), "hash": line.hash,
    }  # fmt: skip


def _options(typed: Sequence[str]) -> tuple[datetime | None, bool]:
    words, since = [word for word in typed if word != "--json"], None
    match words:
        case []:
            pass
        case ["--since", text]:
            since = _since(text)
        case _:
            how = example("audit", prefix="debate")
            raise BadInput(f"audit takes --since and --json. Like this: {how}")
    return since, len(words) < len(typed)


def _since(text: str) -> datetime:
    """Reads a time back from now, or the beginning of a day (UTC)."""
    back = seconds(text)
    if back:
        return utc_now() - timedelta(seconds=back)
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError as error:
        raise BadInput(
            f"--since is a time like 7d, or a day like 2026-11-01, not {text[:40]!r}."
        ) from error
