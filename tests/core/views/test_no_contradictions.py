"""No two statements about one debate contradict each other, whatever the seats said and voted."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from core.debate import Debate
from core.events import EndReason
from core.outcome import outcome
from core.outcome.report import report
from core.replies import Severity
from core.template import Mode
from core.verdict import same_option
from core.verdict.delta import moves
from core.verdict.findings import FindingState, merge_findings
from core.verdict.votes import NONE, final_votes
from core.views.course.cost import spent_line
from core.views.verdict.decision import deciding, decision
from core.views.verdict.dissent import NOBODY, disagreement
from core.views.verdict.ending import WHY, unplayed, why_ended
from core.views.verdict.facts import verdict_facts
from core.views.verdict.stances import NO_REASON, NOBODY_MOVED, move_views, standing_words
from tests.core.argued import SEATS, SLOW, Seats, a_finding, judging, opens, review, reviewed

OPTIONS = ("approve", "comment", "request_changes")
DRAWS = 60
LOCK: dict[str, Any] = {
    "title": "The lock is never released",
    "line": 12,
    "quote": "raise ValueError",
}


def drawn(number: int) -> Debate:
    """Play a review whose seats open, argue and decide at random."""
    rng = Random(f"contradiction {number}")
    places: Sequence[dict[str, Any]] = ({}, SLOW, {**LOCK, "severity": "low", "confidence": 0.95})

    def finding(place: dict[str, Any]) -> dict[str, Any]:
        severity = place.get("severity") or rng.choice([s.value for s in Severity])
        return a_finding(
            **{**place, "severity": severity, "confidence": rng.choice((0.3, 0.58, 0.9))},
            must_fix=rng.random() < 0.5,
        )

    openings = {
        role: opens(rng.choice(OPTIONS), *(finding(p) for p in places if rng.random() < 0.5))
        for role in SEATS
    }

    def answer() -> Any:
        return judging(
            rng.choice(("must_fix", "need_not_block", "not_real")),
            rng.choice(("", *OPTIONS)),
            **({"quote": ""} if rng.random() < 0.3 else {}),
        )

    seats = Seats(
        openings,
        vouch=answer(),
        weigh=answer(),
        reply=answer(),
        decide=answer(),
        ends=rng.choice(OPTIONS),
    )
    events = review(
        openings=rng.randint(3, 5),
        format=rng.choice(("contested", "contested", "phased")),
        seed=number,
        mode=rng.choice((Mode.MAJORITY, Mode.MAJORITY, Mode.JUDGE)),
    )
    return asyncio.run(reviewed(seats, events, usd=rng.choice((0.0, 0.01))))[0]


@pytest.mark.parametrize("number", range(DRAWS))
def test_no_two_statements_contradict_each_other(number: int) -> None:
    debate = drawn(number)
    document, view, facts = outcome(debate), decision(debate), dict(verdict_facts(debate))
    verdict, findings = document["verdict"], document["findings"]
    text = report(debate)
    standing = [f for f in findings if f["state"] == "open"]
    fix = [f for f in findings if f["blocking"]]

    # the headline, its number and the findings
    assert verdict["headline"] == view.headline
    assert verdict["headline"].startswith(view.label) or not view.clear
    if (named := re.search(r"(\d+) findings? must be fixed", verdict["headline"])) is not None:
        assert int(named[1]) == len(fix) > 0
    if view.label == "Approved":
        assert not fix
        assert "No finding is open" in text or "no finding is open" in text or standing

    # the finding that is shown first is the gravest that blocks, else the gravest most-held
    if first := deciding(debate)[:1]:
        ranks = [
            m.wording.severity.rank
            for m in merge_findings(debate)
            if m.evident and (m.blocking if fix else m.state is FindingState.OPEN)
        ]
        if not debate.open.terms.demo:
            assert first[0].wording.severity.rank == max(ranks)

    # who disagrees
    _, line = disagreement(debate)
    contested = [f for f in standing if f["contested"]]
    assert verdict["contested"] or not contested
    if line == NOBODY:
        assert not contested
        assert not document["dissent"]
        for option in final_votes(debate).values():
            assert option == NONE or same_option(option, verdict["decision"])

    # nobody holds and disputes one finding
    for finding in findings:
        assert not set(finding["by"]) & set(finding["disputed_by"])

    # who changed their vote, and why: table and transcript
    changed = facts.get("Changed by the debate", "")
    assert (NOBODY_MOVED in changed) <= (not moves(debate))
    assert len(document["delta"]) == len(moves(debate))
    for move in move_views(debate):
        turn = next(t for t in debate.turns if t.seat == move.seat and t.round + 1 == move.round
                    and (s := debate.statement(t.id)) and s.stance
                    and any(m.turn == t.id for m in moves(debate)))  # fmt: skip
        statement = debate.statement(turn.id)
        assert statement is not None
        words = standing_words(debate, turn, statement)
        assert (", moved by" in words) == (move.reason != NO_REASON)

    # the end
    ended = why_ended(debate)
    assert not (unplayed(debate) and WHY[EndReason.COMPLETED] in ended.lower())

    # money: what is free cost nothing
    assert ("free" in spent_line(debate)) <= (document["cost"]["usd"] == 0)
