"""``python -m tests.bench.examination``: what a review of 20,000 characters costs when it is
debated in phases and when only what is in doubt is examined, by the same voice.

The voice reports two findings at each opening; one severe one of them stands alone, and its
refuters quote a line that stands in the change. Plain sharing and the
dollars are those of ``tests.bench.money``. The seconds are reckoned, not measured: what had to wait
for what, 1.5 seconds to a first word and 60 tokens a second after it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from adapters.templates.catalogue import find, in_format
from core import events as e
from core.casting import ModelCandidate, cast
from core.debate import Debate
from core.formats import FORMATS, Plan
from core.ports import CallOptions, Message, OnWords, Reply
from core.script import TurnId
from tests.bench.money import CHARS_PER_TOKEN, MODELS, Bill, Filling, _plain
from tests.bench.tables import Clock, cacheable, change, one

FIRST_WORD, TOKENS = 1.5, 60
"""Seconds to the first word of an answer, and tokens a second after it."""
FORMS = (("phased", 3), ("cross_examination", 3), ("cross_examination", 5))


@dataclass
class Reviewer(Filling):
    """``severe`` is how many seats report a severe finding that nobody else has."""

    severe: int = 1
    seats: dict[str, int] = field(default_factory=dict)

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        reply = await Filling.reply(self, messages, asking, on_words)
        document = json.loads(reply.text)
        wanted = (asking.schema or {}).get("properties", {})
        if "findings" in wanted:
            who = self.seats.setdefault(messages[-1].text, len(self.seats))
            document["findings"] = [_finding(who, n, self.severe) for n in range(2)]
        if "quote" in _answer(wanted):
            document["answers"] = [
                {**a, "position": "dispute", **_place(3)} for a in document["answers"]
            ]
        if "text" not in wanted:
            document.pop("text", None)
        text = json.dumps(document)
        (self.answers or [""])[-1] = text
        return Reply(text, reply.usage, reply.model)


def _answer(wanted: Mapping[str, Any]) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = wanted.get("answers", {}).get("items", {}).get("properties", {})
    return properties


def _place(line: int) -> dict[str, Any]:
    quote = f"rows[{line - 1}] = parse(line_{line - 1}, strict=True)"
    return {"path": "app/parse.py", "line": line, "quote": quote}


def _finding(who: int, n: int, severe: int) -> dict[str, Any]:
    words = ("overflow", "deadlock", "leak", "race", "truncation", "recursion", "injection")
    what = words[(2 * who + n) % len(words)]
    return {
        "severity": "high" if n == 0 and who < severe else "medium",
        "confidence": 0.8,
        "title": f"{what} of row {who}{n} {what * 2}",
        **_place(20 + 40 * who + 9 * n),
        "trigger": f"{what} {what * 3} with an empty row",
        "fix": f"check for {what}",
    }


def played(form: str, openings: int, severe: int = 1) -> tuple[Bill, Debate]:
    template, material, rng = in_format(find("code_review"), form), change(), Random(1)
    plan = Plan(mode=template.consensus, openings=openings)
    script = FORMATS[form].compile(template, plan, rng)
    terms = e.Terms("majority", template.consensus_threshold, 1, converge=False)
    now, voice = Clock().now(), Reviewer(severe=severe)
    request = e.DebateRequest("code_review", material.title, "bench", "shell:bench")
    seats = cast(script, [ModelCandidate("voice", "voice")], rng)
    opened = e.DebateOpened(template, script, seats, material, terms, now, 1)
    debate = asyncio.run(one(e.DebateRequested("money", request, now), opened, voice))
    if not debate.over or debate.failed:
        raise RuntimeError(f"the debate did not end well: {debate.failed}")
    prompts = voice.marked or []
    return Bill(prompts, voice.answers or [], _plain(debate, prompts, material)), debate


def waves(debate: Debate) -> list[list[TurnId]]:
    """Groups the turns by how many had to be over before them."""
    spoken = [t for t in debate.turns if t.id in debate.finished]
    depth: dict[TurnId, int] = {}
    for turn in spoken:
        before = [depth[r] for r in turn.reads if r in depth]
        before += [depth[t.id] for t in spoken if t.round < turn.round]
        depth[turn.id] = 1 + max(before, default=0)
    return [[id for id, at in depth.items() if at == n] for n in range(1, max(depth.values()) + 1)]


def seconds(bill: Bill, debate: Debate) -> float:
    order = {id: n for n, id in enumerate(debate.finished)}
    tokens = [len(text) / CHARS_PER_TOKEN for text in bill.answers]
    return sum(
        FIRST_WORD + max(tokens[order[id]] for id in wave) / TOKENS for wave in waves(debate)
    )


def lines() -> list[str]:
    rows, phased = [], 0
    for form, openings in FORMS:
        bill, debate = played(form, openings)
        texts, paid = bill.texts, bill.share() * sum(bill.plain)
        phased = phased or sum(bill.plain)
        what = f"{form}, {openings} openings" if form != "phased" else "phased"
        usd = ", ".join(f"${sum(bill.usd(m)[:2]):.3f}" for m in MODELS)
        rows.append(
            f"{what:<30}{len(texts):>6}{len(waves(debate)):>7}{sum(map(len, texts)):>9,}"
            f"{sum(map(len, bill.answers)):>9,}{bill.share():>7.3f}{paid / phased:>8.3f}"
            f"{cacheable(texts):>7.2f}{seconds(bill, debate):>5.0f}  {usd}"
        )
    return rows


def main() -> None:
    head = f"{'20,000-character review':<30}{'calls':>6}{'waves':>7}{'prompts':>9}{'answers':>9}"
    print(f"{head}{'own':>7}{'phased':>8}{'cache':>7}{'s':>5}  {', '.join(MODELS)}")
    print("\n".join(lines()))
    print(
        "own, phased: prompts with what a cache serves counted a tenth, to plain sharing of the "
        "same turns and of the review in phases; cache: cacheable share; s: reckoned"
    )


if __name__ == "__main__":
    main()
