"""Builds the outcome document: everything that is known about a debate, as one JSON object, at any
moment of its life.

It is a projection: the same events give the same document. ``outcome.schema.json`` describes it,
and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from core.debate.events import EndReason
from core.debate.state import Debate
from core.debate.verdict import Verdict, verdict
from core.debate.verdict.action_items import action_items
from core.debate.verdict.condition import WHAT_IF
from core.debate.verdict.consensus import mode_of, panel
from core.debate.verdict.convergence import round_news
from core.debate.verdict.delta import moves
from core.debate.verdict.dissent import dissents
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.demands import demands_after
from core.debate.verdict.follow_up import follow_up_date
from core.debate.verdict.unread import covered, parts_read
from core.debate.verdict.votes import NONE, final_votes, independent_votes, tally, wilson
from core.languages import ENGLISH, say, speaking
from core.words.outcome.account import challenges, delta, hot_seats, rounds, seats
from core.words.outcome.findings import finding_document
from core.words.outcome.report import report
from core.words.views.course.cost import cost
from core.words.views.course.progress import where_line
from core.words.views.verdict.caveats import warnings
from core.words.views.verdict.decision import decision, what_if
from core.words.views.verdict.labels import UNCLEAR
from core.words.views.verdict.scores import scores
from core.words.views.verdict.stances import people_shown

_VERSION = 1


@speaking(ENGLISH)
def outcome(debate: Debate, parent: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the document. ``parent`` is the outcome of the debate this one was forked from, for
    the comparison. Programs read it, so its words are English in every language.
    """
    written = ""
    if debate.over and debate.opened is not None:
        written = report(debate, parent)
    return without_report(debate, parent) | {"report": written}


