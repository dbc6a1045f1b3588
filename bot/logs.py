"""Logs for people at a shell: one line each on standard error, with every known secret removed,
whichever library wrote it.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Sequence

from core.debate.material.escaping import show_hidden

_STRUCK = "[secret]"
_LONGEST = 4_000
"""The most characters of an entry that is kept."""
recent: deque[str] = deque(maxlen=1_000)
"""The last entries of this process, one JSON object each, the oldest first. A log belongs to one
process, and so does this; it is not written to disk.
"""


class Keeping(logging.Handler):
    """Keeps each entry, as its formatter writes it, in ``recent``."""

    def emit(self, record: logging.LogRecord) -> None:
        recent.append(self.format(record)[:_LONGEST])


def struck(text: str, secrets: Sequence[str]) -> str:
    """Returns the text without the secrets."""
    for secret in secrets:
        text = text.replace(secret, _STRUCK)
    return text


class _Formatter(logging.Formatter):
    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = tuple(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Formats the whole entry, with its trace, safe to show in a terminal."""
        return show_hidden(struck(super().format(record), self._secrets))


def to_stderr(level: str, secrets: Sequence[str]) -> None:
    """Sends every entry of at least ``level`` to standard error from here on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(secrets))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
