"""A turn as values, for models that read little or are code: the lines that it may cite, the points
that it may answer, and its prompt in few words.

A prompt is a text for reading. Code that needs a line or a point takes it from here, and reads no
prompt by patterns. No provider gets any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PointKind(StrEnum):
    """The kind of a point that a reply may answer."""

    OBJECTION = "objection"  # a person's challenge
    FINDING = "finding"
    CLAIM = "claim"
    STATEMENT = "statement"  # a whole statement, named by its turn


@dataclass(frozen=True, slots=True)
class Point:
    """A point that was raised so far. ``path`` and ``line`` are the place that a finding names;
    ``own`` means that this turn's seat raised it.
    """

    id: str
    kind: PointKind
    text: str = ""
    path: str = ""
    line: int | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class CitableLine:
    """A line of the material that a finding can name."""

    path: str
    line: int
    text: str
    side: str = "RIGHT"


@dataclass(frozen=True, slots=True)
class Scene:
    """The values of one turn's prompt.

    ``seat`` is the number of its seat among those that argue, 0 for any other. ``lines`` are the
    changed lines that it reads, or all of them if nothing is changed. ``points`` come in the order
    in which it reads them, first those that it must answer. ``brief`` is its prompt in few words, a
    text for each block; an empty text means that the block may be left out.
    """

    seat: int = 0
    lines: tuple[CitableLine, ...] = ()
    points: tuple[Point, ...] = ()
    brief: tuple[str, ...] = ()
