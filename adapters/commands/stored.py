"""Requests that wait: of a schedule for its hour, of a priced start for a person's yes. Old shapes
load for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.commands.options import options_of
from adapters.commands.requests import ForkRequest, ScheduleAdd, Start

PricedRequest = Start | ForkRequest | ScheduleAdd
"""What costs money and takes a ``yes``."""

_KINDS: Mapping[str, type[PricedRequest]] = {
    "start": Start,
    "fork": ForkRequest,
    "schedule": ScheduleAdd,
}


def to_stored(request: PricedRequest) -> dict[str, Any]:
    """The request as JSON can hold it, with its kind."""
    import msgspec

    kind = next(name for name, each in _KINDS.items() if isinstance(request, each))
    return {"kind": kind, "request": msgspec.to_builtins(request)}


def from_stored(stored: Mapping[str, Any]) -> PricedRequest:
    """Raises ``ValueError`` for what is no such request."""
    import msgspec

    kind, fields = str(stored.get("kind")), stored.get("request")
    if kind not in _KINDS or not isinstance(fields, Mapping):
        raise ValueError(f"{kind!r} is no request that can be stored")
    return msgspec.convert(fields, _KINDS[kind])


def start_from_stored(stored: Mapping[str, Any]) -> Start:
    """A schedule's start. The options of single formats were pairs of texts once, under
    ``extras``.
    """
    import msgspec

    fields = dict(stored)
    known = {option.name: option for option in options_of(Start)}
    for name, text in fields.pop("extras", ()):
        fields[known[name].field] = known[name].read([text])
    return msgspec.convert(fields, Start)


def with_consent(request: PricedRequest) -> PricedRequest:
    """The same, to be done without asking about its price."""
    if isinstance(request, ScheduleAdd):
        return replace(request, start=replace(request.start, yes=True))
    return replace(request, yes=True)
