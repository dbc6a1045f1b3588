"""Exports spans to the collector that OpenTelemetry's own variables name, or nowhere."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.util import find_spec

from core.debate.errors import brought_by

logger = logging.getLogger(__name__)
_PATIENCE = 3.0
"""Seconds in which a collector has to take the spans; an absent one must not hold up the end."""
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


@asynccontextmanager
async def exported_spans(environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Exports spans over OTLP while the block runs, if a collector is named; the rest goes at its
    end. The SDK reads its other variables itself.
    """
    if not is_named(environ):
        yield
        return
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning(
            "A collector is named, but nothing is traced: %s",
            brought_by("otel"),
            extra={"action": "tracing"},
        )
        yield
        return
    named = {} if environ.get("OTEL_SERVICE_NAME") else {"service.name": "debatebot"}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_PATIENCE)))
    trace.set_tracer_provider(provider)
    try:
        yield
    finally:
        await asyncio.to_thread(provider.shutdown)
