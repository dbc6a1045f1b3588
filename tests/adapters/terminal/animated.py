"""``python -m tests.adapters.terminal.animated FILE``: one recorded review as a terminal shows it,
as a drawing that moves by CSS alone; whoever wants no motion sees how it ends.

Every line is the terminal's own: what it has printed after each event, and its status below.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from rich.console import Console
from rich.text import Text

from adapters.terminal.status import StatusLine
from adapters.terminal.status import lines as status_lines
from adapters.terminal.terminal import Style, Terminal
from core.debate.state import evolve, replay
from tests.adapters.posts.threads import shown_review
from tests.adapters.terminal.screen import Screen

PICTURE = Path(__file__).parents[3] / "docs" / "pictures" / "terminal.svg"
_TYPED = "debate https://github.com/o/r/pull/412"
_COLUMNS, _ROWS = 92, 27
_CELL, _LINE, _EDGE, _BAR = 8.43, 19, 18, 34
"""Units of a character, a line, the border and the bar above."""
_BEGIN, _LEAST, _A_LINE, _MOST = 1.2, 0.7, 0.16, 2.6
"""Seconds before the first frame, of a frame, more for each of its lines, and at most."""
_COLOURS = {1: "r", 2: "g", 3: "y", 6: "c", 8: "d"}
"""Classes of the terminal's colours, by their numbers."""
_CSS = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
fill:#d1d7e0;white-space:pre}
.b{font-weight:700}.i{font-style:italic}.d{fill:#8b949e}.c{fill:#76e3ea}.r{fill:#ff7b72}
.y{fill:#e3b341}.g{fill:#56d364}
.f,.s{opacity:0;animation:on .01s linear both}
.s{animation:on .01s linear both,off .01s linear forwards}
@keyframes on{from{opacity:0}to{opacity:1}}@keyframes off{from{opacity:1}to{opacity:0}}
"""


@dataclass
class Frame:
    """Lines that are printed now, and the status that stands below them until the next frame."""

    lines: Sequence[Text]
    status: Sequence[Text] = ()
    begins: float = field(default=0.0, compare=False)


def frames() -> list[Frame]:
    """Returns the review from its first line to its verdict."""
    out, seconds = Screen(), itertools.count(0, 3)
    terminal = Terminal(out, style=Style.LIVE, width=_COLUMNS, clock=lambda: float(next(seconds)))
    terminal.console = Console(
        file=out, width=_COLUMNS, force_terminal=True, color_system="standard", markup=False,
        highlight=False, emoji=False, no_color=False,
    )  # fmt: skip
    made = [Frame([Text.assemble(("$ ", "green"), _TYPED)])]
    events = shown_review()
    debate = replay(events[:1])
    for event in events[1:]:
        debate = evolve(debate, event)
        terminal.on_event(event, debate)
        if screen := _printed(out):
            made.append(Frame(screen))
        made[-1].status = status_lines(terminal.status, _COLUMNS, 8)
    terminal.status = StatusLine()
    terminal.conclude(debate)
    made[-1].status = ()
    made.append(Frame(_printed(out)))
    begins = _BEGIN
    for frame in made[1:]:
        frame.begins = begins
        begins += min(_LEAST + _A_LINE * len(frame.lines), _MOST)
    return made


def _printed(out: Screen) -> list[Text]:
    """Returns the lines that came to the screen since the last call."""
    rendered = out.getvalue()
    out.seek(0)
    out.truncate()
    return [Text.from_ansi(line) for line in rendered.splitlines()]


def drawn(made: Sequence[Frame]) -> str:
    """Returns the whole drawing."""
    width, height = _COLUMNS * _CELL + 2 * _EDGE, _ROWS * _LINE + _EDGE + _BAR
    body, offsets, at = [], [], 0
    ends = [frame.begins for frame in made[1:]] + [made[-1].begins + 1]
    for frame, end in zip(made, ends, strict=True):
        body.append(_group("f", frame.lines, at, f"{frame.begins:.1f}s"))
        at += len(frame.lines)
        if frame.status:
            body.append(_group("s", frame.status, at, f"{frame.begins:.1f}s,{end:.1f}s"))
        offsets.append((frame.begins, max(0, at + len(frame.status) - _ROWS) * _LINE))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img" '
        f'aria-label="A review in the terminal: five seats read a change, three argue over two '
        f'findings, the verdict asks for changes"><style>{_CSS}{_scrolling(offsets)}</style>'
        f'<rect width="100%" height="100%" rx="10" fill="#0d1117"/>'
        f'<circle cx="20" cy="17" r="5.5" fill="#ff5f57"/><circle cx="38" cy="17" r="5.5" '
        f'fill="#febc2e"/><circle cx="56" cy="17" r="5.5" fill="#28c840"/>'
        f'<svg x="{_EDGE}" y="{_BAR}" width="{width - 2 * _EDGE:.0f}" height="{_ROWS * _LINE}">'
        f'<g class="w">{"".join(body)}</g></svg></svg>\n'
    )


def _scrolling(offsets: Sequence[tuple[float, int]]) -> str:
    """Returns the movement of the lines, and the lines to show where nothing moves."""
    whole, last = offsets[-1]
    steps = "".join(
        f"{100 * begins / whole:.2f}%{{transform:translateY({-y}px)}}" for begins, y in offsets
    )
    end = f".w{{transform:translateY({-last}px)}}"
    return (
        f"@keyframes up{{{steps}}}{end}.w{{animation:up {whole:.1f}s step-end both}}"
        f"@media(prefers-reduced-motion:reduce){{.w,.f,.s{{animation:none}}.f{{opacity:1}}}}\n"
    )


def _group(kind: str, lines: Sequence[Text], at: int, delay: str) -> str:
    text = "".join(_line(line, at + n) for n, line in enumerate(lines))
    return f'<g class="{kind}" style="animation-delay:{delay}">{text}</g>\n'


def _line(line: Text, row: int) -> str:
    pieces = "".join(_pieces(line))
    return f'<text y="{row * _LINE + 14}">{pieces}</text>' if pieces.strip() else ""


def _pieces(line: Text) -> Iterator[str]:
    console = Console(width=2 * _COLUMNS, color_system="standard", force_terminal=True)
    whole = console.get_style(line.style)
    for text, part, _ in line.render(console):
        style = whole + part if part else whole
        colour = style.color.number if style.color else None
        kinds = [_COLOURS.get(colour or 0, "")]
        kinds += ["b" * bool(style.bold), "i" * bool(style.italic), "d" * bool(style.dim)]
        marks = " ".join(filter(None, kinds))
        escaped = escape(text, quote=False)
        yield f'<tspan class="{marks}">{escaped}</tspan>' if marks else escaped


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    target.write_text(drawn(frames()), "utf-8")
