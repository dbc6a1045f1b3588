"""Settings that are one of a few words."""

from __future__ import annotations

from enum import StrEnum


class UnknownPrice(StrEnum):
    """The treatment of a debate whose price is unknown."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class ThreadForm(StrEnum):
    """The size of one message in a debate's thread: a statement or a whole round."""

    STATEMENTS = "statements"
    ROUNDS = "rounds"


class ProcessRole(StrEnum):
    """The part of the bot that a process runs, where several processes share a PostgreSQL."""

    ALL = "all"
    CHAT = "chat"
    WORKER = "worker"


def needs_postgres(part: ProcessRole) -> str:
    """Says why a process can't run one part alone on a SQLite file."""
    return f"DEBATE_PART={part} shares the work with other processes, which needs PostgreSQL"
