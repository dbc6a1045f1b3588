"""The parts that a debate needs while it is played: its models, its threads, its listeners, the
heartbeats of its process, and the spans of its turns and look-ups.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from adapters.tracing import Value, fail, names, span
from core.debate.errors import Fenced, StoreAway
from core.debate.events import DebateRequest, TurnFailed
from core.debate.lookups import Repository
from core.debate.ports import Message, Models, OnWords, Source
from core.debate.script import Turn
from core.debate.speaking import Speaker
from core.debate.spoken import Till, TurnResult
from core.debate.state import Debate
from storage.events.log import DebateLog


class DebateModels(Protocol):
    """All models of the process, for one debate after the other."""

    def scoped(self) -> Models:
        """Returns the models for one debate, with a separate allowance of web searches."""
        ...

    async def meet(self, names: Sequence[str]) -> None:
        """Learns everything that must be known of these models before a debate calls them. Never
        raises.
        """
        ...


class DebateThreads(Protocol):
    """The messages of a debate in all its places."""

    async def wait_for_first(self, id: str) -> None:
        """Returns once a debate's first message is posted or was given up, so that nothing is spent
        on a debate that nobody can read.
        """
        ...

    async def recount(self, id: str) -> None:
        """Reads the reactions on the messages once more, before the vote is closed."""
        ...

    async def asker_language(self, request: DebateRequest) -> str:
        """Returns the language of a message to the person who asked for a debate."""
        ...


logger = logging.getLogger(__name__)


@asynccontextmanager
async def heartbeats(log: DebateLog, every: float) -> AsyncIterator[None]:
    """Writes a heartbeat every ``every`` seconds while the block runs, and releases the debate when
    the block is cancelled. Raises ``Fenced`` inside the block if another writer took over.
    """
    owner = asyncio.current_task()
    fenced = False

    async def beat() -> None:
        nonlocal fenced
        while True:
            await asyncio.sleep(every)
            try:
                await log.heartbeat()
            except Fenced:
                fenced = True
                if owner is not None:
                    owner.cancel()
                return
            except StoreAway:  # the next one tries again
                facts = {"action": "heartbeat", "debate": log.debate}
                logger.warning("a sign of life failed: the database does not answer", extra=facts)
            except Exception:  # the next one tries again
                logger.exception(
                    "a sign of life failed", extra={"action": "heartbeat", "debate": log.debate}
                )

    beating = asyncio.create_task(beat(), name=f"{log.debate}:heartbeat")
    try:
        yield
    except asyncio.CancelledError:
        if fenced and owner is not None and owner.uncancel() == 0:
            raise Fenced(log.debate) from None
        with suppress(Fenced):
            await log.release()
        raise
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


class TracedSpeaker(Speaker):
    """Speaks each turn in a span, which holds those of its model calls and look-ups."""

    async def speak(
        self,
        debate: Debate,
        turn: Turn,
        messages: tuple[Message, ...],
        till: Till,
        on_words: OnWords | None = None,
    ) -> TurnResult:
        seat = debate.script.seat(turn.seat)
        noted: dict[str, Value] = {
            names.OPERATION: names.AGENT,
            names.AGENT_NAME: seat.role,
            names.CONVERSATION: debate.id,
            names.TURN: turn.id,
            names.ROUND: turn.round,
        }
        with span(f"{names.AGENT} {seat.role}", noted) as made:
            result = await super().speak(debate, turn, messages, till, on_words)
            if isinstance(result.event, TurnFailed):
                fail(made, "turn_failed")
            return result


def traced_lookups(look: Callable[[str, str], Awaitable[Source | str]]) -> Repository:
    """Wraps a repository so that each look-up is a span that names only the tool."""

    async def traced(tool: str, arguments: str) -> Source | str:
        noted = {names.OPERATION: names.TOOL, names.TOOL_NAME: tool}
        with span(f"{names.TOOL} {tool}", noted):
            return await look(tool, arguments)

    return traced
