"""The tracing spans of a debate's turns and look-ups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from adapters.tracing import Value, fail, names, span
from core.debate.events import TurnFailed
from core.debate.lookups import Repository
from core.debate.ports import Source
from core.debate.script import Turn
from core.debate.spoken import TurnResult
from core.debate.state import Debate


@contextmanager
def traced_turn(debate: Debate, turn: Turn) -> Iterator[Callable[[TurnResult], None]]:
    """Opens the span of a seat's turn, which holds those of its model calls and look-ups."""
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
    """Wraps a repository so that each look-up is a span that names only the tool."""

    async def traced(tool: str, arguments: str) -> Source | str:
        noted = {names.OPERATION: names.TOOL, names.TOOL_NAME: tool}
        with span(f"{names.TOOL} {tool}", noted):
            return await look(tool, arguments)

    return traced
