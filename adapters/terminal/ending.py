"""The end of a debate on one screen: the decision, its grounds, who disagrees, the cost, and the
commands for the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from adapters.posts.verdict import people_bar
from adapters.terminal.layout import spans_text
from adapters.terminal.printing import one_line
from adapters.text.pieces import TextSpan
from core.debate.material.addresses import source_url
from core.debate.state import Debate
from core.debate.verdict.findings.merged import MergedFinding
from core.languages import say
from core.words.views.course.cost import spent_line
from core.words.views.course.invitations import commands, more_line
from core.words.views.documents.headings import title_of
from core.words.views.proofs import proof_words
from core.words.views.verdict.decision import DEMONSTRATION, decision
from core.words.views.verdict.facts import FIRST, WARNING, verdict_facts
from core.words.views.verdict.findings import (
    FIX,
    deciding,
    finding_numbers,
    finding_view,
    finding_word,
)
from core.words.views.verdict.stances import people_shown

_SCREEN = 24
"""Lines of a small terminal."""
_FINDINGS, _TEXT = 5, 160


@dataclass(frozen=True, slots=True)
class ScreenRow:
    """``most`` lines of a screen, ``tight`` ones if it would not fit; ``indent`` cells in."""

    spans: tuple[TextSpan, ...]
    most: int = 1
    indent: int = 2
    style: str = ""
    tight: int = 1


def rows(debate: Debate) -> Iterator[ScreenRow]:
    """Yields the rows of the screen, from the decision to the commands."""
    decided = decision(debate)
    style = "bold green"
    if not decided.reached:
        style = "bold yellow"
    elif decided.blocks:
        style = "bold red"
    yield ScreenRow((TextSpan(f"■ {decided.headline}"),), 3, 0, style, 3)
    if debate.open.terms.demo:
        yield ScreenRow((TextSpan(say(DEMONSTRATION)),), 2, style="yellow")
    yield from _findings(debate)
    facts = tuple(verdict_facts(debate, _people(debate)))
    first = [*map(say, FIRST)]
    yield from (_fact(label, text) for label, text in facts if label in first)
    yield ScreenRow((TextSpan(title_of(debate), url=source_url(debate.open.material)),))
    yield from (_fact(label, text) for label, text in facts if label not in first)
    yield ScreenRow((TextSpan(f"{say('Cost')}: ", bold=True), TextSpan(spent_line(debate))))
    for line in commands(debate):
        yield ScreenRow((TextSpan(line),), 4, style="dim", tight=4)  # in part it is of no use


def _fact(label: str, text: str) -> ScreenRow:
    """Returns a row of two lines at most, of three for a reason and the strongest dissent."""
    most, style = 2, ""
    if label in map(say, FIRST):
        most = 3
    if label == say(WARNING):
        style = "yellow"
    return ScreenRow((TextSpan(f"{label}: ", bold=True), TextSpan(text)), most, 2, style, most - 1)


def _findings(debate: Debate) -> Iterator[ScreenRow]:
    findings = deciding(debate)
    for m in findings[:_FINDINGS]:
        yield from _finding(debate, m)
    if len(findings) > _FINDINGS:
        yield ScreenRow((TextSpan(more_line(len(findings) - _FINDINGS, debate.id)),))


def _finding(debate: Debate, m: MergedFinding) -> Iterator[ScreenRow]:
    view = finding_view(debate, m, text=_TEXT)
    yield ScreenRow((TextSpan(f"• {view.short_heading(_TEXT)}", bold=True),), 2)
    facts = [view.status, finding_word(finding_numbers(debate)[m.id])]
    if view.fix:
        facts.append(f"{say(FIX)}: {view.fix}")
    rest = TextSpan("".join(f" · {fact}" for fact in facts))
    yield ScreenRow((TextSpan(view.place, url=view.url), rest), 2, 4)
    if m.proof is not None:
        yield ScreenRow((TextSpan(proof_words(debate, m)),), 3, 4)


def _people(debate: Debate) -> str:
    if not any(people_shown(debate).values()):
        return ""
    return people_bar(debate)


def screen(console: Console, debate: Debate) -> list[Text]:
    """Returns the rows laid out for the console's width, each in as many lines as it may take."""
    all_rows = tuple(rows(debate))
    lines = [line for row in all_rows for line in _lines(console, row, row.most)]
    if len(lines) <= _SCREEN:
        return lines
    return [line for row in all_rows for line in _lines(console, row, row.tight)]


def _lines(console: Console, row: ScreenRow, most: int) -> Iterator[Text]:
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
    """Yields the rows as one line each, nothing cut; addresses in words."""
    for row in rows(debate):
        words = (s.text + (f" <{s.url}>" if s.url else "") for s in row.spans)
        yield one_line("".join(words))
