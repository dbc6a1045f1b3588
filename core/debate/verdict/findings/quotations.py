"""Reads the argument over findings: which turn is about which finding, and whether the lines that
answers quote stand in the code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from core.debate.material import Material
from core.debate.material.diffs import RIGHT
from core.debate.material.locating import Lines, runs_around, runs_of, squeeze
from core.debate.ports import Source
from core.debate.replies import Answer, Position
from core.debate.script import Topic, Turn
from core.debate.state import Debate
from core.debate.verdict.findings.evidence import runs_looked_up
from core.debate.verdict.votes import AUTHOR, FINDING_BALLOT, find_option


def asked_about(turn: Turn) -> tuple[str, ...]:
    """Returns the ids of the findings that the turn is about."""
    return tuple(turn.about_the(Topic.FINDING).split())


def is_called_real(debate: Debate, ids: Collection[str]) -> bool:
    """Return whether a person other than the change's author called the finding real."""
    return any(
        subject in ids
        and vote.role != AUTHOR
        and find_option(vote.option, FINDING_BALLOT) in ("real", "worse")
        for (subject, _), vote in debate.votes.items()
    )


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
