"""Maps one JSON value to one sequence of bytes, for hashing and signing (RFC 8785), and chains
hashes over a debate's events.

``json.dumps`` is not canonical: 1.0 must be ``1``, 1e-05 must be ``0.00001`` and keys sort by
UTF-16 units.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import rfc8785

_SAFE = 2**53 - 1


def canonical_json(value: Any) -> bytes:
    """Returns the RFC 8785 bytes of a JSON-able value. Raises ``ValueError`` for NaN, infinities
    and types that JSON does not have.

    Two things that JSON text can hold and canonical JSON cannot are written so that nothing is lost
    in silence: an integer that is not written like a double as a decimal string, and a lone
    surrogate as U+FFFD.
    """
    return rfc8785.dumps(_sayable(value))


def _sayable(value: Any) -> Any:
    match value:
        case str():
            return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case None | bool() | float():
            return value
        case int():
            if -_SAFE <= value <= _SAFE:
                return value
            return _large(value)
        case Mapping():
            return {_key(k): _sayable(v) for k, v in value.items()}
        case Sequence() if not isinstance(value, bytes | bytearray):
            return [_sayable(v) for v in value]
        case _:
            raise ValueError(f"{type(value).__name__} is not JSON")


def _large(value: int) -> float | str:
    """Writes a large integer. JSON numbers are doubles: digits that canonical JSON writes for a
    double stay a number, so that they read back to the same bytes.
    """
    try:
        if rfc8785.dumps(float(value)) == str(value).encode("ascii"):
            return float(value)
        return str(value)
    except OverflowError:
        return str(value)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise ValueError(f"a member's name is a text, not {key!r}")
    return str(_sayable(key))


def digest(value: Any) -> str:
    """Returns SHA-256 of the canonical bytes, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def chained(hashes: Iterable[str]) -> list[dict[str, Any]]:
    """Returns one link per event, of which only the hash (``digest``) is known: ``entry_hash``
    covers the event's full content and, through ``prev_hash``, everything before it; the first
    link's ``prev_hash`` is empty.
    """
    made: list[dict[str, Any]] = []
    before = ""
    for n, event_hash in enumerate(hashes):
        link = {"seq": n, "prev_hash": before, "event_hash": event_hash}
        before = digest(link)
        made.append(link | {"entry_hash": before})
    return made


def head(hashes: Iterable[str]) -> str:
    """Returns the hash of the whole log, the last link's, from the events' hashes. Empty for no
    events; any change of any event changes it.
    """
    made = chained(hashes)
    if made:
        return str(made[-1]["entry_hash"])
    return ""
