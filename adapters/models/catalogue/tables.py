"""litellm's own tables, read as files: its import takes seconds, and a price must stand on the
screen before a debate starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec


@cache
def folder() -> Path | None:
    """Where litellm is installed, None where it is not."""
    spec = find_spec("litellm")
    places = spec.submodule_search_locations if spec is not None else None
    if places:
        return Path(next(iter(places)))
    return None


def read_table(path: str) -> Mapping[str, Mapping[str, Any]]:
    """A JSON table of litellm by its path inside the package; empty without litellm."""
    root = folder()
    if root is None:
        return {}
    rows: Mapping[str, Mapping[str, Any]] = msgspec.json.decode((root / path).read_bytes())
    return rows
