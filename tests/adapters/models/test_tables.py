"""The copies of litellm's tables are what stands in the installed library."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.models.catalogue import tables


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A library of that name with tables of its own, and a folder for copies."""
    library = tmp_path / "there" / "litellm"
    for name in tables.TABLES:
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text(json.dumps({name: {"mode": "chat"}}))
    (library / "__init__.py").touch()
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tables, "_COPIES", tmp_path / "copies")
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    monkeypatch.syspath_prepend(library.parent)
    tables.folder.cache_clear()
    yield library
    tables.folder.cache_clear()


def test_a_copy_holds_what_the_library_does(installed: Path) -> None:
    tables.make_copies()
    for name in tables.TABLES:
        assert gzip.decompress(tables.copy_of(name).read_bytes()) == (installed / name).read_bytes()
        assert tables.read_table(name) == {name: {"mode": "chat"}}


def test_without_the_library_its_copies_are_read_and_stay(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables.make_copies()
    (installed / tables.PRICES).write_text("{}")
    monkeypatch.setitem(sys.modules, "litellm", None)
    tables.folder.cache_clear()
    tables.make_copies()
    assert tables.read_table(tables.PRICES) == {tables.PRICES: {"mode": "chat"}}
