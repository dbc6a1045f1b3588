"""The embedded model: a debate on any machine, without a key. It writes readable arguments and has no judgement, so it is marked ``demo``.

A small model that must answer in JSON at once contradicts itself, so each reply takes two calls on the same prefix: first prose, then the
structured part, bound by a grammar. One call runs at a time: calls side by side would each read the shared prompt again.
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adapters.models import faults, weights
from adapters.models.prices import family
from adapters.models.reading import read
from adapters.models.wire import Spoken, request, speak, used
from adapters.models.words import Prose
from core.errors import BadInput, ModelError
from core.ports import Asking, Message, OnWords, Reply, Usage

WINDOW = 3000
CONTEXT = 4608
"""Tokens the child holds: the window, both answers, and room for estimates that are off."""
PROSE_TOKENS = 110
JSON_TOKENS = 600
PATIENCE = 900.0
"""Seconds for one reply, whatever the caller allows less: a full window takes two minutes to read on two cores and is no failure."""
START_SECONDS = 180.0
CHARACTERS = 100
"""Of one text in the structured part, and lists hold one item: at seven tokens a second, every item more is ten seconds of waiting."""
CHOICES = 40
"""Values offered for a field whose values stand in the prompt."""
LEFT_OUT = ("text", "moved_by", "would_resolve_if", "supports", "trigger", "fix")
"""Fields it is not asked for: prose was said before, and the others may be empty and were nonsense whenever it filled them."""

PROSE_FIRST = (
    "\n\nFirst answer in plain sentences only, no JSON, at most 80 words: what you think, why, and which line of which file shows it."
)
THEN_JSON = (
    "Now write the same as JSON. Keep your opinion; copy quotes and line numbers from the material exactly; path is the file's name alone."
)


def available() -> bool:
    """Whether this machine has the runtime (there is none for musl and some processors)."""
    return find_spec("xllamacpp") is not None


class Embedded:
    """``kind`` is what is wanted; when its weights cannot be had, the small model answers and ``Reply.model`` says so."""

    demo = True
    window = WINDOW

    def __init__(
        self, kind: weights.Weights, env: Mapping[str, str], *, progress: weights.Progress | None = None, clean: faults.Redact = str
    ) -> None:
        if not available():
            raise BadInput("The embedded model does not run on this machine (no xllamacpp for it). Set a provider's key or start Ollama.")
        self.name = kind.name
        self.family = family(kind.file)
        self._kind = kind
        self._env = env
        self._progress = progress
        self._clean = clean
        self._lock = asyncio.Lock()
        self._child: asyncio.subprocess.Process | None = None
        self._base = ""
        self._key = ""

    async def reply(self, messages: Sequence[Message], asking: Asking, on_words: OnWords | None = None) -> Reply:
        async with self._lock:
            await self._started()
            started = time.monotonic()
            limit = max(asking.timeout, PATIENCE)
            try:
                async with asyncio.timeout(limit):
                    text, spoken = await self._both(messages, asking, on_words)
            except TimeoutError as error:
                raise faults.said("timeout", self.name, f"no answer within {limit:g} s") from error
        parts = [used(s, 0, 0.0) for s in spoken]
        usage = Usage(
            sum(p.prompt_tokens for p in parts),
            sum(p.cached_tokens for p in parts),
            sum(p.completion_tokens for p in parts),
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
        child, self._child = self._child, None
        if child is None or child.returncode is not None:
            return
        if child.stdin:
            child.stdin.close()
        try:
            async with asyncio.timeout(5):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()

    async def _both(self, messages: Sequence[Message], asking: Asking, on_words: OnWords | None) -> tuple[str, list[Spoken]]:
        if asking.schema is None:
            only = await self._say(messages, min(asking.max_tokens, PROSE_TOKENS * 2), None, on_words)
            return only.text.strip(), [only]
        asked = [*messages[:-1], Message(messages[-1].role, messages[-1].text + PROSE_FIRST)]
        prose = await self._say(asked, min(asking.max_tokens, PROSE_TOKENS), None, on_words)
        said = prose.text.strip() if prose.ended == "stop" else whole_sentences(prose.text.strip())
        wanted = bounded(asking.schema, closed_sets(messages))
        again = [*asked, Message("assistant", said), Message("user", THEN_JSON)]
        part = await self._say(again, JSON_TOKENS, wanted, None)
        return joined(said, part.text, asking.schema), [prose, part]

    async def _say(self, messages: Sequence[Message], tokens: int, schema: Mapping[str, Any] | None, on_words: OnWords | None) -> Spoken:
        body = request(self._kind.name, messages, Asking(max_tokens=tokens, temperature=0.0 if schema else 0.4))
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}
        else:
            body["repeat_penalty"] = 1.1
        spoken = await speak(self.name, self._base, body, Prose(on_words), key=self._key, clean=self._clean)
        if not spoken.text.strip():
            raise faults.said("bad_reply", self.name, "the answer is empty")
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
                await _ended(child)
                if isinstance(error, asyncio.CancelledError):
                    raise
                log.seek(0)
                tail = log.read()[-300:].decode(errors="replace")
                raise faults.said("provider_down", self.name, f"its process did not start {self._clean(tail)}") from error
        self._child = child

    async def _weights(self) -> Path:
        try:
            return await asyncio.to_thread(weights.fetch, self._kind, self._env, self._progress)
        except weights.Unobtainable as error:
            if self._kind is weights.SMALL:
                raise ModelError("provider_down", str(error)) from error
            self._kind = weights.SMALL
            return await self._weights()

    def _order(self, path: Path) -> dict[str, Any]:
        threads = int(self._env.get("DEBATE_EMBEDDED_THREADS") or os.cpu_count() or 1)
        return {"weights": str(path), "name": self._kind.name, "key": self._key, "threads": threads, "context": CONTEXT}


def closed_sets(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Fields whose values can only be something that stands in the prompt: files, and ids that an answer may be addressed to."""
    seen = read(messages)
    sets = {"path": list(dict.fromkeys(c.path for c in seen.lines)), "to": list(seen.answerable)}
    return {name: values[:CHOICES] for name, values in sets.items() if values}


