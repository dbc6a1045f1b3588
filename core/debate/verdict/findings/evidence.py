"""Checks the evidence of claims by code: quotations against the material, figures and addresses
against everything that a seat was shown.

The template's evidence policy defines which claims are marked. A claim that could not be looked up
is not marked, nor is any claim if the policy admits all evidence. A hot seat's question quotes an
opening and not the material, so it is looked up there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.debate.finding import Finding, Stated
from core.debate.material import RIGHT, Material, flat, squeeze
from core.debate.material.locating import LineRun, Lines, runs_of
from core.debate.ports import Source
from core.debate.replies import Answer, Claim, Position, Statement
from core.debate.script import SeatId, Topic, Turn
from core.debate.state import Debate, once_for
from core.debate.template import Evidence

NOT_FOUND = "quotation not found in the material"
NOT_OF_OPENING = "quotes nothing of the opening that it asks about"
_FIGURE = re.compile(
    r"https?://[^\s)>\]]+"
    r"|(?<![\w.])[$€£]\s?\d[\d.,]{0,30}\d|(?<![\w.])[$€£]\s?\d"  # money
    r"|(?<![\w.])\d[\d.,]{0,30}\s?%"
    r"|(?<![\w.])\d{1,3}(?:,\d{3})+(?![\w])|(?<![\w.])\d{3,}(?:\.\d+)?(?![\w])|(?<![\w.])\d+\.\d+(?![\w.])"
)
"""Matches what can be looked up: addresses, money, percentages, decimals and numbers from a hundred
on. Smaller numbers count things in the text.
"""


@once_for("opened")
def change_lines(debate: Debate) -> Lines:
    """Returns the lines of the change, in which findings are placed by their quotations."""
    return Lines(runs_of(debate.open.material.hunks))


def _runs_looked_up(source: Source) -> Iterator[LineRun]:
    """Returns the lines of the repository that seats looked up: those of one file, or a search's
    hits, one line each.
    """
    lines = source.text.split("\n")
    if source.repository and source.first:
        yield LineRun(source.title.rpartition(":")[0], RIGHT, tuple(enumerate(lines, source.first)))
    elif source.repository:
        for path, number, text in (line.split(":", 2) for line in lines if line.count(":") > 1):
            if number.isdigit():
                yield LineRun(path, RIGHT, ((int(number), text),))


def quoted_lines(debate: Debate, finding: Finding) -> tuple[int, int] | None:
    """Returns the first and the last line of an anchored finding; None for a finding without a
    place.
    """
    if not finding.anchored or finding.line is None:
        return None
    if finding.end is not None:
        return finding.line, finding.end
    lines, stated = change_lines(debate), Stated(finding.path, finding.line, finding.side)
    place = lines.find(finding.quote, stated) or lines.find_nearly(finding.quote, stated)
    if place is None or place.first != finding.line:
        return finding.line, finding.line
    return place.first, place.last


def located(answer: Answer, lines: Lines, accused: Iterable[str] = ()) -> Answer:
    """Returns the answer with the place of its quotation, if it is found there word by word. A
    quotation of the ``accused`` lines themselves is no evidence against the finding.
    """
    place = lines.find(answer.quote, Stated(answer.path, answer.line))
    if place is None:
        return answer
    if answer.position is not Position.MUST_FIX and squeeze(answer.quote) in map(squeeze, accused):
        return answer
    return replace(answer, path=place.path, line=place.first, checked=True)


def standing_lines(material: Material, sources: Iterable[Source]) -> Lines:
    """Returns the lines that exist after the change: in it, around it and in the repository's files
    that seats looked up.
    """
    changed = (run for run in runs_of(material.hunks) if run.side == RIGHT)
    looked_up = (run for source in sources for run in _runs_looked_up(source))
    around = (LineRun(x.path, RIGHT, tuple(enumerate(x.lines, x.first))) for x in material.around)
    return Lines([*changed, *around, *looked_up])


@once_for("opened")
def change_words(debate: Debate) -> str:
    """Returns the words of the material on one line, without the numbers that code put before its
    lines.
    """
    material = debate.open.material
    if not material.hunks:
        return flat(f"{material.text}\n{material.body}")
    lines = (line.text for hunk in material.hunks for line in hunk.lines)
    around = (text for piece in material.around for text in piece.lines)
    return flat("\n".join((material.title, material.body, *lines, *around)))


@once_for("opened")
def shown_numbers(debate: Debate) -> frozenset[str]:
    """Returns the line numbers that seats are shown: a figure that is one of them names a place."""
    material = debate.open.material
    lines = (line for hunk in material.hunks for line in hunk.lines)
    changed = (n for line in lines for n in (line.old, line.new) if n is not None)
    around = (n for piece in material.around for n in range(piece.first, piece.last + 1))
    return frozenset(map(str, (*changed, *around)))


def claim_faults(debate: Debate, turns: Sequence[Turn] | None = None) -> dict[str, str]:
    """Returns claim id -> what is wrong with its evidence, under the template's policy. ``turns``
    narrows it down; sound claims are absent.
    """
    policy = debate.open.template.evidence_policy
    text, lines = _shown(debate), shown_numbers(debate)
    marked: dict[str, str] = {}
    for turn, statement in debate.statements():
        if (turns is not None and turn not in turns) or turn.task == "cross":
            continue  # the latter quotes what its seat defends, and no evidence of its own
        if turn.task == "question":
            if not quotes_opening(debate, turn):
                marked |= {c.id: NOT_OF_OPENING for c in statement.claims}
        elif policy is not Evidence.ALLOW_ANY:
            pages = "" if policy is Evidence.DISALLOW_EXTERNAL else _pages(statement)
            faults = {c.id: _wrong(c, (*text, pages), policy, lines) for c in statement.claims}
            marked |= {id: wrong for id, wrong in faults.items() if wrong}
    return marked


def _wrong(claim: Claim, texts: Sequence[str], policy: Evidence, lines: frozenset[str]) -> str:
    if claim.quote.strip() and not _stands(claim.quote, texts):
        return NOT_FOUND
    if policy is not Evidence.ALLOW_CITED:
        return ""
    strange = [f for f in figures(claim.text) if f not in lines and not _stands(f, texts)]
    if not strange:
        return ""
    return f"unverified: {', '.join(strange[:3])} is neither in the material nor in a source"


def figures(text: str) -> tuple[str, ...]:
    """Returns the figures and addresses that a claim names."""
    return tuple(dict.fromkeys(f.rstrip(".,;:") for f in _FIGURE.findall(text)))


def quotes_opening(debate: Debate, question: Turn) -> bool:
    """True if a question repeats words of its target's opening: some in a row, each of at least
    three letters.
    """
    opening = opening_of(debate, SeatId(question.about_the(Topic.SEAT)))
    statement = debate.statement(question.id)
    if opening is None or statement is None:
        return False
    parts = [opening.text, *(f"{c.text}\n{c.quote}" for c in opening.claims)]
    if opening.stance is not None:
        parts.append(opening.stance.because)
    words = flat("\n".join(parts))
    quotes = [flat(c.quote) for c in statement.claims if len(c.quote.strip()) >= 3]
    quotes += [flat(q) for q in re.findall(r"[\"“«]([^\"”»]{3,})[\"”»]", statement.text)]
    return any(q in words for q in quotes)


def opening_of(debate: Debate, seat: SeatId) -> Statement | None:
    """Returns the first independent statement of a seat."""
    statements = debate.statements((seat,))
    return next((statement for turn, statement in statements if turn.independent), None)


def claims_with_source(debate: Debate) -> Mapping[str, bool]:
    """Returns claim id -> whether it is based on a quotation that is in the material, or on a page
    that its seat read and the claim quotes.
    """
    text = _shown(debate)
    return {
        c.id: bool(c.quote.strip()) and _stands(c.quote, (*text, _pages(statement)))
        for _, statement in debate.statements()
        for c in statement.claims
    }


def _stands(quote: str, texts: Iterable[str]) -> bool:
    """True if a quotation is in one of the texts, each of which is one line."""
    wanted = flat(quote)
    return any(wanted in text for text in texts)


def _shown(debate: Debate) -> tuple[str, str]:
    """Returns the texts that a claim may quote in addition to its statement's pages: the material,
    and everything that seats looked up in its repository.
    """
    looked_up = (
        s.text for _, statement in debate.statements() for s in statement.sources if s.repository
    )
    return change_words(debate), flat("\n".join(looked_up))


def _pages(statement: Statement) -> str:
    return flat("\n".join(f"{s.title}\n{s.url}\n{s.text}" for s in statement.sources))
