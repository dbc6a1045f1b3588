"""Describes the result of replaying a stored debate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from core.debate.events import Event
from core.languages import msgid, say, say_if


class Cause(StrEnum):
    """The rule that gives another result today."""

    FLOW = "what is due"
    READING = "how an answer is read"
    STOPPING = "when a debate stops"
    VERDICT = "how the verdict is computed"
    COMMANDS = "what people may ask"
    DOCUMENT = "what the outcome document says of the same events"


_WHERE = {
    Cause.FLOW: msgid("core/debate/due/__init__.py, core/debate/due/examination.py"),
    Cause.READING: msgid("core/debate/replies, core/debate/speaking.py"),
    Cause.STOPPING: "core/debate/verdict/convergence.py",
    Cause.VERDICT: "core/debate/verdict",
    Cause.COMMANDS: "core/debate/commands/decisions.py",
    Cause.DOCUMENT: msgid("core/words/outcome, core/words/views"),
}
_WHY_NOT = {
    "deleted": msgid("Its texts were deleted: there is nothing left to be played again."),
    "newer": msgid("A newer release wrote a part of it, which this one can't play again."),
    "unopened": msgid("It never opened: it has no statement to play again."),
}


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first event that differs. At ``position`` the record holds ``was`` and the replay gives
    ``got``; None stands for no event. ``member`` names the part of the document if only that
    differs.
    """

    position: int
    was: Event | None
    got: Event | None
    cause: Cause
    turn: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay.

    ``events`` came out the same. ``reworded`` are turns whose prompts differ today, ``as_recorded``
    those whose replies are no longer stored. ``why_not`` is a word for why nothing could be
    replayed. ``compared`` means that the stored outcome was compared, ``hashed`` that the hashes in
    receipts were; ``older`` counts events stored in the form of an earlier release.
    """

    debate: str
    events: int
    difference: FirstDifference | None = None
    reworded: tuple[str, ...] = ()
    as_recorded: tuple[str, ...] = ()
    why_not: str = ""
    compared: bool = False
    hashed: bool = False
    older: int = 0

    @property
    def same(self) -> bool:
        return self.difference is None and not self.why_not

    @property
    def lines(self) -> list[str]:
        """Returns the sentences about the result, for people."""
        if self.why_not:
            return [say(_WHY_NOT[self.why_not])]
        return [self._found(), *self._besides()]

    def _found(self) -> str:
        if self.difference is None:
            exact = self.hashed and not self.older
            also = msgid(", and the verdict and the report")
            if exact:
                also = msgid(", and verdict, report and receipt with them")
            return say(
                "The same: {events} events of debate {debate} came out again{exact}{also}. No "
                "model was called.",
                events=self.events,
                debate=self.debate,
                exact=say_if(exact, msgid(", byte for byte")),
                also=say_if(self.compared, also),
            )
        d = self.difference
        if d.cause is Cause.DOCUMENT:
            return say(
                "The same {events} events, and another “{member}” in the outcome document: "
                "{cause} has changed ({where}).",
                events=self.events,
                member=d.member,
                cause=d.cause,
                where=say(_WHERE[d.cause]),
            )
        return say(
            "Another debate from event {position} on{where}: {cause} has changed ({where2}).",
            position=d.position,
            where=say_if(d.turn, msgid(", turn {turn}"), turn=d.turn),
            cause=d.cause,
            where2=say(_WHERE[d.cause]),
        )

    @property
    def document(self) -> dict[str, Any]:
        """Returns the result for machines, with all differences."""
        d = self.difference
        return {
            "debate": self.debate,
            "same": self.same,
            "events": self.events,
            "reworded": list(self.reworded),
            "as_recorded": list(self.as_recorded),
            "why_not": self.why_not,
            "difference": d
            and {
                "position": d.position,
                "turn": d.turn,
                "cause": d.cause.value,
                "member": d.member,
                "then": _event(d.was, d.got),
                "now": _event(d.got, d.was),
            },
        }

    def _besides(self) -> Iterator[str]:
        if self.reworded:
            yield say("Asked in other words today: {reworded}.", reworded=", ".join(self.reworded))
        if self.older:
            yield say(
                "{older} events are stored in the form of an earlier release.", older=self.older
            )
        if self.as_recorded:
            yield say(
                "Taken as recorded, for their answers are not stored: {as_recorded}.",
                as_recorded=", ".join(self.as_recorded),
            )


def _event(event: Event | None, other: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    fields = asdict(event)
    if other is not None and type(other) is type(event):
        before = asdict(other)
        fields = {name: value for name, value in fields.items() if value != before[name]}
    return {"kind": type(event).__name__, **fields}
