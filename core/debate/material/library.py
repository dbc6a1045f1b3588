"""The port that reads the material of debates."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from core.debate.material import Material
from core.debate.material.since import Since


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A target to read, as a template of this ``kind`` of material expects it.

    ``budget`` is the number of prompt tokens the material may take, or each of the ``parts`` that a
    large change may be read in; ``place`` is the channel that asks (a private repository is
    readable only from a channel that an admin has bound to it). ``files`` means that the request
    came from a shell, so that a name may be that of a file of this machine. With ``since`` only
    what is new is read, with the findings of the run before.
    """

    target: str
    kind: str
    budget: int
    place: str = ""
    files: bool = False
    since: Since | None = None
    parts: int = 1


@dataclass(frozen=True, slots=True)
class ReadForPrice:
    """Material that was read as far as its price needs it: a change on a forge is read without its
    repository. ``rest`` reads that too and returns the whole material; it is None if nothing is
    left to read. ``around`` is the most characters of code that it adds, ``held`` the number of
    bytes that are kept in memory for it.
    """

    material: Material
    rest: Callable[[], Awaitable[Material]] | None = None
    around: int = 0
    held: int = 0


class MaterialLibrary(Protocol):
    """Reads the material of debates. Raises ``BadInput`` or ``CouldNotFinish`` with a line for the
    person who asked. ``kind``, ``budget``, ``place``, ``files`` and ``parts`` as in
    ``ReadRequest``.
    """

    async def read(self, request: ReadRequest) -> Material:
        """Reads the material. Raises ``NothingNew`` if nothing is new ``since`` the run before."""
        ...

    async def read_for_price(self, request: ReadRequest) -> ReadForPrice:
        """Reads a change on a forge without its repository, everything else as ``read`` does."""
        ...

    def holds_repository(self, material: Material, files: bool) -> bool:
        """True if seats can look into the repository of a change."""
        ...

    async def with_evidence(self, material: Material, name: str, *, files: bool) -> Material:
        """Returns the material with a scanner's results from the file ``name``."""
        ...

    async def with_remarks(self, material: Material, place: str) -> Material:
        """Returns the material with other reviewers' remarks on the pull request."""
        ...

    async def read_attachment(
        self, name: str, data: bytes, *, kind: str, budget: int, parts: int = 1
    ) -> Material:
        """Reads like ``read`` a text that a person handed over: a file of a chat, a thread's own
        words.
        """
        ...
