"""Splits a change that is too large for one reading into parts that seats read before they take a
position.

A seat that opens on the whole material first reads each part in a separate turn and reports the
defects there; its opening then reads its own findings. It reads no other seat's findings before
that. A turn that reads an opening reads those findings as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.debate.replies.tasks import TASKS
from core.debate.script import MAX_TURNS, About, Script, Topic, Turn, TurnId

_KEPT = 24
"""The number of turns in a script's limit that are reserved for people's challenges."""


def most_parts(script: Script) -> int:
    """Returns the largest number of parts in which a script's openings may read a change; 1 if no
    seat opens on the whole of it.
    """
    readers = sum(_opens(turn) for turn in script)
    if not readers:
        return 1
    return max(1, (MAX_TURNS - _KEPT - len(script.turns)) // readers)


def in_parts(script: Script, parts: int) -> Script:
    """Returns the script with a reading turn for each opening seat and part; every other turn keeps
    its id.
    """
    before = {turn.id: tuple(_readings(turn, parts)) for turn in script if _opens(turn)}
    turns: list[Turn] = []
    for turn in script:
        own = before.get(turn.id, ())
        heard = (reading.id for id in turn.reads for reading in before.get(id, ()))
        reads = dict.fromkeys((*(r.id for r in own), *heard, *turn.reads))
        turns += [*own, replace(turn, reads=tuple(reads))]
    order = {turn.id: n for n, turn in enumerate(turns)}
    sorted_reads = (tuple(sorted(turn.reads, key=order.__getitem__)) for turn in turns)
    return replace(
        script,
        turns=tuple(replace(t, reads=r) for t, r in zip(turns, sorted_reads, strict=True)),
    )


def _opens(turn: Turn) -> bool:
    return turn.independent and not turn.reads and TASKS[turn.task].whole


def _readings(turn: Turn, parts: int) -> Iterator[Turn]:
    for n in range(1, parts + 1):
        about = About(Topic.PART, str(n))
        yield replace(turn, id=TurnId(f"{turn.id}p{n}"), task="read", about=about)
