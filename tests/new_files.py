"""A new database file of a test is a copy of one whose tables were made once: making them takes
longer than most tests do.

A module that defines a fixture of the same name has its databases made as users have them.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from storage import schema
from storage.database import database_url
from storage.database.files import make_folder

MAKE = schema._make_database_file
"""The product's own, for the single test that needs it."""


@cache
def _empty() -> bytes:
    """Returns the file of a database with all tables and nothing in them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "debate.db"
        schema.upgrade(database_url(str(file)))
        assert [path.name for path in Path(folder).iterdir()] == ["debate.db"], "all is in the file"
        return file.read_bytes()


def _copied(file: Path) -> None:
    """Puts the copy there whole from its first moment on, and only where no file is; of what is
    wrong with a place the product tells.
    """
    if not file.exists() and not file.is_symlink():
        with suppress(OSError):
            make_folder(file)
        with suppress(OSError), tempfile.TemporaryDirectory(dir=file.parent) as folder:
            copy = Path(folder) / file.name
            MAKE(copy)
            copy.write_bytes(_empty())
            os.link(copy, file)
    MAKE(file)


@pytest.fixture(autouse=True)
def databases_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    _empty()  # while nothing is patched
    monkeypatch.setattr(schema, "_make_database_file", _copied)
