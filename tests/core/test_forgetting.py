"""What is left of an event when another debate or a person is to be forgotten."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.application.forgetting import DELETED, retained_outcome, without_debate, without_person
from core.debate import events as e
from core.debate.material import Material, MaterialKind, Precedent
from core.debate.material.rendering import note_of
from core.debate.script import SeatId
from core.words.outcome import outcome
from storage.codec import EVENTS
from tests.core.table import START, stance, table

POOLS = Precedent("d1", "2026-01-02", "Pools", "approve")
QUEUES = Precedent("d2", "2026-01-03", "Queues", "comment", held=False)


def opened(*precedents: Precedent) -> e.DebateOpened:
    notes = ("The branch moved.", *([note_of(precedents)] if precedents else []))
    material = Material(MaterialKind.QUESTION, "Why?", "Why?", notes=notes, precedents=precedents)
    event = table(material=material).events[1]
    assert isinstance(event, e.DebateOpened)
    return event


def test_a_debate_that_quotes_nothing_of_it_is_the_same_event() -> None:
    for event in (opened(), opened(QUEUES), e.WholeShown("d1")):
        assert without_debate(event, "d1") is event


@pytest.mark.parametrize("others", [(), (QUEUES,)])
def test_a_quotation_goes_with_its_note_and_others_stay(others: tuple[Precedent, ...]) -> None:
    assert without_debate(opened(POOLS, *others), "d1") == opened(*others)


def is_ann(name: str) -> bool:
    return name == "ann"


def requested(asker: str, owner: str) -> e.DebateRequested:
    request = e.DebateRequest("triad", "Why?", asker, "shell", owner=owner)
    return e.DebateRequested("d1", request, START)


@pytest.mark.parametrize(
    ("event", "left"),
    [
        (requested("ann", "bob"), requested("x", "bob")),
        (requested("bob", "ann"), requested("bob", "x")),
        (requested("ann", "ann"), requested("x", "x")),
        (
            e.ChallengeRaised("x1", "ann", "No!", (SeatId("author"),), "slack:7"),
            e.ChallengeRaised("x1", "x", DELETED, (SeatId("author"),), ""),
        ),
        (e.VoteCast("ann", "approve"), e.VoteCast("x", "approve")),
        (e.DebatePaused("ann", ""), e.DebatePaused("x", "")),
        (e.DebatePaused("ann", "lunch"), e.DebatePaused("x", DELETED)),
        (
            e.StopOrdered(e.EndReason.HUMAN, "ann", "enough"),
            e.StopOrdered(e.EndReason.HUMAN, "x", DELETED),
        ),
        (
            e.UnknownEvent("k", 2, {"x": 1, "who": ["bob", {"first": "bob", "by": "ann"}]}),
            e.EventRemoved(),
        ),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_person_goes_with_their_words_and_what_they_did_stays(
    event: e.Event, left: e.Event
) -> None:
    assert without_person(event, is_ann, "x") == left
    assert EVENTS.decode(*EVENTS.encode(left)) == left


@pytest.mark.parametrize(
    "event",
    [
        requested("bob", "eve"),
        e.ChallengeRaised("x1", "bob", "ann is right", ()),
        e.UnknownEvent("k", 2, {"who": ["bob", 7, None]}),
        replace(opened(), seed=7),
    ],
    ids=lambda each: type(each).__name__,
)
def test_an_event_without_them_is_the_same_event(event: e.Event) -> None:
    assert without_person(event, is_ann, "x") is event


@pytest.mark.parametrize(
    ("source", "kept"),
    [("https://forge.example/pull/42", "https://forge.example/pull/42"), ("a secret plan", "")],
)
def test_an_outcome_that_outlives_its_texts_keeps_its_numbers(source: str, kept: str) -> None:
    about = Material(MaterialKind.QUESTION, "secret title", "secret text", source, "0123abcd")
    why = stance("comment", 0.9, because="a secret", would_resolve_if="a secret")
    t = table(material=about).says("t1", "approve").says("t2", why, text="a secret")
    t.says("t3", "approve").says("end").votes("slack:T1/ann", "approve").concluded()
    whole = outcome(t.debate)
    left = retained_outcome(whole)
    assert "secret" not in json.dumps(left)
    assert "ann" not in json.dumps(left)
    assert (left["material"]["source"], left["material"]["redacted"]) == (kept, 0)
    assert (left["votes"], left["cost"]) == (whole["votes"], whole["cost"])
    assert left["verdict"]["decision"] == whole["verdict"]["decision"]
    assert [one["stance"] for one in left["dissent"]] == ["comment"]
    members = {"seat", "role", "alias", "model", "duty", "stance", "family"}
    for seat, before in zip(left["seats"], whole["seats"], strict=True):
        assert seat == {name: before[name] for name in members}
