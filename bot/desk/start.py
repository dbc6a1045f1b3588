"""The desk's part for whatever starts a debate: a command, a button, a fork, a schedule.

The price is shown before it is spent. A request is stored under the platform event's own id, so
that an event delivered twice starts nothing twice. A person's agreement to a price starts the
debate under the id of the event that requested it.
"""

from __future__ import annotations

from dataclasses import replace

from adapters.redaction import clean
from adapters.templates.catalogue import find
from adapters.text.files import LINK_AND_FILE
from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import (
    example_target,
    request_again,
    request_of,
)
from bot.debates.origins import Origin, asked_by
from bot.debates.price import FREE, Quote
from bot.debates.service import condition_of
from bot.desk.handlers import handles
from bot.desk.lookup import find_copy
from bot.desk.parts import DeskParts
from bot.desk.schedule import add_schedule
from bot.schedules.targets import repository_of
from core.application.commands import ForkRequest, ScheduleAdd, Start
from core.application.commands.actions import Action
from core.application.commands.branches import branches_of
from core.application.commands.named import is_link
from core.application.desk import Button, Caller, DeskAnswer
from core.debate.errors import BadInput, DebateError
from core.debate.events import DebateRequest
from core.debate.material.plaintext import cut
from core.languages import msgid, say, say_error
from core.words.views.documents.comparison import branches_taken, condition_words, fork_taken

_NOTHING_YET = msgid("Nothing has started yet.")
_LONGEST_TARGET = 120


@handles(Start)
async def start(desk: DeskParts, start: Start, caller: Caller) -> DeskAnswer:
    """Stores a request, which a runner opens, and shows its price; a person who has to agree to the
    price first gets an answer that starts nothing.
    """
    request = await _checked(desk, start, caller)
    price = await _quote(desk, start, request, caller)
    if price.asks:
        return _unstarted(price, start)
    id = await _take(desk, request, price, caller, asked_by(request.asker, caller.source))
    target = await desk.service.work(clean, request.target)
    about = " ".join((target or say("the attached text")).split())
    text = say(
        "Debate {id} is starting: {kind} on {target}",
        id=f"`{id}`",
        kind=say(request.template.replace("_", " ")),
        target=_sentence(cut(about, _LONGEST_TARGET)),
    )
    here = "" if caller.program else say("It will post here.")
    return DeskAnswer(_joined(text, price.sentence, here), debate=id)


async def read_opening(desk: DeskParts, start: Start, caller: Caller, *, fresh: bool) -> Prepared:
    """Prepares the opening and its price; starts nothing. ``fresh`` reads again what was read
    for an earlier price. Raises as ``start``.
    """
    await desk.permissions.require(caller, Action.START)
    request = await _checked(desk, start, caller)
    if fresh:
        desk.service.retained.take(request)
    if desk.service.retained.find(request) is None:
        desk.quotas.permit_price(caller, request.asker)
    return await desk.service.price(request)


async def rerun(desk: DeskParts, value: str, caller: Caller) -> DeskAnswer:
    """Starts a debate again. ``value`` is the debate and, if a person agrees to a price that
    they were shown, the source of the button event that requested it.
    """
    id, _, source = value.partition(" ")
    copy = await find_copy(desk, id, caller, Action.RERUN)
    earlier = copy.debate
    desk.permissions.require_models(caller, earlier.request.models)
    asker = desk.permissions.person(caller.person)
    request = request_again(copy, asker=asker, files=caller.shell)
    agreed = source != "" and await desk.stores.messages.knows_event(
        _price_key(request, earlier.id, source)
    )
    price = FREE
    if caller.confirms_price and not agreed:
        desk.quotas.permit_price(caller, asker)
        price = await desk.pricing.quote(request)
    if price.asks:
        await desk.stores.messages.take_event(_price_key(request, earlier.id, caller.source))
        button = Button("rerun", say("Start it"), f"{earlier.id} {caller.source}")
        return DeskAnswer(f"{price.sentence} {say(_NOTHING_YET)}", ok=False, buttons=(button,))
    origin = asked_by(asker, source if agreed else caller.source)
    new = await _take(desk, request, price, caller, origin)
    text = say("Debate {id} is starting: the same question again.", id=f"`{new}`")
    return DeskAnswer(_joined(text, price.sentence), debate=new)


