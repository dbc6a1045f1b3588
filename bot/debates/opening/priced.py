"""The price of a request, before anything is spent and before the code around a change is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.debates.opening.money import require_money
from bot.debates.opening.prepare import Prepared, Preparer
from core.debate.events import DebateRequest
from core.debate.material import Material
from core.debate.material.library import ReadForPrice
from core.debate.ports import Clock
from core.debate.template import Template

_FOR = timedelta(minutes=15)
_MOST = 32
_LARGEST = 16_000_000
"""The most characters held in all. The latest opening is held whatever its size."""
_OF_A_LINE = 500
"""How many characters one line of a change counts as, since an object costs more than its text."""


@dataclass(frozen=True, slots=True)
class Priced:
    """The opening that was priced, and what was ``read`` for that."""

    prepared: Prepared
    read: ReadForPrice

    @property
    def around(self) -> int:
        """How many characters of code around a change are counted; there may be fewer."""
        return self.read.around or 0

    async def material(self) -> Material:
        """Returns the whole material; the code around a change is read now."""
        return self.read.material if self.read.rest is None else await self.read.rest()


async def price(
    preparer: Preparer,
    request: DebateRequest,
    *,
    material: Material | None = None,
    template: Template | None = None,
    seed: int | None = None,
    left_today: float | None = None,
) -> Priced:
    """Prices a request without a call of a model. The options and errors are those of
    ``Preparer.prepare``.
    """
    lineup = await preparer.look_up(request, template)
    if material is None:
        read = await preparer.reader.read_for_price(lineup)
    else:
        read = ReadForPrice(material)
    sized = await preparer.sizer.size(lineup, read.material, left_today)
    prepared = await preparer.draw(lineup, read.material, sized, seed, read.around)
    require_money(prepared.opened, preparer.models.price, left_today, around=read.around or 0)
    return Priced(prepared, read)


@dataclass(frozen=True, slots=True)
class RetainedOpenings:
    """Holds openings that were priced until someone begins them, so that no text is read twice.

    They live in this process, for a short time and in a small number. Private material is never
    held, so the place's permission is checked anew each time.
    """

    clock: Clock
    _kept: list[tuple[datetime, Priced]] = field(default_factory=list)

    def keep(self, priced: Priced) -> None:
        """Holds an opening in place of an older one for the same request."""
        self.take(priced.prepared.request)
        if not priced.prepared.opened.material.private:
            self._kept.append((self.clock.now(), priced))
            del self._kept[:-_MOST]
            while len(self._kept) > 1 and sum(_size(p) for _, p in self._kept) > _LARGEST:
                del self._kept[0]

    def find(self, request: DebateRequest) -> Priced | None:
        """Returns the opening for exactly this request by the same person in the same place, or
        None.
        """
        oldest = self.clock.now() - _FOR
        self._kept[:] = [(at, priced) for at, priced in self._kept if at > oldest]
        request = replace(request, quoted=None)
        held = (priced for _, priced in self._kept)
        return next((p for p in held if replace(p.prepared.request, quoted=None) == request), None)

    def take(self, request: DebateRequest) -> Priced | None:
        """Returns the opening as ``find`` does, and holds it no longer."""
        opening = self.find(request)
        self._kept[:] = [(at, p) for at, p in self._kept if p is not opening]
        return opening


def _size(priced: Priced) -> int:
    """Estimates the memory of an opening, in characters."""
    material = priced.prepared.opened.material
    lines = sum(len(hunk.lines) for hunk in material.hunks)
    texts = len(priced.prepared.request.text) + 2 * len(material.text) + priced.read.held
    return texts + lines * _OF_A_LINE
