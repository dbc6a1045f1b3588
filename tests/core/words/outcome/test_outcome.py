"""The outcome document, at every moment of a debate."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.words.outcome
from adapters.templates.catalogue import builtin
from core.debate.events import (
    DebateConcluded,
    DebateOpened,
    EndReason,
    Fork,
    OpeningFailed,
    RoundMeasured,
    Terms,
    TurnFailed,
    TurnFinished,
    TurnsAdded,
    TurnStarted,
    VotesClosed,
)
from core.debate.formats import FORMATS, Plan
from core.debate.material import Material, MaterialKind
from core.debate.replies import Answer, Grade, Metrics, Position
from core.debate.script import About, SeatId, Topic, Turn, TurnId
from core.debate.state import Debate, replay
from core.debate.usage import Usage
from core.words.outcome import outcome
from tests.core.table import START, Table, agree, dispute, finding, stance, table
from tests.drawn import drawn

SCHEMA = json.loads(
    Path(core.words.outcome.__file__).with_name("outcome.schema.json").read_text(encoding="utf-8")
)
CHECK = jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def document(debate: Debate, **fields: Any) -> dict[str, Any]:
    """Returns the document, held to its schema, and through JSON, as everybody gets it."""
    made = outcome(debate, **fields)
    CHECK.validate(made)
    assert json.loads(json.dumps(made)) == made
    return made


def argued() -> Table:
    t = table().says("t1", "request_changes", findings=[finding()], claims=["It is unsafe"])
    t.says("t2", "approve").says("t3", "approve")
    t.says("u1", "request_changes").says(
        "u2", stance("comment", moved_by="t1.c1"), answers=[agree("t1.f1")]
    ).fails("u3")
    return (
        t.add(RoundMeasured(1, "words", 0.25, ()))
        .votes("bob", "approve")
        .votes("ann", "approve", author=True)
    )


def test_the_schema_is_one_and_asks_for_every_promised_member() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["required"]) >= {
        "id", "template", "format", "status", "ended_because", "material", "seats", "rounds",
        "findings", "votes", "verdict", "dissent",
        "scores", "cost", "events", "report", "parent", "warnings", "challenges", "delta",
        "metrics", "complexity",
    }  # fmt: skip
    only_where_asked = {"hot_seats", "ledger"}
    made = set(document(argued().says("end").concluded().debate))
    assert set(SCHEMA["properties"]) - only_where_asked == made


def test_what_a_finished_debate_looks_like() -> None:
    """The golden texts hold whole documents."""
    made = document(argued().says("end").concluded().debate)
    assert (made["status"], made["ended_because"]) == ("finished", "completed")
    assert made["events"] == len(argued().events) + 4
    assert made["votes"]["author"] == {"approve": 1, "comment": 0, "request_changes": 0}
    assert [d["seat"] for d in made["dissent"]] == ["performance_critic", "maintainability_critic"]
    assert made["metrics"]["rounds"][1] == {
        "round": 1, "said": 0, "new": 0, "tier": "words", "similarity": 0.25,
    }  # fmt: skip
    assert made["warnings"][0] == (
        "Stopped answering, so their last stance counts: maintainability critic."
    )


def test_defect_17_tokens_and_money_are_summed() -> None:
    t = table().says("t1", "approve", usage=Usage(100, 10, 20, 0.25, 400, 1.0))
    t.says("t2", "approve", usage=Usage(50, 0, 5, None, 200, 1.0))
    t.add(
        TurnStarted(TurnId("t3")),
        TurnFailed(TurnId("t3"), "bad reply", Usage(7, 0, 3, 0.5, 30, 1.0), "gemini/gemini-pro"),
    )
    assert document(t.debate)["cost"] == {
        "usd": 0.75,
        "calls": 3,
        "prompt_tokens": 157,
        "cached_tokens": 10,
        "completion_tokens": 28,
        "prompt_chars": 630,
        "unpriced": 1,
    }
    assert (
        document(table().says("t1", "approve", usage=Usage(5, 0, 5, None)).debate)["cost"]["usd"]
        is None
    )


def test_it_can_be_asked_for_at_any_moment() -> None:
    events = argued().says("end").concluded().events
    seen = [document(replay(events[:n]))["status"] for n in range(1, len(events) + 1)]
    assert (seen[0], seen[1], seen[-2], seen[-1]) == ("queued", "running", "waiting", "finished")


def test_nothing_is_decided_and_nobodys_vote_is_shown_while_it_runs() -> None:
    made = document(argued().debate)
    assert (made["verdict"]["decision"], made["verdict"]["reached"]) == ("none", False)
    assert made["ended_because"] is None
    assert (made["votes"]["people"], made["votes"]["author"], made["report"]) == ({}, {}, "")
    assert made["findings"][0]["people"] == {}


def test_a_debate_that_never_opened() -> None:
    made = document(replay([*table().events[:1], OpeningFailed("That is not a link.", START)]))
    assert (made["status"], made["ended_because"]) == ("failed", "error")
    assert made["failure"] == "That is not a link."
    assert made["material"] is None


def test_models_stay_hidden_in_a_blind_debate_until_it_is_over() -> None:
    t = argued()
    opening = t.events[1]
    assert isinstance(opening, DebateOpened)
    blind = Table(
        [t.events[0], replace(opening, script=replace(opening.script, blind=True)), *t.events[2:]]
    )
    assert {s["model"] for s in document(blind.debate)["seats"]} == {""}
    assert document(blind.says("end").concluded().debate)["seats"][0]["model"] == "openai/gpt-5"


def test_a_fork_is_compared_with_its_parent() -> None:
    parent = document(argued().says("end").concluded().debate)
    fork = Fork("debate-0000", 7, SeatId("security_critic"), "nobody calls it")
    made = document(
        table(fork=fork).says("t1", "approve").says("end").concluded().debate, parent=parent
    )
    assert made["parent"] == {
        "id": "debate-0000",
        "at": 7,
        "without": "security_critic",
        "assume": "nobody calls it",
        "verdict": {"decision": "request_changes", "reached": True, "agreement": 1 / 3},
    }
    assert document(table(fork=fork).debate)["parent"]["verdict"] is None


def test_a_challenge_is_open_until_it_is_answered() -> None:
    t = table().says("t1", "approve").challenges("And under load?", "security_critic")
    about = About(Topic.CHALLENGE, "ch1")
    rebuttal = Turn(TurnId("r1"), SeatId("security_critic"), "rebut", round=1, about=about)
    t.add(TurnsAdded((rebuttal,), (TurnId("u1"),), "ch1"))
    assert [c["state"] for c in document(t.debate)["challenges"]] == ["open"]
    t.says("r1", answers=[Answer("ch1", Position.ANSWERED, "It holds")])
    (challenge,) = document(t.debate)["challenges"]
    assert (challenge["to"], challenge["author"]) == (["security_critic"], "ann")
    assert (challenge["answered_by"], challenge["state"]) == (["r1"], "answered")


def people(t: Table, votes: str) -> Table:
    """Ends the debate, with a person for each letter."""
    for n, letter in enumerate(votes):
        t.votes(f"p{n}", {"a": "approve", "c": "comment"}[letter])
    return t.says("t3", "approve").says("end").concluded()


UNPROVEN = "No seat quoted or cited anything: these are opinions without evidence."
ONE_FAMILY = {
    "security_critic": "openai/gpt-5",
    "performance_critic": "openai/o3",
    "maintainability_critic": "openrouter/openai/gpt-4o",
}


@pytest.mark.parametrize(
    ("t", "warning"),
    [
        (table().says("t1", "approve").says("t2", "approve"), UNPROVEN),
        (
            table(cast=ONE_FAMILY)
            .says("t1", "approve")
            .says("t2", "comment")
            .says("t3", "comment"),
            "All seats are models of one family, so their agreement proves less.",
        ),
        (
            table().says("t1", "approve").says("u1", "comment"),
            "Changed sides without naming a reason: security critic.",
        ),
        (
            people(table().says("t1", "approve").says("t2", "approve"), "aaacc"),
            "People's votes show no clear majority: 3 approve, 2 comment.",
        ),
        (
            table(terms={"demo": True}).says("t1", "approve"),
            "This is a demonstration: rely on nothing that these models say.",
        ),
        (
            table()
            .says("t1", "approve", findings=[finding()])
            .votes("a", "x", "t1.f1")
            .votes("b", "x", "t1.f1"),
            "People dispute a severe security finding; a named maintainer must publish the review.",
        ),
    ],
)
def test_warnings(t: Table, warning: str) -> None:
    assert warning in document(t.debate)["warnings"]
    quiet = table().says("t1", "approve").says("t2", "comment").says("t3", "request_changes")
    assert warning not in document(quiet.debate)["warnings"]


def test_a_judges_readings_are_shown_and_never_invented() -> None:
    t = table(
        ("a", "b", "judge:judge"),
        ("t1 a", "t2 b", "m judge task=measure", "end judge closing"),
        format="adversarial",
    )
    assert document(t.says("t1", "approve").debate)["metrics"]["judge"] == []
    t.says("m", metrics=Metrics(0.4, 0.5, 0.6, 0.7, {"technical": 0.1}))
    assert document(t.debate)["metrics"]["judge"][0]["agreement"] == 0.4
    assert document(t.debate)["verdict"]["status"] == "in_progress"


# -- every shipped template, played at random


def played(name: str, seed: int) -> Table:
    """Plays a debate of a shipped template in which every turn says something, nonsense, or
    fails.
    """
    rng, shipped = Random(seed), builtin()[name]
    script = FORMATS[shipped.format].compile(shipped, Plan(), rng)
    terms = Terms(shipped.consensus.value, shipped.consensus_threshold, 2)
    models = {s.id: (rng.choice(["openai/gpt-5", "ollama/qwen3:1.7b"]),) for s in script.seats}
    opened = DebateOpened(
        shipped, script, models, Material(MaterialKind.QUESTION, "Q", "…"), terms, START, seed
    )
    t = Table([table().events[0], opened])
    for turn in script:
        if rng.random() < 0.2:
            t.fails(turn.id)
            continue
        answers = [rng.choice([agree, dispute])(rng.choice(script.turns).id + ".f1")]
        option = rng.choice([*(o.option for o in shipped.ballot), "abstain"])
        judged = not script.seat(turn.seat).votes
        t.says(
            turn.id,
            stance(option, rng.random(), moved_by=rng.choice(["", *turn.reads])),
            findings=[finding(severity=rng.choice(["low", "high"]), line=rng.choice([1, 50]))]
            if rng.random() < 0.3
            else (),
            answers=answers,
            scores=dict.fromkeys(shipped.rubric, rng.random()) if judged else {},
            ruling=option if judged else "",
            grades={a.id: rng.choice(list(Grade)) for a in script if a.task == "attack"}
            if turn.task == "grade"
            else {},
            metrics=Metrics(rng.random(), 0.5, 0.5, 0.5) if turn.task == "measure" else None,
            sections={"summary": "# <b>", "action_items": "- one"} if turn.closing else {},
        )
    return t.concluded()


@pytest.mark.parametrize("name", sorted(builtin()))
@drawn(2)
@given(seed=st.integers(0, 2**31))
def test_every_template_ends_in_a_document_that_follows_from_its_events(
    name: str, seed: int
) -> None:
    t = played(name, seed)
    made = document(t.debate)
    settled = [x for x in t.events if isinstance(x, TurnFinished | TurnFailed)]
    Random(seed).shuffle(settled)
    again = [*t.events[:2], *(x for s in settled for x in (TurnStarted(s.turn), s)), *t.events[-2:]]
    assert document(replay(again)) == made
    entitled = sum(s["duty"] == "debater" for s in made["seats"])
    for counted in ("independent", "final"):
        assert sum(made["votes"][counted].values()) == entitled
    counts = {option: n for option, n in made["votes"]["final"].items() if option != "none"}
    decision = made["verdict"]["decision"].lower()
    assert (
        made["verdict"]["agreement"]
        == (max(counts.values()) if decision == "tie" else counts.get(decision, 0)) / entitled
    )
    assert made["ended_because"] in {b.value for b in EndReason}


def test_a_decision_of_an_earlier_rule_stays_and_what_today_would_say_is_told() -> None:
    """A high finding that two seats disputed used to block."""
    t = table().says("t1", "approve", findings=[finding()])
    for turn in ("t2", "t3", "u1"):
        t.says(turn, "approve")
    t.says("u2", "approve", answers=[dispute("t1.f1")])
    t.says("u3", "approve", answers=[dispute("t1.f1")])
    then = START + timedelta(minutes=5)
    t.add(DebateConcluded(EndReason.COMPLETED, "request_changes", False, then))
    t.add(VotesClosed("request_changes", False, False, then))
    document = outcome(t.debate)
    text = (
        "This was decided under an earlier rule: request changes. By today's it would be comment."
    )
    assert document["verdict"]["decision"] == "request_changes"
    assert text in document["warnings"]
    assert f"- {text}" in document["report"]


def test_a_clear_majority_of_people_is_no_warning() -> None:
    clear = people(table().says("t1", "approve").says("t2", "approve"), "aaaaaaaaac")
    assert not [w for w in document(clear.debate)["warnings"] if "majority" in w]
