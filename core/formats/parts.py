"""A change that is too large for one reading, read in parts before anybody takes a position.

Whoever opens on the whole material reads each part in a turn of its own first and says what is
wrong there; its opening then reads its own findings and takes a position on the whole. Nobody reads
what another found before that. Whatever reads an opening reads those findings as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.replies.tasks import TASKS
from core.script import MAX_TURNS, About, Script, Topic, Turn, TurnId

_KEPT = 24
"""Turns of a script's limit that stay for people's challenges."""


def most_parts(script: Script) -> int:
    """In how many parts the openings of a script may read a change; 1 where nobody opens on the
    whole of it.
    """
    readers = sum(_opens(turn) for turn in script)
    if not readers:
        return 1
    return max(1, (MAX_TURNS - _KEPT - len(script.turns)) // readers)


def in_parts(script: Script, parts: int) -> Script:
    """The script with a turn for each seat that opens and each part; every other turn keeps its
    id.
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
