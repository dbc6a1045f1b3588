"""How a debate ended, on one screen: the decision, what it rests on, who disagrees, what it cost,
and the commands for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from adapters.posts.brevity import WARNING, shortened
from adapters.posts.card import place, state_words
from adapters.posts.decision import deciding, decision_sentence
from adapters.posts.root import DEMONSTRATION
from adapters.posts.verdict import verdict_fields
from adapters.posts.words import spent_line, title_of, votes_count
from adapters.terminal.layout import spans_text
from adapters.terminal.printing import one_line
from adapters.text.pieces import Span
from core.debate import Debate
from core.material.addresses import source_url
from core.outcome import without_report
from core.verdict import blocks, verdict
from core.verdict.findings import MergedFinding

_SCREEN = 24
"""Lines of a small terminal."""
_FINDINGS = 5
_DISSENT = 3
"""Lines of a screen that the strongest dissent may take; other facts take two."""


@dataclass(frozen=True, slots=True)
class Row:
    """``most`` lines of a screen, ``tight`` ones where it would not fit; ``indent`` cells in."""

    spans: tuple[Span, ...]
    most: int = 1
    indent: int = 2
    style: str = ""
    tight: int = 1


def rows(debate: Debate) -> Iterator[Row]:
    """What the screen says, from the decision to the commands."""
    decided = "bold green"
    if blocks(debate, verdict(debate).decision):
        decided = "bold red"
    yield Row((Span(f"■ {decision_sentence(debate)}"),), 3, 0, decided, 3)
    yield Row((Span(title_of(debate), url=source_url(debate.open.material)),))
    if debate.open.terms.demo:
        yield Row((Span(DEMONSTRATION),), 2, style="yellow")
    yield from _findings(debate)
    document = without_report(debate)
    for label, text in _facts(debate, document):
        most = _DISSENT if "issent" in label else 2
        style = "yellow" if label == WARNING else ""
        yield Row((Span(f"{label}: ", bold=True), Span(text)), most, 2, style, most - 1)
    yield Row((Span("Cost: ", bold=True), Span(spent_line(debate))))
    if votes_count(debate):
        over = f"When their time is over: debate resume {debate.id}"
        yield Row((Span(f"Votes still count: debate vote {debate.id} OPTION. {over}"),), 4, tight=4)
    for line in _commands(debate):
        yield Row((Span(line),), 4, style="dim", tight=4)  # a command is of no use in part


def _findings(debate: Debate) -> Iterator[Row]:
    found = deciding(debate)
    for number, m in enumerate(found[:_FINDINGS], 1):
        yield from _finding(debate, number, m)
    if len(found) > _FINDINGS:
        yield Row((Span(f"and {len(found) - _FINDINGS} more: debate show {debate.id}"),))


def _finding(debate: Debate, number: int, m: MergedFinding) -> Iterator[Row]:
    f = m.shown
    title = f"{number}. {f.severity.value.capitalize()}: {f.title}"
    yield Row((Span(shortened(title, 160), bold=True),), 2)
    fix = ""
    if f.advice:
        fix = f" · Fix: {shortened(f.advice, 160)}"
    yield Row((place(debate, f), Span(f" · {state_words(m)}{fix}")), 2, 5)


def _facts(debate: Debate, document: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """As the thread is told them; where nobody voted, that is no fact of a shell."""
    voted = any(document["votes"]["people"].values())
    return ((n, t) for n, t in verdict_fields(debate, document) if t and (voted or n != "People"))


def _commands(debate: Debate) -> Iterator[str]:
    later = f" · later: debate held {debate.id} yes|no" if _can_hold(debate) else ""
    yield f"What if: debate fork {debate.id} --without SEAT{later}"
    yield f"To send on: debate export {debate.id} html · all of it: debate show {debate.id}"


def _can_hold(debate: Debate) -> bool:
    """Whether it will be worth saying that it held."""
    return not (debate.lost or debate.open.terms.demo)


def screen(console: Console, debate: Debate) -> list[Text]:
    """Laid out for the width of the console, each row in as many lines as it may take."""
    told = tuple(rows(debate))
    shown = [line for row in told for line in _lines(console, row, row.most)]
    if len(shown) <= _SCREEN:
        return shown
    return [line for row in told for line in _lines(console, row, row.tight)]


def _lines(console: Console, row: Row, most: int) -> Iterator[Text]:
    width = max(20, console.width - row.indent)
    lines = list(spans_text(row.spans).wrap(console, width))
    if len(lines) > most:
        lines[most - 1].truncate(width - 1)
        lines[most - 1].append("…")
    for line in lines[:most]:
        line.rstrip()
        line.stylize(row.style)
        yield Text.assemble(" " * row.indent, line)


def plain_lines(debate: Debate) -> Iterator[str]:
    """The same, a line for each row, nothing cut; addresses in words."""
    for row in rows(debate):
        words = (f"{s.text} <{s.url}>" if s.url else s.text for s in row.spans)
        yield one_line("".join(words))
