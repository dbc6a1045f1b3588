"""The ports that the core needs from outside, as Protocols: models, material, a clock. The log has
a separate module (``core.debate.log``).

Adapters implement them; tests use real second implementations.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from core.debate.finding import Finding
from core.debate.proof import Framing, ProofRuns, ProofTest
from core.debate.scene import Scene
from core.debate.usage import Usage

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

    ``max_tokens`` bounds the answer's own words: a model that thinks gets room on top. ``room``
    multiplies both, after an answer was cut. A ``light`` call needs little thought.
    ``schema`` is the JSON Schema of the structured part that the reply must hold; ``tools`` names
    allowed tools, and ``look_up`` runs those that look into the repository: given a name and
    arguments as JSON, it returns the text that the model reads. Calls with the same ``cache_key``
    share prefixes, and ``cache_long`` keeps them in a provider's cache while people answer.
    ``on_wait`` is called with words for people if the provider makes the call wait; with an
    ``alternative`` another provider's model is called instead of a long wait.
    ``role``, ``task`` and ``turn`` describe the call for models that are code, and ``scene`` makes
    the values of its prompt if a model wants them; no provider gets any of these four.
    """

    max_tokens: int = 1200
    room: int = 1
    light: bool = False
    cache_key: str = ""
    cache_long: bool = False
    on_wait: OnWords | None = None
    alternative: bool = False
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
    """A model's answer; ``cut`` is why it is not whole, "" if it is. ``failed_searches`` names the
    web searches that gave no result, each with the reason.
    """

    text: str
    usage: Usage = Usage()
    model: str = ""
    request_id: str = ""
    sources: tuple[Source, ...] = ()
    cut: str = ""
    failed_searches: tuple[str, ...] = ()


class Model(Protocol):
    """A model behind one name. ``reply`` raises ``errors.ModelError`` and never retries by
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
    """The USD for one token; None if the price table does not know the model. ``written`` is the
    highest price of a prompt token that goes into the provider's cache. ``thinking`` is the number
    of output tokens that the model may use before it writes a word, on top of the requested ones;
    ``tools`` is True if it can use tools, and so sends several requests for one reply.
    """

    prompt: float | None
    completion: float | None
    cached: float | None = None
    thinking: int = 0
    tools: bool = False
    written: float | None = None


class Models(Protocol):
    """Finds models by name. ``get`` raises ``BadInput`` for an unknown name or a missing key,
    before anything is stored.
    """

    def get(self, name: str) -> Model: ...
    def price(self, name: str) -> Price: ...
    def default(self) -> Sequence[str]: ...


class Proves(Protocol):
    """Runs the tests that are to prove findings of one debate, if the operator allows it. Never
    raises: what hinders it is part of what it returns.
    """

    async def prepare(self, near: str) -> Framing:
        """Returns what a test for code in the file ``near`` must look like."""
        ...

    async def run(self, test: ProofTest, finding: Finding) -> ProofRuns:
        """Runs a test on the change, before it, and on the other trees that the place and the fix
        of the finding allow.
        """
        ...


class Clock(Protocol):
    def now(self) -> datetime: ...  # aware, UTC
    async def sleep(self, seconds: float) -> None: ...
