"""Debates as a collector sees them: over a socket, from several processes."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from adapters import tracing
from adapters.tracing.collector import exported_spans
from bot.settings.choices import ProcessRole
from core.debate.events import DebateRequest
from tests.adapters.material.test_surroundings import DIFF
from tests.bot.crashing import ASKER, PLACE
from tests.bot.debates.test_lookups import Reader, reviewed
from tests.bot.forges.town import NUMBER, REPO, town
from tests.bot.parts import until_posted
from tests.bot.serve.test_sharing import reached, running, worker_process
from tests.origins import origin
from tests.patience import PATIENCE
from tests.standins.github import HEAD, GitHubStandIn, Pull
from tests.standins.programs import free_port

pytest.importorskip("opentelemetry.sdk", reason="debatebot[otel] is not installed")

QUESTION = "Should the queue of jobs live in PostgreSQL?"


class Collector(ThreadingHTTPServer):
    """Takes what OTLP sends. ``spans`` with the name of the service that sent each."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.spans: list[tuple[str, Any]] = []
        self.raw = b""

    def environment(self) -> dict[str, str]:
        """Returns the settings of a process that sends to it."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{self.server_port}",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        }

    def of(self, debate: str) -> list[tuple[str, Any]]:
        """Returns the debate's trace, after all waiting spans have been sent."""
        from opentelemetry import trace

        trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined]  # the SDK's
        number = tracing.trace_id(debate).to_bytes(16)
        return [(service, span) for service, span in self.spans if span.trace_id == number]


class _Taking(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.raw += body
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = attributes(sent.resource)["service.name"]
            for scope in sent.scope_spans:
                self.server.spans += [(service, span) for span in scope.spans]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def attributes(of: Any) -> dict[str, Any]:
    return {x.key: getattr(x.value, x.value.WhichOneof("value")) for x in of.attributes}


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """Yields one collector for the module, since OpenTelemetry takes one provider a process."""
    server = Collector()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment().items():
            patch.setenv(name, value)
        with asyncio.Runner() as runner:
            sending = exported_spans(os.environ)
            runner.run(sending.__aenter__())
            yield server
            runner.run(sending.__aexit__(None, None, None))
    server.shutdown()
    server.server_close()


@contextmanager
def worker(url: str, folder: Path, collector: Collector) -> Iterator[None]:
    """Runs ``debate serve`` that plays, and ends it in order, so that it sends its last spans."""
    to = collector.environment()
    with worker_process(url, folder, free_port(), OTEL_SERVICE_NAME="worker", **to) as process:
        yield
        process.terminate()
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0


@pytest.mark.faults
async def test_one_trace_from_the_request_over_the_worker_to_each_message_without_a_word_of_it(
    postgres_url: str, tmp_path: Path, collector: Collector
) -> None:
    async with running(postgres_url, tmp_path, ProcessRole.CHAT) as (parts, _):
        with worker(postgres_url, tmp_path, collector):
            request = DebateRequest("triad", QUESTION, ASKER, PLACE, vote_window=0.0)
            id = await parts.service.take(request, origin("traced"))
            await reached(parts, [id], "finished")
            await until_posted(parts)
        debate = await parts.service.load(id)
        paid = await parts.stores.debates.load_calls(id)
    spans = collector.of(id)
    by_service = {
        service: Counter(span.name.partition(" ")[0] for s, span in spans if s == service)
        for service in ("debatebot", "worker")
    }
    assert by_service["worker"].keys() == {"invoke_workflow", "invoke_agent", "chat"}
    assert by_service["worker"]["invoke_agent"] == len(debate.finished)
    assert by_service["worker"]["chat"] == len(paid)
    assert by_service["debatebot"].keys() == {"debatebot.take", "debatebot.post"}
    assert by_service["debatebot"]["debatebot.post"] > 3
    above = {span.span_id: span for _, span in spans}
    for _, span in spans:
        kind = span.name.partition(" ")[0]
        if kind == "chat":
            assert above[span.parent_span_id].name.startswith("invoke_agent ")
        if kind == "invoke_agent":
            assert above[span.parent_span_id].name == "invoke_workflow"
    turns = {attributes(s)["debatebot.turn"] for _, s in spans if s.name.startswith("invoke_ag")}
    assert turns == set(debate.finished)
    noted = next(attributes(span) for _, span in spans if span.name == "invoke_workflow")
    assert noted["gen_ai.conversation.id"] == id
    assert noted["debatebot.status"] == debate.status
    words = [QUESTION, *(each.text for each in debate.finished.values())]
    assert not [text for text in words if text.encode()[:40] in collector.raw]


async def test_a_look_up_stands_under_the_turn_that_asked_for_it(
    tmp_path: Path, collector: Collector
) -> None:
    async with GitHubStandIn().running() as forge:
        forge.pulls["o/r", 412] = Pull(diff=DIFF)
        forge.trees[HEAD] = {"far/config.py": "LIMIT = 7\nRETRIES = 3\n"}
        debate, _ = await reviewed(tmp_path, forge, Reader())
    spans = [span for _, span in collector.of(debate.id)]
    above = {span.span_id: span for span in spans}
    looked = [span for span in spans if span.name == "execute_tool read"]
    calls = [above[span.parent_span_id] for span in looked]
    assert {call.name.partition(" ")[0] for call in calls} == {"chat"}
    who = {attributes(above[call.parent_span_id])["debatebot.turn"] for call in calls}
    assert who == {turn for turn, statement in debate.finished.items() if statement.sources}
    assert all(attributes(span)["gen_ai.tool.name"] == "read" for span in looked)
    assert b"far/config.py" not in collector.raw


async def test_what_is_written_to_a_forge_ends_the_trace(
    tmp_path: Path, collector: Collector
) -> None:
    async with town(tmp_path) as t:
        await t.bind(opened=True)
        await t.tell("pull_request", "opened")
        debate = await t.settle()
        await t.approve()
        assert t.github.written.reviews[REPO, NUMBER]
    written = [span for _, span in collector.of(debate.id) if span.name == "debatebot.write"]
    assert written
    assert all(attributes(span)["gen_ai.conversation.id"] == debate.id for span in written)
