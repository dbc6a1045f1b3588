"""The desk's part for whatever starts a debate: a command, a button, a fork, a schedule. What it
costs is said before it is spent.

A request is stored under the platform event's own id, so that a redelivery starts nothing twice.
Whoever agrees to a price starts what was asked for under the id of the event that asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.commands import ForkRequest, ScheduleAdd, Start
from adapters.ports.chat import Button
from adapters.ports.desk import Answer, Caller
from adapters.templates.catalogue import find
from bot.debates.prepare import apply_options, hint
from bot.debates.price import FREE, quote, quote_fork
from bot.desk.read import Reading
from bot.desk.request import request_of
from bot.desk.schedule import Timetable
from bot.schedules.fire import repository_of
from bot.wire import House
from core import events as e
from core.errors import BadInput

NOTHING = "Nothing has started yet."


@dataclass(slots=True)
class Starting:
    house: House
    reading: Reading
    timetable: Timetable

    def _checked(self, ask: Start, caller: Caller) -> e.DebateRequest:
        """Refuses what can be refused without asking anybody. Raises ``BadInput``."""
        request = request_of(ask, asker=self.house.person(caller.person), place=caller.place)
        template = apply_options(request, find(ask.template, self.house.settings.templates_dir))
        if not (request.target.strip() or request.text.strip()):
            raise BadInput(f"What is to be debated? For example: {template.id} {hint(template)}")
        for name in request.models:
            self.house.models.get(name)
        return request

    async def start(self, ask: Start, caller: Caller) -> Answer:
        request = self._checked(ask, caller)
        if not request.text:
            self.house.library.check(
                request.target, kind=find(ask.template, self.house.settings.templates_dir).material
            )
        price = await quote(self.house, request) if caller.confirms_price else FREE
        if price.asks and not (ask.yes or ask.budget is not None):
            return Answer(f"{price.line} {NOTHING}", ok=False, priced=ask)
        id = await self.house.request(request, caller.source)
        what = shortened(request.target or "the attached text")
        said = f"Debate `{id}` is starting: {request.template} on {what}."
        return Answer(" ".join(filter(None, (said, price.line, "It will post here."))), debate=id)

    async def rerun(self, value: str, caller: Caller) -> Answer:
        """``value`` is the debate and, where somebody has agreed to the price, the source of the
        press that asked for it.
        """
        id, _, agreed = value.partition(" ")
        earlier = await self.reading.seen(id, caller)
        request = replace(
            earlier.request,
            asker=self.house.person(caller.person),
            place=caller.place,
            schedule="",
            files=earlier.request.files and caller.shell,
        )
        price = await quote(self.house, request) if caller.confirms_price and not agreed else FREE
        if price.asks:
            button = Button("rerun", "Start it", f"{earlier.id} {caller.source}")
            return Answer(f"{price.line} {NOTHING}", ok=False, buttons=(button,))
        new = await self.house.request(request, agreed or caller.source)
        return Answer(
            " ".join(
                filter(None, (f"Debate `{new}` is starting: the same question again.", price.line))
            ),
            debate=new,
        )

    async def schedule(self, ask: ScheduleAdd, caller: Caller) -> Answer:
        """The price of one firing is known where the target is; a repository's is not."""
        request = self._checked(ask.start, caller)
        known = caller.confirms_price and repository_of(ask.start.target.strip()) is None
        price = await quote(self.house, request) if known else FREE
        if price.asks and not (ask.start.yes or ask.start.budget is not None):
            return Answer(
                f"{price.line} That is for each time. Nothing is scheduled yet.",
                ok=False,
                priced=ask,
            )
        return await self.timetable.add(ask, caller)

    async def fork(self, ask: ForkRequest, caller: Caller) -> Answer:
        parent = await self.reading.seen(ask.debate, caller)
        asker = self.house.person(caller.person)
        if caller.confirms_price and not ask.yes:
            price = await quote_fork(self.house, parent, ask)
            if price.asks:
                return Answer(f"{price.line} {NOTHING}", ok=False, priced=ask)
        id = await self.house.fork(
            parent, ask, asker=asker, place=caller.place, source=caller.source
        )
        return Answer(
            f"Debate `{id}` goes on from `{parent.id}` under the changed condition.", debate=id
        )


def shortened(text: str, limit: int = 120) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
