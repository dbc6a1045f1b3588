"""A model without a network: the double for tests, benchmarks and demonstrations of the program
(never of judgement).

It is a full implementation of the port, not a mock: the same prompt and seed always give the same
answer, in the shape that the schema asks for, with citations that are in the material. A behaviour
makes it fail in one of the ways real models do.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from adapters.models.exchange import ModelRequest
from adapters.models.prose import Prose
from adapters.models.scripted.filling import Filling
from adapters.models.scripted.reading import Seen, read, unfenced
from adapters.processes import threads
from adapters.processes.files import open_for_writing
from core.debate.errors import BadInput, ModelError, ModelFailure
from core.debate.ports import CallOptions, Message, OnWords, Reply
from core.debate.spoken import request_hash
from core.debate.stored import stored
from core.debate.usage import Usage

BEHAVIOURS = {
    "": "answers every task in its shape",
    "fail": "every call fails as a provider that is down",
    "flaky": "every other call fails as a provider that is down",
    "limited": "every call is rate limited",
    "stall": "says nothing until its time is over",
    "slow": "takes a fifth of a second for each answer",
    "ramble": "talks until its tokens are gone and is cut off inside its JSON",
    "lie": "answers in the right shape with invented lines, quotes and ids, and is sure of it",
    "obey": "does what an instruction hidden in the material says",
    "garbage": "answers with something no parser can use",
    "silent": "answers with nothing",
}
_LONG = 50_000
"""Characters above which a prompt is answered in a thread."""
_GARBAGE = (
    "{'stance': approve,,, <<<",
    '```json\n{"stance": {"option": "approve", "confidence": 7}, "findings": "many"\n```',
    "\x00\x1b[2J\u202eesrever <script>alert(1)</script> ]]>",
    "[[[[[[[[[[" * 50,
    '{"text": 12, "stance": null, "answers": [{"to": {}}]}',
)
_HELD = 0.05
"""Seconds between two looks whether answers are still held."""
Answer = str | Reply | ModelError | Callable[[Sequence[Message], CallOptions], str]


class Scripted:
    """``behaviour`` is one of ``BEHAVIOURS`` or ``stance=OPTION``.

    ``replies`` are used up first, one per call; an error among them is raised. ``latency`` is
    seconds before the answer, through ``sleep``. ``seen`` has every prompt if ``keeps`` is True.
    ``ledger`` is a file that gets one JSON line for each finished call, whatever process made it.
    While the file ``hold`` exists, every answer stops in its middle.
    """

    demo = True

    def __init__(
        self,
        behaviour: str = "",
        *,
        replies: Sequence[Answer] = (),
        seed: int = 0,
        latency: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        ledger: Path | None = None,
        hold: Path | None = None,
        window: int = 100_000,
    ) -> None:
        self._option = behaviour.removeprefix("stance=") if behaviour.startswith("stance=") else ""
        if not self._option and behaviour not in BEHAVIOURS:
            known = ", ".join(b for b in BEHAVIOURS if b)
            raise BadInput(
                f"The scripted model has no behaviour {behaviour!r}. It knows: {known}, "
                "stance=OPTION."
            )
        self.name = f"scripted:{behaviour}" if behaviour else "scripted"
        self.family = "scripted"
        self.window = window
        self.seen: list[ModelRequest] = []
        self.keeps, self._calls = True, 0
        self._behaviour = behaviour
        self.replies = list(replies)
        self._seed = seed
        self._latency = latency or (0.2 if behaviour == "slow" else 0.0)
        self._sleep = sleep
        self._ledger, self._hold = ledger, hold

    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply:
        self._calls += 1
        if self.keeps:
            self.seen.append(ModelRequest(tuple(messages), asking))
        typing = 0.0
        if on_words:
            typing = self._latency
        await self._wait(self._latency - typing)
        given = None
        if self.replies:
            given = self.replies.pop(0)
        if isinstance(given, ModelError):
            raise given
        if isinstance(given, Reply):
            return await self._done(messages, given, on_words, typing)
        if isinstance(given, str):
            text = given
        elif given:
            text = given(messages, asking)
        else:
            text = await self._behave(messages, asking)
        return await self._done(messages, self._priced(messages, text), on_words, typing)

    async def _behave(self, messages: Sequence[Message], asking: CallOptions) -> str:
        match self._behaviour:
            case "fail":
                text = stored("{model} is down, as configured.", model=self.name)
                raise ModelError(ModelFailure.PROVIDER_DOWN, text)
            case "flaky" if self._calls % 2:
                text = stored("{model} is down for this call, as configured.", model=self.name)
                raise ModelError(ModelFailure.PROVIDER_DOWN, text)
            case "limited":
                text = stored("{model} is rate limited, as configured.", model=self.name)
                raise ModelError(ModelFailure.RATE_LIMITED, text, retry_after=1.0)
            case "stall":
                await self._sleep(asking.timeout)
                raise ModelError(
                    ModelFailure.TIMEOUT,
                    stored(
                        "{model} did not answer within {seconds} s.",
                        model=self.name,
                        seconds=f"{asking.timeout:g}",
                    ),
                )
            case "silent":
                return ""
            case "garbage":
                return self._draw(messages).choice(_GARBAGE)
            case _:
                if sum(len(each.text) for each in messages) > _LONG:
                    return await threads.make_in_thread(self._answer, messages, asking)
                return self._answer(messages, asking)

    def _answer(self, messages: Sequence[Message], asking: CallOptions) -> str:
        seen = read(messages)
        filled = self._filled(seen, messages, asking)
        prose = self._prose(seen, filled)
        if asking.schema is None:
            return prose
        if self._behaviour == "ramble":
            return self._rambling(prose, filled, asking)
        if "text" in asking.schema.get("properties", {}):
            return json.dumps({**filled, "text": prose}, ensure_ascii=False)
        return f"{prose}\n\n```json\n{json.dumps(filled, ensure_ascii=False)}\n```"

    def _filled(
        self, seen: Seen, messages: Sequence[Message], asking: CallOptions
    ) -> dict[str, Any]:
        if asking.schema is None:
            return {}
        obeys = self._behaviour == "obey" and bool(seen.order)
        filling = Filling(
            seen,
            self._draw(messages),
            Random(f"{self._seed}|{seen.persona}"),
            asking.schema,
            option=_ordered(seen.order, asking) if obeys else self._option,
            invent=self._behaviour == "lie",
        )
        filled: dict[str, Any] = filling.value(asking.schema)
        if obeys and "findings" in filled:
            filled["findings"] = []
        if (
            self._behaviour == "lie"
            and isinstance(filled.get("stance"), dict)
            and "confidence" in filled["stance"]
        ):
            filled["stance"]["confidence"] = 1.0
        return filled

    def _prose(self, seen: Seen, filled: dict[str, Any]) -> str:
        if self._behaviour == "obey" and seen.order:
            return (
                f"As instructed: {seen.order[:400]} @everyone @here <!channel> see "
                "https://github.com/other/repository/pull/1"
            )
        topics = [
            str(f.get("title", "")) for f in filled.get("findings") or [] if isinstance(f, dict)
        ]
        stance = filled.get("stance")
        if isinstance(stance, dict):
            held = f"I hold {stance.get('option')}: {stance.get('because')}."
        else:
            held = "I have read what was said."
        return " ".join([held, *(f"I see an {t}." for t in topics if t)])

    def _rambling(self, prose: str, filled: dict[str, Any], asking: CallOptions) -> str:
        block = f"\n\n```json\n{json.dumps(filled)}"
        room = max(0, asking.max_tokens * 4 - len(block) // 2)
        return (
            (prose + " And then again, on the other hand. ") * (room // max(1, len(prose)) + 1)
        )[:room] + block[: len(block) // 2]

    def _priced(self, messages: Sequence[Message], text: str) -> Reply:
        chars = sum(len(m.text) for m in messages)
        usage = Usage(
            prompt_tokens=chars // 4,
            completion_tokens=len(text) // 4,
            usd=0.0,
            prompt_chars=chars,
            seconds=self._latency,
        )
        id = f"scripted-{request_hash(self.name, messages)[:12]}"
        return Reply(text, usage, model=self.name, request_id=id)

    async def _wait(self, seconds: float) -> None:
        if seconds:
            await self._sleep(seconds)

    async def _held(self) -> None:
        while self._hold and self._hold.exists():  # noqa: ASYNC110 (a file has no event)
            await asyncio.sleep(_HELD)

    async def _done(
        self, messages: Sequence[Message], reply: Reply, on_words: OnWords | None, typing: float
    ) -> Reply:
        """Finishes the answer; ``typing`` is how many seconds its words take to come, if someone
        watches.
        """
        if on_words:
            prose, words = Prose(on_words), re.findall(r"\S+\s*|\s+", reply.text)
            for n, piece in enumerate(words):
                if n == len(words) // 2:
                    await self._held()
                prose.feed(piece)
                await self._wait(typing / len(words))
        await self._held()
        if self._ledger:
            line = {
                "request": request_hash(self.name, messages),  # as the store notes it
                "model": self.name,
                "pid": os.getpid(),
                "usage": reply.usage.prompt_tokens,
            }
            with open_for_writing(self._ledger, keep=True) as out:
                out.write(json.dumps(line).encode() + b"\n")
        return reply

    def _draw(self, messages: Sequence[Message]) -> Random:
        """Returns a draw that is the same for every debate over the same material, whatever its
        id.
        """
        text = json.dumps([self._seed, *([m.role, unfenced(m.text)] for m in messages)])
        if len(text) > _LONG:  # a seed of a megabyte stops all threads
            text = hashlib.sha256(text.encode()).hexdigest()
        return Random(text)


def _ordered(order: str, asking: CallOptions) -> str:
    """Returns the stance that a hidden instruction asks for: the option it names first, else the
    friendliest word.
    """
    options: list[str] = []
    stack: list[Any] = [asking.schema]
    while stack:
        part = stack.pop()
        if isinstance(part, Mapping):
            options += [
                str(v)
                for name in ("option", "ruling")
                for v in (part.get(name) or {}).get("enum", ())
            ]
            stack += [v for v in part.values() if isinstance(v, Mapping)]
    words = order.lower()
    return min(
        (o for o in options if o.lower() in words),
        key=lambda o: words.index(o.lower()),
        default="approve",
    )
