"""Spans, by OpenTelemetry's API package; if that is not installed there are none.

All spans of a debate are in one trace, in whatever process: the trace's id is made from the
debate's, so nothing has to be stored or handed on, and it stays the same over take-overs, restarts
and two releases at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from typing import Any, Protocol

from adapters.tracing import names

_api: Any = None
with suppress(ImportError):
    _api = import_module("opentelemetry.trace")

Value = str | int | float | bool
_SAMPLED = 1


class Span(Protocol):
    """The attributes of one piece of work."""

    def set_attribute(self, key: str, value: Value) -> None: ...


class _Nothing:
    def set_attribute(self, key: str, value: Value) -> None:
        """Does nothing, because nobody reads the span."""


_NOTHING = _Nothing()


@contextmanager
def span(
    name: str, noted: Mapping[str, Value], *, debate: str = "", client: bool = False
) -> Iterator[Span]:
    """Opens a span for one piece of work inside the present one.

    With a ``debate`` it is at the top of that debate's trace and links to the present one.
    ``client`` marks a call to another service. Of an error only its kind is noted.
    """
    if _api is None:
        yield _NOTHING
        return
    kind = _api.SpanKind.CLIENT if client else _api.SpanKind.INTERNAL
    above, links = (_above(debate), _running()) if debate else (None, [])
    with _api.get_tracer(names.TRACER).start_as_current_span(
        name,
        above,
        kind,
        dict(noted),
        links,
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        try:
            yield made
        except BaseException as error:
            fail(made, type(error).__name__)
            raise


def fail(made: Span, kind: str) -> None:
    """Notes that the work failed, with the kind of its error."""
    made.set_attribute(names.ERROR, kind)
    if _api is not None and isinstance(made, _api.Span):
        made.set_status(_api.StatusCode.ERROR)


def trace_id(debate: str) -> int:
    """Returns the id of a debate's trace."""
    return _number(debate, "trace", 16)


def _number(debate: str, what: str, size: int) -> int:
    return int.from_bytes(sha256(f"debatebot {what} {debate}".encode()).digest()[:size]) or 1


def _above(debate: str) -> Any:
    place = _api.SpanContext(
        trace_id(debate), _number(debate, "span", 8), True, _api.TraceFlags(_SAMPLED)
    )
    return _api.set_span_in_context(_api.NonRecordingSpan(place))


def _running() -> list[Any]:
    """Returns a link to the present span, if that is in another trace."""
    here = _api.get_current_span().get_span_context()
    if here.is_valid:
        return [_api.Link(here)]
    return []


def installed() -> bool:
    """True if OpenTelemetry's API is there."""
    return _api is not None
