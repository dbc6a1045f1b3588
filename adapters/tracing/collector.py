"""Checks whether spans are wanted, and whether the code that sends them is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

_ASKED = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def is_named(environ: Mapping[str, str]) -> bool:
    """True if OpenTelemetry's own variables name a collector."""
    return any(environ.get(name) for name in _ASKED)


def can_be_sent_to() -> bool:
    """True if the exporter is installed."""
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False
