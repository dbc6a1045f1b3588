"""The desk of every surface: it passes each command, button, reaction and message to the part that
answers it.

Nothing here waits for a model, and it waits for a forge only if someone wants a price. Everything
that changes a debate is stored as a command before the person reads "taken".
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from adapters.redaction import clean
from adapters.templates.catalogue import names
from bot.desk import hooks, language, mirror, review, schedule, setup, start
from bot.desk.bounds import require_bounded, require_press
from bot.desk.handlers import handlers_of
from bot.desk.language import person_language, place_language
from bot.desk.lookup import find
from bot.desk.parts import DeskParts
from bot.desk.reading import leaderboard, lists, read, search, templates
from bot.desk.reading.readings import surface_of
from bot.desk.taking_part import challenge, person, reactions
from bot.desk.taking_part.person import SAY
from core.application.commands import parse
from core.application.commands import requests as r
from core.application.commands.actions import Action
from core.application.commands.replies import parse_reply
from core.application.commands.row import Request, action_named
from core.application.desk import Caller, DeskAnswer, Glance, Home, TemplateChoice
from core.application.offers import with_words
from core.application.permissions import NotVisible
from core.application.permissions.actions import PRESSES
from core.debate.errors import BadInput, DebateError, Refused
from core.languages import ENGLISH, say, say_error, speaking
from storage.audit import acting

_MODULES = (
    hooks,
    language,
    leaderboard,
    lists,
    mirror,
    read,
    review,
    schedule,
    search,
    setup,
    start,
    templates,
    challenge,
    person,
)
"""The modules with the handlers of all requests."""


class Dispatch(DeskParts):
    """Implements ``core.application.desk.Desk``. A bot has only one, so that each person's
    reactions are taken one by one, whichever surface they come from.
    """

    handlers = handlers_of(_MODULES)

    async def take(self, request: Request, caller: Caller) -> DeskAnswer:
        """Does a parsed command and returns the answer in the caller's language, in English if a
        program reads it; an error becomes an answer too.
        """
        for_program = caller.shell and getattr(request, "json", False)
        with speaking(ENGLISH if for_program else await person_language(self, caller)):
            try:
                require_bounded(request)
                await self.permissions.require(caller, request.asks_for())
                with _acting(caller):
                    answer = await self.handlers[type(request)](self, request, caller)
            except DebateError as error:
                return await asyncio.to_thread(_refusal, error, _words_of(request))
        if getattr(request, "json", True) or caller.shell:
            return answer
        return replace(answer, files=())

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> DeskAnswer:
        """Does the action of a button and returns the answer."""
        with speaking(await person_language(self, caller)):
            try:
                require_press(action, value, text)
                await self.permissions.require(caller, action_named(PRESSES, action))
                with _acting(caller):
                    return await self._press(action, value, caller, text)
            except DebateError as error:
                return await asyncio.to_thread(_refusal, error, text)

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> DeskAnswer | None:
        """Takes a reply in a thread or a direct message; returns None if it is not meant for the
        bot. Other bots get no answer, so that two never talk to each other.
        """
        if caller.bot:
            return None
        debate = await self._debate_in(caller)
        bare = text.strip()
        addressed = mentioned or caller.private
        if debate is None and not addressed:
            return None
        with speaking(await person_language(self, caller)):
            try:
                if debate is None:
                    return await self._take_typed(bare, caller)
                with _acting(caller):
                    return await self._take_reply(bare, debate, caller, message, addressed)
            except DebateError as error:
                return _refusal(error)

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        if caller.bot:
            return
        with _acting(caller):
            await reactions.take_reaction(self, place, message, caller, emoji, added)

    async def recount(self, platform: str) -> None:
        await reactions.recount_platform(self, platform)

    async def price(self, request: Request, caller: Caller) -> str:
        """Returns the price line of a debate that has not started yet, for forms."""
        if isinstance(request, r.Start):
            require_bounded(request)
            with speaking(await person_language(self, caller)):
                return await start.price_line(self, request, caller)
        return ""

    async def language(self, caller: Caller) -> str:
        return await person_language(self, caller)

    async def home(self, caller: Caller) -> Home:
        with speaking(await person_language(self, caller)):
            return await lists.home(self, caller)

    async def card(self, id: str, caller: Caller) -> Glance | None:
        with speaking(await place_language(self, caller.place)):
            try:
                debate = await find(self, id, caller)
            except DebateError:
                return None
            if not await self.permissions.audiences.may_read(debate, caller.place):
                return None
            return lists.card_of(debate)

    async def forget_workspace(self, workspace: str) -> None:
        await setup.forget_workspace(self, workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        return templates.choices(self.sources)

    def template_names(self) -> Sequence[str]:
        return names(self.sources)

    async def _press(self, action: str, value: str, caller: Caller, text: str) -> DeskAnswer:
        debate, _, rest = value.partition(":")
        match action:
            case "say":
                return await person.speak(self, text, debate, rest, caller)
            case "rerun":
                return await start.rerun(self, value, caller)
            case "repost":
                return await self._repost(value, caller)
            case "post" | "approve" | "issues" | "issue" | "keep" | "recheck":
                return await review.press_review(self, action, debate, rest, caller)
            case _:
                request = _request_of(action, value, text)
                return await self.handlers[type(request)](self, request, caller)

    async def _repost(self, value: str, caller: Caller) -> DeskAnswer:
        """Posts a message of unknown delivery again, in the place of the request."""
        place, _, key = value.partition(" ")
        if place != caller.place and not caller.shell:
            raise NotVisible("There is no such post here.")
        if await self.stores.outbox.repost(place, key):
            return DeskAnswer(say("I will post it again."))
        return DeskAnswer(say("That post is settled already."), ok=False)

    async def _debate_in(self, caller: Caller) -> str | None:
        if not caller.thread:
            return None
        return await reactions.find_when_recorded(
            self,
            caller.place,
            lambda: self.stores.messages.find_debate(caller.place, caller.thread),
        )

    async def _take_typed(self, text: str, caller: Caller) -> DeskAnswer:
        known = self.template_names()
        request = await asyncio.to_thread(parse, text, templates=known, prefix=caller.prefix)
        return await self.take(request, caller)

    async def _take_reply(
        self, text: str, debate: str, caller: Caller, message: str, addressed: bool
    ) -> DeskAnswer | None:
        """Takes a reply in a debate's thread. ``challenge:`` and ``say:`` always count; any other
        text counts only if it is ``addressed`` to the bot, and then text that is no command is the
        statement of a seat that the person holds, if one is waited for, else a challenge.
        """
        if text.lower().startswith("challenge:"):
            text = text[len("challenge:") :]
            return await self._challenge_by_reply(text, debate, caller, message)
        if text.lower().startswith(SAY):
            return await self._say_by_reply(text[len(SAY) :], debate, caller, message)
        if not addressed:
            return None
        request = await asyncio.to_thread(
            parse_reply, text, debate, templates=self.template_names(), prefix=caller.prefix
        )
        if isinstance(request, r.Challenge):
            named = request.debate or debate
            return await self._challenge_by_reply(request.text, named, caller, message)
        if request is not None:
            return await self.take(request, caller)
        if await person.is_due(self, debate, caller):
            return await self._say_by_reply(text, debate, caller, message)
        return await self._challenge_by_reply(text, debate, caller, message)

    async def _say_by_reply(
        self, text: str, debate: str, caller: Caller, message: str
    ) -> DeskAnswer:
        source = f"said:{caller.place}:{message}"
        try:
            await self.permissions.require(caller, Action.SPEAK)
            return await person.speak(self, text, debate, "", replace(caller, source=source))
        except DebateError as error:
            return await asyncio.to_thread(_refusal, error, text)

    async def _challenge_by_reply(
        self, text: str, debate: str, caller: Caller, message: str
    ) -> DeskAnswer | None:
        try:
            await self.permissions.require(caller, Action.CHALLENGE)
            return await challenge.challenge_by_reply(self, text, debate, caller, message)
        except DebateError as error:
            return await asyncio.to_thread(_refusal, error, text)


def _request_of(action: str, value: str, text: str) -> Request:
    """Returns the request that a button makes. Raises ``BadInput`` for an unknown button."""
    debate, _, rest = value.partition(":")
    match action:
        case "pause" | "resume" | "stop":
            return r.Control(action, value)
        case "challenge":
            return r.Challenge(text, debate, finding=rest)
        case "hotseat":
            return r.HotSeat(rest, debate)
        case "prove":
            return r.Prove(debate, rest)
        case "vote":
            finding, _, option = rest.rpartition(":")
            return r.Vote(option, debate, finding)
        case "held":
            return r.Held(debate, rest == "yes")
        case "useful":
            return r.Useful(rest == "yes", debate)
        case "export" | "transcript":
            return r.Export(value)
        case "record" | "propose":
            return r.Export(debate, r.RECORD, approve=rest)
        case "fork":
            return r.ForkRequest(value, assume=text.strip())
        case _:
            raise BadInput(
                "This button belongs to an older version of me; use the command instead."
            )


def _words_of(request: Request) -> str:
    """Returns the sentences in a request that its author could not easily write again."""
    match request:
        case r.Challenge():
            return request.text
        case r.ForkRequest():
            return request.assume
        case _:
            return ""


def _acting(caller: Caller) -> AbstractContextManager[None]:
    """Records every change inside the block as this person's act in the audit log."""
    return acting(caller.person, surface_of(caller), caller.place)


def _refusal(error: DebateError, text: str = "") -> DeskAnswer:
    """Returns the reason, with the ``text`` that a person typed and that was not taken."""
    refused = isinstance(error, Refused)
    line = with_words(clean(say_error(error)), clean(text))
    return DeskAnswer(line, ok=False, code=error.exit_code, refused=refused)