@speaking(ENGLISH)
def without_report(debate: Debate, parent: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Returns the document before its report is written, which is half of the work."""
    made = _head(debate) | {
        "cost": cost(debate),
        "useful": {
            "yes": debate.count_ratings(useful=True),
            "no": debate.count_ratings(useful=False),
        },
        "events": debate.count,
        "parent": _parent(debate, parent),
    }
    if debate.deleted is not None:
        notice = {"warnings": [debate.nothing_because]}
        return made | _unopened() | notice | dict(debate.deleted.outcome)
    if debate.opened is None:
        return made | _unopened()
    findings, decided = merge_findings(debate), verdict(debate)
    voted, sizing, due = people_shown(debate), debate.open.terms.sizing, follow_up_date(debate)
    return made | {
        "material": _material(debate),
        "seats": seats(debate),
        "rounds": rounds(debate),
        "findings": [finding_document(debate, f) for f in findings],
        "votes": _votes(debate, voted),
        "verdict": _verdict(debate, decided),
        "dissent": [
            {
                "seat": d.seat,
                "stance": d.stance,
                "because": d.because,
                "would_resolve_if": d.would_resolve_if,
            }
            for d in dissents(debate)
        ],
        "scores": scores(debate),
        "delta": delta(debate),
        "challenges": challenges(debate),
        "warnings": list(warnings(debate, voted)),
        "metrics": _metrics(debate),
        "complexity": sizing and asdict(sizing) | {"factors": list(sizing.factors)},
        "follow_up": due and {"date": due.at.date().isoformat(), "question": due.question},
        "report": "",
        **({"hot_seats": hot_seats(debate)} if debate.seat_requests else {}),
        **({"ledger": _ledger(debate)} if debate.open.material.demands else {}),
    }


def _ledger(debate: Debate) -> list[dict[str, Any]]:
    return [
        {
            "mark": demand.mark,
            "title": demand.finding.title,
            "path": demand.finding.path,
            "line": demand.finding.line,
            "severity": demand.finding.severity,
            "state": demand.state.value,
            "settled_by": str(demand.settled_by or ""),
            "review": demand.review,
            "settled_in": demand.settled_in,
        }
        for demand in demands_after(debate)
    ]


def _head(debate: Debate) -> dict[str, Any]:
    opened, ended = debate.opened, debate.concluded
    template, form = debate.request.template, debate.request.format
    if opened is not None:
        template, form = opened.template.id, opened.script.format
    because = ended and ended.because
    return {
        "version": _VERSION,
        "id": debate.id,
        "template": template,
        "format": form,
        "status": debate.status,
        "ended_because": (debate.failure and EndReason.ERROR.value) or because,
        "failure": debate.failure,
        "demo": bool(opened and opened.terms.demo),
        "target": debate.request.target,
        "place": debate.request.place,
        "asker": debate.request.asker,
        "labels": {name.replace("-", "_"): text for name, text in debate.request.labels.items()},
        "requested_at": _time(debate.requested.at),
        "concluded_at": ended and _time(ended.at),
    }


def _time(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _unopened() -> dict[str, Any]:
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
            "headline": "",
            "summary": "",
            "condition": "",
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
            {"path": c.path, "state": c.state.value, "reason": c.reason} for c in covered(debate)
        ],
        "parts": [
            {"paths": [*one.paths], "read_by": [*one.by], "not_read_by": [*one.missed]}
            for one in parts_read(debate)
        ],
        "around": [
            {
                "path": piece.path,
                "first": piece.first,
                "last": piece.last,
                "name": piece.name,
                "near": piece.near.value,
            }
            for piece in m.around
        ],
        "redacted": m.redacted,
        "notes": list(m.notes),
    }


def _votes(debate: Debate, voted: Mapping[str, int]) -> dict[str, Any]:
    ballot, cast = debate.open.template.ballot, sum(voted.values())
    return {
        "independent": tally(independent_votes(debate).values(), ballot),
        "final": tally(final_votes(debate).values(), ballot),
        "people": dict(voted),
        "author": people_shown(debate, author=True),
        "intervals": {option: asdict(wilson(n, cast)) for option, n in voted.items() if cast},
    }


def _verdict(debate: Debate, decided: Verdict) -> dict[str, Any]:
    kept = debate.closed or decided  # what was decided stays, whatever today's rule would say
    option, headline, summary, clear, supposed = NONE, "", "", True, what_if(debate)
    reached = kept.reached and debate.over
    if debate.reopened is not None:
        counts = debate.reopened.verdict
        option, reached, headline = counts.decision, counts.reached, where_line(debate)
    elif debate.over:
        made = decision(debate)
        option, headline, summary = kept.decision, made.headline, made.summary
        clear = made.clear
    return {
        "decision": option,
        "reached": reached and clear and not supposed,
        "mechanism": _mechanism(decided.mechanism, clear=clear, supposed=bool(supposed)),
        "agreement": decided.agreement,
        "quorum": {"needed": debate.open.terms.quorum, "present": len(debate.present)},
        "headline": headline,
        "summary": summary,
        "condition": supposed,
        "action_items": list(action_items(debate)),
        "contested": decided.contested,
        "status": decided.status,
        "mode": mode_of(debate).value,
        "threshold": debate.open.terms.threshold,
        "rulings": dict(panel(debate).rulings),
        "changed": bool(debate.closed and debate.closed.changed),
    }


def _mechanism(mechanism: str, *, clear: bool, supposed: bool) -> str:
    """Return the mechanism with what keeps readers of the stored verdict from relying on it."""
    if not clear:
        mechanism = f"{say(UNCLEAR)}: {mechanism}"
    if supposed:
        return f"{WHAT_IF}: {mechanism}"
    return mechanism


def _metrics(debate: Debate) -> dict[str, Any]:
    """Returns each round's news and measured similarity, the judge's measurements of an adversarial
    debate, and the number of seats that moved.
    """
    measurements = []
    for number, _ in enumerate(debate.open.script.rounds):
        news = round_news(debate, number)
        measurement: dict[str, Any] = {"round": number, "said": news.total, "new": news.new}
        if measured := debate.measured.get(number):
            measurement |= {"tier": measured.tier, "similarity": measured.similarity}
        measurements.append(measurement)
    moved = moves(debate)
    return {
        "rounds": measurements,
        "judge": [asdict(m) for m in debate.metrics()],
        "moves": len(moved),
        "conformity": sum(m.conformity for m in moved),
    }


def _parent(debate: Debate, parent: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if debate.fork is None:
        return None
    decided = parent and parent["verdict"]
    return {
        "id": debate.fork.parent,
        "at": debate.fork.at,
        "without": debate.fork.without,
        "assume": debate.fork.assume,
        "verdict": decided and {k: decided[k] for k in ("decision", "reached", "agreement")},
    }
