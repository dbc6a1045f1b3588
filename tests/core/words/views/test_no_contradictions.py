"""No two statements about one debate contradict each other on any surface, whatever the seats said,
however it ended and whatever happened after its verdict.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from adapters.ports.chat import Post
from core.debate import commands as c
from core.debate import events as e
from core.debate.commands.decisions import decide
from core.debate.engine import InboxCommand
from core.debate.errors import ModelError, Refused
from core.debate.events import WHY_ENDED, EndReason
from core.debate.finding import Severity
from core.debate.material import MaterialKind
from core.debate.state import Debate, replay
from core.debate.template import Mode
from core.debate.verdict import same_option, verdict
from core.debate.verdict.delta import moves
from core.debate.verdict.findings import merge_findings
from core.debate.verdict.findings.merged import FindingState
from core.debate.verdict.votes import NONE, final_votes
from core.words.outcome import outcome
from core.words.outcome.report import report
from core.words.views.course.cost import spent_line
from core.words.views.verdict.decision import decision
from core.words.views.verdict.dissent import NOBODY, disagreement
from core.words.views.verdict.ending import unplayed, why_ended
from core.words.views.verdict.facts import verdict_facts
from core.words.views.verdict.findings import deciding
from core.words.views.verdict.stances import NO_REASON, NOBODY_MOVED, moves_in_words, standing_words
from tests.core.argued import SEATS, SLOW, Say, Seats, a_finding, judging, opens, review, reviewed
from tests.core.memory import CrashError, MemoryLog
from tests.core.surfaces import surfaces, thread, words
from tests.core.test_objections import object_to, seated
from tests.core.test_proving import Runner
from tests.core.words.outcome.test_outcome import SCHEMA

OPTIONS = ("approve", "comment", "request_changes")
POSITIONS = ("must_fix", "need_not_block", "not_real")
DRAWS = 24
LOCK: dict[str, Any] = {
    "title": "The lock is never released",
    "line": 12,
    "quote": "raise ValueError",
}
ODD = ("plain", "killed", "objected", "voted", "stopped", "poor", "failing", "proven")
PEOPLE = ("slack:T1/U1", "slack:T1/U2", "slack:T1/U3")


def saying(rng: Random, failing: bool) -> Seats:
    """Draws what each seat opens with; each answer is drawn when it is given."""
    places: Sequence[dict[str, Any]] = ({}, SLOW, {**LOCK, "severity": "low", "confidence": 0.95})

    def finding(place: dict[str, Any]) -> dict[str, Any]:
        severity = place.get("severity") or rng.choice([s.value for s in Severity])
        return a_finding(
            **{**place, "severity": severity, "confidence": rng.choice((0.3, 0.58, 0.9))},
            must_fix=rng.random() < 0.5,
        )

    openings: dict[str, Any] = {
        role: opens(rng.choice(OPTIONS), *(finding(p) for p in places if rng.random() < 0.5))
        for role in SEATS
    }
    if failing:
        openings |= {r: ModelError("provider_down", "down") for r in SEATS if rng.random() < 0.4}

    def answer(role: str, ids: Sequence[str]) -> Any:
        if failing and rng.random() < 0.2:
            return ModelError("provider_down", "down")
        options, answers = rng.choice(("", *OPTIONS)), []
        for id in ids:
            bare = {"quote": ""} if rng.random() < 0.3 else {}
            answers += judging(rng.choice(POSITIONS), options, **bare)(role, [id])["answers"]
        held = judging(rng.choice(POSITIONS), options)(role, ids)["stance"]
        return {"stance": held, "answers": answers, "findings": []}

    says: dict[str, Say] = dict.fromkeys(
        ("vouch", "weigh", "reply", "decide", "reconsider"), answer
    )
    return Seats(openings, ends=rng.choice(OPTIONS), **says)  # type: ignore[arg-type]


async def drawn(number: int) -> list[e.Event]:
    """Play a review whose seats open, argue and decide at random, and to which something odd may
    happen.
    """
    rng, odd = Random(f"contradiction {number}"), ODD[number % len(ODD)]
    seats = saying(rng, failing=odd == "failing")
    events = review(
        openings=rng.randint(3, 5),
        format=rng.choice(("contested", "contested", "phased")),
        seed=number,
        mode=rng.choice((Mode.MAJORITY, Mode.MAJORITY, Mode.JUDGE)),
        prove=odd == "proven",
        budget=rng.choice((0.02, 0.05, 0.08)) if odd == "poor" else None,
    )
    opened = events[1]
    assert isinstance(opened, e.DebateOpened)
    facts = {"head": "8ff173b186f1", "state": "open"}
    material = replace(
        opened.material,
        kind=MaterialKind.PULL_REQUEST,
        source="https://github.com/o/r/pull/412",
        facts=facts,
    )
    events[1] = replace(opened, material=material)
    usd = 0.01 if odd == "poor" else rng.choice((0.0, 0.01))
    more: dict[str, Any] = {"proves": Runner()} if odd == "proven" else {}
    if odd == "stopped":
        more["inbox"] = asyncio.Queue()
        more["inbox"].put_nowait(InboxCommand(c.Stop(PEOPLE[0])))
    if odd == "killed":
        log = MemoryLog(list(events), limit=rng.randint(8, 24))
        try:
            await reviewed(seats, events, usd=usd, log=log)
        except* CrashError:
            log.limit = None
            await reviewed(seats, events, usd=usd, log=log)
    else:
        _, log = await reviewed(seats, events, usd=usd, **more)
    if odd == "voted":
        end = next(n for n, x in enumerate(log.events) if isinstance(x, e.DebateConcluded))
        del log.events[end:]
        subjects = ["", *(m.id for m in merge_findings(replay(log.events)))]
        for voter in PEOPLE:
            for subject in subjects:
                ballot = ("real", "not_real", "worse") if subject else OPTIONS
                vote = c.CastVote(voter, rng.choice(ballot), subject)
                log.events += decide(replay(log.events), vote)
        await reviewed(seats, events, usd=usd, log=log)
    if odd == "objected":
        with contextlib.suppress(Refused):
            await object_to(log, "the caller checks the name", seated(seats))
    return list(log.events)


@pytest.mark.parametrize("number", range(DRAWS))
def test_no_two_statements_contradict_each_other(number: int) -> None:
    events = asyncio.run(drawn(number))
    debate = replay(events)
    document, view, facts = outcome(debate), decision(debate), dict(verdict_facts(debate, ""))
    result, findings = document["verdict"], document["findings"]
    text = report(debate)
    standing = [f for f in findings if f["state"] == "open"]
    fix = [f for f in findings if f["blocking"]]
    Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(document)))

    # the headline, its number and the findings
    assert result["headline"] == view.headline
    assert result["headline"].startswith(view.label) or not view.clear
    if (named := re.search(r"(\d+) findings? must be fixed", result["headline"])) is not None:
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
        assert first[0].wording.severity.rank == max(ranks)

    # who disagrees
    _, line = disagreement(debate)
    contested = [f for f in standing if f["contested"]]
    assert result["contested"] or not contested
    if line == NOBODY:
        assert not contested
        assert not document["dissent"]
        for option in final_votes(debate).values():
            assert option == NONE or same_option(option, result["decision"])

    # nobody holds and disputes one finding
    for finding in findings:
        assert not set(finding["by"]) & set(finding["disputed_by"])

    # who changed their vote, and why: table and transcript
    changed = facts.get("Changed by the debate", "")
    assert (NOBODY_MOVED in changed) <= (not moves(debate))
    assert len(document["delta"]) == len(moves(debate))
    for move, _, _, reason in moves_in_words(debate):
        turn, statement = debate.script.turn(move.turn), debate.statement(move.turn)
        assert statement is not None
        standing_line = standing_words(debate, turn, statement)
        assert (", moved by" in standing_line) == (reason != NO_REASON)

    # the end
    ended = why_ended(debate)
    assert not (unplayed(debate) and WHY_ENDED[EndReason.COMPLETED] in ended.lower())

    # money: what is free cost nothing
    assert ("free" in spent_line(debate)) <= (document["cost"]["usd"] == 0)

    _every_surface_says_the_same(debate, thread(events))


def _every_surface_says_the_same(debate: Debate, thread: Mapping[str, Post]) -> None:
    made, document, view = verdict(debate), outcome(debate), decision(debate)
    texts = surfaces(debate, thread)
    headline = " ".join(view.headline.split())

    # one headline, and no other decision beside it
    for name in ("thread", "page", "exported page", "transcript", "json", "receipt", "review"):
        assert name not in texts or headline in " ".join(texts[name].split()), name
    labels = {"Changes requested", "Comments only", "Approved", "No decision", "No verdict"}
    posts = list(thread.values())
    states = [words(p) for p in posts if p.shape.value in ("root", "verdict")]
    for text in states:
        others = labels - {view.label}
        assert not any(re.search(rf"^{other}\b", text, re.MULTILINE) for other in others), text

    # a finding's state is the same in its own post, the page and the document
    for finding in document["findings"]:
        post = next((p for p in posts if p.subject == finding["id"]), None)
        if post is None:
            continue
        text = words(post)
        assert ("withdrawn" in text.split("\n")[1]) == (finding["state"] == "withdrawn"), text
        assert ("Held by" in text) <= bool(finding["by"]), text
        assert ("Disputed by" in text) <= bool(finding["disputed_by"]), text
        blocks = "Blocks nothing" in text
        assert not (blocks and finding["blocking"]), text

    # what a seat holds of a finding, and the reason that is given for it
    for finding in document["findings"]:
        for given in finding["reasons"]:
            disputes = given["position"] in ("dispute", "not_real", "withdraw")
            assert given["seat"] not in finding["by" if disputes else "disputed_by"]

    # the reason of the headline: who decided, and what is a majority
    if (asks := re.search(r"(\d+) of (\d+) seats asks? for changes", headline)) is not None:
        few = 2 * int(asks[1]) <= int(asks[2])
        assert not (few and view.blocks) or "ruled so" in headline or debate.failed, headline
        assert few or "only" not in headline, headline
    if (wants := re.search(r"only (\d+) of (\d+) seats wants?", headline)) is not None:
        assert 2 * int(wants[1]) <= int(wants[2]), headline
    assert not ("ruled so" in headline and "one seat decides" in view.summary)
    assert not re.search(r"\b(One|Both|All|of them) (is|are) contested", view.summary)

    # a debate that ended early says so wherever its verdict is read
    if debate.concluded is not None and debate.concluded.because is EndReason.BUDGET:
        for text in (states[-1], texts["page"], texts["report"]):
            assert "budget" in text

    # the votes of seats are counted once
    seats = next((t for label, t in verdict_facts(debate, "") if label == "Seats"), "")
    numbers = [int(n) for n in re.findall(r"(\d+) ", seats)]
    if seats:
        assert sum(numbers) == len(debate.voters), seats

    # the receipt and the document
    if "receipt" in texts:
        receipt = json.loads(texts["receipt"])
        assert receipt["claim"]["verdict"] == made.decision
