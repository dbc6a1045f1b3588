"""``python -m tools.bench.demonstration [FILE.diff]``: what the demonstration reads and writes, by
turns, and how long that takes the embedded model on two cores. Needs no weights. With ``--real`` it
is played on this machine, at a terminal, by the model whose weights were fetched before.

The debate is real, from the command to the report, and so is the client of the embedded model; a
stand-in takes the place of its process. It counts what a model with one slot would have to read
afresh (what no earlier prompt began with), answers with as many words as it is asked for, and fills
every text that the grammar leaves open. Time is these counts at the speed that was measured for
Qwen2.5-Coder-1.5B Q4 on two threads.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from adapters.models import Vendors, weights
from adapters.models.embedded import Embedded
from bot import settings
from bot.wire.parts import open_parts
from core.debate.events import DebateRequest
from core.debate.ports import Model
from core.debate.state import Debate
from tests.project import EXAMPLES, ROOT
from tests.standins.openai import OpenAI, Say, openai

EXAMPLE = EXAMPLES / "04-pictures-in-folders.diff"
READS, WRITES, LOADS = 25.0, 8.0, 3.5
"""Tokens a second, tokens a second, seconds until the weights are loaded."""
READ_CHARS, WRITTEN_CHARS = 3.4, 4.0
"""Characters of one token, of numbered code and of plain English."""
_WORDS = "this line may be reached with a name that nobody has checked, and then it reads a file "
_PROSE = 36
"""Tokens of an answer in at most 25 words."""


@dataclass(frozen=True, slots=True)
class Call:
    """Characters that were read afresh, and written."""

    fresh: int
    written: int

    @property
    def until_words(self) -> float:
        """Returns the seconds until its first word."""
        return self.fresh / READ_CHARS / READS

    @property
    def seconds(self) -> float:
        return self.until_words + self.written / WRITTEN_CHARS / WRITES


class Slow(OpenAI):
    """A stand-in that counts instead of taking its time."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []
        self._read: list[str] = []

    async def chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        text = "".join(f"\0{m['role']}\n{m['content']}" for m in body["messages"])
        known = max((_alike(text, old) for old in self._read), default=0)
        self._read.append(text)
        answer = _answer(body)
        self.calls.append(Call(len(text) - known, len(answer)))
        return await self._say(request, Say((answer,)))


def _alike(one: str, other: str) -> int:
    """Returns the number of characters with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _answer(body: Mapping[str, Any]) -> str:
    bound = body.get("response_format")
    if bound is not None:
        return json.dumps(_filled(bound["json_schema"]["schema"]))
    tokens = min(int(body["max_tokens"]), _PROSE)
    return (_WORDS * 9)[: round(tokens * WRITTEN_CHARS)]


def _filled(schema: Mapping[str, Any]) -> Any:
    """Returns the longest answer of a model: lists and texts as full as they may be."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _chosen(schema["enum"])
    match schema.get("type"):
        case "object":
            return {name: _filled(part) for name, part in schema.get("properties", {}).items()}
        case "array" if "prefixItems" in schema:
            return [_filled(part) for part in schema["prefixItems"]]
        case "array":
            return [_filled(schema["items"])] * schema.get("maxItems", 1)
        case "number" | "integer":
            return 1
        case _:
            return (_WORDS * 4)[: schema.get("maxLength", 70)]


def _chosen(values: list[Any]) -> Any:
    """Returns findings that are sure and high, so that the whole debate takes place."""
    if all(isinstance(value, float) for value in values):
        return 0.7
    return "high" if "high" in values else values[0]


class _Standing(Embedded):
    """The client with the stand-in in place of its process."""

    def __init__(self, server: OpenAI) -> None:
        super().__init__(weights.LARGE, {})
        self._server = server

    async def _started(self) -> None:
        self._base, self._key = self._server.base, "key"


@dataclass(slots=True)
class Standing(Vendors):
    """The usual models, the embedded one with a stand-in behind it."""

    server: OpenAI = field(default_factory=OpenAI)

    def _make_embedded(self, name: str) -> Model:
        return self.shared.embedded.setdefault(name, _Standing(self.server))


@dataclass(frozen=True, slots=True)
class Demonstration:
    debate: Debate
    calls: tuple[Call, ...]

    @property
    def first_words(self) -> float:
        """Returns the seconds until a seat's first word is on the screen."""
        return LOADS + self.calls[0].until_words

    @property
    def seconds(self) -> float:
        return LOADS + sum(call.seconds for call in self.calls)


async def demonstrated(change: Path, folder: Path) -> Demonstration:
    """Plays the demonstration over ``change``, its database in ``folder``."""
    async with openai(Slow()) as server:
        assert isinstance(server, Slow)
        env = {"DEBATE_DATABASE_URL": f"sqlite:///{folder}/d.db", "DEBATE_MODELS": "embedded"}

        def make(**given: Any) -> Vendors:
            return Standing(**given, server=server)

        async with open_parts(settings.read(env, folder), make_models=make) as parts:
            request = DebateRequest(
                "code_review",
                str(change),
                "shell:ann",
                "shell:ann",
                files=True,
                extras={"debate-anyway": "yes"},
            )
            id = await parts.service.open(await parts.service.prepare(request))
            return Demonstration(await parts.player.play(id), tuple(server.calls))


_SPEAKS = re.compile(r"critic\x1b\[0m \x1b\[2m(?!is thinking)")
_CLOCK = re.compile(r" (\d+):(\d\d)\x1b")


def played() -> int:
    """Prints what the clock of the real demonstration's status line shows at its first words, and
    at its end.
    """
    with tempfile.TemporaryDirectory() as folder:
        screen = Path(folder) / "screen"
        command = f"PYTHONPATH={ROOT} {sys.executable} -m bot demo"
        terminal = ["script", "--quiet", "--return", "--command", command, "--log-out"]
        ended = subprocess.run([*terminal, str(screen)], cwd=folder, check=False).returncode
        shown = screen.read_text("utf-8", "replace")
    first = _SPEAKS.search(shown)
    if ended or first is None:
        raise SystemExit("nobody spoke")
    clocks = [int(m) * 60 + int(s) for m, s in _CLOCK.findall(shown, first.start())]
    print(f"first words after {clocks[0]} s, all of it {clocks[-1]} s")
    return 0


def main() -> int:
    if sys.argv[1:] == ["--real"]:
        return played()
    change = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else EXAMPLE
    with tempfile.TemporaryDirectory() as folder:
        run = asyncio.run(demonstrated(change, Path(folder)))
    turns = [t for t in run.debate.turns if t.id in run.debate.finished]
    for turn, prose, part in zip(turns, run.calls[::2], run.calls[1::2], strict=True):
        print(
            f"{turn.id:<4}{turn.task:<9}{turn.seat:<24} reads {prose.fresh + part.fresh:>5} "
            f"characters, writes {prose.written + part.written:>4}: "
            f"{prose.seconds + part.seconds:5.1f} s"
        )
    print(
        f"{len(turns)} turns; first words after {run.first_words:.0f} s, all of it "
        f"{run.seconds:.0f} s, at {READS:g} tokens a second read and {WRITES:g} written"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
