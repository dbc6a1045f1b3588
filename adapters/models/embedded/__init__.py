"""The embedded model: a debate on any machine, without a key. It writes readable arguments and has
no judgement, so it is marked ``demo``.

A small model that must answer in JSON at once contradicts itself, so each reply takes two calls on
the same prefix: first prose, then the structured part, bound by a grammar. One call runs at a time:
calls side by side would each read the shared prompt again.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adapters.models import faults, weights
from adapters.models.catalogue.prices import family
from adapters.models.embedded.reply import joined, whole_sentences
from adapters.models.embedded.shape import shape
from adapters.models.exchange import EMPTY, ModelAnswer
from adapters.models.pace import PATIENCE
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.protocols.openai import COUNTED, blocks, bound
from adapters.models.protocols.openai_answer import OpenAIReader
from adapters.models.tokens import TokenCounts
from adapters.models.wire import Address, Http
from adapters.processes.environment import child_environment
from adapters.processes.starting import Child, start
from core.debate.errors import BadInput, ModelError, ModelFailure, brought_by
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.scene import Scene
from core.debate.stored import stored
from core.debate.usage import Usage

_WINDOW = 3000
CONTEXT = 4608
"""Tokens the child holds: the window, both answers, and room for estimates that are off."""
_PROSE_TOKENS = 50
_JSON_TOKENS = 400
_START_SECONDS = 180.0


def available() -> bool:
    """True if this machine has the runtime (there is none for musl and some processors)."""
    return find_spec("xllamacpp") is not None


def _usual_threads() -> int:
    """Returns one thread for each core; half of them on a busy machine, because they would mostly
    wait for one another.
    """
    cores = os.cpu_count() or 1
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > cores
    if busy:
        return max(1, cores // 2)
    return cores


class Embedded:
    """``kind`` is what is wanted; when its weights cannot be had, the small model answers and
    ``Reply.model`` says so.
    """

    demo = True
    window = _WINDOW

    def __init__(
        self,
        kind: weights.Weights,
        env: Mapping[str, str],
        *,
        progress: weights.Progress | None = None,
        clean: faults.Redact = str,
    ) -> None:
        if not available():
            raise BadInput(
                "No model can speak here yet. Set a provider's key, like ANTHROPIC_API_KEY=…, or "
                "start a server like Ollama; or take the small model that needs neither: "
                f"{brought_by('embedded')} (if it has a build for this machine)"
            )
        self.name = kind.name
        self.family = family(kind.file)
        self._kind = kind
        self._env = env
        self._progress = progress
        self._clean = clean
        self._http = Http()
        self._lock = asyncio.Lock()
        self._child: Child | None = None
        self._base = ""
        self._key = ""

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        async with self._lock:
            await self._started()
            started = time.monotonic()
            limit = max(asking.timeout, PATIENCE)  # two cores read a full window in two minutes
            try:
                async with asyncio.timeout(limit):
                    text, spoken = await self._both(messages, asking, on_words)
            except TimeoutError as error:
                raise faults.model_error(
                    ModelFailure.TIMEOUT,
                    self.name,
                    stored("no answer within {seconds} s", seconds=f"{limit:g}"),
                ) from error
        parts = [answer.tokens or TokenCounts() for answer in spoken]
        usage = Usage(
            sum(p.prompt for p in parts),
            sum(p.cached for p in parts),
            sum(p.completion for p in parts),
            0.0,
            sum(len(m.text) for m in messages),
            round(time.monotonic() - started, 3),
        )
        return Reply(text, usage, f"{self._kind.name} ({self._kind.title})", spoken[0].id)

    async def warm(self) -> None:
        """Fetches the weights and starts the child ahead of the first turn."""
        async with self._lock:
            await self._started()

    async def aclose(self) -> None:
        """Ends the child by closing its standard input; kills it if it does not go."""
        await self._http.aclose()
        child, self._child = self._child, None
        if child is None or child.returncode is not None:
            return
        child.stdin.close()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(5):
                    await child.wait()
        finally:
            await child.end()

    async def _both(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None
    ) -> tuple[str, list[ModelAnswer]]:
        if asking.schema is None:
            only = await self._say(
                messages, min(asking.max_tokens, _PROSE_TOKENS * 2), None, on_words
            )
            return only.text.strip(), [only]
        wanted = shape(messages, asking.schema, asking.scene() if asking.scene else Scene())
        begun = [Message("assistant", wanted.opening)] if wanted.opening else []
        if on_words and wanted.opening:
            on_words(wanted.opening)
        prose = await self._say(
            [*wanted.messages, *begun], min(asking.max_tokens, _PROSE_TOKENS), None, on_words
        )
        prose_text = wanted.opening + prose.text.strip().removeprefix(wanted.opening)
        if prose.ended != "stop":
            prose_text = whole_sentences(prose_text)
        again = [*wanted.messages, Message("assistant", prose_text), Message("user", wanted.then)]
        part = await self._say(again, _JSON_TOKENS, wanted.after(prose_text), None)
        return joined(prose_text, part.text, asking.schema, wanted.places), [prose, part]

    async def _say(
        self,
        messages: Sequence[Message],
        tokens: int,
        schema: Mapping[str, Any] | None,
        on_words: OnWords | None,
    ) -> ModelAnswer:
        body: Body = {
            "model": self._kind.name,
            "messages": blocks(messages),
            "max_tokens": tokens,
            "stream": True,
            **COUNTED,
        }
        if schema is None:
            body |= {"temperature": 0.4, "repeat_penalty": 1.1}
        else:
            body |= {"temperature": 0.0, "response_format": bound("json_schema", schema)}
        self._http.allow(self._base)
        address = Address(
            self.name,
            f"{self._base}/chat/completions",
            {"Authorization": f"Bearer {self._key}"},
            clean=self._clean,
        )
        spoken = await OpenAIReader(address, Prose(on_words)).read(self._http, body)
        if not spoken.text.strip():
            raise faults.model_error(ModelFailure.BAD_REPLY, self.name, EMPTY)
        return spoken

    async def _started(self) -> None:
        if self._child is not None and self._child.returncode is None:
            return
        path = await self._weights()
        self._key = secrets.token_urlsafe(24)
        with tempfile.TemporaryFile() as log:
            child = await _spawned(log.fileno())
            try:
                self._base = await _ready(child, self._order(path))
            except (TimeoutError, OSError, ValueError, asyncio.CancelledError) as error:
                await child.end()
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.seek(0)
                tail = log.read()[-300:].decode(errors="replace")
                raise faults.model_error(
                    ModelFailure.PROVIDER_DOWN,
                    self.name,
                    f"its process did not start {self._clean(tail)}",
                ) from error
        self._child = child

    async def _weights(self) -> Path:
        try:
            return await asyncio.to_thread(weights.fetch, self._kind, self._env, self._progress)
        except weights.Unobtainable as error:
            if self._kind is weights.SMALL:
                raise ModelError(ModelFailure.PROVIDER_DOWN, str(error)) from error
            self._kind = weights.SMALL
            return await self._weights()

    def _order(self, path: Path) -> dict[str, Any]:
        threads = int(self._env.get("DEBATE_EMBEDDED_THREADS") or _usual_threads())
        return {
            "weights": str(path),
            "name": self._kind.name,
            "key": self._key,
            "threads": threads,
            "context": CONTEXT,
        }


async def _spawned(log: int) -> Child:
    program = str(Path(__file__).with_name("child.py"))
    env = child_environment({"OMP_WAIT_POLICY": "passive"})
    # -P keeps this folder, whose names shadow libraries, off the child's path
    return await start(sys.executable, "-P", program, env=env, stderr=log)


async def _ready(child: Child, order: Mapping[str, Any]) -> str:
    """Gives the child its order and waits for its line.

    Raises when it ends, says something else, or takes too long.
    """
    child.stdin.write(json.dumps(order).encode() + b"\n")
    await child.stdin.drain()
    async with asyncio.timeout(_START_SECONDS):
        line = await child.stdout.readline()
    return str(json.loads(line)["base"])