def bounded(schema: Mapping[str, Any], closed: Mapping[str, list[str]]) -> dict[str, Any]:
    """The schema with short lists and texts, without the fields of ``LEFT_OUT``, and with the ``closed`` fields as choices."""
    return dict(_short(schema, closed))


def whole_sentences(text: str) -> str:
    """A text that was cut off, up to its last full sentence; as it is when that would lose more than half."""
    end = max(text.rfind(mark) for mark in (". ", "! ", "? ", ".\n"))
    return text[: end + 1] if end >= len(text) // 2 else text


def _short(part: Any, closed: Mapping[str, list[str]]) -> Any:
    if isinstance(part, list):
        return [_short(p, closed) for p in part]
    if not isinstance(part, Mapping):
        return part
    cut = {k: _short(v, closed) for k, v in part.items() if k not in ("description", "title", "pattern") or not isinstance(v, str)}
    kinds = cut.get("type", ())
    if isinstance(cut.get("properties"), dict) and (kept := {k: v for k, v in cut["properties"].items() if k not in LEFT_OUT}):
        kept |= {k: {"type": "string", "enum": closed[k]} for k in kept if k in closed}
        cut |= {"properties": kept, "required": [k for k in cut.get("required", ()) if k in kept]}
    if "array" in (kinds if isinstance(kinds, list) else [kinds]):
        cut["maxItems"] = max(1, cut.get("minItems", 0))
    if "string" in (kinds if isinstance(kinds, list) else [kinds]) and "enum" not in cut:
        cut["maxLength"] = max(min(cut.get("maxLength", CHARACTERS), CHARACTERS), cut.get("minLength", 0))
    return cut


def joined(prose: str, structured: str, schema: Mapping[str, Any]) -> str:
    """Prose and the fenced structured part as one reply; ``text`` gets the prose where the schema has it."""
    try:
        fields = json.loads(structured)
    except json.JSONDecodeError:
        return f"{prose}\n\n```json\n{structured}\n```"
    if isinstance(fields, dict) and "text" in schema.get("properties", {}):
        fields = {"text": prose, **fields}
    return f"{prose}\n\n```json\n{json.dumps(fields, ensure_ascii=False)}\n```"


async def _spawned(log: int) -> asyncio.subprocess.Process:
    program = str(Path(__file__).with_name("embedded_child.py"))
    env = {k: v for k, v in os.environ.items() if not k.endswith(("_KEY", "_TOKEN", "_SECRET"))} | {"OMP_WAIT_POLICY": "passive"}
    pipe = asyncio.subprocess.PIPE
    # -P keeps this folder, whose names shadow libraries, off the child's path
    return await asyncio.create_subprocess_exec(sys.executable, "-P", program, stdin=pipe, stdout=pipe, stderr=log, env=env)


async def _ready(child: asyncio.subprocess.Process, order: Mapping[str, Any]) -> str:
    """Gives the child its order and waits for its line. Raises when it ends, says something else, or takes too long."""
    if child.stdin is None or child.stdout is None:
        raise OSError("no pipes")
    child.stdin.write(json.dumps(order).encode() + b"\n")
    await child.stdin.drain()
    async with asyncio.timeout(START_SECONDS):
        line = await child.stdout.readline()
    return str(json.loads(line)["base"])


async def _ended(child: asyncio.subprocess.Process) -> None:
    if child.returncode is None:
        child.kill()
    await child.wait()
