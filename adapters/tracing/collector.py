"""Tells whether spans are asked for, and whether the code that sends them is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

_ASKED = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def is_named(environ: Mapping[str, str]) -> bool:
    """Says whether OpenTelemetry's own variables name a collector."""
    return any(environ.get(name) for name in _ASKED)


def can_be_sent_to() -> bool:
    """Says whether the exporter is installed."""
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False
