"""The status at the end of the screen: who is thinking and their newest words, the progress, the
cost, and the line being typed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from adapters.terminal.printing import one_line
from core.debate.script import Turn, TurnId
from core.debate.state import Debate
from core.languages import msgid, number, say, say_if
from core.words.views.course.cost import spent_so_far
from core.words.views.course.progress import turns_taken
from core.words.views.language.seats import seat_name

_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_KEPT = 2000  # characters of a streamed answer that are kept for showing


@dataclass(slots=True)
class StatusLine:
    """The values of the status; ``seconds`` since the start drives the spinner. ``hint`` names the
    person's next possible action, ``note`` the reason for a wait.
    """

    debate: Debate | None = None
    tails: dict[TurnId, str] = field(default_factory=dict)
    seconds: float = 0.0
    typed: str = ""
    note: str = ""
    hint: str = ""

    def heard(self, turn: Turn, words: str) -> None:
        self.tails[turn.id] = (self.tails.get(turn.id, "") + words)[-_KEPT:]

    def settled(self) -> None:
        """Forgets the words of turns that are over."""
        live = {t.id for t in self.debate.running} if self.debate is not None else set()
        self.tails = {turn: words for turn, words in self.tails.items() if turn in live}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from lines(
            self, options.max_width, max(4, console.height - 4), ascii_only=options.ascii_only
        )


def lines(status: StatusLine, width: int, most: int, *, ascii_only: bool = False) -> list[Text]:
    """Returns at most ``most`` lines of at most ``width`` cells: one for each thinking seat, then
    the count, then the line that is being typed.
    """
    debate = status.debate
    out: list[Text] = []
    if debate is not None and debate.opened is not None:
        spinner = "*" if ascii_only else _SPINNER
        spin = spinner[int(status.seconds * 8) % len(spinner)]
        running, silent = debate.running, say_if(status.note, msgid("waits")) or say("is thinking")
        out += [
            _seat_line(debate, turn, status.tails.get(turn.id, "") or silent, spin, width)
            for turn in running[: most - 2]
        ]
        if len(running) > most - 2:
            more = say("and {count} more", count=len(running) - most + 2)
            out.append(Text(f"  {more}", style="dim"))
        out.append(Text(_count_line(debate, status.seconds), style="dim"))
    if status.note:
        out.append(Text(one_line(status.note), style="yellow"))
    if status.typed:
        out.append(Text(f"> {one_line(status.typed)[-(width - 4) :]}_", style="bold"))
    elif status.hint:
        out.append(Text(status.hint, style="dim"))
    for line in out:
        line.no_wrap, line.overflow = True, "ellipsis"
        line.truncate(width, overflow="ellipsis")
    return out


def _seat_line(debate: Debate, turn: Turn, words: str, spin: str, width: int) -> Text:
    who = one_line(seat_name(debate, turn.seat))
    tail, room = one_line(words), max(0, width - cell_len(who) - 4)
    while tail and cell_len(tail) > room:
        tail = tail[max(1, (cell_len(tail) - room) // 2) :]
    return Text.assemble((f"{spin} ", "cyan"), (who, "bold"), " ", (tail, "dim"))


def _count_line(debate: Debate, seconds: float) -> str:
    tokens = sum(u.prompt_tokens + u.completion_tokens for u in debate.usage.values())
    clock = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    read = say("{count} tokens", count=number(tokens))
    return f"{turns_taken(debate)} · {read} · {spent_so_far(debate)} · {clock}"
