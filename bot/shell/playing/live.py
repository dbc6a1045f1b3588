"""Plays one debate in the terminal to its end: the person's typed lines become commands, Ctrl-C
pauses, twice it stops.

Nothing is lost by any of it: every event is stored before it is shown, so ``debate resume``
continues from there.
"""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from adapters.redaction import clean
from bot.debates.play import Player
from core.application.commands import Challenge, Control, HotSeat, Prove, Start, Vote, parse
from core.application.offers import with_words
from core.debate import commands as c
from core.debate.commands.holders import turns_due
from core.debate.engine import InboxCommand
from core.debate.errors import BadInput
from core.debate.events import EndReason, Event
from core.debate.state import Debate, replay
from core.debate.stored import stored
from core.debate.verdict import blocks, verdict
from core.languages import ENGLISH, msgid, say, say_error, speaking, spoken
from core.words.views.course.due_turns import due_lines, due_title
from core.words.views.course.progress import STATUS
from core.words.views.language.grammar import nearest, option_words
from core.words.views.verdict.coverage import unread_sentence
from core.words.views.verdict.decision import decision
from core.words.views.verdict.ending import why_lost

if TYPE_CHECKING:
    from adapters.terminal.terminal import Terminal
    from bot.debates.advance import Inbox

GRACE = 2.0
"""Seconds after a pause in which a second Ctrl-C still stops the debate for good."""
TYPED = ("vote", "challenge", "hotseat", "prove", "pause", "stop", "help", "?")
HELP = msgid(
    "Type an objection in words, or: vote OPTION · vote 1 real|not_real|worse|milder (for finding "
    "1) · hotseat 1 or the name of a seat · prove 1 · pause · stop"
)

_NUMBERED = re.compile(r"(vote|hotseat|prove)\s+#?(\d{1,3})\b\s*(.*)", re.IGNORECASE)


def command_of(line: str, person: str, id_at: Callable[[int], str]) -> c.Command | str:
    """Returns the command for a typed line, or a sentence to show instead; ``shown`` gives the id
    of the finding that is displayed under a number. A line that is no command is a challenge.
    """
    numbered = _NUMBERED.match(line)
    if numbered and (
        numbered[3] or numbered[1].lower() in ("hotseat", "prove")
    ):  # "vote 1" is an option
        id = id_at(int(numbered[2]))
        if not id:
            return say("No finding {number} was shown yet.", number=numbered[2])
        line = f"{numbered[1]} {id} {numbered[3]}".strip()
    words = line.split()
    first = words[0].lower() if words else ""
    if first in ("help", "?") or not words:
        return say(HELP)
    if first not in TYPED:
        near = nearest(first, TYPED, 0.7)
        if len(words) == 1:
            if near:
                return say("Did you mean {near}?", near=near)
            return f"{say('One word is too little for a challenge.')} {say(HELP)}"
        return c.RaiseChallenge(person, line.strip())
    try:
        request = parse(line, templates=(), prefix="")
    except BadInput as wrong:
        return say_error(wrong)
    match request:
        case Challenge(text):
            return c.RaiseChallenge(person, text)
        case HotSeat(about):
            return c.AskSeat(person, about, own=True)
        case Prove(_, finding):
            return c.Prove(person, finding)
        case Vote(option, _, finding):
            return c.CastVote(person, option, finding)
        case Control("pause"):
            return c.Pause(person)
        case Control("stop"):
            return c.Stop(person)
        case _:
            return say(HELP)


