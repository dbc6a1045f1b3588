"""The same forge, log and shell as in the end-to-end tests, and a server of databases."""

from __future__ import annotations

from tests.end_to_end.conftest import debate, github, log, review, same_draw
from tests.end_to_end.readers import forked_readers
from tests.end_to_end.shell import Command
from tests.pg import postgres_server, postgres_url

__all__ = [
    "Command", "debate", "forked_readers", "github", "log", "postgres_server", "postgres_url",
    "review", "same_draw",
]  # fmt: skip
