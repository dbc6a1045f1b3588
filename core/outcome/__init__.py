"""The outcome document: everything that is known about a debate, as one JSON object, at any moment
of its life.

It is a projection: the same events give the same document. ``outcome.schema.json`` beside it
describes it, and a test holds this module to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from core.checks import appointment
from core.debate import Debate
from core.outcome.account import challenges, delta, rounds, seats
from core.outcome.caveats import warnings
from core.outcome.cost import cost
from core.outcome.report import report
from core.outcome.scores import scores
from core.verdict import Verdict, verdict
from core.verdict.consensus import mode_of, panel
from core.verdict.convergence import news
from core.verdict.delta import moves
from core.verdict.dissent import dissents
from core.verdict.findings import MergedFinding, merge_findings
from core.verdict.votes import NONE, final, independent, people, tally, wilson

VERSION = 1


def outcome(debate: Debate, parent: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The document. ``parent`` is the outcome of the debate this one was forked from, for the
    comparison.
    """
    made = _head(debate) | {
        "cost": cost(debate),
        "events": debate.count,
        "parent": _parent(debate, parent),
    }
    if debate.opened is None:
        return made | _unopened()
    findings, decided = merge_findings(debate), verdict(debate)
    voted = people(debate) if debate.over else {}
    return made | {
        "material": _material(debate),
        "seats": seats(debate),
        "rounds": rounds(debate),
        "findings": [_finding(debate, f) for f in findings],
        "votes": _votes(debate, voted),
        "verdict": _verdict(debate, decided),
        "dissent": [asdict(d) for d in dissents(debate, decided, findings)],
        "scores": scores(debate),
        "delta": delta(debate),
        "challenges": challenges(debate),
        "warnings": list(warnings(debate, decided, findings, sum(voted.values()))),
        "metrics": _metrics(debate),
        "complexity": _complexity(debate),
        "follow_up": _follow_up(debate),
        "report": report(debate, parent) if debate.over else "",
    }


def _head(debate: Debate) -> dict[str, Any]:
    opened, ended = debate.opened, debate.concluded
    return {
        "version": VERSION,
        "id": debate.id,
        "template": opened.template.id if opened else debate.request.template,
        "format": opened.script.format if opened else debate.request.format,
        "status": debate.status,
        "ended_because": "error" if debate.failure else ended.because.value if ended else None,
        "failure": debate.failure,
        "demo": bool(opened and opened.terms.demo),
        "target": debate.request.target,
        "place": debate.request.place,
        "asker": debate.request.asker,
        "requested_at": _time(debate.requested.at),
        "concluded_at": _time(ended.at) if ended else None,
    }


def _time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _unopened() -> dict[str, Any]:
    """The same members for a debate that has not opened, or never did."""
    return {
        "material": None,
        "seats": [],
        "rounds": [],
        "findings": [],
        "votes": {"independent": {}, "final": {}, "people": {}},
        "verdict": {
            "decision": NONE,
            "reached": False,
            "mechanism": "",
            "agreement": 0.0,
            "quorum": {"needed": 0, "present": 0},
            "summary": "",
            "action_items": [],
            "contested": False,
            "status": "",
        },
        "dissent": [],
        "scores": {},
        "delta": [],
        "challenges": [],
        "warnings": [],
        "metrics": {},
        "complexity": None,
        "follow_up": None,
        "report": "",
    }


def _material(debate: Debate) -> dict[str, Any]:
    m = debate.open.material
    return {
        "kind": m.kind.value,
        "title": m.title,
        "source": m.source,
        "revision": m.revision,
        "coverage": [
            {"path": c.path, "state": c.state.value, "reason": c.reason} for c in m.coverage
        ],
        "redacted": m.redacted,
        "notes": list(m.notes),
    }


def _finding(debate: Debate, found: MergedFinding) -> dict[str, Any]:
    f = found.shown
    return {
        "id": found.id,
        "severity": f.severity.value,
        "confidence": f.confidence,
        "path": f.path,
        "line": f.line,
        "side": f.side,
        "quote": f.quote,
        "anchored": f.anchored,
        "title": f.title,
        "trigger": f.trigger,
        "fix": f.fix,
        "by": list(found.by),
        "disputed_by": list(found.disputed_by),
        "people": dict(found.people) if debate.over else {},
        "author": dict(found.author) if debate.over else {},
        "state": found.state.value,
        "blocking": found.blocking,
        "confirmed": found.confirmed,
        "maintainer": found.maintainer,
        "reasons": [
            {"seat": s, "position": a.position.value, "because": a.because}
            for s, a in found.reasons.items()
        ],
        "wordings": [
            {"id": r.finding.id, "seat": r.seat, "title": r.finding.title} for r in found.raised
        ],
    }


def _votes(debate: Debate, voted: Mapping[str, int]) -> dict[str, Any]:
    """People's counts stay hidden until the last turn is settled, so that nobody follows the
    crowd.
    """
    ballot, cast = debate.open.template.ballot, sum(voted.values())
    return {
        "independent": tally(independent(debate).values(), ballot),
        "final": tally(final(debate).values(), ballot),
        "people": dict(voted),
        "author": people(debate, author=True) if debate.over else {},
        "intervals": {option: asdict(wilson(n, cast)) for option, n in voted.items() if cast},
    }


def _verdict(debate: Debate, decided: Verdict) -> dict[str, Any]:
    return {
        "decision": decided.decision if debate.over else NONE,
        "reached": decided.reached and debate.over,
        "mechanism": decided.mechanism,
        "agreement": decided.agreement,
        "quorum": {"needed": decided.needed, "present": decided.present},
        "summary": decided.summary if debate.over else "",
        "action_items": list(decided.actions),
        "contested": decided.contested,
        "status": decided.status,
        "mode": mode_of(debate).value,
        "threshold": debate.open.terms.threshold,
        "rulings": dict(panel(debate).rulings),
        "changed": bool(debate.closed and debate.closed.changed),
    }


def _metrics(debate: Debate) -> dict[str, Any]:
    """Each round's news and measured similarity, the judge's readings of an adversarial debate, and
    how many seats moved.
    """
    measurements = []
    for number, _ in enumerate(debate.open.script.rounds):
        measured, brought = debate.measured.get(number), news(debate, number)
        similarity = {"tier": measured.tier, "similarity": measured.similarity} if measured else {}
        measurements.append(
            {"round": number, "said": brought.said, "new": brought.new} | similarity
        )
    moved = moves(debate)
    return {
        "rounds": measurements,
        "judge": [asdict(m) for m in debate.metrics()],
        "moves": len(moved),
        "conformity": sum(m.conformity for m in moved),
    }


def _complexity(debate: Debate) -> dict[str, Any] | None:
    """Why a panel has the size it has: the choice, its factors and both prices (USD at most)."""
    sizing = debate.open.terms.sizing
    return None if sizing is None else asdict(sizing) | {"factors": list(sizing.factors)}


def _follow_up(debate: Debate) -> dict[str, str] | None:
    """The day that the report sets for asking again, where the template requires one."""
    made = appointment(debate)
    return None if made is None else {"date": made.day.isoformat(), "question": made.question}


def _parent(debate: Debate, parent: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Where this debate was forked from, and what the parent decided."""
    if debate.fork is None:
        return None
    decided = parent["verdict"] if parent else None
    return {
        "id": debate.fork.parent,
        "at": debate.fork.at,
        "without": debate.fork.without,
        "assume": debate.fork.assume,
        "verdict": {k: decided[k] for k in ("decision", "reached", "agreement")}
        if decided
        else None,
    }
