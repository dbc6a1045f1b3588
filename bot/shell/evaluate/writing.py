"""Writes in the folder of a measurement, and names it if that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.debate.errors import BadInput


@contextmanager
def writes_in(folder: Path) -> Iterator[None]:
    """Raises ``BadInput`` if what is done in it can't write there."""
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{folder} cannot be written: {error.strerror}. Name another folder: --out FOLDER."
        ) from error
