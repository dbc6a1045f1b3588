"""Reads cross-examinations from the debate: which seat was asked about which finding, its answer,
and whether the quoted lines stand in the code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from core.debate import Debate
from core.formats.plan import CROSS_EXAMINATION
from core.material import Material
from core.material.diffs import RIGHT
from core.material.locating import Lines, runs_around, runs_of, squeeze
from core.ports import Source
from core.replies import Answer, Position
from core.script import Topic, Turn
from core.verdict.findings.cross_examined import Exchange
from core.verdict.findings.evidence import runs_looked_up
from core.verdict.votes import AUTHOR, FINDING_BALLOT, find_option


def is_cross_examined(debate: Debate) -> bool:
    """Says whether the debate is decided by the rule over cross-examined findings."""
    return debate.open.script.format == CROSS_EXAMINATION


def asked_about(turn: Turn) -> tuple[str, ...]:
    """Returns the ids of the findings that the turn is about."""
    return tuple(turn.about_the(Topic.FINDING).split())


def exchange_about(debate: Debate, ids: Collection[str]) -> Exchange:
    """Returns the result of the cross-examination of the finding whose wordings have these ids."""
    turns = [t for t in debate.turns if set(asked_about(t)) & set(ids)]
    refuting = [t for t in turns if t.task == "refute" and t.id not in debate.skipped]
    replies = [a for t in refuting for a in _last_word(_answers(debate, t, ids))]
    upheld = [a for t in turns if t.task == "uphold" for a in _answers(debate, t, ids)]
    disputes = [a for a in replies if a.position is Position.DISPUTE]
    return Exchange(
        refuters=len(refuting),
        confirmed=sum(a.position is Position.AGREE for a in replies),
        refuted=sum(a.checked for a in disputes),
        unproven=sum(not a.checked for a in disputes),
        kept=any(a.position is Position.KEEP and a.input for a in upheld),
        called=is_called_real(debate, ids),
    )


def _last_word(answers: Iterator[Answer]) -> tuple[Answer, ...]:
    """Returns the one answer of a refuter that counts, whatever the order of its answers: first one
    that agrees with the finding, then one whose quotation code found.
    """
    return tuple(sorted(answers, key=lambda a: (a.position is not Position.AGREE, not a.checked)))[
        :1
    ]


def is_called_real(debate: Debate, ids: Collection[str]) -> bool:
    """Says whether a person other than the change's author called the finding real."""
    return any(
        subject in ids
        and vote.role != AUTHOR
        and find_option(vote.option, FINDING_BALLOT) in ("real", "worse")
        for (subject, _), vote in debate.votes.items()
    )


def _answers(debate: Debate, turn: Turn, ids: Collection[str]) -> Iterator[Answer]:
    statement = debate.statement(turn.id)
    yield from (a for a in (statement.answers if statement else ()) if a.to in ids)


def located(answer: Answer, lines: Lines, accused: Iterable[str] = ()) -> Answer:
    """Returns the answer with the place where its quotation stands word by word. A quotation of the
    ``accused`` lines themselves is no evidence.
    """
    place = lines.find(answer.quote, answer.path, answer.line)
    if place is None or place.loose or squeeze(answer.quote) in map(squeeze, accused):
        return answer
    return replace(answer, path=place.path, line=place.first, checked=True)


def standing_lines(material: Material, sources: Iterable[Source]) -> Lines:
    """Returns the lines that stand after the change: in it, around it and in the repository's files
    that seats looked up.
    """
    changed = (run for run in runs_of(material.hunks) if run.side == RIGHT)
    looked_up = (run for source in sources for run in runs_looked_up(source))
    return Lines([*changed, *runs_around(material.around), *looked_up])
