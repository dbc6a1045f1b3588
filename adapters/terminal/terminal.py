"""A debate in a terminal: rounds as a thread above, a living status below; plain lines if nobody
watches, silence if asked for.

It shows the same posts that chats get. Colours are used if the terminal has them and ``NO_COLOR``
is not set (rich sees to that, and leaves bold, which is no colour); a dumb terminal or a pipe gets
one line per post.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from datetime import UTC, datetime
from enum import StrEnum
from typing import IO, Any

from rich.console import Console, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.style import Style as RichStyle
from rich.text import Text

from adapters.ports.chat import Post, Shape
from adapters.posts import posts_for
from adapters.terminal import charts, lists
from adapters.terminal.ending import plain_lines, screen
from adapters.terminal.layout import moved, plain, thread
from adapters.terminal.pager import PersonPager
from adapters.terminal.printing import one_line, put, put_line
from adapters.terminal.status import StatusLine
from adapters.terminal.typing import can_type, typing
from core.debate import events as e
from core.debate.material.escaping import show_hidden
from core.debate.ports import OnWords
from core.debate.script import Turn
from core.debate.state import Debate
from core.languages import say
from core.words.views.course.invitations import CONTINUED, PAUSES, TYPE_HERE
from core.words.views.course.progress import how_far, round_name
from core.words.views.language.seats import seat_name
from core.words.views.verdict.findings import finding_numbers

_FRAMES = 8.0
"""Times a second that the status is drawn."""


class Style(StrEnum):
    LIVE = "live"  # a person watches
    PLAIN = "plain"  # one line per post
    QUIET = "quiet"  # nothing but answers


def style_for(out: IO[str], *, quiet: bool, plain: bool) -> Style:
    """Returns the amount of output on ``out``."""
    if quiet:
        return Style.QUIET
    if not plain and out.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return Style.LIVE
    return Style.PLAIN


class Terminal:
    """Shows one debate on ``out``.

    ``width`` fixes the width in cells (tests, exports); ``clock`` counts seconds for the status.
    ``plain`` is for pipes: no colour, no link, no movement, nothing wrapped.
    """

    def __init__(
        self,
        out: IO[str] | None = None,
        *,
        style: Style | None = None,
        width: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        plain: bool = False,
    ) -> None:
        out = out or sys.stdout
        self.style = style or style_for(out, quiet=False, plain=plain)
        self.console = Console(
            file=out,
            width=width,
            force_terminal=False if plain else None,
            color_system=None if plain else "auto",
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=self.style is not Style.LIVE,
        )
        self.status = StatusLine()
        self._clock, self._started = clock, clock()
        self._before: Debate | None = None
        self._round = -1
        self._rounds: set[int] = set()
        self._findings: dict[str, int] = {}
        self._noted = -1
        self._live: Live | None = None
        self._waits = ExitStack()

    # what the engine calls

    def on_event(self, event: e.Event, debate: Debate) -> None:
        """Shows an event. It is a ``core.debate.engine.EventListener``."""
        before, self._before = self._before, debate
        self.status.debate = debate
        self.status.settled()
        if self.style is Style.QUIET:
            return
        if isinstance(event, e.TurnStarted):
            self._starting(debate, debate.script.turn(event.turn))
        elif isinstance(event, e.TurnFinished):
            self._head(debate, debate.script.turn(event.turn))
        for post in posts_for(before, event, debate, grows=False):
            self._post(post)
        self._draw()

    def words(self, _debate: str, turn: Turn) -> OnWords | None:
        """Returns the listener for streamed words, which go into the status; None if nobody
        watches.
        """
        if self.style is not Style.LIVE:
            return None
        return lambda words: self.status.heard(turn, words)

    # what the shell calls

    def say(self, *lines: str, style: str = "", url: str = "") -> None:
        """Prints a sentence about the run, unless quiet. ``url`` is one of our addresses."""
        if self.style is not Style.QUIET:
            look = RichStyle.parse(style) + RichStyle(link=url or None)
            for line in lines:
                self.console.print(Text(show_hidden(line), style=look))

    @property
    def lays_out(self) -> bool:
        """True if a person reads, on a screen that can be laid out."""
        return self.console.is_terminal and not self.console.is_dumb_terminal

    def conclude(self, debate: Debate) -> None:
        """Prints the end of the debate on one screen, also when quiet, because that is what was
        asked for.
        """
        lines = [Text(line) for line in plain_lines(debate)]
        if self.lays_out:
            lines = screen(self.console, debate)
        for line in lines:
            self.console.print(line, soft_wrap=True)

    def report(self, markdown: str, *, links: bool = False, paged: bool = False) -> None:
        """Prints a document: laid out on a terminal, else as it is.

        ``links`` can be clicked: only if code made every one of them. ``paged`` goes through the
        person's pager.
        """
        if self.lays_out:
            from rich.markdown import Markdown  # its own parser, for the end of a debate

            rendered = Markdown(show_hidden(markdown), hyperlinks=links)
            with ExitStack() as pages:
                if paged:
                    pager = self.console.pager(PersonPager(), styles=True, links=links)
                    pages.enter_context(pager)
                self.console.print(rendered, soft_wrap=False)
        else:
            self.console.print(Text(show_hidden(markdown.rstrip("\n"))))

    def debates(self, rows: Sequence[Mapping[str, Any]], text: str) -> None:
        """Prints a table on a screen, and ``text`` elsewhere or if the table is empty."""
        drawn = lists.debates(rows, datetime.now(UTC), self.console.width)
        self._draw_or_print(drawn if rows else (), text)

    def columns(self, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
        """Prints members of each row on a line, separated by tabs."""
        for line in lists.separated(rows, names):
            put(line)

    def leaderboard(self, ratings: Mapping[str, Any], text: str) -> None:
        """Prints the leaderboard drawn on a screen, ``text`` elsewhere."""
        self._draw_or_print(charts.leaderboard(ratings), text)

    def compare(self, outcomes: Sequence[Mapping[str, Any]], text: str) -> None:
        """Prints two debates drawn side by side; ``text`` if nothing is laid out."""
        self._draw_or_print(charts.comparison(outcomes), text)

    def _draw_or_print(self, drawn: Iterable[RenderableType], text: str) -> None:
        parts = [*drawn] if self.lays_out else []
        for part in parts:
            self.console.print(part, soft_wrap=False)
        if not parts:
            self.report(text)

    def note(self, what: str, done: int, of: int) -> None:
        """Shows the reason for a wait (a download) with its progress in bytes: in the status, else
        every tenth on standard error.
        """
        line = how_far(what, done, of)
        tenth, over = min(done, of) * 10 // max(of, 1), done >= of
        if self._live is not None:
            self.status.note = "" if over else line
        elif tenth > self._noted or not of:
            put_line(line, error=True)
        self._noted = -1 if over else tenth

    def wait(self, what: str) -> None:
        """Shows a person who watches what is done before a debate begins, until ``ready``. If an
        error comes instead of the debate, it is all that stays.
        """
        if self.style is Style.LIVE and self._live is None:
            self._waits.enter_context(self._living())
        self.status.note = what
        self._draw()

    def ready(self) -> None:
        """Takes away the words of ``wait``."""
        self.status.note = ""
        self._waits.close()

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
        self.status.hint = say(PAUSES)
        if on_line is not None and stdin is not None and can_type(stdin):
            keyboard = typing(stdin, on_line, self._typed)
            self.status.hint = say(TYPE_HERE)
        with keyboard, self._living():
            drawing = asyncio.create_task(self._keep_drawing())
            try:
                yield
            finally:
                drawing.cancel()
                await asyncio.gather(drawing, return_exceptions=True)

    def finding(self, number: int) -> str:
        """Returns the id of the finding that was shown with this number; empty if none was."""
        return next((id for id, number_of in self._findings.items() if number_of == number), "")

    def _post(self, post: Post) -> None:
        number = 0
        if post.shape is Shape.FINDING and self._before is not None:
            id, most = post.subject or post.key, len(self._findings) + 1
            number = self._findings.setdefault(id, finding_numbers(self._before).get(id, most))
        if post.facts.get(
            "moved"
        ):  # a terminal can't change what it said: one line tells what is new
            self.say(moved(post, number), style="dim")
        if post.shape in (Shape.ROOT, Shape.VERDICT) or post.edits:
            return  # what is known before and after the debate is told around it
        if self.style is Style.LIVE:
            self.console.print(thread(post, number))
        else:
            self.console.print(Text(plain(post, number)))

    def _starting(self, debate: Debate, turn: Turn) -> None:
        if turn.round not in self._rounds:
            self._head(debate, turn)
        if self.style is Style.PLAIN:
            who = one_line(seat_name(debate, turn.seat))
            self.console.print(Text(say("{name} is thinking", name=who)))

    def _head(self, debate: Debate, turn: Turn) -> None:
        """Prints the round's title above its first post, and again if another round came in
        between. An answer to a person belongs to no round and keeps its place.
        """
        number = turn.round
        if number == self._round or turn.answers_person:
            return
        title = one_line(round_name(debate, number + 1))
        if number in self._rounds:
            title = f"{title}, {say(CONTINUED)}"
        self._round = number
        self._rounds.add(number)
        if self.style is Style.LIVE:
            self.console.print(Rule(Text(title), align="left", style="dim"))
        else:
            self.console.print(Text(title))

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
