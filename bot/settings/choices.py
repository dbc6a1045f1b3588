"""Settings with a few permitted values."""

from __future__ import annotations

from enum import StrEnum


class UnknownPrice(StrEnum):
    """The treatment of a debate whose price is unknown."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class ProcessRole(StrEnum):
    """The part of the bot that a process runs, if several processes share a PostgreSQL."""

    ALL = "all"
    CHAT = "chat"
    WORKER = "worker"


def needs_postgres(part: ProcessRole) -> str:
    """Explains why a process can't run only one part on a SQLite file."""
    return f"DEBATE_PART={part} shares the work with other processes, which needs PostgreSQL"
