"""The debates that the shell runs itself: it starts, resumes, forks and compares them live, and
each ends with an exit code.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adapters.models.agents import is_agent
from adapters.terminal.printing import ask as ask_person
from adapters.terminal.printing import put, put_document, put_line
from adapters.terminal.terminal import Terminal
from adapters.terminal.typing import can_type
from bot.debates.opening.money import needs_consent
from bot.debates.opening.prepare import Prepared
from bot.debates.opening.request import request_of
from bot.debates.owners import needs_resuming, this_process
from bot.debates.service import condition_of
from bot.forges.write import NOTED
from bot.shell.playing.earlier import earlier_review
from bot.shell.playing.live import (
    StopOn,
    TerminalSession,
    check_of,
    ending,
    shell_stdin,
)
from bot.shell.playing.sent import send_post
from bot.wire.parts import Parts
from core.application.commands import Compare, Control, ForkRequest, Start
from core.application.commands.actions import Action
from core.application.commands.branches import branches_of
from core.application.desk import Caller, DeskAnswer
from core.application.listing import DebateLine
from core.application.permissions.audience import Copy
from core.application.place import Person
from core.debate import commands as c
from core.debate.budget.pricing import total
from core.debate.errors import BadInput, NothingNew, Refused
from core.debate.events import DebateRequest
from core.debate.formats import PanelSize
from core.debate.log import ForgePostKind
from core.debate.material.addresses import source_url
from core.debate.script import SeatId
from core.debate.state import Debate, replay
from core.debate.status import LIVE
from core.languages import ENGLISH, say, say_error, speak, spoken
from core.words.outcome import outcome
from core.words.views.course.progress import STATUS, state_line
from core.words.views.documents.comparison import (
    THIS_DEBATE,
    comparison_table,
    condition_words,
    fork_taken,
)
from core.words.views.documents.forge import posted_line
from core.words.views.language.grammar import amount, dollars

_YES = ("y", "yes", "a", "ano", "j", "ja")
"""What people type who agree, in the shipped languages."""


def shell_caller(person: str, source: str = "") -> Caller:
    """Returns the person at this shell, who may do everything here; each command is a new event of
    this platform.
    """
    language = spoken()
    if language == ENGLISH:
        language = ""
    return Caller(
        person,
        person,
        f"shell:{source or secrets.token_hex(8)}",
        name=Person.parse(person).account,
        admin=True,
        private=True,
        confirms_price=True,
        language=language,
    )


@dataclass
class Shell:
    """Runs the debates that ``person`` starts at the terminal.

    With ``json`` the outcome document goes to standard output and everything else to standard
    error.
    """

    parts: Parts
    terminal: Terminal
    person: str
    json: bool = False

    async def start(self, ask: Start) -> int:
        request = request_of(ask, asker=self.person, place=self.person, files=True)
        if ask.recheck:
            return await self._start_again(ask, request)
        return await self._start(ask, request)

    async def _start_again(self, ask: Start, request: DebateRequest) -> int:
        """Reviews a change again. If it has not moved, the earlier verdict and its exit code are
        kept.
        """
        review = await earlier_review(self.parts.forges.context, request)
        if review is None:
            self._note(say("No review of this change is stored here yet: it is read whole."))
            return await self._start(ask, request)
        earlier, moved = review
        if not moved:
            self._note(
                say(
                    "The change is the same as before: the verdict of {id} still applies.",
                    id=earlier.id,
                )
            )
            return self.finish(earlier, check_of(ask))
        await self.parts.desk.permissions.copy(shell_caller(self.person), Action.RERUN, earlier)
        try:
            return await self._start(ask, replace(request, after=earlier.id))
        except NothingNew as error:
            self._note(
                f"{say_error(error)} {say('The verdict of {id} still applies.', id=earlier.id)}"
            )
            return self.finish(earlier, check_of(ask))

    def _note(self, line: str) -> None:
        if self.json:
            put_line(line, error=True)
        else:
            self.terminal.say(line)

    async def _start(self, ask: Start, request: DebateRequest) -> int:
        if request.seats and (self._stdin is None or not can_type(self._stdin)):
            raise BadInput(say("There is nobody to ask here: --seats person:me needs a terminal."))
        prepared = await self._prepared(request)
        self.agree((prepared,), ask)
        return self.finish(await self._begin(prepared), check_of(ask))

    @property
    def _stdin(self) -> int | None:
        """Returns the descriptor that a person types on, None for a program."""
        if self.json:
            return None
        return shell_stdin()

    async def resume(self, ask: Control) -> int:
        line = await self._meant(ask.debate)
        debate = await self.parts.service.load(line.id)
        if debate.final and not needs_resuming(line, this_process()):
            raise Refused(
                say(
                    "Debate {id} is {status} already. Look at it with: debate show {id}",
                    id=debate.id,
                    status=say(STATUS[debate.status]),
                )
            )
        self._speak_of(debate)
        text = say("Debate {id}: {state}", id=debate.id, state=state_line(debate))
        self.terminal.say(text, style="bold")
        first: tuple[c.Command, ...] = ()
        if debate.paused is not None:
            first = (c.Resume(self.person),)
        return self.finish(await self._play(debate.id, *first))

    async def fork(self, ask: ForkRequest) -> int:
        caller = shell_caller(self.person)
        parent = await self.parts.service.load(ask.debate)
        copy = await self.parts.desk.permissions.copy(caller, Action.FORK, parent)
        branches = branches_of(ask)
        price = await self.parts.pricing.quote_branches(copy, branches)
        if price.sentence:
            self.terminal.say(price.sentence)
        if price.asks:
            self._ask(price.likely, say("say --yes"))
        if ask.branch:
            return await self._branches(copy, branches)
        id = await self.parts.service.fork(copy, ask, asker=self.person)
        taken = fork_taken(id, parent.id, condition_of(parent.id, ask))
        self.terminal.say(taken, style="bold")
        return self.finish(await self._play(id))

    async def _branches(self, copy: Copy, branches: Sequence[ForkRequest]) -> int:
        """Plays each branch to its end, then shows all of them with the original debate."""
        documents: list[tuple[str, Mapping[str, Any]]] = [(say(THIS_DEBATE), outcome(copy.debate))]
        endings = []
        for one in branches:
            name = condition_words(condition_of(copy.debate.id, one))
            id = await self.parts.service.fork(copy, one, asker=self.person)
            self.terminal.say(say("Debate {id}: {state}", id=id, state=name), style="bold")
            debate = await self._play(id)
            documents.append((name, outcome(debate)))
            endings.append(ending(debate))
        if self.json:
            put_document({"debates": [document for _, document in documents]})
        else:
            self.terminal.report(comparison_table(documents))
        return _worst(endings)

    async def compare(self, ask: Compare) -> int:
        """Debates one question with a standard and an extended panel, then shows both side
        by side.
        """
        start = ask.start
        if start is None:
            raise BadInput(say("A comparison needs a question: debate compare QUESTION"))
        who = self.person
        forms = [
            request_of(replace(start, form=form), asker=who, place=who, files=True)
            for form in PanelSize
        ]
        both = [await self._prepared(one) for one in forms]
        self.agree(both, start)
        debates = [await self._begin(one) for one in both]
        endings = [ending(d) for d in debates]
        answer = await self.parts.desk.take(
            Compare(debates[0].id, debates[1].id), shell_caller(self.person)
        )
        if self.json:
            put_document(document(answer))
        else:
            self.terminal.compare(document(answer)["debates"], answer.text)
        return _worst(endings)

    async def settle(self, id: str, *, finish: bool) -> int:
        """Applies a stored command if no other process runs the debate. A debate whose process died
        is only resumed to ``finish`` it.
        """
        if not await self.parts.service.nobody_plays(id):
            return 0
        debate = await self.parts.service.load(id)
        if not finish and not debate.over and debate.paused is None:
            self.terminal.say(say("It counts when the debate continues: debate resume {id}", id=id))
            return 0
        if not finish:
            # takes the command and stops again: it is over or paused
            await self.parts.player.play(id)
            return 0
        debate = await self._play(id)
        if debate.over:
            return self.finish(debate)
        return 0

    async def answer(self, id: str) -> int:
        """Plays a finished debate on that an objection reopens, and shows what came of it; a
        challenge to a running one is settled as any command.
        """
        debate = await self.parts.service.load(id)
        if not (debate.over or debate.endings):
            return await self.settle(id, finish=False)
        return self.finish(await self._play(id))

    async def post(self, answer: DeskAnswer, kind: ForgePostKind) -> int:
        """Sends the review or record that was just approved, and prints its address."""
        url = await send_post(self.parts.worker, answer.debate, kind)
        put_line(posted_line(url, NOTED[kind][0]))
        if await self.parts.service.nobody_plays(answer.debate):
            await self.parts.player.play(answer.debate)  # it takes the note of where it stands
        return 0

    async def _play(self, id: str, *first: c.Command, seen: Debate | None = None) -> Debate:
        self._speak_of(await self.parts.service.load(id))
        session = TerminalSession(self.parts.player, self.terminal, self.person, self._stdin)
        return await session.play(id, *first, seen=seen)

    def _speak_of(self, debate: Debate) -> None:
        """Writes what follows in the debate's language if it has one; for programs in English."""
        speak(ENGLISH if self.json else debate.language or spoken())

    def agree(self, prepared: Sequence[Prepared], ask: Start) -> None:
        """Asks the person before it spends more than the limit, or an unknown amount. Raises
        ``BadInput`` if the answer is no, or nobody is there to answer.
        """
        paid = [p.cost.likely for p in prepared if not p.free]
        usd, budget = total(paid), ask.budget is not None
        if paid and needs_consent(self.parts.settings, usd, yes=ask.yes, budget=budget):
            self._ask(usd, say("say --yes, or set a limit with --budget USD"))

    def _ask(self, usd: float | None, remedy: str) -> None:
        """Asks a question; ``remedy`` is the next step if nobody can answer."""
        price = say("an unknown amount")
        if usd is not None:
            price = say("about {price}", price=dollars(usd))
        if sys.stdin.isatty() and not self.json:
            try:
                answer = ask_person(say("This will cost {price}. Go ahead? [y/N]", price=price))
            except KeyboardInterrupt:
                answer = ""
            if (answer or "").lower() not in _YES:
                raise BadInput(say("Nothing was started and nothing was spent."))
        elif usd is None:
            raise BadInput(
                say(
                    "Nobody knows what this will cost: say --yes, write the price in the file that "
                    "DEBATE_MODELS_FILE names (`debate doctor` shows how), or set "
                    "DEBATE_UNKNOWN_PRICE=allow."
                )
            )
        else:
            raise BadInput(
                say(
                    "This will cost {price}, more than {limit}: {remedy}.",
                    price=price,
                    limit=amount(self.parts.settings.ask_above),
                    remedy=remedy,
                )
            )

    def finish(self, debate: Debate, check: StopOn = StopOn.NONE) -> int:
        """Shows how a debate ended and returns the shell's exit code for it."""
        if self.json:
            put_document(outcome(debate))
        elif debate.concluded is not None:
            self.terminal.say("")
            self.terminal.conclude(debate)
        code, why = ending(debate, check)
        if why:
            put_line(f"debate: {why}", error=True)
        return code

    async def _prepared(self, request: DebateRequest) -> Prepared:
        prepared = await self.parts.service.prepare(request)
        self._require_own(prepared.opened.cast)
        self.terminal.wait(say("Checking that the models answer"))
        await self.parts.service.preparer.check(request)
        self.terminal.ready()
        if self.json:
            put("\n".join(prepared.lines), error=True)
        elif prepared.lines:
            url = source_url(prepared.opened.material)
            self.terminal.say(prepared.lines[0], style="bold", url=url)
            self.terminal.say(*prepared.lines[1:])
        return prepared

    def _require_own(self, cast: Mapping[SeatId, Sequence[str]]) -> None:
        """Raises ``BadInput`` if a coding agent has a seat and a bot may play the debate."""
        shared = self.parts.service.bot_may_run()
        if shared and any(is_agent(name) for names in cast.values() for name in names):
            raise BadInput(
                say(
                    "A coding agent has a seat only in a debate that this shell plays, and a bot "
                    "may play those of this database. Name another: "
                    "DEBATE_DATABASE_URL=sqlite:///own.db"
                )
            )

    async def _begin(self, prepared: Prepared) -> Debate:
        id = await self.parts.service.open(prepared)
        self.terminal.say(f"debate {id}", style="dim")
        begun = replay((await self.parts.stores.debates.load(id))[:2])  # a bot may be quicker
        self._speak_of(begun)
        self.terminal.on_event(begun.open, begun)  # what code itself found is part of the thread
        return await self._play(id, seen=begun)

    async def _meant(self, id: str) -> DebateLine:
        """Returns the named debate, else the newest that can be resumed."""
        debates = self.parts.stores.debates
        if id:
            return await debates.find(id)
        lines = await debates.find_recent(statuses=LIVE, limit=1) or [
            line for line in await debates.find_recent() if needs_resuming(line, this_process())
        ]
        if not lines:
            raise BadInput(say("Nothing is there to be resumed: `debate list` shows all debates."))
        return lines[0]


def _worst(endings: Sequence[tuple[int, str]]) -> int:
    """Prints what went wrong in each debate and returns the highest exit code."""
    for code, why in endings:
        if code:
            put_line(f"debate: {why}", error=True)
    return max(code for code, _ in endings)


def document(answer: DeskAnswer) -> Any:
    """Returns an answer for machines: its own JSON file if it has one."""
    for file in answer.files:
        if file.name.endswith(".json"):
            return json.loads(file.text)
    return {"ok": answer.ok, "debate": answer.debate, "text": answer.text}
