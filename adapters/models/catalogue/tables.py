"""litellm's own tables, read as files: its import takes seconds, and a price must be shown before a
debate starts.

If litellm is not installed, the copies in this folder are read, of the release that the locks name
(``python -m adapters.models.catalogue.tables`` makes them again).
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from adapters.processes.files import write_file

PRICES = "model_prices_and_context_window_backup.json"
PROVIDERS = "llms/openai_like/providers.json"
TABLES = (PRICES, PROVIDERS)
_COPIES = Path(__file__).parent / "litellm"


@cache
def folder() -> Path | None:
    """Returns the folder of the installed litellm, None if it is not installed."""
    spec = find_spec("litellm")
    places = None
    if spec is not None:
        places = spec.submodule_search_locations
    if places:
        return Path(next(iter(places)))
    return None


def read_table(path: str) -> Mapping[str, Mapping[str, Any]]:
    """Returns a JSON table of litellm by its path inside the package."""
    if (root := folder()) is not None:
        data = (root / path).read_bytes()
    else:
        data = gzip.decompress(copy_of(path).read_bytes())
    rows: Mapping[str, Mapping[str, Any]] = msgspec.json.decode(data)
    return rows


def copy_of(path: str) -> Path:
    """Returns the path of a table's copy."""
    return _COPIES / f"{Path(path).name}.gz"


def make_copies() -> None:
    """Copies the tables of the installed litellm into this folder."""
    if (root := folder()) is not None:
        for path in TABLES:
            write_file(copy_of(path), gzip.compress((root / path).read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    make_copies()
