"""What a collector of spans sees of a debate that is played."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from adapters.tracing import Value, fail, names, span
from core.debate import Debate
from core.events import TurnFailed
from core.lookups import Repository
from core.ports import Source
from core.script import Turn
from core.speaking import TurnResult


@contextmanager
def traced_turn(debate: Debate, turn: Turn) -> Iterator[Callable[[TurnResult], None]]:
    """A seat's turn: above its calls of models and its look-ups."""
    seat = debate.script.seat(turn.seat)
    noted: dict[str, Value] = {
        names.OPERATION: names.AGENT,
        names.AGENT_NAME: seat.role,
        names.CONVERSATION: debate.id,
        names.TURN: turn.id,
        names.ROUND: turn.round,
    }
    with span(f"{names.AGENT} {seat.role}", noted) as made:

        def note(result: TurnResult) -> None:
            if isinstance(result.event, TurnFailed):
                fail(made, "turn_failed")

        yield note


def traced_lookups(look: Callable[[str, str], Awaitable[Source | str]]) -> Repository:
    """A repository whose look-ups are seen, by the tool's name alone."""

    async def traced(tool: str, arguments: str) -> Source | str:
        noted = {names.OPERATION: names.TOOL, names.TOOL_NAME: tool}
        with span(f"{names.TOOL} {tool}", noted):
            return await look(tool, arguments)

    return traced
