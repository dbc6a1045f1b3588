"""Reads foreign JSON in one place: a parser fails in more ways than by its own error, and a caller
that forgot one of them would crash when it should only refuse.
"""

from __future__ import annotations

from collections.abc import Collection
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


def read_reply(data: bytes | str, kind: type[T], careful: Collection[str] = ()) -> T:
    """Reads a service's reply otherwise as ``read_json``: if ``kind`` takes no null for a member,
    the member counts as not there. Those named in ``careful`` keep theirs.
    """
    try:
        return read_json(data, kind)
    except NoDocument:
        document = read_json(data, object)
    try:
        return msgspec.convert(without_nulls(document, careful), kind)
    except (ValueError, RecursionError) as error:
        raise NoDocument(str(error)) from error


def without_nulls(document: Any, careful: Collection[str] = ()) -> Any:
    """Returns a document without the members that are null, level by level, except those named in
    ``careful``.
    """
    levels = [document]
    while levels:
        one = levels.pop()
        if isinstance(one, dict):
            for name in [name for name, member in one.items() if member is None]:
                if name not in careful:
                    del one[name]
            levels.extend(one.values())
        elif isinstance(one, list):
            levels.extend(one)
    return document


def read_object(data: bytes | str) -> dict[str, Any]:
    """Returns a JSON object of any members. Raises ``NoDocument``."""
    return read_json(data, dict[str, Any])
