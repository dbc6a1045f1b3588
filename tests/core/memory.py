"""Second implementations of the core's ports, for tests of the core alone: a log in memory, a clock
that stands, a few voices.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

from adapters.templates.catalogue import find, in_format
from core.debate import events as e
from core.debate.casting import ModelCandidate, cast
from core.debate.commands.decisions import decide
from core.debate.engine import EngineContext, play
from core.debate.errors import BadInput, ModelError
from core.debate.formats import FORMATS, Plan
from core.debate.log import Append, Call
from core.debate.material import Material, MaterialKind
from core.debate.ports import CallOptions, Message, Model, Models, OnWords, Price, Reply
from core.debate.speaking import Speaker
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from core.debate.verdict.convergence import should_stop

START = datetime(2026, 11, 21, 20, 30, tzinfo=UTC)


class StandingClock:
    def now(self) -> datetime:
        return START

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)


@dataclass
class MemoryLog:
    """``limit``: the append that would make more events than this raises instead, as a crash
    would.
    """

    events: list[e.Event]
    rows: dict[tuple[str, int], Call] = field(default_factory=dict)
    limit: int | None = None
    appends: list[Append] = field(default_factory=list)

    async def append(self, append: Append) -> None:
        assert append.position == len(self.events), "an append must follow the last event"
        await asyncio.sleep(0)
        if self.limit is not None and len(self.events) + len(append.events) > self.limit:
            raise CrashError
        self.appends.append(append)
        self.events += append.events
        for call in append.calls:
            self.rows[call.turn, call.attempt] = call


class CrashError(Exception):
    """The process died here."""


def answer(asking: CallOptions, rng: Random, words: str = "") -> dict[str, Any]:
    """Returns a reply in the shape of the schema, drawn from ``rng``."""
    return {
        name: "" if name == "untold" else _value(part, rng, words)
        for name, part in (asking.schema or {}).get("properties", {}).items()
    }


def _value(schema: Mapping[str, Any], rng: Random, words: str) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    match schema["type"]:
        case "object":
            return {
                name: _value(part, rng, words)
                for name, part in schema.get("properties", {}).items()
            }
        case "array":
            return [_value(schema["items"], rng, words) for _ in range(rng.randint(0, 2))]
        case "number":
            return round(rng.random(), 2)
        case "boolean":
            return rng.random() < 0.5
        case "integer":
            return rng.randint(1, 90)
        case _:
            return words or f"w{rng.randint(0, 10**9)}"


@dataclass
class Voice:
    """A model that answers by the schema.

    ``fails`` is the share of calls that fail; ``ledger`` counts every finished answer.
    """

    name: str = "voice-a"
    family: str = "a"
    seed: int = 0
    fails: float = 0.0
    garbage: float = 0.0
    usd: float | None = 0.0
    wait: float = 0.0
    seen: list[Sequence[Message]] = field(default_factory=list)
    ledger: list[str] = field(default_factory=list)
    demo: bool = False
    window: int = 100_000

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self.seen.append(messages)
        text = "\x00".join(m.text for m in messages)
        rng = Random(f"{self.seed}|{text}")
        await asyncio.sleep(self.wait)
        for _ in range(rng.randint(0, 3)):
            await asyncio.sleep(0)
        if rng.random() < self.fails:
            raise ModelError("provider_down", "down")
        self.ledger.append(text)
        reply_text = (
            "no json here" if rng.random() < self.garbage else json.dumps(answer(asking, rng))
        )
        return Reply(reply_text, Usage(100, 0, 20, self.usd, len(text)), self.name)


@dataclass
class Voices:
    voices: Sequence[Voice] = (Voice(), Voice("voice-b", "b", 1))
    cost: float | None = 0.0

    def get(self, name: str) -> Model:
        for voice in self.voices:
            if voice.name == name:
                return voice
        raise BadInput(f"no model {name}")

    def price(self, name: str) -> Price:
        return Price(self.cost, self.cost)

    def default(self) -> Sequence[str]:
        return [v.name for v in self.voices]


def opening(
    name: str = "code_review",
    *,
    voices: Voices | None = None,
    material: Material | None = None,
    seed: int = 1,
    plan: Plan | None = None,
    format: str = "",
    **terms: Any,
) -> list[e.Event]:
    """Returns the first two events of a debate on a shipped template, in its own format or
    another.
    """
    template = in_format(find(name), format) if format else find(name)
    rng = Random(seed)
    script = FORMATS[template.format].compile(template, plan or Plan(mode=template.consensus), rng)
    people = voices or Voices()
    seats = cast(script, [ModelCandidate(v.name, v.family) for v in people.voices], rng)
    given = {
        "consensus": template.consensus.value,
        "threshold": template.consensus_threshold,
        "quorum": 1,
        **terms,
    }
    request = e.DebateRequest(name, "the question", "ann", "shell:ann")
    opened = e.DebateOpened(
        template,
        script,
        seats,
        material or Material(MaterialKind.QUESTION, "Shall we?", "Shall we do it?"),
        e.Terms(**given),
        START,
        seed,
    )
    return [e.DebateRequested("d1", request, START), opened]


_OF_SPEAKER = ("redact", "timeout", "repository", "paid")


def table(log: MemoryLog, voices: Models, **more: Any) -> EngineContext:
    return EngineContext(
        log=log,
        clock=StandingClock(),
        inbox=more.pop("inbox", None) or asyncio.Queue(),
        speaking=Speaker(voices, **{name: more.pop(name) for name in _OF_SPEAKER if name in more}),
        decide=decide,
        should_stop=should_stop,
        **more,
    )


async def played(
    events: list[e.Event], voices: Voices | None = None, **more: Any
) -> tuple[Debate, MemoryLog]:
    """Plays from these events to the end and returns the final state and the log."""
    log = more.pop("log", None) or MemoryLog(list(events))
    end = await play(
        replay(log.events), table(log, voices or Voices(), paid=list(log.rows.values()), **more)
    )
    return end, log
