"""Groups the wordings that mean one defect, by place and by words alone.

Likeness is not transitive, so a finding is a connected component of it: two wordings belong
together when a chain of like ones leads from one to the other. That makes the groups independent of
the order in which the wordings come.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from core.replies import Finding
from core.verdict.findings.likeness import overlap, words

_NEAR = 3  # lines
_ON_THE_LINE = 0.4
"""The overlap of words from which wordings on one line are one finding. Measured on pairs of real
tools' comments (``python -m tests.bench.reviewers``): .4 joins 79 % of those about one defect and 7
% of those about different things of a change, .5 61 % and 4 %, .6 36 % and 1 %, .34 86 % and 10 %.
"""
_BESIDE = 0.6
"""The overlap for wordings on different lines: different defects of neighbouring lines share more
words than defects far apart (.27, .42 and .55 in the one recorded review with three of them).
"""
_QUOTED = 0.34
"""The overlap for wordings that quote the same text on one line."""
T = TypeVar("T")


def same(one: Finding, other: Finding) -> bool:
    """Says whether two wordings mean one defect: the same file, near lines of one side, and words
    in common.

    The closer the place, the fewer shared words are needed. Without a line (or a path) only the
    words count, so most must agree.
    """
    if one.path != other.path:
        return False
    if one.path and one.line is not None and other.line is not None:
        return _near(one, other)
    alike = max(
        overlap(words(one.title), words(other.title)), overlap(_meaning(one), _meaning(other))
    )
    return alike >= (0.6 if one.path else 0.75) and len(_meaning(one) & _meaning(other)) >= 2


def _near(one: Finding, other: Finding) -> bool:
    if one.side != other.side or abs((one.line or 0) - (other.line or 0)) > _NEAR:
        return False
    meaning = overlap(_meaning(one), _meaning(other))
    if one.line != other.line:
        return meaning >= _BESIDE
    quoted = one.quote.strip() and one.quote.strip() == other.quote.strip()
    alike = max(overlap(words(one.title), words(other.title)), meaning)
    return alike >= (_QUOTED if quoted else _ON_THE_LINE)


def _meaning(finding: Finding) -> frozenset[str]:
    return words(f"{finding.title} {finding.trigger}")


def components(items: Sequence[tuple[Finding, T]]) -> list[list[T]]:
    """Returns the members of each finding, for wordings in the given order: the connected
    components of ``same``.

    Members keep their order, components come in the order of their first members.
    """
    groups: list[list[int]] = []
    for n, (wording, _) in enumerate(items):
        touching = [g for g in groups if any(same(items[i][0], wording) for i in g)]
        joined = sorted([*(i for g in touching for i in g), n])
        groups = [g for g in groups if g not in touching] + [joined]
    return [[items[i][1] for i in g] for g in sorted(groups)]


def fingerprint(finding: Finding) -> str:
    """Returns 16 hex digits that are the same for one defect in two runs: made of the file, the
    quoted text and the title's words, not of the line.
    """
    parts = (finding.path, " ".join(finding.quote.split()), " ".join(sorted(words(finding.title))))
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
