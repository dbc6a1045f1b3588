"""Locates the lines that answers about findings quote: whether they are in the code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.debate.material import RIGHT, Material, squeeze
from core.debate.material.locating import Lines, runs_around, runs_of
from core.debate.ports import Source
from core.debate.replies import Answer, Position
from core.debate.verdict.findings.evidence import runs_looked_up


def located(answer: Answer, lines: Lines, accused: Iterable[str] = ()) -> Answer:
    """Returns the answer with the place of its quotation, if it stands there word by word. A
    quotation of the ``accused`` lines themselves is no evidence against the finding.
    """
    place = lines.find(answer.quote, answer.path, answer.line)
    if place is None or place.loose:
        return answer
    if answer.position is not Position.MUST_FIX and squeeze(answer.quote) in map(squeeze, accused):
        return answer
    return replace(answer, path=place.path, line=place.first, checked=True)


def standing_lines(material: Material, sources: Iterable[Source]) -> Lines:
    """Returns the lines that stand after the change: in it, around it and in the repository's files
    that seats looked up.
    """
    changed = (run for run in runs_of(material.hunks) if run.side == RIGHT)
    looked_up = (run for source in sources for run in runs_looked_up(source))
    return Lines([*changed, *runs_around(material.around), *looked_up])
