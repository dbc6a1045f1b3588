"""Finds models by name, and a default when nobody named one. Light: every heavy library is imported
by the model that needs it.

Names: litellm's own (``openai/gpt-5``, ``gpt-4.1``, ``anthropic/...``), ``ollama/...``,
``lm_studio/...`` and ``llama_server/...`` for local servers, ``embedded``, ``embedded-small``, and,
only where it is enabled, ``scripted`` or ``scripted:BEHAVIOUR``.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.models import faults, keys, local, prices, search, weights
from adapters.models.retry import Breaker, Retrying
from core.errors import BadInput
from core.ports import Clock, Model, Price

SEARCHES = 12
"""Web searches one debate may make, all seats together."""
LOCAL_WINDOW = 3000
"""Prompt tokens for a local server that does not say how much it reads: servers cut in silence what
is longer than their context.
"""

BETTER = "For real reviews set a provider's key or start a local model server."

EMBEDDED = {w.name: w for w in (weights.LARGE, weights.SMALL)}


if TYPE_CHECKING:
    from adapters.models.embedded import Embedded


class _SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Choice:
    """The models of a debate for which nobody named any, and the sentence that says why, to be
    shown before a word is sent.
    """

    names: tuple[str, ...]
    reason: str


@dataclass(slots=True)
class _Shared:
    """What all debates of a process share: how providers fare, and the embedded process."""

    breakers: dict[str, Breaker] = field(default_factory=dict)
    embedded: dict[str, Embedded] = field(default_factory=dict)


@dataclass(slots=True)
class Vendors:
    """Implements ``core.ports.Models``. Every model comes with the retry layer, and with one
    circuit breaker per provider.

    ``configured`` are the names given by a person or ``DEBATE_MODELS``. ``scripted`` enables the
    scripted model (None: when ``DEBATE_SCRIPTED=1``). ``redact`` is applied to every foreign text
    in an error, after known keys were struck out. ``find`` is what searches the web
    (``search.duckduckgo``); without it nobody can. ``progress`` is told of the embedded model's
    download.
    """

    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    configured: Sequence[str] = ()
    scripted: bool | None = None
    redact: faults.Redact = str
    clock: Clock = field(default_factory=_SystemClock)
    find: search.Find | None = None
    progress: weights.Progress | None = None
    shared: _Shared = field(default_factory=_Shared, repr=False)
    _clean: faults.Redact = field(init=False, repr=False)
    _allowance: search.Allowance = field(init=False, repr=False)
    _ready: dict[str, Model] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._clean = faults.cleaner(keys.secrets(self.env), self.redact)
        self._allowance = search.Allowance(SEARCHES)
        self._ready = {}

    def get(self, name: str) -> Model:
        """The model behind ``name``.

        Raises ``BadInput`` for an unknown name or a missing key; imports and asks nothing.
        """
        if name not in self._ready:
            bare, provider = self._make(name), self.provider(name)
            circuit = (
                name if provider == "scripted" else provider
            )  # one that was told to fail is not the other's provider
            breaker = self.shared.breakers.setdefault(circuit, Breaker(circuit, self.clock))
            self._ready[name] = Retrying(
                bare, breaker, self.clock, first_wait=0.01 if provider == "scripted" else 1.0
            )
        return self._ready[name]

    def price(self, name: str) -> Price:
        """USD per token from litellm's table; all None where it does not know the model, 0 for
        models on this machine.
        """
        if self.provider(name) in ("embedded", "scripted", *local.PREFIXES):
            return prices.FREE
        found = prices.facts(name)
        return found.price if found else prices.UNKNOWN

    def default(self) -> Sequence[str]:
        return self.choice().names

    def choice(self) -> Choice:
        """Configured names, else one model per provider key, else a local server, else the embedded
        model. Blocks for 0.2 s at most.
        """
        named = tuple(self.configured) or tuple(
            n.strip() for n in self.env.get("DEBATE_MODELS", "").split(",") if n.strip()
        )
        if named:
            return Choice(named, f"{', '.join(named)}: named by DEBATE_MODELS")
        if keyed := [
            (model, keys.key_of(provider, self.env))
            for provider, model in keys.PREFERRED
            if keys.key_of(provider, self.env)
        ]:
            names = tuple(model for model, _ in keyed)
            told = ", ".join(f"{model} ({key} is set)" for model, key in keyed)
            return Choice(
                names,
                f"{told}: the material is sent to "
                f"{'this provider' if len(names) == 1 else 'these providers'}",
            )
        if servers := local.detect(self.env):
            names, base = servers[0].models[:3], servers[0].base
            return Choice(
                names,
                f"{', '.join(names)}: a local server answers at {base}, nothing leaves this "
                "machine",
            )
        return Choice(
            ("embedded",),
            "embedded: no key is set and no local server answers; its verdicts are a "
            f"demonstration only. {BETTER}",
        )

    def scoped(self) -> Vendors:
        """The same models for one debate, with searches of its own; breakers and the embedded
        process are shared.

        Where nobody can search nothing belongs to one debate alone, so these are the same models.
        """
        return self if self.find is None else replace(self)

    def provider(self, name: str) -> str:
        """Who answers for ``name``: a provider, ``embedded``, ``scripted``, or the kind of local
        server.
        """
        if name in EMBEDDED:
            return "embedded"
        head = name.partition("/")[0]
        if name.partition(":")[0] == "scripted" or head in local.PREFIXES:
            return head.partition(":")[0]
        found = prices.facts(name)
        return found.provider if found else head

    async def warm(self, names: Sequence[str]) -> None:
        """Imports litellm ahead of the first turn if one of ``names`` needs it; starts nothing that
        costs memory for good.
        """
        if any(self.provider(n) not in ("embedded", "scripted", *local.PREFIXES) for n in names):
            from adapters.models.litellm import warm

            await warm()

    async def aclose(self) -> None:
        """Ends the embedded child."""
        for model in self.shared.embedded.values():
            await model.aclose()

    def _make(self, name: str) -> Model:
        if name in EMBEDDED:
            return self._make_embedded(name)
        if name.partition(":")[0] == "scripted":
            return self._make_scripted(name)
        if name.partition("/")[0] in local.PREFIXES:
            return self._make_local(name)
        return self._make_hosted(name)

    def _make_embedded(self, name: str) -> Model:
        from adapters.models.embedded import Embedded

        if name not in self.shared.embedded:
            self.shared.embedded[name] = Embedded(
                EMBEDDED[name], self.env, progress=self.progress, clean=self._clean
            )
        return self.shared.embedded[name]

    def _make_scripted(self, name: str) -> Model:
        if not (self.env.get("DEBATE_SCRIPTED") == "1" if self.scripted is None else self.scripted):
            raise BadInput("The scripted model is for tests. Set DEBATE_SCRIPTED=1 to use it.")
        from adapters.models.scripted import Scripted

        ledger = self.env.get("DEBATE_SCRIPTED_LEDGER")
        return Scripted(
            name.partition(":")[2],
            latency=float(self.env.get("DEBATE_SCRIPTED_LATENCY") or 0),
            sleep=self.clock.sleep,
            ledger=Path(ledger) if ledger else None,
        )

    def _make_local(self, name: str) -> Model:
        from adapters.models.wire import LocalServer

        kind = name.partition("/")[0]
        window = int(
            self.env.get("DEBATE_LOCAL_WINDOW")
            or self.env.get("OLLAMA_CONTEXT_LENGTH")
            or LOCAL_WINDOW
        )
        return LocalServer(
            name, f"{local.addresses(self.env)[kind]}/v1", window=window, clean=self._clean
        )

    def _make_hosted(self, name: str) -> Model:
        found = prices.facts(name)
        if found is None:
            raise BadInput(
                f"No model is called {name!r}. Name it as PROVIDER/MODEL, for example "
                "openai/gpt-5, ollama/llama3 or embedded."
            )
        if missing := keys.missing(found.provider, self.env):
            raise BadInput(
                f"{name} needs a key: set {missing}, or choose another model with --models."
            )
        from adapters.models.litellm import Hosted

        return Hosted(
            name, found, self.env, clean=self._clean, find=self.find, allowance=self._allowance
        )
