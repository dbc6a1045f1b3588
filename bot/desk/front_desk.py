"""The desk of every surface: a parsed wish becomes a stored request, a stored command or a read.

Nothing here waits for a model, and for a forge only where a price is asked for. Everything that
changes a debate is stored as a command before the person hears "taken". Who may do what is decided
here, once, for all surfaces: anyone may start, vote and challenge; whoever started it, an admin or
a configured person may pause, resume and stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from adapters.commands import (
    Challenge,
    Control,
    Export,
    ForkRequest,
    Held,
    Mirror,
    Request,
    ScheduleAdd,
    ScheduleDo,
    Setup,
    Start,
    Vote,
    parse,
)
from adapters.ports.chat import DeliveryError
from adapters.ports.desk import Answer, Caller, Home, TemplateChoice
from adapters.templates.catalogue import read_catalogue
from bot.desk.permissions import as_known, named_place, permit
from bot.desk.read import Reading
from bot.desk.request import request_of
from bot.desk.schedule import Timetable
from bot.desk.start import Starting
from bot.desk.vote import Reactions, noted, role_of
from bot.wire import House
from core import commands as c
from core import events as e
from core.decisions import decide
from core.errors import BadInput, DebateError, Refused

CONTROLS: dict[str, Callable[[str], c.Command]] = {
    "pause": c.Pause,
    "resume": c.Resume,
    "stop": c.Stop,
}


@runtime_checkable
class Admitting(Protocol):
    """A chat that knows who may write where."""

    async def may_write(self, place: str, person: str) -> bool: ...


@dataclass(slots=True)
class FrontDesk:
    """Implements ``adapters.ports.desk.Desk``."""

    house: House
    reading: Reading
    timetable: Timetable
    reactions: Reactions
    starting: Starting

    async def take(self, ask: Request, caller: Caller) -> Answer:
        try:
            answer = await self._take(ask, caller)
        except DebateError as error:
            return Answer(self.house.redact(str(error)), ok=False, code=error.exit_code)
        machine = getattr(ask, "json", True) or caller.shell
        return (
            answer if machine else replace(answer, files=())
        )  # in a chat, JSON is for those who ask for it

    async def _take(self, ask: Request, caller: Caller) -> Answer:  # one arm per wish
        match ask:
            case Start():
                return await self.starting.start(ask, caller)
            case Challenge(text, debate):
                return await self._challenge(text, debate, caller)
            case Vote(option, debate, finding):
                return await self._vote(option, debate, finding, caller)
            case Control(verb, debate):
                return await self._control(verb, debate, caller)
            case ForkRequest():
                return await self.starting.fork(ask, caller)
            case ScheduleAdd():
                return await self.starting.schedule(ask, caller)
            case ScheduleDo():
                return await self.timetable.do(ask, caller)
            case Mirror(debate, place):
                return await self._mirror(debate, place, caller)
            case Setup():
                return await self._setup(ask, caller)
            case Held(debate, held):
                return await self._held(debate, held, caller)
            case _:
                return await self.reading.answer(ask, caller)

    async def press(self, action: str, value: str, caller: Caller, text: str = "") -> Answer:
        try:
            return await self._press(action, value, caller, text)
        except DebateError as error:
            return Answer(self.house.redact(str(error)), ok=False, code=error.exit_code)

    async def _press(self, action: str, value: str, caller: Caller, text: str) -> Answer:
        if action in CONTROLS:
            return await self._control(action, value, caller)
        if action == "challenge":
            debate, _, finding = value.partition(":")
            return await self._challenge(
                f"On {finding}: {text}" if finding and text.strip() else text, debate, caller
            )
        if action == "vote":
            debate, _, rest = value.partition(":")
            finding, _, option = rest.rpartition(":")
            return await self._vote(option, debate, finding, caller)
        if action in ("export", "transcript"):
            return await self.reading.answer(Export(value, "md"), caller)
        if action == "fork":
            return await self.starting.fork(ForkRequest(value, assume=text.strip()), caller)
        if action == "rerun":
            return await self.starting.rerun(value, caller)
        if action == "held":
            debate, _, word = value.partition(":")
            return await self._held(debate, word == "yes", caller)
        if action == "repost":
            place, _, key = value.partition(" ")
            again = await self.house.outbox.repost(place, key)
            return Answer(
                "I will post it again." if again else "That post is settled already.", ok=again
            )
        raise BadInput("This button belongs to an older version of me; use the command instead.")

    async def take_message(
        self, caller: Caller, text: str, mentioned: bool, message: str
    ) -> Answer | None:
        debate = (
            await noted(self.house, caller.place, lambda: self._held_in(caller))
            if caller.thread
            else None
        )
        bare = text.strip()
        try:
            if debate is None:
                return await self._addressed(bare, caller) if mentioned or caller.private else None
            lowered = bare.lower()
            if lowered.startswith("challenge:"):
                return await self._challenged_by_reply(
                    bare[len("challenge:") :], debate, caller, message
                )
            if not (mentioned or caller.private):
                return None
            word, _, rest = lowered.partition(" ")
            if word in CONTROLS and not rest:
                return await self._control(word, debate, caller)
            if word == "vote" and rest:
                return await self._vote(bare.partition(" ")[2], debate, "", caller)
            if word in ("status", "help", "show", "export", "list", "templates"):
                return await self._addressed(bare, caller)
            return await self._challenged_by_reply(bare, debate, caller, message)
        except DebateError as error:
            return Answer(self.house.redact(str(error)), ok=False, code=error.exit_code)

    async def _held_in(self, caller: Caller) -> str | None:
        """The debate that lives in the caller's thread."""
        return await self.house.messages.find_debate(caller.place, caller.thread)

    async def _addressed(self, text: str, caller: Caller) -> Answer:
        return await self.take(
            parse(text, templates=[t.id for t in self.templates()], prefix=caller.prefix),
            caller,
        )

    async def _challenged_by_reply(
        self, text: str, debate: str, caller: Caller, message: str
    ) -> Answer | None:
        answer = await self._challenge(
            text, debate, replace(caller, source=f"said:{caller.place}:{message}")
        )
        if not answer.ok:
            return answer
        chat = self.house.chat_of(caller.place)
        if chat is not None:
            try:
                await chat.acknowledge(caller.place, message, "eyes")
            except DeliveryError:
                return answer  # the reaction could not be set: say it in words instead
            return None
        return answer

    async def take_reaction(
        self, place: str, message: str, caller: Caller, emoji: str, added: bool
    ) -> None:
        await self.reactions.take_reaction(place, message, caller, emoji, added)

    async def recount(self, platform: str) -> None:
        await self.reactions.recount(platform)

    async def price(self, ask: Request, caller: Caller) -> str:
        if not isinstance(ask, Start):
            return ""
        try:
            prepared = await self.house.prepare(
                request_of(ask, asker=self.house.person(caller.person), place=caller.place),
                ask=False,
            )
        except DebateError as error:
            return self.house.redact(str(error))
        return next((line for line in prepared.lines if line.startswith("price:")), "")

    async def home(self, person: str) -> Home:
        return await self.reading.home(person)

    async def forget_workspace(self, workspace: str) -> None:
        await self.house.places.forget_workspace(workspace)

    def templates(self) -> Sequence[TemplateChoice]:
        known = read_catalogue(self.house.settings.templates_dir).templates
        return [
            TemplateChoice(t.id, t.name, t.description, tuple(o.option for o in t.ballot))
            for t in known
        ]

    async def _challenge(self, text: str, id: str, caller: Caller) -> Answer:
        debate = await self.reading.meant(id, caller)
        caller = as_known(caller, debate)
        command = c.RaiseChallenge(
            self.house.person(caller.person), self.house.redact(text.strip()), source=caller.source
        )
        events = decide(debate, command)
        await self.house.enqueue(debate.id, command, caller.source)
        to = next((x.to for x in events if isinstance(x, e.ChallengeRaised)), ())
        asked = " and ".join(s.replace("_", " ") for s in to)
        return Answer(
            f"Taken. {asked.capitalize() or 'A seat'} will answer in `{debate.id}`.",
            debate=debate.id,
        )

    async def _vote(self, option: str, id: str, finding: str, caller: Caller) -> Answer:
        debate = await self.reading.meant(id, caller)
        caller = as_known(caller, debate)
        role = role_of(debate, caller.person, caller.name)
        command = c.CastVote(self.house.person(caller.person), option, finding, role)
        events = decide(debate, command)
        await self.house.enqueue(debate.id, command, caller.source)
        name = next((x.option for x in events if isinstance(x, e.VoteCast)), option)
        note = " You wrote this change: your vote is shown apart and not counted." if role else ""
        said = (
            f"Your vote in `{debate.id}`: {name.replace('_', ' ')}. The last one counts; vote "
            f"again to change it.{note}"
        )
        return Answer(said, debate=debate.id)

    async def _control(self, verb: str, id: str, caller: Caller) -> Answer:
        debate = await self.reading.meant(id, caller)
        caller = as_known(caller, debate)
        permit(self.house, debate.request.asker, caller, f"{verb} this debate")
        person = self.house.person(caller.person)
        command = CONTROLS[verb](person)
        events = decide(debate, command)
        if not events:
            return Answer(
                f"Debate `{debate.id}` is {'stopping' if verb == 'stop' else debate.status} "
                "already.",
                debate=debate.id,
            )
        await self.house.enqueue(debate.id, command, caller.source)
        done = {
            "pause": "pausing",
            "resume": "going on",
            "stop": "stopping; the closing report still comes",
        }[verb]
        return Answer(f"Debate `{debate.id}`: {done}.", debate=debate.id)

    async def _mirror(self, id: str, place: str, caller: Caller) -> Answer:
        debate = await self.reading.seen(id, caller)
        caller = as_known(caller, debate)
        permit(self.house, debate.request.asker, caller, "mirror this debate")
        where = named_place(self.house, place, caller)
        if debate.opened is not None and debate.open.material.private:
            raise Refused("This debate is about private material and stays where it is.")
        chat: object = self.house.chat_of(where)
        if isinstance(chat, Admitting) and not await chat.may_write(where, caller.person):
            raise Refused(
                f"You may not write in {place} yourself, so no debate of yours is told there."
            )
        decide(debate, c.AddPlace(where, caller.person))
        await self.house.enqueue(
            debate.id, c.AddPlace(where, self.house.person(caller.person)), caller.source
        )
        return Answer(f"Debate `{debate.id}` will be told in {place} as well.", debate=debate.id)

    async def _setup(self, ask: Setup, caller: Caller) -> Answer:
        if not caller.admin and not caller.shell:
            raise Refused("Only an admin can let this channel see a private repository.")
        if ask.off:
            gone = await self.house.places.unbind(caller.place, ask.repository)
            return Answer(
                f"This channel {'no longer sees' if gone else 'did not see'} {ask.repository}."
            )
        await self.house.places.bind(caller.place, ask.repository, caller.person)
        return Answer(
            f"This channel can now debate pull requests of {ask.repository}. Take it back with: "
            f"setup github {ask.repository} off"
        )

    async def _held(self, id: str, held: bool, caller: Caller) -> Answer:
        debate = await self.reading.seen(id, caller)
        caller = as_known(caller, debate)
        command = c.ResolveOutcome(held, self.house.person(caller.person), self.house.clock.now())
        decide(debate, command)
        await self.house.enqueue(debate.id, command, caller.source)
        said = (
            f"Noted: the verdict of `{debate.id}` {'held' if held else 'did not hold'}. The "
            "leaderboard uses it."
        )
        return Answer(said, debate=debate.id)


def front_desk(house: House) -> FrontDesk:
    """The desk of a house; a bot has one, so that a person's reactions are taken one by one
    wherever they come from.
    """
    timetable = Timetable(house)
    reading = Reading(house, timetable)
    return FrontDesk(
        house, reading, timetable, Reactions(house), Starting(house, reading, timetable)
    )
