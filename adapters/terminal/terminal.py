"""A debate in a terminal: rounds as a thread above, a living status below; plain lines where nobody
watches, silence where asked.

It is one more surface for the same posts that chats get. Colours go where the terminal has them and
``NO_COLOR`` is not set (rich sees to that), a dumb terminal or a pipe gets one line per post.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from enum import StrEnum
from typing import IO

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.rule import Rule
from rich.text import Text

from adapters.ports.chat import Post, Shape
from adapters.posts import posts_for
from adapters.terminal.layout import moved, plain, round_line, thread
from adapters.terminal.printing import put_line
from adapters.terminal.status import Status, who_speaks
from adapters.terminal.typing import can_type, typing
from core import events as e
from core.debate import Debate
from core.material.escaping import show_hidden
from core.ports import OnWords
from core.script import Turn

_FRAMES = 8.0
"""Times a second that the status is drawn."""
_HINT = "Type a challenge or a vote and press Enter · Ctrl-C pauses"


class Style(StrEnum):
    LIVE = "live"  # a person watches
    PLAIN = "plain"  # one line per post
    QUIET = "quiet"  # nothing but answers


def style_for(out: IO[str], *, quiet: bool) -> Style:
    """How much to show on ``out``."""
    if quiet:
        return Style.QUIET
    if out.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return Style.LIVE
    return Style.PLAIN


class Terminal:
    """Shows one debate on ``out``.

    ``width`` fixes the width in cells (tests, exports); ``clock`` counts seconds for the status.
    """

    def __init__(
        self,
        out: IO[str] | None = None,
        *,
        style: Style | None = None,
        width: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        out = sys.stdout if out is None else out
        self.style = style_for(out, quiet=False) if style is None else style
        self.console = Console(
            file=out,
            width=width,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=self.style is not Style.LIVE,
        )
        self.status = Status()
        self._clock, self._started = clock, clock()
        self._before: Debate | None = None
        self._round = -1
        self._noted = -1
        self._live: Live | None = None

    # what the engine calls

    def told(self, event: e.Event, debate: Debate) -> None:
        """Shows what happened. ``core.engine.EventListener``."""
        before, self._before = self._before, debate
        self.status.debate = debate
        self.status.settled()
        if self.style is Style.QUIET:
            return
        if isinstance(event, e.TurnStarted):
            self._starting(debate, debate.script.turn(event.turn))
        for post in posts_for(before, event, debate):
            self._post(post)
        self._draw()

    def words(self, turn: Turn) -> OnWords | None:
        """Where streamed words go: into the status, if somebody watches."""
        if self.style is not Style.LIVE:
            return None
        return lambda words: self.status.heard(turn, words)

    # what the shell calls

    def say(self, *lines: str, style: str = "") -> None:
        """Our own sentences about the run; silent when quiet."""
        if self.style is not Style.QUIET:
            for line in lines:
                self.console.print(Text(show_hidden(line), style=style))

    def report(self, markdown: str) -> None:
        """A document: laid out for a terminal, else as it is."""
        if self.console.is_terminal and not self.console.is_dumb_terminal:
            self.console.print(Markdown(show_hidden(markdown), hyperlinks=False), soft_wrap=False)
        else:
            self.console.print(Text(show_hidden(markdown.rstrip("\n"))))

    def note(self, line: str, share: float) -> None:
        """What keeps everybody waiting (a download) and how far it is, in [0, 1]: in the status,
        else every tenth on standard error.
        """
        if self._live is not None:
            self.status.note = f"{line} {share:.0%}" if share < 1 else ""
        elif int(share * 10) > self._noted:
            put_line(f"{line} {share:.0%}", error=True)
        self._noted = int(share * 10) if share < 1 else -1

    @asynccontextmanager
    async def running(
        self, on_line: Callable[[str], None] | None = None, stdin: int | None = None
    ) -> AsyncIterator[None]:
        """Draws the status while the block runs; ``on_line`` hears what a person types on
        ``stdin``.
        """
        if self.style is not Style.LIVE:
            yield
            return
        keyboard: AbstractContextManager[None] = nullcontext()
        self.status.hint = "Ctrl-C pauses"
        if on_line is not None and stdin is not None and can_type(stdin):
            keyboard = typing(stdin, on_line, self._typed)
            self.status.hint = _HINT
        with keyboard, self._living():
            drawing = asyncio.create_task(self._keep_drawing())
            try:
                yield
            finally:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)

    def _post(self, post: Post) -> None:
        if post.facts.get(
            "moved"
        ):  # a terminal can't change what it said: one line tells what is new
            self.say(moved(post), style="dim")
        if post.shape is Shape.ROOT or post.edits:
            return
        if post.shape is Shape.VERDICT:  # the report says the rest
            self.say(f"■ {post.title}", style="bold green")
        elif self.style is Style.LIVE:
            self.console.print(thread(post))
        else:
            self.console.print(Text(plain(post)))

    def _starting(self, debate: Debate, turn: Turn) -> None:
        if turn.round > self._round:
            self._round = turn.round
            rounds = debate.open.script.rounds
            title = round_line(turn.round + 1, len(rounds), rounds[turn.round].title)
            if self.style is Style.LIVE:
                self.console.print(Rule(Text(title), align="left", style="dim"))
            else:
                self.console.print(Text(title))
        if self.style is Style.PLAIN:
            self.console.print(Text(f"{who_speaks(debate, turn)} is thinking ({turn.id})"))

    @contextmanager
    def _living(self) -> Iterator[None]:
        with Live(
            self.status,
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ) as self._live:
            try:
                yield
            finally:  # the last frame is empty: the thread above stays
                self.status.debate, self.status.hint, self.status.typed = None, "", ""
        self._live = None

    async def _keep_drawing(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(1 / _FRAMES)

    def _draw(self) -> None:
        self.status.seconds = self._clock() - self._started
        if self._live is not None:
            self._live.refresh()

    def _typed(self, text: str) -> None:
        self.status.typed = text
        self._draw()
