"""Reads a rule text by its clauses: which of them the debate examined, which points name none, and
which amendments were really proposed.

A clause that nobody mentioned is listed as not examined, never as approved. An amendment is old
words of the text and new ones, shown as a diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.debate.material import Material, flat
from core.debate.replies import Claim, Statement
from core.debate.state import Debate

_NUMBERED = re.compile(
    r"^\W*(?:(?:clause|section|article|rule|§)\s*)?(\d{1,3}(?:\.\d{1,3}){0,3})[.):]?\s+\S",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"(?:clauses?|sections?|articles?|rules?|§§?|cl\.)\s*(\d{1,3}(?:\.\d{1,3})*(?:(?:\s*,\s*|\s+and\s+|\s*&\s*|\s+or\s+)\d{1,3}(?:\.\d{1,3})*)*)",
    re.IGNORECASE,
)
_NEW = re.compile(
    r"^\s*(?:new(?: text)?|amend(?:ed|ment)?(?: text| to)?|replace (?:it )?with|becomes?)\s*:\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered clause; ``lines`` are its 1-based lines of the text."""

    number: str
    text: str
    lines: range


def clauses(material: Material) -> tuple[Clause, ...]:
    """Returns the numbered clauses in the order of the text; a text with fewer than two gets its
    paragraphs numbered instead.
    """
    rows = [
        line.text for hunk in material.hunks for line in hunk.lines
    ] or material.text.splitlines()
    starts = [(n, match[1]) for n, row in enumerate(rows) if (match := _NUMBERED.match(row))]
    starts = [s for i, s in enumerate(starts) if s[1] not in {number for _, number in starts[:i]}]
    if len(starts) < 2:
        gaps = [
            n for n, row in enumerate(rows) if row.strip() and (n == 0 or not rows[n - 1].strip())
        ]
        starts = [(n, str(i)) for i, n in enumerate(gaps, 1)]
    ends = [*(n for n, _ in starts[1:]), len(rows)][: len(starts)]
    return tuple(
        Clause(number, flat(" ".join(rows[n:end])), range(n + 1, end + 1))
        for (n, number), end in zip(starts, ends, strict=True)
    )


def cited_clauses(text: str) -> frozenset[str]:
    """Returns the clause numbers that a text names."""
    return frozenset(
        n for group in _CITED.findall(text) for n in re.findall(r"\d{1,3}(?:\.\d{1,3})*", group)
    )


def _points(debate: Debate) -> Iterator[tuple[Claim, int | None]]:
    """Yields the voting seats' claims and findings made after the text had been presented, each
    with the line of a finding.
    """
    for statement in _examining(debate):
        yield from ((claim, None) for claim in statement.claims)
        for f in statement.findings:
            yield Claim(f.id, f"{f.title} {f.trigger} {f.fix}", f.quote), f.line


def _examining(debate: Debate) -> list[Statement]:
    presenting = debate.open.template.settings.get("presenting", ())
    rounds = debate.open.script.rounds
    return [
        statement
        for turn, statement in debate.statements(debate.voters)
        if rounds[turn.round].phase not in presenting
    ]


def _clauses_of(point: Claim, line: int | None, text: tuple[Clause, ...]) -> frozenset[str]:
    """Returns the clauses that a point is about: those it names, the clause of its quotation, and
    the clause of its line.
    """
    named, quote = cited_clauses(point.text), flat(point.quote)
    return named.intersection(c.number for c in text) | frozenset(
        c.number for c in text if line in c.lines or (len(quote) >= 3 and quote in c.text)
    )


def points_by_clause(debate: Debate) -> Mapping[str, tuple[str, ...]]:
    """Returns clause number -> the points about it; a clause without any was not examined."""
    text = clauses(debate.open.material)
    by_clause: dict[str, list[str]] = {c.number: [] for c in text}
    for point, line in _points(debate):
        for number in _clauses_of(point, line, text):
            by_clause[number].append(point.id)
    return {number: tuple(ids) for number, ids in by_clause.items()}


def loose_points(debate: Debate) -> tuple[str, ...]:
    """Returns the ids of points that name no existing clause or quote words that are not in the
    text.
    """
    text = clauses(debate.open.material)
    whole = " ".join(c.text for c in text)
    return tuple(
        p.id
        for p, line in _points(debate)
        if not _clauses_of(p, line, text) or not p.quote.strip() or flat(p.quote) not in whole
    )


def amendments(debate: Debate) -> tuple[Claim, ...]:
    """Returns the claims that quote words of the text and give new ones ("New: ..."), each with the
    new words as its text; of two for the same words the later one counts.
    """
    whole = " ".join(c.text for c in clauses(debate.open.material))
    made: dict[str, Claim] = {}
    for statement in _examining(debate):
        for claim in statement.claims:
            old, marked = flat(claim.quote), _NEW.match(claim.text)
            new = claim.text[marked.end() :].strip() if marked else ""
            if old and new and old in whole and new != old:
                made[old] = Claim(claim.id, new, old)
    return tuple(made.values())
