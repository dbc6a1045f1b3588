"""Computes the cost of a debate in money: one code review on a 20,000-character diff, one panel on
a 2,000-character question, at list prices with the provider's caching, compared with plain sharing.

In plain sharing every seat reads everything: in each turn the whole material and every earlier
statement in full, nothing of it from a cache. The share of it that is left (a cached character
counts a tenth) needs no price list. The dollars need one, and the rule of each provider's cache: at
least 1,024 tokens from the beginning, written at a separate price if it has one.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from adapters.models.catalogue import prices
from adapters.models.tokens import TokenCounts
from adapters.templates.catalogue import find
from core.debate import events as e
from core.debate.casting import ModelCandidate, cast
from core.debate.formats import FORMATS, Plan
from core.debate.material import Material
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.script import TurnId
from core.debate.state import Debate
from tools.bench.provider import answer
from tools.bench.tables import SAID, WORDS, Clock, Voice, change, common, one, topic

MODELS = (
    "anthropic/claude-sonnet-4-5",
    "openai/gpt-5",
    "openai/gpt-4.1",
    "gemini/gemini-2.5-pro",
)
CHARS_PER_TOKEN = 4
LEAST = 1024
"""Of a prefix that a cache keeps: tokens for the dollars, characters for the share."""
CACHED = 0.1
"""What a cached character counts."""


@dataclass
class Filling(Voice):
    """Answers every task in its shape: 1,500 characters of words, two claims, short other parts."""

    marked: list[tuple[Message, ...]] | None = None
    answers: list[str] | None = None

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await Voice.reply(self, messages, asking, on_words)
        self.marked = [*(self.marked or ()), tuple(messages)]
        fields = answer(dict(asking.schema or {}), len(self.marked)) | {"text": (WORDS * 20)[:SAID]}
        text = json.dumps(fields)
        self.answers = [*(self.answers or ()), text]
        return replace(reply, text=text)


WRITTEN = {"open": 2770, "vouch": 500, "weigh": 930, "reply": 1120, "decide": 990}
"""The characters of an answer by task: means of 514 recorded answers of a strong model. Of other
tasks an answer is as long as the stand-in's.
"""
FIRST_TOKEN, SPEED = 1.0, 60.0
"""Seconds before an answer begins and tokens a second after that: assumed, not measured."""
_PLACE = {"path": "app/parse.py", "line": 8, "quote": "rows[7] = parse(line_7, strict=True)"}
_DEFECT = _PLACE | {
    "severity": "high", "confidence": 0.8, "title": "row 7 can raise", "must_fix": True,
    "trigger": "a short row", "fix": "catch it", "category": "correctness",
}  # fmt: skip
_HOLDER, _MOVED = "security_critic", "correctness_critic"
"""The critic with the finding, and the critic that it persuades."""


@dataclass
class Reviewing(Filling):
    """Answers a review in the length of real answers: every seat approves, or one finding is
    ``contested``, so that everything that may be argued is.
    """

    contested: bool = False

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await Filling.reply(self, messages, asking, on_words)
        if asking.task not in WRITTEN or self.answers is None:
            return reply
        wants = self.contested and asking.role == _HOLDER
        moved = self.contested and asking.role == _MOVED and asking.task != "vouch"
        position = "must_fix" if wants or moved else "not_real"
        points = asking.scene().points if asking.scene else ()
        option = "request_changes" if wants or (moved and points) else "approve"
        says: dict[str, Any] = {
            "stance": {"option": option, "confidence": 0.8, "because": "so", "moved_by": ""},
            "answers": [
                {"to": p.id, "position": position, "because": "so", **_PLACE} for p in points
            ],
            "findings": [_DEFECT] if wants and asking.task == "open" else [],
            "text": "",
        }
        says["text"] = (WORDS * 40)[: WRITTEN[asking.task] - len(json.dumps(says))]
        self.answers[-1] = json.dumps(says)
        return replace(reply, text=self.answers[-1])


@dataclass(frozen=True)
class Bill:
    """One debate's prompts and answers, and what plain sharing would have sent."""

    prompts: list[tuple[Message, ...]]
    answers: list[str]
    plain: list[int]
    seconds: float = 0.0

    @property
    def texts(self) -> list[str]:
        return ["\x00".join(m.text for m in prompt) for prompt in self.prompts]

    def share(self) -> float:
        """Returns the effective price of all prompts as a share of plain sharing's."""
        texts = self.texts
        cost = 0.0
        for n, text in enumerate(texts):
            best = max((common(text, earlier) for earlier in texts[:n]), default=0)
            cached = best if best >= LEAST else 0
            cost += len(text) - cached * (1 - CACHED)
        return cost / sum(self.plain)

    def usd(self, model: str) -> tuple[float, float, float]:
        """Returns the USD of the prompts, of the answers, and of plain sharing's prompts."""
        facts = prices.facts(model)
        if facts is None:
            raise RuntimeError(f"the table does not know {model}")
        prompts = 0.0
        for n, prompt in enumerate(self.prompts):
            tokens = _tokens(prompt, self.prompts[:n], marked="anthropic" in model)
            prompts += prices.cost(facts.tariff, tokens) or 0.0
        written = TokenCounts(0, 0, 0, sum(map(len, self.answers)) // CHARS_PER_TOKEN)
        plain = TokenCounts(sum(self.plain) // CHARS_PER_TOKEN)
        return (
            prompts,
            prices.cost(facts.tariff, written) or 0.0,
            prices.cost(replace(facts.tariff, above=()), plain) or 0.0,
        )


def _tokens(
    prompt: tuple[Message, ...], earlier: Sequence[tuple[Message, ...]], *, marked: bool
) -> TokenCounts:
    """Returns the tokens that a provider charges for a prompt. A provider with a ``marked`` cache
    keeps what ends at a mark, block by block, and charges for writing; the others keep any
    beginning.
    """
    text = "\x00".join(m.text for m in prompt)
    total = len(text) // CHARS_PER_TOKEN
    if not marked:
        texts = ("\x00".join(m.text for m in other) for other in earlier)
        best = max((common(text, other) for other in texts), default=0) // CHARS_PER_TOKEN
        return TokenCounts(total, best if best >= LEAST else 0)
    kept = {_blocks(other, n) for other in earlier for n in _marks(other)}
    cached = max(
        (_size(prompt, n) for n in range(1, len(prompt) + 1) if _blocks(prompt, n) in kept),
        default=0,
    )
    written = max((_size(prompt, n) for n in _marks(prompt)), default=0) - cached
    if cached < LEAST:
        cached, written = 0, max((_size(prompt, n) for n in _marks(prompt)), default=0)
    return TokenCounts(total, cached, written if cached + written >= LEAST else 0)


def _marks(prompt: tuple[Message, ...]) -> list[int]:
    return [n for n, message in enumerate(prompt, start=1) if message.cache]


def _blocks(prompt: tuple[Message, ...], n: int) -> tuple[str, ...]:
    return tuple(m.text for m in prompt[:n])


def _size(prompt: tuple[Message, ...], n: int) -> int:
    return sum(len(m.text) for m in prompt[:n]) // CHARS_PER_TOKEN


def bill(template: str, material: Material, voice: Filling | None = None) -> Bill:
    """Plays one debate on a shipped template to its end, by a voice that answers at once."""
    voice = voice or Filling()
    debate = asyncio.run(one(*_opening(template, material), voice))
    if not debate.over or debate.failed:
        raise RuntimeError(f"the debate did not end well: {debate.failed}")
    prompts = voice.marked or []
    played = [t for t in debate.turns if t.id in debate.finished]
    waves = {t.round: FIRST_TOKEN for t in played}
    for turn, text in zip(played, voice.answers or [], strict=True):
        written = FIRST_TOKEN + len(text) / CHARS_PER_TOKEN / SPEED
        waves[turn.round] = max(waves[turn.round], written)
    plain = _plain(debate, prompts, material)
    return Bill(prompts, voice.answers or [], plain, sum(waves.values()))


def _plain(debate: Debate, prompts: list[tuple[Message, ...]], material: Material) -> list[int]:
    """Returns the characters of each prompt had its turn read everything: the frame that it has
    now, the material, and every earlier round's statements in full.
    """
    turns = [t for t in debate.turns if t.id in debate.finished]
    full = {t.id: _spoken(debate, t.id) for t in turns}
    rounds = {t.id: t.round for t in turns}
    return [
        sum(len(m.text) for m in (prompt[0], *prompt[-2:]))
        + len(material.text)
        + sum(full[o.id] for o in turns if rounds[o.id] < turn.round)
        for turn, prompt in zip(turns, prompts, strict=True)
    ]


def _spoken(debate: Debate, turn: TurnId) -> int:
    """Returns the characters of a statement: its words, its points, its answers."""
    statement = debate.finished[turn]
    points = [f"{c.text}{c.quote}" for c in statement.claims]
    points += [f"{f.title}{f.trigger}{f.quote}{f.fix}" for f in statement.findings]
    points += [a.because for a in statement.answers]
    return len(statement.text) + sum(map(len, points))


def _opening(name: str, material: Material) -> tuple[e.DebateRequested, e.DebateOpened]:
    template, rng = find(name), Random(1)
    script = FORMATS[template.format].compile(template, Plan(mode=template.consensus), rng)
    terms = e.Terms(
        consensus=template.consensus.value,
        threshold=template.consensus_threshold,
        quorum=1,
        converge=False,
    )
    now = Clock().now()
    request = e.DebateRequest(name, material.title, "bench", "shell:bench")
    seats = cast(script, [ModelCandidate("voice", "voice")], rng)
    return e.DebateRequested("money", request, now), e.DebateOpened(
        template, script, seats, material, terms, now, 1
    )


def lines() -> list[tuple[str, str, str]]:
    """Returns the rows to print: name, figure, bar."""
    rows: list[tuple[str, str, str]] = []
    for template, name, material, voice, bar in (
        ("code_review", "20,000 characters that agrees", change(), Reviewing(), ""),
        ("code_review", "20,000 characters that does not", change(), Reviewing(contested=True), ""),
        ("panel", "a 2,000-character question", topic(), Filling(), "bar 0.25"),
    ):
        made = bill(template, material, voice)
        what = f"{template} of {name}"
        rows.append((f"{what}: prompts to plain sharing", f"{made.share():.3f}", bar))
        read = sum(map(len, made.texts)) // CHARS_PER_TOKEN
        written = sum(map(len, made.answers)) // CHARS_PER_TOKEN
        calls = f"{len(made.answers)} calls, {read:,} tokens read, {written:,} written"
        rows.append((f"{what}: computed seconds", f"{made.seconds:.0f}", calls))
        for model in MODELS:
            prompts, answers, plain = made.usd(model)
            parts = f"prompts ${prompts:.3f}, answers ${answers:.3f}"
            beside = f"plain sharing ${plain + answers:.3f}"
            figure = f"${prompts + answers:.3f}"
            rows.append((f"{what}, {model}", figure, f"{parts}; {beside}"))
    return rows


if __name__ == "__main__":
    for what, figure, bar in lines():
        print(f"{what:<78} {figure:>8}   {bar}")
