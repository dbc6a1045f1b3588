"""The stylesheet, the script and the icon: named by their content, so that a browser may keep them
for ever, and compressed once.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

PREFIX = "/assets/"
_TYPES = {
    "room.css": "text/css; charset=utf-8",
    "room.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    type: str
    plain: bytes
    packed: bytes


@cache
def assets() -> Mapping[str, Asset]:
    """Every file by the name under which it is served: ``room.0a1b2c3d.css``."""
    return {_named(name): _asset(name) for name in _TYPES}


def asset(name: str) -> str:
    """The address of a file for a page."""
    return PREFIX + _named(name)


@cache
def _named(name: str) -> str:
    stem, _, end = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(_read(name)).hexdigest()[:10]}.{end}"


def _asset(name: str) -> Asset:
    plain = _read(name)
    return Asset(_TYPES[name], plain, gzip.compress(plain, 9, mtime=0))


@cache
def _read(name: str) -> bytes:
    return (resources.files("adapters.room") / "static" / name).read_bytes()
