"""Debates to measure: N seats by R rounds on scripted voices, with the log in memory or in the real
store.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any

from core.debate import events as e
from core.debate.casting import ModelCandidate, cast
from core.debate.commands.decisions import decide
from core.debate.engine import HANDLED_AT_ONCE, EngineContext, play
from core.debate.formats import FORMATS, Plan
from core.debate.log import Append, Log
from core.debate.material import Hunk, Line, Material, MaterialKind
from core.debate.ports import CallOptions, Message, Model, OnWords, Price, Reply
from core.debate.speaking import Speaker
from core.debate.state import Debate, replay
from core.debate.template import Mode, Option, Phase, Role, Template, Turns
from core.debate.usage import Usage
from core.debate.verdict.convergence import should_stop
from storage.database import Database
from storage.debates import Debates

WORDS = "the cache is warmed once and shared by every worker of the pool so a stale entry lives on "
SAID = 1500
"""Characters of one statement, as in the measurements of others."""


def template(seats: int, rounds: int) -> Template:
    roles = tuple(Role(f"seat_{n}", "argues its view") for n in range(1, seats + 1))
    names = tuple(r.name for r in roles)
    return Template(
        id="bench",
        name="Bench",
        description="",
        domain="bench",
        format="phased",
        roles=roles,
        phases=(
            Phase("opening", roles_active=names, turns=Turns.ALL),
            Phase("debate", duration_rounds=rounds - 1, roles_active=names, turns=Turns.ALL),
        ),
        ballot=(Option("yes"), Option("no")),
        rubric={"clarity": 0.5, "depth": 0.5},
        output_format="# {title}\n\n{summary}\n",
        max_rounds=rounds,
        consensus_threshold=0.6,
        recommended_agents=1,
        consensus=Mode.MAJORITY,
    )


def topic(characters: int = 2000) -> Material:
    text = (WORDS * (characters // len(WORDS) + 1))[:characters]
    return Material(MaterialKind.QUESTION, "Shall we share the cache?", text)


def change(characters: int = 20_000) -> Material:
    """Returns a diff whose text, as the seats read it, has this many characters."""
    lines: list[Line] = []
    size = 0
    while size < characters - 80:
        line = Line(
            "+",
            f"    rows[{len(lines)}] = parse(line_{len(lines)}, strict=True)",
            new=len(lines) + 1,
        )
        lines.append(line)
        size += len(line.text) + 9
    text = "\n".join(f"{x.new:>5} + {x.text}" for x in lines)
    return Material(
        MaterialKind.DIFF,
        "parse: strict rows",
        f"=== app/parse.py\n{text}"[:characters],
        hunks=(Hunk("app/parse.py", "@@", tuple(lines)),),
    )


@dataclass
class Voice:
    """Answers in 1,500 characters with claims of about 350, after ``latency`` seconds; keeps every
    prompt.
    """

    latency: float = 0.0
    name: str = "voice"
    family: str = "voice"
    demo: bool = False
    window: int = 200_000
    prompts: list[str] = field(default_factory=list)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        text = "\x00".join(m.text for m in messages)
        self.prompts.append(text)
        if self.latency:
            await asyncio.sleep(self.latency)
        return Reply(
            self._answer(asking, len(self.prompts)),
            Usage(len(text) // 4, 0, SAID // 4, 0.0, len(text)),
            self.name,
        )

    @staticmethod
    def _answer(asking: CallOptions, n: int) -> str:
        properties = (asking.schema or {}).get("properties", {})
        reply: dict[str, Any] = {"text": (WORDS * 20)[:SAID]}
        if "stance" in properties:
            reply["stance"] = {
                "option": ("yes", "no")[n % 2],
                "confidence": 0.7,
                "because": WORDS[:60],
            }
        if "claims" in properties:
            reply["claims"] = [
                {"text": f"{n}.{i} {WORDS * 2}"[:170], "quote": ""} for i in range(2)
            ]
        if "findings" in properties:
            line = 1 + n * 7
            code = f"rows[{line - 1}] = parse(line_{line - 1}, strict=True)"
            finding = {
                "severity": "medium",
                "confidence": 0.7,
                "title": f"row {n} can raise",
                "path": "app/parse.py",
                "line": line,
                "quote": code,
            }
            reply["findings"] = [finding]
        if "scores" in properties:
            reply["scores"] = {"clarity": 0.5, "depth": 0.5}
        if "sections" in properties:
            reply["sections"] = {"summary": WORDS}
        return json.dumps(reply)


@dataclass
class Voices:
    voice: Voice

    def get(self, name: str) -> Model:
        return self.voice

    def price(self, name: str) -> Price:
        return Price(0.0, 0.0)

    def default(self) -> Sequence[str]:
        return (self.voice.name,)


class MemoryLog:
    def __init__(self, events: Sequence[e.Event]) -> None:
        self.events = list(events)

    async def append(self, append: Append) -> None:
        self.events += append.events


class Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def opening(
    id: str, seats: int, rounds: int, material: Material
) -> tuple[e.DebateRequested, e.DebateOpened]:
    made = template(seats, rounds)
    script = FORMATS["phased"].compile(made, Plan(), Random(1))
    seats_cast = cast(script, [ModelCandidate("voice", "voice")], Random(1))
    terms = e.Terms(consensus="majority", threshold=0.6, quorum=1, converge=False)
    now = Clock().now()
    request = e.DebateRequest("bench", material.title, "bench", "shell:bench")
    return e.DebateRequested(id, request, now), e.DebateOpened(
        made, script, seats_cast, material, terms, now, 1
    )


async def one(
    first: e.DebateRequested,
    opened: e.DebateOpened,
    voice: Voice,
    store: Database | None = None,
    at_once: asyncio.Semaphore | None = None,
) -> Debate:
    """Plays one debate to its end; ``at_once`` is what debates of one process share."""
    log: Log = MemoryLog((first, opened))
    if store is not None:
        debates = Debates(store)
        await debates.create(first, first.id, past=(opened,))
        log = await debates.claim(first.id, "bench")
    context = EngineContext(
        log, Clock(), asyncio.Queue(), Speaker(Voices(voice)), decide, should_stop
    )
    if at_once is not None:
        context.at_once = at_once
    return await play(replay((first, opened)), context)


@dataclass(frozen=True)
class Cost:
    """Per debate: seconds of CPU and of wall time."""

    cpu: float
    wall: float
    events: int


async def measured(
    seats: int,
    rounds: int,
    material: Material,
    *,
    latency: float = 0.0,
    count: int = 1,
    store: Database | None = None,
) -> Cost:
    """Plays ``count`` debates at once."""
    voice = Voice(latency)
    pairs = [opening(f"b{time.monotonic_ns()}-{n}", seats, rounds, material) for n in range(count)]
    cpu, wall = time.process_time(), time.perf_counter()
    at_once = asyncio.Semaphore(HANDLED_AT_ONCE)
    ended = await asyncio.gather(*(one(*pair, voice, store, at_once) for pair in pairs))
    spent = time.process_time() - cpu, time.perf_counter() - wall
    if not all(d.over for d in ended):
        raise RuntimeError("a debate did not end")
    return Cost(spent[0] / count, spent[1], sum(d.count for d in ended))


def cacheable(prompts: Sequence[str], least: int = 1024) -> float:
    """Returns the share of all prompt characters that are a common prefix (of at least ``least``)
    with an earlier prompt of the debate.
    """
    shared = 0
    for n, prompt in enumerate(prompts):
        best = max((common(prompt, earlier) for earlier in prompts[:n]), default=0)
        shared += best if best >= least else 0
    return shared / sum(map(len, prompts))


def common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
