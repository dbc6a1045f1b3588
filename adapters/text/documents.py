"""Reads foreign JSON in one place: a parser fails in more ways than by its own error, and a caller
that forgot one of them would crash when it should only refuse.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class NoDocument(ValueError):
    """The data is no JSON, not of the wanted shape, no text, or nested too deep."""


def read_json(data: bytes | str, kind: type[T]) -> T:
    """Reads JSON as a value of ``kind``. Raises ``NoDocument`` and nothing else, whatever the bytes
    are.
    """
    return read_as(msgspec.json.Decoder(kind), data)


def read_as(decoder: msgspec.json.Decoder[T], data: bytes | str) -> T:
    """Reads ``data`` with a decoder that was made before; otherwise as ``read_json``."""
    try:
        return decoder.decode(data)
    except (ValueError, OverflowError, RecursionError) as error:
        raise NoDocument(str(error)) from error


def read_object(data: bytes | str) -> dict[str, Any]:
    """Returns a JSON object of any members. Raises ``NoDocument``."""
    return read_json(data, dict[str, Any])
