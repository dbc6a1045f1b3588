"""The points that a turn may answer, as values."""

from __future__ import annotations

from collections.abc import Iterator

from core.debate.due.argument import at_issue
from core.debate.prompting.form import task_of
from core.debate.prompting.transcript import objections_before, statements_before
from core.debate.scene import Point, PointKind
from core.debate.script import Topic, Turn
from core.debate.state import Debate


def points_before(debate: Debate, turn: Turn) -> tuple[Point, ...]:
    """Returns the points that the turn's prompt names: the findings that it must answer, or the
    objections, the reports and what was stated before it.
    """
    if task_of(debate, turn).pointed:
        return tuple(_findings_at_issue(debate, turn))
    return (*_objections(debate, turn), *_reports(debate), *_stated(debate, turn))


def _findings_at_issue(debate: Debate, turn: Turn) -> Iterator[Point]:
    for finding in at_issue(debate, turn):
        f, own = finding.wording, any(r.seat == turn.seat for r in finding.raised)
        text = f"{f.title} | {f.trigger}"
        yield Point(finding.id, PointKind.FINDING, text, f.path, f.line, own)


def _objections(debate: Debate, turn: Turn) -> Iterator[Point]:
    answered = {c.id for c in objections_before(debate, turn)}
    for challenge in debate.challenges:
        if challenge.id in answered or challenge.id == turn.about_the(Topic.CHALLENGE):
            yield Point(challenge.id, PointKind.OBJECTION, challenge.text)


def _reports(debate: Debate) -> Iterator[Point]:
    """Yields the open demands of earlier reviews and what scanners report."""
    material = debate.open.material
    for demand in material.demands:
        if demand.listed:
            yield Point(demand.id, PointKind.FINDING, demand.title, demand.path, demand.line)
    for report in material.scanned:
        yield Point(report.id, PointKind.FINDING, report.title, report.path, report.line)


def _stated(debate: Debate, turn: Turn) -> Iterator[Point]:
    for speaker, statement in statements_before(debate, turn):
        if statement is None:
            continue
        own = speaker.seat == turn.seat
        for f in statement.findings:
            text = f"{f.title} | {f.trigger}"
            yield Point(f.id, PointKind.FINDING, text, f.path, f.line, own)
        for c in statement.claims:
            yield Point(c.id, PointKind.CLAIM, c.text, own=own)
        yield Point(speaker.id, PointKind.STATEMENT, statement.text, own=own)
