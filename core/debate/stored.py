"""Sentences that are stored in English and said later in a reader's language."""

from __future__ import annotations


def stored(text: str, /, **fields: object) -> str:
    """Writes a sentence in English and marks it for ``core.languages.stored``. A field whose name
    begins with ``why`` may hold another one, or a fixed name such as a round's title.
    """
    return text.format(**fields) if fields else text


def stored_many(n: int, one: str, many: str, /, **fields: object) -> str:
    """Writes a sentence in the form that its number needs; ``{n}`` in it is the number."""
    return (one if n == 1 else many).format(n=f"{n:,}", **fields)
