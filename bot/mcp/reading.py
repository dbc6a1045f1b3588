"""Starts by tools: the request behind their words, readings of material that outlast a call, and
the search for a debate that is requested twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import timedelta

from adapters.mcp.session import Offer
from bot.debates.opening.money import needs_consent
from bot.debates.opening.prepare import Prepared
from bot.desk.parts import DeskParts
from core.application.commands import Start
from core.application.commands.parsing import PANEL, REVIEW, is_change
from core.application.commands.pasted import pasted_diff
from core.application.desk import Caller
from core.debate.errors import BadInput, CouldNotFinish

SAME_FOR = timedelta(hours=1)
"""How long the same change is not debated again, since programs repeat a call that was cut off."""
_LOST = ("failed", "stopped")
_LOOKED_AT = 100
PATIENCE = 20.0
"""Seconds for reading the material, which one call may spend twice."""
_KEPT = 60.0
"""Seconds for which material that was read too late is held for the next call."""


def start_of(wanted: Start) -> Start:
    """Returns the desk's request. A text of several lines is the material itself."""
    target = wanted.target.strip()
    if not target:
        raise BadInput("What is to be debated? Its description lists what `target` can be.")
    words, diff = pasted_diff(wanted.target) or ("", "")
    whole = "\n" in target
    template = wanted.template
    if not template:
        change = bool(diff) or (is_change(target) and not whole)
        template = REVIEW if change else PANEL
    if diff and (template == REVIEW or not words):
        return Start(template, words or "material", budget=wanted.budget, text=diff)
    if whole:
        return Start(template, "material", budget=wanted.budget, text=wanted.target)
    return Start(template, target, budget=wanted.budget)


def head_of(prepared: Prepared) -> str:
    """Returns a key that is the same for the same template on the same text, whatever the
    budget.
    """
    m = prepared.opened.material
    identity = (
        prepared.opened.template.id,
        m.source,
        m.revision,
        m.text,
        *(p.text for p in m.parts),
    )
    return hashlib.sha256(repr(identity).encode("utf-8", "replace")).hexdigest()[:32]


async def offer_of(desk: DeskParts, caller: Caller, prepared: Prepared) -> Offer:
    """Returns the terms of a start; a budget below the limit needs nobody's consent."""
    earlier, _ = await find_earlier(desk, caller, head_of(prepared))
    likely, limit = prepared.cost.likely, prepared.opened.terms.budget
    template = prepared.opened.template.id
    if prepared.free:
        return Offer(template, "", earlier=earlier)
    most = likely if likely is None or limit is None else min(likely, limit)
    asks = needs_consent(desk.settings, most)
    return Offer(template, f"{prepared.price}.", asks, likely is not None, earlier)


async def find_earlier(desk: DeskParts, caller: Caller, head: str) -> tuple[str, str]:
    """Returns the debate that a caller has started on the same text within the hour ("" for none),
    and the key of the next one, which is the same for two calls at the same time.
    """
    now, who = desk.clock.now(), desk.permissions.person(caller.person)
    lines = await desk.stores.debates.find_recent(place=caller.place, limit=_LOOKED_AT)
    same = [
        line
        for line in lines
        if line.asker == who
        and head in (line.origin_key or "")
        and line.created_at > now - SAME_FOR
    ]
    good = [line.id for line in same if line.status not in _LOST]
    return (good[0] if good else ""), f"{head}:{now:%Y%m%d%H}:{len(same)}"


def new_event(caller: Caller, source: str = "") -> Caller:
    """Returns the caller with a new event id."""
    return replace(caller, source=f"{caller.source}:{source or secrets.token_hex(8)}")


@dataclass(slots=True)
class MaterialReadings:
    """Readings of material under way. One that takes longer than a call may last continues for the
    next call.
    """

    _tasks: dict[str, asyncio.Task[Prepared]] = field(default_factory=dict)

    def under_way(self, key: str) -> bool:
        return key in self._tasks

    async def read(self, key: str, read: Callable[[], Coroutine[None, None, Prepared]]) -> Prepared:
        """Returns the result of ``read``, which is called unless one with the same ``key`` is under
        way. Raises as it does, and ``CouldNotFinish``.
        """
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(read(), name="read")
            task.add_done_callback(lambda done: self._forget_later(key, done))
        try:
            async with asyncio.timeout(PATIENCE):
                prepared = await asyncio.shield(task)
        except TimeoutError:
            if task.done():
                raise
            raise CouldNotFinish("It is still being read. Start it again in a moment.") from None
        finally:
            if task.done():
                self._tasks.pop(key, None)
        return prepared

    def _forget_later(self, key: str, done: asyncio.Task[Prepared]) -> None:
        """Drops a result for which no call came back, also an error."""
        if not done.cancelled():
            done.exception()
        asyncio.get_running_loop().call_later(_KEPT, self._tasks.pop, key, None)

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
