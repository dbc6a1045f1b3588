"""Changes a compiled script: shortens it to a demonstration, or lets its openings read a large
change in parts.

The embedded model reads 25 tokens a second and writes eight, so every turn takes a quarter of a
minute, and after a first exchange it repeats itself. So in a demonstration a seat speaks again only
after something new, and no turn sums up: code lists the findings.

A seat that opens on a material that is too large for one reading first reads each part in a
separate turn and reports the defects there; its opening then reads its own findings. It reads no
other seat's findings before that. A turn that reads an opening reads those findings as well.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from core.debate.replies.tasks import TASKS
from core.debate.script import LEFT_TO_CODE, MAX_TURNS, About, Script, Topic, Turn, TurnId

DEMONSTRATED = 3
"""The openings of a demonstration."""
_KEPT = 24
"""The number of turns in a script's limit that are reserved for people's challenges."""


def shortened(script: Script, most: int | None = None) -> Script:
    """Return the script with at most that number of openings, without turns of seats that have read
    nothing new since they last spoke, and with a closing that code writes.
    """
    openers = list(dict.fromkeys(t.seat for t in script.turns if t.independent))
    away = set(openers[most:]) if most else set()
    kept: list[Turn] = []
    for turn in script.turns:
        if turn.seat not in away and (turn.closing or _hears_something(turn, kept)):
            kept.append(turn)
    closing = next(t for t in kept if t.closing)
    turns = [t for t in kept if not t.closing]
    ids = {t.id for t in turns}
    last = replace(closing, when=LEFT_TO_CODE, reads=_among(closing.reads, ids))
    spoken = [*(replace(t, reads=_among(t.reads, ids)) for t in turns), last]
    seats = {t.seat for t in spoken}
    return replace(
        script,
        turns=tuple(spoken),
        seats=tuple(s for s in script.seats if s.id in seats),
        aliases=tuple(a for a in script.aliases if a[0] in seats),
    )


def _hears_something(turn: Turn, before: Sequence[Turn]) -> bool:
    """True if a seat reads a statement of another seat that it had not read when it last spoke."""
    own = [t for t in before if t.seat == turn.seat]
    if not own:
        return True
    others = {t.id for t in before if t.seat != turn.seat}
    return bool(others & (set(turn.reads) - set(own[-1].reads)))


def _among(reads: Sequence[TurnId], ids: Container[TurnId]) -> tuple[TurnId, ...]:
    return tuple(r for r in reads if r in ids)


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
