"""The rule of a review, from points and votes to a decision.

Plain values in, a plain answer out, so that it can be read, tested and played over recorded
positions only. Confidence and severity play no part in it, nor does any order.
``docs/judgement.md`` has the same rule in words.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A finding as the rule sees it: which entitled seats want it ``fix``ed before the change is
    accepted, which hold it real without blocking (``minor``), which call it not real (``unreal``),
    and which opened and said nothing of it (``silent``).

    ``argued`` is true if a seat that did not raise it took a position on it. ``located`` is true if
    it has a place in the material. ``settled`` is what code, people or an earlier state decided:
    whether it blocks; None leaves it to the seats.
    """

    fix: frozenset[str] = frozenset()
    minor: frozenset[str] = frozenset()
    unreal: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    argued: bool = False
    located: bool = True
    settled: bool | None = None

    @property
    def against(self) -> frozenset[str]:
        """The seats that took a position, and would not block for it."""
        return self.minor | self.unreal

    def blocks(self, *, voted: bool) -> bool:
        """Return whether it must be fixed; ``voted`` is true if most votes block the change.

        Of an argued point the seats that took a position decide, by a strict majority. What nobody
        argued follows the votes; without them it blocks only if more than half of all seats hold
        it.
        """
        if self.settled is not None:
            return self.settled
        against = len(self.against)
        if not self.located or len(self.fix) <= against:
            return False
        return self.argued or voted or len(self.fix) > against + len(self.silent)


@dataclass(frozen=True, slots=True)
class Ruling:
    """``blocks`` is the decision: a point in ``points`` (their numbers) must be fixed, or most
    votes block (``voted``). ``close`` is true if one seat's answers decide it.
    """

    blocks: bool
    points: tuple[int, ...]
    voted: bool
    close: bool = False


Votes = Mapping[str, bool | None]
"""Whether each entitled seat's last option blocks; None for a seat that did not answer."""


def decide(votes: Votes, points: Sequence[Point]) -> Ruling:
    """Returns the decision."""
    now = _ruled(votes, points)
    turned = (
        _ruled({**votes, seat: side}, [_turned(point, seat, fix=side) for point in points])
        for seat, vote in votes.items()
        for side in (True, False)
        if vote is not None
    )
    return replace(now, close=any(other.blocks != now.blocks for other in turned))


def most_block(votes: Collection[bool | None]) -> bool:
    """Return whether more than half of the entitled seats block, or all seats that answered."""
    heard = [vote for vote in votes if vote is not None]
    return 2 * sum(heard) > len(votes) or (bool(heard) and all(heard))


def _ruled(votes: Votes, points: Sequence[Point]) -> Ruling:
    voted = most_block(votes.values())
    blocking = tuple(n for n, point in enumerate(points) if point.blocks(voted=voted))
    return Ruling(voted or bool(blocking), blocking, voted)


def _turned(point: Point, seat: str, *, fix: bool) -> Point:
    """Returns the point as if the seat had taken the other side, if it took one."""
    if seat not in point.fix | point.against:
        return point
    others = frozenset({seat})
    return replace(
        point,
        fix=point.fix | others if fix else point.fix - others,
        minor=point.minor - others,
        unreal=point.unreal - others if fix else point.unreal | others,
    )
