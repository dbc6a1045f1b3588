"""A debate as a collector sees it, over a socket."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters import tracing
from bot.serve.tracing import exported_spans
from bot.wire.parts import open_parts
from core.events import DebateRequest
from tests.bot.crashing import settings_for
from tests.origins import origin

pytest.importorskip("opentelemetry.sdk", reason="debatebot[otel] is not installed")

QUESTION = "Should the queue of jobs live in PostgreSQL?"


class Collector:
    """Takes what OTLP sends."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.raw = b""

    async def take(self, request: web.Request) -> web.Response:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        body = await request.read()
        self.raw += body
        sent = ExportTraceServiceRequest.FromString(body)
        self.spans += [x for r in sent.resource_spans for s in r.scope_spans for x in s.spans]
        return web.Response()


async def test_all_processes_of_a_debate_write_one_trace_without_a_word_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector, app = Collector(), web.Application()
    app.router.add_post("/v1/traces", collector.take)
    settings = settings_for(str(tmp_path / "debate.db"), tmp_path)
    async with TestServer(app, host="127.0.0.1") as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", str(server.make_url("")))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        async with exported_spans(os.environ):
            async with open_parts(settings, shell=False) as first:
                request = DebateRequest("triad", QUESTION, "slack:T1/U1", "slack:T1/C1")
                id = await first.service.take(request, origin("traced"))
            async with open_parts(settings, shell=False) as second:
                debate = await second.advancer.advance(id)
                paid = await second.stores.debates.load_calls(id)
    by_name = {span.name.partition(" ")[0]: span for span in collector.spans}
    assert set(by_name) == {"debatebot.take", "invoke_workflow", "chat"}
    assert {int.from_bytes(span.trace_id) for span in collector.spans} == {tracing.trace_id(id)}
    calls = [span for span in collector.spans if span.name.startswith("chat ")]
    assert {call.parent_span_id for call in calls} == {by_name["invoke_workflow"].span_id}
    assert calls
    assert len(calls) == len(paid)
    noted = {x.key: x.value for x in by_name["invoke_workflow"].attributes}
    assert noted["gen_ai.conversation.id"].string_value == id
    assert noted["debatebot.status"].string_value == debate.status
    said = [QUESTION, *(each.text for each in debate.finished.values())]
    assert not [text for text in said if text.encode()[:40] in collector.raw]
