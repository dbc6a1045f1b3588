"""The requests that every caller may make of stored debates, behind the desk's permissions; and the
search for a debate that is requested twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from adapters.mcp.port import DebateStart, DebateSummary, Offer
from bot.debates.opening.consent import ConsentRule
from bot.debates.opening.prepare import Prepared
from bot.debates.service import DebateService
from bot.desk.dispatch import Dispatch
from core.application.commands import Challenge, Control, Start
from core.application.commands.parsing import PANEL, REVIEW, is_change
from core.application.commands.pasted import pasted_diff
from core.application.desk import Caller, DeskAnswer
from core.debate.errors import BadInput, CouldNotFinish, Refused
from core.debate.events import Event
from core.debate.ports import Clock
from core.debate.state import Debate
from core.words.views.verdict.decision import stored_label
from storage.debates import DebateLine
from storage.search import SearchFilter

SAME_FOR = timedelta(hours=1)
"""How long the same change is not debated again, since programs repeat a call that was cut off."""
_LOST = ("failed", "stopped")
_LOOKED_AT = 100
PATIENCE = 20.0
"""Seconds for reading the material, which one call may spend twice."""
_KEPT = 60.0
"""Seconds for which material that was read too late is held for the next call."""


def start_of(wanted: DebateStart) -> Start:
    """Returns the desk's request. A text of several lines is the material itself."""
    target = wanted.target.strip()
    if not target:
        raise BadInput('What is to be debated? "." is what changed here.')
    pasted, whole = pasted_diff(wanted.target), "\n" in target
    template = wanted.template
    if not template:
        change = pasted is not None or (is_change(target) and not whole)
        template = REVIEW if change else PANEL
    if pasted and (template == REVIEW or not pasted.words):
        name = pasted.words or "material"
        return Start(template, name, budget=wanted.budget, text=pasted.diff)
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


def offer_of(prepared: Prepared, rule: ConsentRule, earlier: str) -> Offer:
    """Returns the terms of a start; a budget below the limit needs nobody's consent."""
    likely, limit = prepared.cost.likely, prepared.opened.terms.budget
    template = prepared.opened.template.id
    if prepared.free:
        return Offer(template, "", earlier=earlier)
    most = likely if likely is None or limit is None else min(likely, limit)
    return Offer(template, f"{prepared.price}.", rule.asks(most), likely is not None, earlier)


@dataclass(frozen=True, slots=True)
class CallerDebates:
    """The debates of one ``caller``. ``public_url`` is if people reach the bot's pages."""

    desk: Dispatch
    service: DebateService
    clock: Clock
    caller: Caller
    public_url: str = ""

    async def find(self, id: str) -> Debate:
        debate = await self._look_up(id)
        await self.desk.reads.readings.note(self.caller, debate.id)
        return debate

    async def _look_up(self, id: str) -> Debate:
        """Returns the debate. Raises ``Refused``, and ``BadInput`` with the next tool to call."""
        try:
            return await self.desk.reads.lookup.find(id, self.caller)
        except Refused:
            raise
        except BadInput:
            raise BadInput(
                f"There is no debate {id[:40]!r} here: list_debates shows those there are."
            ) from None

    async def count(self, id: str) -> int:
        return await self.service.debates.count(id)

    async def events(self, id: str, after: int = 0) -> Sequence[Event]:
        return await self.service.debates.load(id, after)

    async def document(self, id: str, form: str) -> str:
        reads = self.desk.reads
        debate = await self._look_up(id)
        await reads.readings.note(self.caller, debate.id, form)
        return await reads.document(debate, form)

    async def challenge(self, id: str, text: str, finding: str) -> str:
        debate = await self._look_up(id)
        request = Challenge(text, debate.id, finding=finding)
        return _text_of(await self.desk.take(request, self.fresh()))

    async def stop(self, id: str) -> str:
        debate = await self._look_up(id)
        return _text_of(await self.desk.take(Control("stop", debate.id), self.fresh()))

    async def listed(self, target: str, most: int) -> Sequence[DebateSummary]:
        searches = self.desk.searches
        hits = await searches.find(SearchFilter(), self.caller, _LOOKED_AT if target else most)
        lines = [
            DebateSummary(
                one.line.id,
                one.line.status,
                one.line.template,
                stored_label(one.decision, one.mechanism, reached=one.reached)
                if one.decision
                else "",
                one.line.title,
                one.source,
                one.line.cost,
                one.line.created_at.isoformat(),
            )
            for one in hits
        ]
        return [one for one in lines if target in one.source or target in one.title][:most]

    def page(self, id: str) -> str:
        return f"{self.public_url.rstrip('/')}/d/{id}" if self.public_url else ""

    def fresh(self, source: str = "") -> Caller:
        """Returns the caller with a new event id."""
        return replace(self.caller, source=f"{self.caller.source}:{source or secrets.token_hex(8)}")

    async def earlier(self, head: str) -> tuple[str, str]:
        """Returns the debate that was started on the same text within the hour ("" for none), and
        the key of the next one, which is the same for two calls at the same time.
        """
        now, who = self.clock.now(), self.desk.permissions.person(self.caller.person)
        lines = await self.service.debates.find_recent(place=self.caller.place, limit=_LOOKED_AT)
        same = [
            line
            for line in lines
            if line.asker == who
            and head in (line.origin_key or "")
            and line.created_at > now - SAME_FOR
        ]
        good = [line.id for line in same if line.status not in _LOST]
        return (good[0] if good else ""), f"{head}:{now:%Y%m%d%H}:{len(same)}"

    async def line(self, id: str) -> DebateLine:
        return await self.service.debates.find(id)


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


_AGREE = "Ask your person; if they agree to it, call it again with --yes before the text."


def _text_of(answer: DeskAnswer) -> str:
    """Returns the answer's text. Raises ``BadInput`` if the desk refused."""
    if answer.priced is not None:
        raise BadInput(f"{answer.text} {_AGREE}")
    if not answer.ok:
        raise BadInput(answer.text)
    return answer.text
