"""Finds models by name, and a default when nobody named one. Light: every heavy library is imported by the model that needs it.

Names: litellm's own (``openai/gpt-5``, ``gpt-4.1``, ``anthropic/...``), ``ollama/...``, ``lm_studio/...`` and ``llama_server/...`` for local
servers, ``embedded``, ``embedded-small``, and, only where it is enabled, ``scripted`` or ``scripted:BEHAVIOUR``.
"""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, cast

from adapters.models import faults, keys, local, prices, search, weights
from adapters.models.retry import Breaker, FallingBack, Retrying
from core.errors import BadInput
from core.ports import Clock, Model, Price

SEARCHES = 12
"""Web searches one debate may make, all seats together."""
LOCAL_WINDOW = 3000
"""Prompt tokens for a local server that does not say how much it reads: servers cut in silence what is longer than their context."""

EMBEDDED = {w.name: w for w in (weights.LARGE, weights.SMALL)}


class _Closing(Protocol):
    async def aclose(self) -> None: ...


class _SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Choice:
    """The models of a debate for which nobody named any, and the sentence that says why, to be shown before a word is sent."""

    names: tuple[str, ...]
    reason: str


class Vendors:
    """Implements ``core.ports.Models``. Every model comes with the retry layer, and with one circuit breaker per provider.

    ``configured`` are the names of ``DEBATE_MODELS``. ``scripted`` enables the scripted model (default: ``DEBATE_SCRIPTED=1``).
    ``redact`` is applied to every foreign text in an error, after known keys were struck out. ``web`` enables searches.
    ``progress`` is told of the embedded model's download.
    """

    def __init__(
        self,
        env: Mapping[str, str] | None = None,
        *,
        configured: Sequence[str] = (),
        scripted: bool | None = None,
        redact: Callable[[str], str] = str,
        clock: Clock | None = None,
        web: bool = False,
        progress: weights.Progress | None = None,
    ) -> None:
        self._env = os.environ if env is None else env
        self._configured = tuple(configured) or tuple(n.strip() for n in self._env.get("DEBATE_MODELS", "").split(",") if n.strip())
        self._scripted = self._env.get("DEBATE_SCRIPTED") == "1" if scripted is None else scripted
        self._clean = faults.cleaner(keys.secrets(self._env), redact)
        self._clock = clock or _SystemClock()
        self._find = search.duckduckgo if web else None
        self._allowance = search.Allowance(SEARCHES)
        self._progress = progress
        self._breakers: dict[str, Breaker] = {}
        self._bare: dict[str, Model] = {}
        self._ready: dict[str, Model] = {}

    def get(self, name: str) -> Model:
        """The model behind ``name``. Raises ``BadInput`` for an unknown name or a missing key; imports and asks nothing."""
        if name not in self._ready:
            bare = self._made(name)
            provider = self.provider(name)
            breaker = self._breakers.setdefault(provider, Breaker(provider, self._clock))
            self._ready[name] = Retrying(bare, breaker, self._clock)
        return self._ready[name]

    def seated(self, name: str, cast_of: Sequence[str]) -> Model:
        """The model for one seat, with the other models of the cast to stand in for it when it fails."""
        first = self.get(name)
        others = [self.get(n) for n in dict.fromkeys(cast_of) if n != name]
        return FallingBack(first, others) if others else first

    def price(self, name: str) -> Price:
        """USD per token from litellm's table; all None where it does not know the model, 0 for models on this machine."""
        if self.provider(name) in ("embedded", "scripted", *local.PREFIXES):
            return prices.FREE
        found = prices.facts(name)
        return found.price if found else prices.UNKNOWN

    def default(self) -> Sequence[str]:
        return self.choice().names

    def choice(self) -> Choice:
        """Configured names, else one model per provider key, else a local server, else the embedded model. Blocks for 0.2 s at most."""
        if self._configured:
            return Choice(self._configured, f"{', '.join(self._configured)}: named by DEBATE_MODELS")
        if keyed := [(model, keys.key_of(provider, self._env)) for provider, model in keys.PREFERRED if keys.key_of(provider, self._env)]:
            names = tuple(model for model, _ in keyed)
            told = ", ".join(f"{model} ({key} is set)" for model, key in keyed)
            return Choice(names, f"{told}: the material is sent to {'this provider' if len(names) == 1 else 'these providers'}")
        if servers := local.detect(self._env):
            server = servers[0]
            return Choice(
                server.models[:3], f"{', '.join(server.models[:3])}: a local server answers at {server.base}, nothing leaves this machine"
            )
        return Choice(("embedded",), "embedded: no key is set and no local server answers; its verdicts are a demonstration only")

    def scoped(self, searches: int = SEARCHES) -> Vendors:
        """The same models for one debate, with searches of its own; breakers and the embedded process are shared."""
        other = copy.copy(self)
        other._allowance = search.Allowance(searches)
        other._bare = {n: m for n, m in self._bare.items() if n in EMBEDDED}
        other._ready = {n: m for n, m in self._ready.items() if n in EMBEDDED}
        return other

    def provider(self, name: str) -> str:
        """Who answers for ``name``: a provider, ``embedded``, ``scripted``, or the kind of local server."""
        if name in EMBEDDED:
            return "embedded"
        head = name.partition("/")[0]
        if name.partition(":")[0] == "scripted" or head in local.PREFIXES:
            return head.partition(":")[0]
        found = prices.facts(name)
        return found.provider if found else head

    async def warm(self, names: Sequence[str]) -> None:
        """Imports litellm ahead of the first turn if one of ``names`` needs it; starts nothing that costs memory for good."""
        if any(self.provider(n) not in ("embedded", "scripted", *local.PREFIXES) for n in names):
            from adapters.models.litellm import warm

            await warm()

    async def aclose(self) -> None:
        """Ends the embedded child."""
        for name in EMBEDDED:
            if name in self._bare:
                await cast(_Closing, self._bare[name]).aclose()

    def _made(self, name: str) -> Model:
        if name not in self._bare:
            self._bare[name] = self._make(name)
        return self._bare[name]

    def _make(self, name: str) -> Model:
        if name in EMBEDDED:
            from adapters.models.embedded import Embedded

            return Embedded(EMBEDDED[name], self._env, progress=self._progress, clean=self._clean)
        if name.partition(":")[0] == "scripted":
            return self._make_scripted(name)
        if name.partition("/")[0] in local.PREFIXES:
            return self._make_local(name)
        return self._make_hosted(name)

    def _make_scripted(self, name: str) -> Model:
        if not self._scripted:
            raise BadInput("The scripted model is for tests. Set DEBATE_SCRIPTED=1 to use it.")
        from adapters.models.scripted import Scripted

        ledger = self._env.get("DEBATE_SCRIPTED_LEDGER")
        return Scripted(
            name.partition(":")[2],
            latency=float(self._env.get("DEBATE_SCRIPTED_LATENCY") or 0),
            sleep=self._clock.sleep,
            ledger=Path(ledger) if ledger else None,
        )

    def _make_local(self, name: str) -> Model:
        from adapters.models.wire import LocalServer

        kind = name.partition("/")[0]
        window = int(self._env.get("DEBATE_LOCAL_WINDOW") or self._env.get("OLLAMA_CONTEXT_LENGTH") or LOCAL_WINDOW)
        return LocalServer(name, f"{local.addresses(self._env)[kind]}/v1", window=window, clean=self._clean)

    def _make_hosted(self, name: str) -> Model:
        found = prices.facts(name)
        if found is None:
            raise BadInput(f"No model is called {name!r}. Name it as PROVIDER/MODEL, for example openai/gpt-5, ollama/llama3 or embedded.")
        if missing := keys.missing(found.provider, self._env):
            raise BadInput(f"{name} needs a key: set {missing}, or choose another model with --models.")
        from adapters.models.litellm import Hosted

        return Hosted(name, found, self._env, clean=self._clean, find=self._find, allowance=self._allowance)
