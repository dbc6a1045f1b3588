"""Asks a model in any protocol over HTTP, reads its answer and shows its words as they arrive."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from adapters.models import faults, limits, prefixes, refusals
from adapters.models.catalogue.prices import Facts
from adapters.models.exchange import LONGEST_TEXT, TOO_LONG, ModelAnswer, ModelRequest, ToolCall
from adapters.models.parts import Body
from adapters.models.prose import Prose
from adapters.models.tokens import TokenCounts, completed
from adapters.models.wire import Address, Http
from adapters.text.documents import NoDocument, read_as, read_object, read_reply
from core.debate.errors import ModelError, ModelFailure
from core.debate.stored import stored

T = TypeVar("T")


class HttpModel(ABC):
    """One model behind an HTTP client of this package, as ``Speaks``: the base of a protocol, which
    adds the form of a request and the reader of its answer. ``model`` is the provider's name for
    it, ``refused`` has the names of the parts of a request that it is known to refuse.
    """

    def __init__(
        self, address: Address, model: str, facts: Facts, http: Http, refused: set[str]
    ) -> None:
        self._address = address
        self._model = model
        self._facts = facts
        self._http = http
        self._refused = refused

    async def ask(self, question: ModelRequest, prose: Prose) -> ModelAnswer:
        async def send(body: Body) -> ModelAnswer:
            return await self._reader(prose).read(self._http, body)

        streamed = prose.watched or limits.awaited() or prefixes.leading()
        return await refusals.ask(self._refused, self._body(question, streamed=streamed), send)

    @abstractmethod
    def _body(self, question: ModelRequest, *, streamed: bool) -> Body: ...

    @abstractmethod
    def _reader(self, prose: Prose) -> AnswerReader: ...


class AnswerReader(ABC):
    """The base of a protocol's reader, which adds how an event is read and when the answer is
    whole.
    """

    def __init__(self, address: Address, prose: Prose) -> None:
        self._address = address
        self._prose = prose
        self._start = len(prose.text)
        self._fresh: list[str] = []
        self._calls: dict[int, list[str]] = {}
        self._ended = ""
        self._id = self._model = ""
        self._begun = self._done = self._refuses = False
        self._unseen = 0
        """Characters of thinking, and those that were too many to read."""

    async def read(self, http: Http, body: Mapping[str, Any]) -> ModelAnswer:
        """Sends one request and reads its answer to the end.

        Raises ``ModelError``; sets no time limit to the whole.
        """
        async with http.stream(self._address, body) as events:
            try:
                while batch := await events.read(begun=len(self._prose.text) > self._start):
                    self._take(batch)
            finally:
                self._begun = self._begun or events.refused > 0
                self._unseen += events.refused
                self._spend(body)
        return self._finished()

    def _spend(self, body: Mapping[str, Any]) -> None:
        """Notes what the answer costs, whatever becomes of it. If the provider did not count its
        tokens, they are estimated from its characters; an error instead of the first word is free.
        """
        tokens, written = self._counted(), len(self._prose.text) - self._start + self._unseen
        if tokens is not None or (self._begun and (written or not self._refuses)):
            self._prose.spent.append(
                completed(tokens, body, written, whole=bool(self._ended or self._done))
            )

    def _take(self, batch: Sequence[bytes]) -> None:
        try:
            for data in batch:
                self._hear(data)
        finally:
            self._prose.feed("".join(self._fresh))
            self._fresh.clear()
        if len(self._prose.text) - self._start > LONGEST_TEXT:
            raise faults.model_error(ModelFailure.BAD_REPLY, self._address.name, TOO_LONG)

    @abstractmethod
    def _hear(self, data: bytes) -> None: ...

    @abstractmethod
    def _counted(self) -> TokenCounts | None:
        """Returns the provider's counts so far, None if there are none."""

    @abstractmethod
    def _finished(self) -> ModelAnswer:
        """Returns the finished answer. Raises ``ModelError`` for an answer that broke off."""

    def _answer(self, ended: str, thought: tuple[Mapping[str, Any], ...] = ()) -> ModelAnswer:
        calls = tuple(ToolCall(id, name, args) for id, name, args in self._calls.values())
        text = self._prose.text[self._start :]
        tokens = self._counted()
        return ModelAnswer(text, ended, tokens, calls, self._id, self._model, thought)

    def _read(self, data: bytes, decoder: msgspec.json.Decoder[T], protocol: str) -> T:
        """Returns one event. A document that is none in the ``protocol`` may have been paid all
        the same: its counts are kept. Raises ``ModelError``.
        """
        try:
            event = _event(data, decoder)
        except NoDocument as error:
            with suppress(NoDocument):
                self._count(read_object(data).get("usage"))
            raise self._no_answer(data, protocol) from error
        if event == decoder.type() and (why := faults.words(data.decode(errors="replace"))):
            raise self._no_answer(data, protocol, why)
        return event

    @abstractmethod
    def _count(self, usage: object) -> None:
        """Keeps the latest counts, if these are any."""

    def _no_answer(self, data: bytes, protocol: str, why: str = "") -> ModelError:
        """Returns the error for a document that is no answer in the protocol, and what it says."""
        if faults.is_page(data):
            address, page = self._address, data.decode(errors="replace")
            return faults.page_came(address.name, address.url, address.base, page, address.clean)
        text = stored("what came is no answer in {protocol}", protocol=protocol)
        if why:
            text = stored(
                "an error came instead of an answer in {protocol}: {why}",
                protocol=protocol,
                why=why,
            )
        return faults.model_error(
            ModelFailure.BAD_REPLY, self._address.name, text, clean=self._address.clean
        )

    def _failed(self, error: Any, status: int | None) -> faults.Rejected:
        """Returns the error that the provider sends instead of the rest."""
        self._refuses = True
        return faults.fault(
            self._address.name,
            status,
            msgspec.json.encode({"error": error}).decode(),
            key=self._address.key,
            clean=self._address.clean,
        )


def _event(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Returns one event, also one with a null that the protocol has not. Raises ``NoDocument``."""
    try:
        return read_as(decoder, data)
    except NoDocument:
        return read_reply(data, decoder.type)
