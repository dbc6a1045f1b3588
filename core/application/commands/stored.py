"""Stores requests that wait: a schedule's for its hour, a priced one for a person's consent. Old
shapes load for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.application.commands.options import options_of
from core.application.commands.requests import Challenge, ForkRequest, ScheduleAdd, Start

PricedRequest = Start | ForkRequest | ScheduleAdd | Challenge
"""The requests that cost money and take a ``yes``."""

_KINDS: Mapping[str, type[PricedRequest]] = {
    "start": Start,
    "fork": ForkRequest,
    "schedule": ScheduleAdd,
    "challenge": Challenge,
}


def to_stored(request: PricedRequest) -> dict[str, Any]:
    """Returns the request as JSON can hold it, with its kind."""
    import msgspec

    kind = next(name for name, each in _KINDS.items() if isinstance(request, each))
    return {"kind": kind, "request": msgspec.to_builtins(request)}


def from_stored(stored: object) -> PricedRequest:
    """Returns the request in stored JSON. Raises ``ValueError`` for a document that is none."""
    import msgspec

    document = stored if isinstance(stored, Mapping) else {}
    kind, fields = str(document.get("kind")), document.get("request")
    if kind not in _KINDS or not isinstance(fields, Mapping):
        raise ValueError(f"{kind!r} is no request that can be stored")
    return msgspec.convert(fields, _KINDS[kind])


def start_from_stored(stored: Mapping[str, Any]) -> Start:
    """Returns a schedule's start, from stored JSON. Older ones hold options of single formats as
    pairs of texts under ``extras``.
    """
    import msgspec

    fields = dict(stored)
    known = {option.name: option for option in options_of(Start)}
    for name, text in fields.pop("extras", ()):
        fields[known[name].field] = known[name].read([text])
    return msgspec.convert(fields, Start)


def with_consent(request: PricedRequest) -> PricedRequest:
    """Returns the request with consent to its price."""
    if isinstance(request, ScheduleAdd):
        return replace(request, start=replace(request.start, yes=True))
    return replace(request, yes=True)