@handles(ForkRequest)
async def fork(desk: DeskParts, request: ForkRequest, caller: Caller) -> DeskAnswer:
    copy = await find_copy(desk, request.debate, caller, Action.FORK)
    parent = copy.debate
    branches = branches_of(request)
    named = [name for one in branches for name in one.models]
    desk.permissions.require_models(caller, (*named, *parent.request.models))
    if caller.confirms_price:
        price = await desk.pricing.quote_branches(copy, branches)
        if price.asks:
            return _unstarted(price, request)
    asker = desk.permissions.person(caller.person)
    begun = []
    for n, one in enumerate(branches):
        origin = asked_by(asker, f"{caller.source}:{n}" if n else caller.source)
        async with desk.quotas.debate(caller, asker):
            new = await desk.service.fork(copy, one, asker=asker, origin=origin)
        begun.append((condition_words(condition_of(parent.id, one)), new))
    if request.branch:
        return DeskAnswer(branches_taken(parent.id, begun), debate=parent.id)
    id = begun[0][1]
    text = fork_taken(f"`{id}`", f"`{parent.id}`", condition_of(parent.id, request))
    return DeskAnswer(text, debate=id)


@handles(ScheduleAdd)
async def start_schedule(desk: DeskParts, addition: ScheduleAdd, caller: Caller) -> DeskAnswer:
    """Adds a schedule. It shows the price of one firing if the target is known beforehand; a
    repository's is not.
    """
    start = addition.start
    request = await _checked(desk, start, caller, scheduled=True)
    price = FREE
    if repository_of(start.target.strip()) is None:
        price = await _quote(desk, start, request, caller)
    if price.asks:
        text = f"{price.sentence} {say('That is for each time. Nothing is scheduled yet.')}"
        return DeskAnswer(text, ok=False, priced=addition)
    return await add_schedule(desk, addition, caller)


async def price_line(desk: DeskParts, start: Start, caller: Caller) -> str:
    """Returns the price line for a form, or why there is none. Raises ``Refused``."""
    await desk.permissions.require(caller, Action.START)
    desk.permissions.require_models(caller, start.models)
    try:
        request = _as_request(desk, start, caller)
        desk.quotas.permit_price(caller, request.asker)
        return await desk.pricing.line(request)
    except DebateError as error:
        return clean(say_error(error))


async def _quote(desk: DeskParts, start: Start, request: DebateRequest, caller: Caller) -> Quote:
    """Returns the price to show; nothing is read for a surface that shows none."""
    if not caller.confirms_price:
        return FREE
    desk.quotas.permit_price(caller, request.asker)
    return await desk.pricing.quote(request, yes=start.yes, budget=start.budget is not None)


async def _checked(
    desk: DeskParts, start: Start, caller: Caller, *, scheduled: bool = False
) -> DebateRequest:
    """Returns the request of a start. Raises ``BadInput`` for everything that can be refused
    without asking a forge or a model; a schedule checks its target itself.
    """
    request = _as_request(desk, start, caller)
    template = find(request.template, desk.sources)
    if not (request.target.strip() or request.text.strip()):
        example = f"{template.id} {example_target(template)}"
        raise BadInput("What is to be debated? For example: {example}", example=example)
    desk.permissions.require_models(caller, request.models)
    await desk.service.preparer.check_options(request)
    if not (scheduled or request.text):
        desk.library.check(request.target, kind=template.material)
    return request


def _as_request(desk: DeskParts, start: Start, caller: Caller) -> DebateRequest:
    """Returns a start as the core's request. Raises ``BadInput`` for a link with a file."""
    if start.text and is_link(start.target):
        raise BadInput(LINK_AND_FILE)
    asker = desk.permissions.person(caller.person)
    return request_of(start, asker=asker, place=caller.place)


async def _take(
    desk: DeskParts, request: DebateRequest, price: Quote, caller: Caller, origin: Origin
) -> str:
    """Stores a request with the price that the person was shown. Returns the debate's id."""
    if price.cost is not None:
        request = replace(request, quoted=price.likely)
    async with desk.quotas.debate(caller, request.asker):
        id = await desk.service.take(request, origin)
    await desk.changes.note(request, id)
    return id


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
    if text.endswith(("?", "!", ".", "…")):
        return text
    return f"{text}."
