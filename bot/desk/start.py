"""The desk's part for whatever starts a debate: a command, a button, a fork, a schedule.

The price is shown before it is spent. A request is stored under the platform event's own id, so
that an event delivered twice starts nothing twice. A person's agreement to a price starts the
debate under the id of the event that requested it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.material.library import MaterialLibrary
from adapters.redaction import clean
from adapters.templates.catalogue import find
from adapters.templates.sources import SHIPPED, TemplateSources
from bot.debates.changes import Changes
from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import (
    example_target,
    request_again,
    request_of,
)
from bot.debates.origins import Origin, asked_by
from bot.debates.price import FREE, Pricing, Quote
from bot.debates.service import DebateService, condition_of
from bot.desk.handlers import handles
from bot.desk.lookup import Lookup
from bot.desk.schedule import ScheduleDesk
from bot.quotas import Quotas
from bot.schedules.targets import repository_of
from core.application.commands import ForkRequest, ScheduleAdd, Start
from core.application.commands.actions import Action
from core.application.commands.branches import branches_of
from core.application.desk import Button, Caller, DeskAnswer
from core.application.permissions import Permissions
from core.debate.errors import BadInput, DebateError
from core.debate.events import DebateRequest
from core.debate.material.plaintext import cut
from core.languages import msgid, say, say_error
from core.words.views.documents.beside import branches_taken, condition_words
from storage.messages import MessageStore

_NOTHING_YET = msgid("Nothing has started yet.")
_LONGEST_TARGET = 120


@dataclass(frozen=True, slots=True)
class StartDesk:
    service: DebateService
    pricing: Pricing
    lookup: Lookup
    schedules: ScheduleDesk
    permissions: Permissions
    quotas: Quotas
    library: MaterialLibrary
    changes: Changes
    messages: MessageStore
    templates: TemplateSources = SHIPPED

    @handles(Start)
    async def start(self, start: Start, caller: Caller) -> DeskAnswer:
        request = await self._checked(start, caller)
        if not request.text:
            kind = find(start.template, self.templates).material
            self.library.check(request.target, kind=kind)
        price = FREE
        if caller.confirms_price:
            price = await self._quote(start, request, caller)
        if price.asks:
            return _unstarted(price, start)
        request = replace(request, quoted=price.likely if price.cost is not None else None)
        id = await self._take(request, caller, asked_by(request.asker, caller.source))
        await self.changes.note(request, id)
        target = await self.service.work(clean, request.target)
        text = say(
            "Debate {id} is starting: {kind} on {target}",
            id=f"`{id}`",
            kind=say(request.template.replace("_", " ")),
            target=_sentence(_shortened(target or say("the attached text"))),
        )
        here = "" if caller.program else say("It will post here.")
        return DeskAnswer(_joined(text, price.sentence, here), debate=id)

    async def read(self, start: Start, caller: Caller, *, fresh: bool) -> Prepared:
        """Prepares the opening and its price; starts nothing. ``fresh`` reads again what was read
        for an earlier price. Raises as ``start``.
        """
        await self.permissions.require(caller, Action.START)
        request = await self._checked(start, caller)
        if not request.text:
            kind = find(start.template, self.templates).material
            self.library.check(request.target, kind=kind)
        if fresh:
            self.service.retained.take(request)
        if self.service.retained.find(request) is None:
            self.quotas.price(caller, request.asker)
        return (await self.service.price(request)).prepared

    async def rerun(self, value: str, caller: Caller) -> DeskAnswer:
        """Starts a debate again. ``value`` is the debate and, if a person agrees to a price that
        they were shown, the source of the button event that requested it.
        """
        id, _, source = value.partition(" ")
        copy = await self.lookup.find_copy(id, caller, Action.RERUN)
        earlier = copy.debate
        self.permissions.require_models(caller, earlier.request.models)
        asker = self.permissions.person(caller.person)
        request = request_again(copy, asker=asker, files=caller.shell)
        agreed = source != "" and await self.messages.knows_event(
            _price_key(request, earlier.id, source)
        )
        price = FREE
        if caller.confirms_price and not agreed:
            self.quotas.price(caller, asker)
            price = await self.pricing.quote(request)
        if price.asks:
            await self.messages.take_event(_price_key(request, earlier.id, caller.source))
            button = Button("rerun", say("Start it"), f"{earlier.id} {caller.source}")
            return DeskAnswer(f"{price.sentence} {say(_NOTHING_YET)}", ok=False, buttons=(button,))
        request = replace(request, quoted=price.likely if price.cost is not None else None)
        origin = asked_by(asker, source if agreed else caller.source)
        new = await self._take(request, caller, origin)
        await self.changes.note(request, new)
        text = say("Debate {id} is starting: the same question again.", id=f"`{new}`")
        return DeskAnswer(_joined(text, price.sentence), debate=new)

    @handles(ForkRequest)
    async def fork(self, request: ForkRequest, caller: Caller) -> DeskAnswer:
        copy = await self.lookup.find_copy(request.debate, caller, Action.FORK)
        parent = copy.debate
        branches = branches_of(request)
        named = [name for one in branches for name in one.models]
        self.permissions.require_models(caller, (*named, *parent.request.models))
        if caller.confirms_price:
            price = await self.pricing.quote_branches(copy, branches)
            if price.asks:
                return _unstarted(price, request)
        asker = self.permissions.person(caller.person)
        begun = []
        for n, one in enumerate(branches):
            origin = asked_by(asker, f"{caller.source}:{n}" if n else caller.source)
            async with self.quotas.debate(caller, asker):
                new = await self.service.fork(copy, one, asker=asker, origin=origin)
            begun.append((condition_words(condition_of(parent.id, one)), new))
        if request.branch:
            return DeskAnswer(branches_taken(parent.id, begun), debate=parent.id)
        id = begun[0][1]
        text = say(
            "Debate {id} continues {parent} under the changed condition.",
            id=f"`{id}`",
            parent=f"`{parent.id}`",
        )
        return DeskAnswer(text, debate=id)

    @handles(ScheduleAdd)
    async def schedule(self, addition: ScheduleAdd, caller: Caller) -> DeskAnswer:
        """Adds a schedule. It shows the price of one firing if the target is known beforehand; a
        repository's is not.
        """
        start = addition.start
        request = await self._checked(start, caller)
        known = caller.confirms_price and repository_of(start.target.strip()) is None
        price = FREE
        if known:
            price = await self._quote(start, request, caller)
        if price.asks:
            text = f"{price.sentence} {say('That is for each time. Nothing is scheduled yet.')}"
            return DeskAnswer(text, ok=False, priced=addition)
        return await self.schedules.add(addition, caller)

    async def price(self, start: Start, caller: Caller) -> str:
        """Returns the price line for a form, or why there is none. Raises ``Refused``."""
        await self.permissions.require(caller, Action.START)
        self.permissions.require_models(caller, start.models)
        asker = self.permissions.person(caller.person)
        request = request_of(start, asker=asker, place=caller.place)
        try:
            self.quotas.price(caller, asker)
            return await self.pricing.line(request)
        except DebateError as error:
            return clean(say_error(error))

    async def _quote(self, start: Start, request: DebateRequest, caller: Caller) -> Quote:
        self.quotas.price(caller, request.asker)
        return await self.pricing.quote(request, yes=start.yes, budget=start.budget is not None)

    async def _checked(self, start: Start, caller: Caller) -> DebateRequest:
        """Refuses what can be refused without asking a forge or a model. Raises ``BadInput``."""
        asker = self.permissions.person(caller.person)
        request = request_of(start, asker=asker, place=caller.place)
        template = find(start.template, self.templates)
        if not (request.target.strip() or request.text.strip()):
            example = f"{template.id} {example_target(template)}"
            raise BadInput("What is to be debated? For example: {example}", example=example)
        self.permissions.require_models(caller, request.models)
        await self.service.preparer.check_options(request)
        return request

    async def _take(self, request: DebateRequest, caller: Caller, origin: Origin) -> str:
        async with self.quotas.debate(caller, request.asker):
            return await self.service.take(request, origin)


def _unstarted(price: Quote, request: Start | ForkRequest) -> DeskAnswer:
    return DeskAnswer(f"{price.sentence} {say(_NOTHING_YET)}", ok=False, priced=request)


def _price_key(request: DebateRequest, id: str, source: str) -> str:
    """Returns the key under which it is noted that a person was shown the price of starting a
    debate again.
    """
    return f"price:{request.asker}:{id}:{source}"


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def _sentence(text: str) -> str:
    return text if text.endswith(("?", "!", ".", "…")) else f"{text}."


def _shortened(text: str) -> str:
    return cut(" ".join(text.split()), _LONGEST_TARGET)
