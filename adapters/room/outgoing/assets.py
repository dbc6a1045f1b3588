"""The stylesheet, the script, the icon and the seats' pictures: named by their content, so that a
browser may keep them for ever, and compressed once.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from core.words.views.language.faces import FACES

PREFIX = "/assets/"
_TYPES = {
    "room.css": "text/css; charset=utf-8",
    "room.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FACE = "face-"
"""Begins the name of a seat's picture; its file is named by its emoji."""


@dataclass(frozen=True, slots=True)
class Asset:
    type: str
    plain: bytes
    packed: bytes


@cache
def assets() -> Mapping[str, Asset]:
    """Returns every file by the name under which it is served: ``room.0a1b2c3d.css``."""
    faces = (f"{_FACE}{face}.webp" for face in FACES)
    return {_named(name): _asset(name) for name in (*_TYPES, *faces)}


def asset(name: str) -> str:
    """Returns the address of a file for a page."""
    return PREFIX + _named(name)


def picture(face: str) -> str:
    """Returns the address of the picture of an emoji in ``core.words.views.language.faces``."""
    return asset(f"{_FACE}{face}.webp")


@cache
def _named(name: str) -> str:
    stem, _, end = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(_read(name)).hexdigest()[:10]}.{end}"


def _asset(name: str) -> Asset:
    plain = _read(name)
    return Asset(_TYPES.get(name, "image/webp"), plain, gzip.compress(plain, 9, mtime=0))


@cache
def _read(name: str) -> bytes:
    static = resources.files("adapters.room") / "static"
    if name.startswith(_FACE):
        return (static / "faces" / name.removeprefix(_FACE)).read_bytes()
    return (static / name).read_bytes()
