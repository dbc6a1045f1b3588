"""The facts about a model by its name, from the best source: the file of models, its server's own
list, litellm's table.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from adapters.models.catalogue import keys, local, prices, providers
from adapters.models.catalogue.lists import ServerAnswer, read_list, read_litellm
from adapters.models.catalogue.models_file import FileEntry, entry_of, read_models_file
from adapters.models.catalogue.prices import Facts
from adapters.models.catalogue.providers import Provider
from adapters.models.wire import Http
from adapters.network.reach import on_this_machine
from core.debate.errors import BadInput, ModelError

logger = logging.getLogger(__name__)
_LIST_SECONDS = 5.0
_LIST_BYTES = 8 << 20
_ASKED_AGAIN = 3600.0
"""Seconds for which a server's list is believed."""
_LOCAL_WINDOW = 3000
"""Prompt tokens for a local server with an unknown window: servers silently cut prompts that are
longer than their context.
"""


@dataclass(frozen=True, slots=True)
class Reached:
    """The address at which one of our clients reaches a model.

    ``base`` is the address, ``variable`` the variable that sets it, ``key`` the variable that holds
    the key (empty: none is sent), ``model`` the server's name of it.
    """

    provider: str
    row: Provider
    base: str
    variable: str
    key: str
    model: str

    @property
    def named(self) -> bool:
        """True if the operator gave the address, or it is that of a server on this machine."""
        return self.base != self.row.base or on_this_machine(self.base)


@dataclass(slots=True)
class ModelCatalogue:
    """The facts about models. ``entries`` come from the file of models; servers' lists are kept
    here for all debates of the process.
    """

    env: Mapping[str, str] = field(repr=False)
    entries: Mapping[str, FileEntry] | None = None
    answers: dict[tuple[str, str], ServerAnswer] = field(default_factory=dict)
    asked_at: dict[str, float] = field(default_factory=dict)
    asking: dict[str, asyncio.Lock] = field(default_factory=dict)

    def entry(self, name: str) -> FileEntry | None:
        """Returns the entry of the model in the file of models. Raises ``BadInput`` if that file
        can't be read.
        """
        if self.entries is None:
            self.entries = read_models_file(self.env)
        return entry_of(self.entries, name)

    def facts(self, name: str) -> Facts | None:
        """Returns the facts about a model, None for an unknown name; asks no server."""
        entry, facts = self.entry(name), prices.facts(name)
        if facts is None and (head := name.partition("/")[0]) in local.PREFIXES:
            facts = Facts(head, known=True)
        if facts is None and entry is not None and entry.address:
            facts = prices.unlisted(entry.provider, entry.model)
        if facts is None:
            return None
        if facts.provider in local.PREFIXES:
            facts = replace(facts, tariff=prices.FREE, thinking=0, window=_LOCAL_WINDOW)
        reached = self.reached(name, facts)
        if reached is not None and (answer := self.answers.get((reached.base, reached.model))):
            if prices.thinks_when_asked(reached.model):
                answer = replace(answer, thinks=False)
            facts = answer.describe(facts)
        if facts.provider in local.PREFIXES and (window := self._local_window()):
            facts = replace(facts, window=window)
        if entry is not None:
            return entry.describe(facts)
        return facts

    def _local_window(self) -> int:
        """Returns the prompt tokens that the operator set for a local server, 0 if none are set."""
        set_to = self.env.get("DEBATE_LOCAL_WINDOW") or self.env.get("OLLAMA_CONTEXT_LENGTH")
        return int(set_to or 0)

    def reached(self, name: str, facts: Facts) -> Reached | None:
        """Returns the address and the model's name there for our own clients; None if only litellm
        can ask that model.
        """
        entry = self.entry(name)
        if entry is not None and entry.address:
            return Reached(
                entry.provider, entry.row, entry.address, "its address", entry.key, entry.model
            )
        row = providers.provider(facts.provider)
        if row is None or not facts.chat:
            return None
        key = keys.key_of(facts.provider, self.env)
        if key in keys.OTHERS.get(facts.provider, ()):
            return None
        if facts.provider in local.PREFIXES:
            base, variable = f"{local.addresses(self.env)[facts.provider]}/v1", ""
        else:
            base, variable = providers.address_of(facts.provider, row, self.env)
        key = key or f"{facts.provider.upper()}_API_KEY"
        bare = name.removeprefix(f"{facts.provider}/")
        return Reached(
            facts.provider,
            row,
            base,
            variable,
            key if self.env.get(key) else "",
            providers.model_of(row, bare),
        )

    def headers(self, reached: Reached) -> dict[str, str]:
        headers = dict(reached.row.headers)
        key = self.env.get(reached.key, "")
        if key and key.isprintable():  # no other text can be sent
            headers[reached.row.header] = f"{reached.row.scheme}{key}"
        return headers

    async def ask(self, names: Sequence[str], http: Http) -> bool:
        """Asks the servers of these models for their lists, if price or window is unknown; returns
        whether there was a server to ask.
        """
        unknown = (address for name in names if (address := self._unknown(name)) is not None)
        servers = {reached.base: reached for reached in unknown if self._is_due(reached)}
        await asyncio.gather(*(self._ask(reached, http) for reached in servers.values()))
        return bool(servers)

    def _is_due(self, reached: Reached) -> bool:
        return time.monotonic() - self.asked_at.get(reached.base, -1e9) > _ASKED_AGAIN

    def _unknown(self, name: str) -> Reached | None:
        """Returns the address of a model whose window or price is unknown and whose server may tell
        it; else None.
        """
        try:
            entry, facts = self.entry(name), self.facts(name)
        except BadInput:
            return None  # a request for the model itself gets the error
        if facts is None or (entry is not None and entry.window and entry.tariff):
            return None
        known = prices.facts(name)
        priced = known is not None and known.known and known.tariff.prompt is not None
        if priced and facts.provider not in local.PREFIXES:
            return None
        reached = self.reached(name, facts)
        if reached is None or not reached.base or reached.row.protocol != "openai":
            return None
        if not reached.row.tells and reached.base == reached.row.base:
            return None
        return reached

    async def _ask(self, reached: Reached, http: Http) -> None:
        """Asks a server, or waits for the answer that another debate asked for."""
        async with self.asking.setdefault(reached.base, asyncio.Lock()):
            if not self._is_due(reached):
                return
            if reached.named:
                http.allow(reached.base)
            listed = read_list(await self._list(reached, "/models", http))
            gateway = reached.base != reached.row.base and reached.provider not in local.PREFIXES
            if gateway and not listed.get(reached.model, ServerAnswer()).complete:
                priced = read_litellm(await self._list(reached, "/model/info", http))
                listed = {**listed, **priced}
            self.answers |= {(reached.base, model): answer for model, answer in listed.items()}
            self.asked_at[reached.base] = time.monotonic()

    async def _list(self, reached: Reached, path: str, http: Http) -> bytes:
        """Returns the body of a server's list, empty if it can't be read: prices then stay unknown,
        and people see that.
        """
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                return await http.get(
                    f"{reached.base}{path}", self.headers(reached), most=_LIST_BYTES
                )
        except (ModelError, TimeoutError):
            logger.info("a list of models can't be read", extra={"action": "list_models"})
            return b""
