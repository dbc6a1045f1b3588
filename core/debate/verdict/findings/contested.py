"""Finds what the openings contest: what would change the decision if it were settled.

A pure function of the openings (and of what people call real meanwhile): a stated confidence or a
severity plays no part. If every opening blocks, or none does and none holds a finding that would,
nothing is contested.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import replace

from core.debate.finding import Finding
from core.debate.replies import Statement
from core.debate.script import SeatId
from core.debate.state import Debate, once
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import CODE, REMARK, FindingState, MergedFinding
from core.debate.verdict.votes import AUTHOR, FINDING_BALLOT, find_option, independent_votes

MOST_POINTS = 4
"""The most findings that one review argues over; those that most seats hold come first."""
MOST_ARGUING = 3
"""The most seats that argue, in addition to the author's."""


@once
def contested(debate: Debate) -> tuple[MergedFinding, ...]:
    """Returns the findings that would change the decision, and other reviewers' remarks on which
    seats differ; those that most seats hold first.
    """
    everybody, wants = set(openings(debate)), _wanting(debate)
    anyway = debate.open.terms.anyway
    if _asking(debate) == everybody and not anyway:
        return ()
    open_ones = [m for m in merge_findings(before_the_argument(debate)) if _is_open(m)]
    concerned = [
        m
        for m in open_ones
        if _reporters(m, wants)
        or is_called_real(debate, m.ids)
        or (anyway and m.by)
        or (REMARK in m.raisers and m.holders and m.disputed_by)
    ]
    divided = [m for m in concerned if anyway or _reporters(m, wants) != everybody]
    divided.sort(key=lambda m: (-len(_reporters(m, wants)), -m.wording.severity.rank, _mark(m)))
    return tuple(divided[:MOST_POINTS])


@once
def openings(debate: Debate) -> dict[SeatId, Statement]:
    """Returns the opening of each entitled seat that gave one, with the findings that it reported
    when it read parts of a large change.
    """
    reported: dict[SeatId, list[Finding]] = {}
    opened: dict[SeatId, Statement] = {}
    for turn, statement in debate.statements(debate.voters):
        if turn.independent:
            reported.setdefault(turn.seat, []).extend(statement.findings)
            opened[turn.seat] = statement
    return {
        seat: replace(statement, findings=tuple(reported[seat]))
        for seat, statement in opened.items()
    }


def is_called_real(debate: Debate, ids: Collection[str]) -> bool:
    """Return whether a person other than the change's author called the finding real."""
    return any(
        subject in ids
        and vote.role != AUTHOR
        and find_option(vote.option, FINDING_BALLOT) in ("real", "worse")
        for (subject, _), vote in debate.votes.items()
    )


def before_the_argument(debate: Debate) -> Debate:
    """Returns the debate as it was after the openings."""
    first = {t.id for t in debate.turns if t.independent}
    heard = {id: statement for id, statement in debate.finished.items() if id in first}
    return replace(debate, finished=heard)


def _asking(debate: Debate) -> set[SeatId]:
    blocking = debate.open.template.blocking
    votes = independent_votes(debate)
    return {seat for seat in openings(debate) if votes[seat] in blocking}


def _is_open(finding: MergedFinding) -> bool:
    standing = finding.state is FindingState.OPEN and finding.evident
    settled = finding.proven or finding.confirmed or CODE in finding.by or finding.bar is not None
    return standing and not settled


def _wanting(debate: Debate) -> dict[SeatId, set[str]]:
    """Returns the findings for which each seat would block: those that it says must be fixed; the
    gravest located ones of a seat that blocks and marks none.
    """
    asking = _asking(debate)
    wants: dict[SeatId, set[str]] = {}
    for seat, statement in openings(debate).items():
        located = [f for f in statement.findings if f.anchored]
        marked = [f for f in located if f.asks_to_block]
        if not marked and seat in asking and located:
            gravest = max(f.severity.rank for f in located)
            marked = [f for f in located if f.severity.rank == gravest]
        wants[seat] = {f.id for f in marked}
    return wants


def _reporters(finding: MergedFinding, wants: dict[SeatId, set[str]]) -> set[SeatId]:
    ids = set(finding.ids)
    agreeing = {s for s in finding.fix_by if s in wants and s not in finding.raisers}
    return {seat for seat, wanted in wants.items() if wanted & ids} | agreeing


def arguing_seats(debate: Debate) -> tuple[SeatId, ...]:
    """Returns the seats that argue: for every point one that would block for it, then seats that
    read the place and did not report it, then further holders.

    The choice follows from what the openings say, never from the order of seats or a draw.
    """
    opened, points, wants = openings(debate), contested(debate), _wanting(debate)
    wanting = {m.id: _reporters(m, wants) or m.raisers for m in points}
    blocking = {seat: {m.id for m in points if seat in wanting[m.id]} for seat in opened}
    holding = {seat: {m.id for m in points if seat in m.raisers or seat in m.by} for seat in opened}
    order = sorted(opened, key=lambda seat: _digest(opened[seat]))
    chosen: list[SeatId] = []
    open_points = {m.id for m in points}
    while len(chosen) < MOST_ARGUING:
        left = [s for s in order if s not in chosen]
        best = max(left, key=lambda s: len(blocking[s] & open_points), default=None)
        if best is None or not blocking[best] & open_points:
            break
        chosen.append(best)
        open_points -= blocking[best]
    free = [s for s in order if s not in chosen]
    free.sort(key=lambda s: (len(holding[s]), -_near(opened[s], points)))
    chosen += free[: MOST_ARGUING - len(chosen)]
    return tuple(seat for seat in opened if seat in chosen)


def _near(opening: Statement, points: Sequence[MergedFinding]) -> int:
    """Counts what a seat said about the files of the points."""
    paths = {m.wording.path for m in points}
    return sum(f.path in paths for f in opening.findings)


def _mark(finding: MergedFinding) -> str:
    """Returns a mark of the finding that does not depend on its place in the script."""
    words = sorted(f"{r.finding.path}:{r.finding.line} {r.finding.title}" for r in finding.raised)
    return hashlib.sha256("\x00".join(words).encode("utf-8", "replace")).hexdigest()


def _digest(opening: Statement) -> str:
    """Returns a mark of what a seat said, the same whichever seat says it."""
    option = opening.stance.option if opening.stance else ""
    words = (opening.text, option, *(f"{f.path}:{f.line} {f.title}" for f in opening.findings))
    return hashlib.sha256("\x00".join(words).encode("utf-8", "replace")).hexdigest()