@dataclass
class TerminalSession:
    """Plays debates in a terminal, on behalf of ``person``."""

    player: Player
    terminal: Terminal
    person: str
    stdin: int | None = None
    grace: float = field(default_factory=lambda: GRACE)
    interrupts: int = 0
    _debate: Debate | None = None
    _again: asyncio.Event = field(default_factory=asyncio.Event)
    _sent: set[asyncio.Task[None]] = field(default_factory=set)

    async def play(self, id: str, *first: c.Command, seen: Debate | None = None) -> Debate:
        """Plays until the debate is over or paused. ``first`` are commands to apply first,
        ``seen`` is the state that the person has seen.
        """
        self.interrupts = 0
        self._debate = seen
        inbox: Inbox = asyncio.Queue()
        for command in first:
            inbox.put_nowait(InboxCommand(command))
        with self._interrupts(inbox):
            debate = await self._play(id, inbox)
            if debate.paused is not None and self.interrupts:
                self.terminal.say(
                    say("Paused. Press Ctrl-C again to stop it for good."), style="bold yellow"
                )
                if await self._stops():
                    inbox.put_nowait(InboxCommand(c.Stop(self.person)))
                    self.terminal.say(
                        say("Stopping: the closing report still comes."), style="bold yellow"
                    )
                    debate = await self._play(id, inbox)
        return debate

    async def _play(self, id: str, inbox: Inbox) -> Debate:
        def typed(line: str) -> None:
            self._send(line, inbox)

        if self._debate is None:
            self._debate = replay(await self.player.advancer.debates.load(id))
        language = spoken()

        def seen(event: Event, debate: Debate) -> None:
            self._debate = debate
            with speaking(language):
                self.terminal.on_event(event, debate)

        for turn in turns_due(self._debate, self.person):  # it was asked in an earlier run
            self.terminal.say(due_title(self._debate, turn), style="bold")
            self.terminal.say(*due_lines(self._debate, turn))
        # what the debate stores is in English
        async with self.terminal.running(typed, self.stdin):
            with speaking(ENGLISH):
                debate = await self.player.play(
                    id,
                    seen=self._debate,
                    event_listener=seen,
                    token_listener=self.terminal.words,
                    inbox=inbox,
                )
        for task in self._sent:
            task.cancel()
        return debate

    async def _stops(self) -> bool:
        if self.interrupts < 2:
            try:
                async with asyncio.timeout(
                    self.grace
                ):  # wait_for of Python 3.11 can swallow a cancellation
                    await self._again.wait()
            except TimeoutError:
                return False
        return True

    def _send(self, line: str, inbox: Inbox) -> None:
        statement = self._statement(line)
        command = statement or command_of(line, self.person, self.terminal.finding)
        if isinstance(command, str):
            self.terminal.say(command, style="yellow")
            return
        if isinstance(command, c.RaiseChallenge):
            command = c.RaiseChallenge(command.author, clean(command.text))
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        inbox.put_nowait(InboxCommand(command, answer=answer))
        task = asyncio.create_task(self._tell(command, answer))
        self._sent.add(task)
        task.add_done_callback(self._sent.discard)

    def _statement(self, line: str) -> c.Speak | None:
        """Returns the line as the statement of the person's own seat, if one is waited for and the
        line is no command.
        """
        due = turns_due(self._debate, self.person) if self._debate is not None else ()
        if not due or line.split()[:1] == [] or line.split(maxsplit=1)[0].lower() in TYPED:
            return None
        return c.Speak(self.person, due[0].id, clean(line))

    async def _tell(self, command: c.Command, answer: asyncio.Future[str]) -> None:
        refusal = await answer
        if refusal:
            words = command.text if isinstance(command, c.RaiseChallenge) else ""
            self.terminal.say(with_words(refusal, words), style="yellow")
        elif isinstance(command, c.CastVote):
            option = command.option  # as it is typed
            self.terminal.say(
                say("Your vote: {option}. The last one counts.", option=option), style="green"
            )

    @contextmanager
    def _interrupts(self, inbox: Inbox) -> Iterator[None]:
        """Turns Ctrl-C and SIGTERM into commands. A third Ctrl-C ends the program at once; the
        debate can still be resumed.
        """
        loop = asyncio.get_running_loop()
        playing = asyncio.current_task()

        def interrupted() -> None:
            self.interrupts += 1
            if self.interrupts == 1:
                inbox.put_nowait(InboxCommand(c.Pause(self.person, "Ctrl-C")))
            elif self.interrupts == 2:
                self._again.set()
            elif playing is not None:
                playing.cancel()

        def ended() -> None:
            inbox.put_nowait(
                InboxCommand(c.Pause(self.person, stored("the program got a signal to end")))
            )

        with _on_signal(loop, signal.SIGINT, interrupted), _on_signal(loop, signal.SIGTERM, ended):
            yield


@contextmanager
def _on_signal(loop: asyncio.AbstractEventLoop, number: signal.Signals, act: Any) -> Iterator[None]:
    before = signal.getsignal(number)
    signal.signal(number, lambda *_: loop.call_soon_threadsafe(act))
    try:
        yield
    finally:
        signal.signal(number, before)


class StopOn(Enum):
    """The verdicts for which a pipeline stops."""

    NONE = "none"
    BLOCKING = "blocking"  # those that block, and those that nobody could decide
    ALL = "all"  # every one that is not reached, or does not pass


def check_of(ask: Start) -> StopOn:
    if ask.only_blocking:
        return StopOn.BLOCKING
    return StopOn.ALL if ask.check else StopOn.NONE


def ending(debate: Debate, check: StopOn = StopOn.NONE) -> tuple[int, str]:
    """Returns the exit code for a debate that goes no further now, and the line that explains one
    that is not 0.
    """
    if debate.nothing_because:
        return 3, debate.nothing_because
    if debate.concluded is None:
        return 3, say(
            "Debate {id} is {status}. Go on with: debate resume {id}",
            id=debate.id,
            status=say(STATUS[debate.status]),
        )
    again = say("Look at it with: debate show {id}", id=debate.id)
    match debate.concluded.because:
        case EndReason.BUDGET:
            what = debate.stop.detail if debate.stop is not None else ""
            return 3, say(
                "{what}, and the debate was not complete; the verdict is what it came to. {again}, "
                "or raise the limit.",
                what=what.capitalize() or say("The budget is used up"),
                again=again,
            )
        case EndReason.ERROR:
            return 3, f"{say('The debate could not be completed.')} {why_lost(debate)} {again}"
        case EndReason.NO_QUORUM:
            return 3, f"{say('Too few seats answered for a verdict.')} {why_lost(debate)} {again}"
        case _:
            return _checked(debate, check)


def _checked(debate: Debate, check: StopOn) -> tuple[int, str]:
    if check is StopOn.NONE or debate.concluded is None:
        return 0, ""
    decided = (debate.closed or debate.concluded).decision
    if decision(debate).condition:
        return 1, f"{decision(debate).headline} {say('A what-if passes no check.')}"
    if not decision(debate).clear:
        brings = say("A provider's key brings one that can: debate doctor")
        return 1, f"{decision(debate).headline} {brings}"
    if blocks(debate, decided):
        return 1, say("The verdict blocks: {decision}.", decision=option_words(decided))
    if unread := unread_sentence(debate):
        return 1, f"{say('Nothing blocks, but this is no approval.')} {unread}"
    if check is StopOn.ALL and not verdict(debate).reached:
        return 1, say(
            "Not a reached verdict. {headline}. With --only-blocking it passes.",
            headline=decision(debate).headline.rstrip("."),
        )
    return 0, ""


def shell_stdin() -> int | None:
    """Returns the descriptor that a person types on, None if standard input is closed or
    no file.
    """
    try:
        return sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
