"""Finds models by name, and a default when nobody named one. Light: every heavy library is imported
by the model that needs it.

Names: litellm's own (``openai/gpt-5``, ``gpt-4.1``, ``anthropic/...``), ``ollama/...``,
``lm_studio/...`` and ``llama_server/...`` for local servers, ``embedded``, ``embedded-small``,
``cli:claude``, ``cli:codex`` and ``cli:gemini`` in a shell, and, only if it is enabled,
``scripted`` or ``scripted:BEHAVIOUR``.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.models import faults, search, weights
from adapters.models.agents import CodingAgent, is_agent, require_none
from adapters.models.catalogue import ModelCatalogue, Reached, keys, local, prices
from adapters.models.catalogue.choice import choose
from adapters.models.catalogue.lists import ServerAnswer
from adapters.models.catalogue.prices import Facts
from adapters.models.catalogue.providers import url
from adapters.models.exchange import Speaks
from adapters.models.hosted import Hosted
from adapters.models.limits import Queue
from adapters.models.pace import ModelPace, OwnMachine, measure
from adapters.models.prefixes import Prefixes
from adapters.models.retry import Breaker, Retrying
from adapters.models.wire import Address, Http
from core.debate.errors import BadInput, ModelError, ModelFailure, brought_by
from core.debate.ports import Clock, Model, Price

_GREET_SECONDS = 5.0
_GREETED_SECONDS = 600.0
"""Seconds for which a provider that answered is not greeted again."""
_SEARCHES = 12
"""Web searches one debate may make, all seats together."""

_EMBEDDED = {w.name: w for w in (weights.LARGE, weights.SMALL)}
_UNKNOWN, _FREE = Price(None, None, None), Price(0.0, 0.0, 0.0)
OURS = ("cli", "embedded", "own", "scripted")
"""The providers that are part of the program."""


if TYPE_CHECKING:
    from adapters.models.embedded import Embedded


class _SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(slots=True)
class _Shared:
    """State that all debates of a process share: connections, providers' queues and breakers, known
    refusals of models, and the embedded process.
    """

    http: Http = field(default_factory=Http)
    breakers: dict[str, Breaker] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    prefixes: Prefixes = field(default_factory=Prefixes)
    refused: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """The names of the parts of a request that are refused, by address and model."""
    answers: dict[tuple[str, str], ServerAnswer] = field(default_factory=dict)
    asked_at: dict[str, float] = field(default_factory=dict)
    asking: dict[str, asyncio.Lock] = field(default_factory=dict)
    greeted: dict[str, float] = field(default_factory=dict)
    machines: dict[str, OwnMachine] = field(default_factory=dict)
    embedded: dict[str, Embedded] = field(default_factory=dict)
    agents: dict[str, CodingAgent] = field(default_factory=dict)


@dataclass(slots=True)
class Vendors:
    """Implements ``core.debate.ports.Models``. Every model comes with the retry layer, and with one
    circuit breaker per provider.

    ``configured`` are the names given by a person or ``DEBATE_MODELS``. ``redact`` is applied to
    every foreign text in an error, after known keys were struck out. ``find`` searches the web
    (``search.duckduckgo``); without it there is no search. ``progress`` is called during the
    embedded model's download. ``own`` are models that are code of the calling program;
    ``own_prices`` are the prices of paid ones.
    """

    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    configured: Sequence[str] = ()
    redact: faults.Redact = str
    clock: Clock = field(default_factory=_SystemClock)
    find: search.Find | None = None
    progress: weights.Progress | None = None
    shared: _Shared = field(default_factory=_Shared, repr=False)
    own: Mapping[str, Model] = field(default_factory=dict)
    own_prices: Mapping[str, Price] = field(default_factory=dict)
    agents: bool = False
    """Whether coding agents may have seats: True only for the debates of a person in a shell."""
    ended: dict[str, ModelError] | None = None
    """The providers that refused the key or have no credit, within one debate; None outside of
    any.
    """
    catalogue: ModelCatalogue = field(init=False, repr=False)
    _clean: faults.Redact = field(init=False, repr=False)
    _searches: search.SearchAllowance = field(init=False, repr=False)
    _ready: dict[str, Model] = field(init=False, repr=False)
    _prices: dict[str, Price] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.catalogue = ModelCatalogue(
            self.env,
            answers=self.shared.answers,
            asked_at=self.shared.asked_at,
            asking=self.shared.asking,
        )
        self._clean = faults.cleaner(keys.secrets(self.env), self.redact)
        self._searches = search.SearchAllowance(_SEARCHES)
        self._ready, self._prices = {}, {}

    def get(self, name: str) -> Model:
        """Returns the model behind ``name``.

        Raises ``BadInput`` for an unknown name or a missing key; imports and asks nothing.
        """
        if name in self.own:
            return self.own[name]
        if name not in self._ready:
            self._ready[name] = self._guarded(name, self._make(name))
        return self._ready[name]

    def _guarded(self, name: str, bare: Model) -> Model:
        """Puts a model behind its provider's queue and breaker."""
        provider = self.provider(name)
        if provider in OURS:  # one scripted model that was told to fail is not the others' provider
            circuit = provider
            if provider in ("cli", "scripted"):
                circuit = name
            breaker = self.shared.breakers.setdefault(circuit, Breaker(circuit, self.clock))
            return Retrying(
                bare, breaker, self.clock, first_wait=0.01 if provider == "scripted" else 1.0
            )
        entry = self.catalogue.entry(name)
        circuit = provider
        if entry is not None and entry.address:
            circuit = entry.address
        breaker = self.shared.breakers.setdefault(circuit, Breaker(circuit, self.clock))
        queue = self.shared.queues.setdefault(circuit, Queue(self.clock))
        facts, prefixes = self.catalogue.facts(name), None
        if facts is not None and facts.tariff.cached is not None:
            prefixes = self.shared.prefixes
        return Retrying(bare, breaker, self.clock, queue=queue, prefixes=prefixes, ended=self.ended)

    def price(self, name: str) -> Price:
        """Returns USD per token, all None if nobody knows, 0 for models on this machine."""
        if name not in self._prices:
            self._prices[name] = self._price(name)
        return self._prices[name]

    def _price(self, name: str) -> Price:
        if is_agent(name):
            return _UNKNOWN
        if self.provider(name) in OURS:
            return self.own_prices.get(name, _FREE)
        facts = self.catalogue.facts(name)
        if facts:
            return facts.price
        return _UNKNOWN

    def default(self) -> Sequence[str]:
        return self.choice()[0]

    def choice(self) -> tuple[tuple[str, ...], str]:
        """Returns the models for a debate for which nobody named any, with the reason. Blocks for
        0.2 s at most.
        """
        return choose(self.env, self.configured)

    def scoped(self) -> Vendors:
        """Returns models for one debate, with its own searches and its own memory of providers to
        avoid. Queues, breakers and the embedded process are shared.
        """
        return replace(self, ended={})

    def provider(self, name: str) -> str:
        """Returns the provider that answers for ``name``: a service, ``embedded``, ``scripted``, or
        the kind of local server.
        """
        if name in self.own:
            return "own"
        if name in _EMBEDDED:
            return "embedded"
        if is_agent(name):
            return "cli"
        if name.partition(":")[0] == "scripted":
            return "scripted"
        facts = self.catalogue.facts(name)
        if facts:
            return facts.provider
        provider = name.partition("/")[0]
        if provider in OURS:  # "cli/claude" is no name of ours, and has no price
            return name
        return provider

    async def learn(self, names: Sequence[str]) -> None:
        """Asks the servers of these models, once an hour, for windows and prices that no table
        holds, and loads the clients meanwhile. Never raises.
        """
        others = [n for n in names if self.provider(n) not in OURS]
        if others:
            self.shared.http.load()
        if await self.catalogue.ask(others, self.shared.http):
            self._ready.clear()
            self._prices.clear()

    async def check(self, names: Sequence[str]) -> None:
        """Asks each provider of these models for its list of models, which is free, unless it
        answered of late, and each coding agent for its version. Raises ``ModelError`` for a key
        that is refused, or if none of them can be reached, and ``BadInput`` for an old agent.
        """
        for name in filter(is_agent, dict.fromkeys(names)):
            await self.agent(name).version()
        addresses: dict[str, Address] = {}
        for name in names:
            reached = self._reached(name)
            if reached is not None and reached.base and reached.provider not in local.PREFIXES:
                if reached.named:
                    self.shared.http.allow(reached.base)
                addresses.setdefault(reached.base, self._listing(name, reached))
        failures = await asyncio.gather(*(self._greet(base, to) for base, to in addresses.items()))
        for failure in failures:
            if failure is not None and failure.kind != ModelFailure.PROVIDER_DOWN:
                raise failure
        down = [failure for failure in failures if failure is not None]
        if down and len(down) == len(failures) and not {*map(self.provider, names)} & {*OURS}:
            raise down[0]

    def _reached(self, name: str) -> Reached | None:
        """Returns how our own clients reach a model of a provider; None for all others."""
        if self.provider(name) in OURS or (facts := self.catalogue.facts(name)) is None:
            return None
        return self.catalogue.reached(name, facts)

    def _listing(self, name: str, reached: Reached) -> Address:
        """Returns the address of a provider's list of models."""
        path = "/models"
        if reached.row.protocol == "anthropic":
            path = "/v1/models"
        return self._address(name, f"{reached.base}{path}", reached)

    def _address(self, name: str, url: str, reached: Reached) -> Address:
        headers, variable = self.catalogue.headers(reached), reached.variable
        return Address(name, url, headers, key=reached.key, base=variable, clean=self._clean)

    async def _greet(self, base: str, address: Address) -> ModelError | None:
        now = time.monotonic()
        if now - self.shared.greeted.get(base, -_GREETED_SECONDS) < _GREETED_SECONDS:
            return None
        try:
            async with asyncio.timeout(_GREET_SECONDS):
                await self.shared.http.greet(address)
        except TimeoutError:
            return None
        except ModelError as error:
            return error
        self.shared.greeted[base] = now
        return None

    async def meet(self, names: Sequence[str]) -> None:
        """Fetches everything that must be known of these models before a debate asks them. Never
        raises.
        """
        await self.learn(names)
        await self.measure(names)

    async def measure(self, names: Sequence[str]) -> Mapping[str, ModelPace]:
        """Returns the pace of the models that run on the operator's machines, measured by one short
        answer the first time. A model that fails is left out, because its debate will report the
        error.
        """
        paces = dict[str, ModelPace]()
        for name in names:
            machine = self._machine(self.provider(name))
            if machine is None:
                continue
            async with machine.measuring:
                if name not in machine.paces:
                    try:
                        speaks = self._make_hosted(name).speaks
                        machine.paces[name] = await measure(speaks, self.clock)
                    except (BadInput, ModelError):
                        continue
            paces[name] = machine.paces[name]
        return paces

    def _machine(self, provider: str) -> OwnMachine | None:
        if provider not in local.PREFIXES:
            return None
        return self.shared.machines.setdefault(provider, OwnMachine())

    async def warm(self, names: Sequence[str]) -> None:
        """Imports litellm ahead of the first turn if one of ``names`` needs it, and connects to
        nobody; starts nothing that costs memory for good.
        """
        known = [n for n in names if self.provider(n) not in OURS and self.catalogue.facts(n)]
        if any(self._reached(name) is None for name in known):
            from adapters.models.protocols.litellm import library

            await asyncio.to_thread(library)

    async def aclose(self) -> None:
        """Ends the embedded child and all connections."""
        await self.shared.http.aclose()
        for model in self.shared.embedded.values():
            await model.aclose()

    def _make(self, name: str) -> Model:
        if name in _EMBEDDED:
            return self._make_embedded(name)
        if is_agent(name):
            return self.agent(name)
        if name.partition(":")[0] == "scripted":
            return self._make_scripted(name)
        return self._make_hosted(name)

    def _make_embedded(self, name: str) -> Model:
        from adapters.models.embedded import Embedded

        if name not in self.shared.embedded:
            self.shared.embedded[name] = Embedded(
                _EMBEDDED[name], self.env, progress=self.progress, clean=self._clean
            )
        return self.shared.embedded[name]

    def agent(self, name: str) -> CodingAgent:
        """Returns a coding agent. Raises ``BadInput`` for an unknown one, one that is not
        installed, and outside of a shell's own debates.
        """
        if not self.agents:
            require_none((name,))
        if name not in self.shared.agents:
            self.shared.agents[name] = CodingAgent(name, self.env, clean=self._clean)
        return self.shared.agents[name]

    @property
    def on_trial(self) -> bool:
        """True if the scripted model may speak, which makes the process a trial without chance."""
        return self.env.get("DEBATE_SCRIPTED") == "1"

    def _make_scripted(self, name: str) -> Model:
        if not self.on_trial:
            raise BadInput("The scripted model is for tests. Set DEBATE_SCRIPTED=1 to use it.")
        from adapters.models.scripted import Scripted

        ledger, hold = (self.env.get(f"DEBATE_SCRIPTED_{name}") for name in ("LEDGER", "HOLD"))
        made = Scripted(
            name.partition(":")[2],
            latency=float(self.env.get("DEBATE_SCRIPTED_LATENCY") or 0),
            sleep=self.clock.sleep,
            ledger=Path(ledger) if ledger else None,
            hold=Path(hold) if hold else None,
        )
        made.keeps = False  # a bot on trial runs for days
        return made

    def _make_hosted(self, name: str) -> Hosted:
        facts = self.catalogue.facts(name)
        if facts is None:
            raise BadInput(
                "No model is called {name}. Name it as PROVIDER/MODEL, for example openai/gpt-5, "
                "ollama/llama3 or embedded.",
                name=repr(name),
            )
        entry = self.catalogue.entry(name)
        reached = self.catalogue.reached(name, facts)
        missing = keys.missing(facts.provider, self.env)
        if entry is not None and entry.address:
            missing = entry.key
            if not entry.key or self.env.get(entry.key):
                missing = ""
        if missing:
            raise BadInput(
                "{name} needs a key: set {missing}, or choose another model with --models.",
                name=name,
                missing=missing,
            )
        if reached is not None and not self.env.get(reached.key, "").isprintable():
            raise BadInput(
                "{variable} holds a line break or another character that no key has: copy the key "
                "again.",
                variable=reached.key,
            )
        if reached is not None and not reached.base:
            raise BadInput(
                "{name} needs an address: set {variable}, or choose another model with --models.",
                name=name,
                variable=reached.variable,
            )
        if reached is not None and reached.key and "@" in reached.base:
            raise BadInput(
                "{variable} holds a password, and {name} has a key: only one of them can be sent. "
                "Take the password out of {variable}, or unset the key.",
                variable=reached.variable,
                name=name,
            )
        return Hosted(
            name,
            facts,
            self._speaking(name, facts, reached),
            clean=self._clean,
            family=entry.family if entry is not None else "",
            find=self.find,
            allowance=self._searches,
            own_machine=self._machine(facts.provider),
        )

    def _speaking(self, name: str, facts: Facts, reached: Reached | None) -> Speaks:
        if reached is None:
            if find_spec("litellm") is None:
                raise BadInput(
                    "{name} needs litellm, which is not installed. It comes with: {command}",
                    name=name,
                    command=brought_by("litellm"),
                )
            from adapters.models.protocols.litellm import LiteLLM

            entry = self.catalogue.entry(name)
            maker = ""
            if entry is not None:
                maker = entry.family
            return LiteLLM(name, facts, self.env, clean=self._clean, maker=maker)
        where = url(reached.row, reached.base, reached.model, self.env)
        address = self._address(name, where, reached)
        if reached.named:
            self.shared.http.allow(address.url)
        refused = self.shared.refused.setdefault((address.url, reached.model), set())
        place = (address, reached.model, facts, self.shared.http, refused)
        if reached.row.protocol == "anthropic":
            from adapters.models.protocols.anthropic import AnthropicModel

            return AnthropicModel(*place)
        from adapters.models.protocols.openai import BREAKPOINT, CONTROL, OpenAIModel

        mark = None
        if reached.row.breakpoints and facts.marked:
            mark = BREAKPOINT
        elif reached.row.marks == prices.family(name):
            mark = CONTROL
        return OpenAIModel(*place, row=reached.row, mark=mark)
