"""The ports that the core needs from outside, as Protocols: models, material, a clock. The log has
a module of its own (``core.log``).

Adapters implement them; tests use real second implementations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.material import Material
from core.material.since import Since
from core.scene import Scene

OnWords = Callable[[str], None]
"""Called with each piece of a streamed answer, for showing only; the reply is what counts."""


@dataclass(frozen=True, slots=True)
class Message:
    """One prompt block.

    ``cache`` marks the end of a prefix that later prompts repeat byte for byte.
    """

    role: str  # "system" | "user" | "assistant" | "tool"
    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class CallOptions:
    """The options of a model call.

    ``schema`` is the JSON Schema of the structured part that the reply must hold; ``tools`` names
    allowed tools, and ``look_up`` runs those that look into the repository: given a name and
    arguments as JSON, it returns the text that the model reads. ``role``, ``task`` and ``turn``
    describe the call for models that are code, and ``scene`` makes the values of its prompt where
    a model wants them; no provider gets any of this.
    """

    max_tokens: int = 1200
    timeout: float = 90.0  # seconds
    schema: Mapping[str, Any] | None = None
    tools: tuple[str, ...] = ()
    temperature: float | None = None
    look_up: Callable[[str, str], Awaitable[str]] | None = None
    role: str = ""
    task: str = ""
    turn: str = ""
    scene: Callable[[], Scene] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of a call; ``usd`` is None when the price is unknown, which is not the same as
    free.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    prompt_chars: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Adds two usages; an unknown price stays unknown."""
        known = self.usd is not None and other.usd is not None
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
            prompt_chars=self.prompt_chars + other.prompt_chars,
            seconds=self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Source:
    """A page or lines that a seat read; ``text`` is a bounded snippet of a page, or of the
    ``repository`` that the change belongs to: lines of a file from number ``first`` on, or with 0
    ``path:line: text``.
    """

    title: str
    url: str
    text: str
    first: int = 0
    repository: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    usage: Usage = Usage()
    model: str = ""
    request_id: str = ""
    sources: tuple[Source, ...] = ()


class Model(Protocol):
    """A model behind one name. ``reply`` raises ``core.errors.ModelError`` and never retries by
    itself.

    ``demo`` marks a model whose judgement nobody should rely on. ``window`` is the prompt budget in
    tokens.
    """

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def demo(self) -> bool: ...
    @property
    def window(self) -> int: ...
    async def reply(
        self, messages: Sequence[Message], asking: CallOptions, on_words: OnWords | None = None
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Price:
    """The USD for one token; None where the price table does not know the model. ``thinking`` is
    the number of output tokens that the model may use before it writes a word, on top of the
    requested ones; ``tools`` says that it can use tools, and so sends several requests for one
    reply.
    """

    prompt: float | None
    completion: float | None
    cached: float | None = None
    thinking: int = 0
    tools: bool = False


class Models(Protocol):
    """Finds models by name. ``get`` raises ``BadInput`` for an unknown name or a missing key,
    before anything is stored.
    """

    def get(self, name: str) -> Model: ...
    def price(self, name: str) -> Price: ...
    def default(self) -> Sequence[str]: ...


class MaterialLibrary(Protocol):
    """Reads the material of debates. Raises ``BadInput`` or ``CouldNotFinish`` with a line for the
    person who asked.

    ``budget`` is the number of prompt tokens the material may take, or each of the ``parts`` that a
    large change may be read in; ``place`` is the channel that asks (a private repository is
    readable only from a channel that an admin has bound to it). ``files`` says that the request
    came from a shell, where a name may be that of a file of this machine.
    """

    async def read(
        self,
        target: str,
        *,
        kind: str,
        budget: int,
        place: str = "",
        files: bool = False,
        since: Since | None = None,
        parts: int = 1,
        around: bool = True,
    ) -> Material:
        """Reads the material; with ``since`` only what is new, with the findings of the run before;
        raises ``NothingNew`` where nothing is.

        Without ``around`` it reads only the change itself, which is enough for its price.
        """
        ...

    def missing_around(self, material: Material, budget: int) -> int:
        """Returns the most characters of code around a change that ``complete`` adds."""
        ...

    async def complete(self, material: Material, *, budget: int, place: str) -> Material:
        """Returns a change that was read without the code around it, with that code."""
        ...

    def holds_repository(self, material: Material, files: bool) -> bool:
        """Says whether seats can look into the repository of a change; ``files`` as for
        ``read``.
        """
        ...

    async def with_evidence(self, material: Material, name: str, *, files: bool) -> Material:
        """Returns the material with a scanner's results from the file ``name``."""
        ...

    async def read_attachment(
        self, name: str, data: bytes, *, kind: str, budget: int, parts: int = 1
    ) -> Material:
        """Reads like ``read`` a text that a person handed over: a file of a chat, a thread's own
        words.
        """
        ...


class Clock(Protocol):
    def now(self) -> datetime: ...  # aware, UTC
    async def sleep(self, seconds: float) -> None: ...
