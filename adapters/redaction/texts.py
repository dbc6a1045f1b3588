"""Makes foreign texts safe to show: they are redacted, then escaped, then cut, and a cut is
marked.
"""

from __future__ import annotations

from dataclasses import dataclass

from adapters.redaction import redact
from core.debate.material.coverage import tokens_in
from core.debate.material.escaping import show_hidden
from core.debate.material.plaintext import cut

_TITLE = 300  # characters


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A foreign text that is safe to show, with the number of its secrets and whether it was
    cut.
    """

    text: str
    secrets: int = 0
    cut: bool = False


def cleaned(text: str, tokens: int) -> Cleaned:
    """Returns a foreign text redacted, escaped and cut to about ``tokens``; a cut is marked in
    it.
    """
    hidden, count = redact(text.replace("\r\n", "\n"))
    plain = show_hidden(hidden).strip()
    longest = max(tokens, 20) * 3
    if tokens_in(plain) <= max(tokens, 20):
        return Cleaned(plain, count)
    return Cleaned(
        f"{plain[:longest].rstrip()} …[cut, {len(plain) - longest:,} more characters]",
        count,
        cut=True,
    )


def one_line(text: str) -> Cleaned:
    """Returns a title, made safe and put on one line."""
    hidden, count = redact(text)
    return Cleaned(cut(" ".join(show_hidden(hidden).split()), _TITLE), count)
