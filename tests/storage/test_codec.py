"""Stored data can be read for ever, and reads as what it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import EnumType
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NewType, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.debate import commands, events
from core.debate.events import DebateOpened, UnknownEvent
from core.debate.finding import Category, Finding, Severity
from core.debate.ledger import Demand, Fate
from core.debate.script import About, Script, Topic
from storage.codec import COMMANDS, EVENTS, Codec, UnknownFormat, dump, kind_of
from storage.codec.upgrades import UPGRADES
from tests.drawn import drawn
from tests.storage.samples import opened, requested

GOLDEN = Path(__file__).parent / "golden_events.jsonl"
"""One line per event as it was first written, every kind and version.

Lines are added, never changed.
"""
AT = datetime(2026, 3, 9, tzinfo=UTC)

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: words,
    int: st.integers(-(2**53), 2**53),
    float: st.floats(0, 1),
    bool: st.booleans(),
    type(None): st.none(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    Any: st.booleans() | words,
    Script: st.just(opened().script),
}


@cache
def made(hint: Any) -> st.SearchStrategy[Any]:
    """Returns values of any type that our dataclasses are made of; every field is drawn, shares lie
    in [0, 1], times are aware.
    """
    if hint in LEAVES:
        return LEAVES[hint]
    if isinstance(hint, NewType):
        return made(hint.__supertype__)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = get_type_hints(hint)
        return st.builds(hint, **{field.name: made(hints[field.name]) for field in fields(hint)})
    if isinstance(hint, EnumType):
        return st.sampled_from(list(hint))
    args = get_args(hint)
    if get_origin(hint) is tuple:
        return st.lists(made(args[0]), max_size=2).map(tuple)
    if get_origin(hint) in (Mapping, dict):
        return st.dictionaries(made(args[0]), made(args[1]), max_size=2)
    return st.one_of(*map(made, args))


def through(codec: Codec[Any], item: Any) -> Any:
    """Returns the item encoded, written as JSON, read and decoded."""
    kind, version, payload = codec.encode(item)
    return codec.decode(kind, version, msgspec.json.decode(dump(payload)))


@pytest.mark.parametrize("cls", get_args(events.Event), ids=kind_of)
def test_every_event_comes_back_as_it_went(cls: type) -> None:
    @drawn(10)
    @given(made(cls))
    def there_and_back(event: Any) -> None:
        assert through(EVENTS, event) == event

    there_and_back()


@given(made(commands.Command))
def test_every_command_comes_back_as_it_went(command: Any) -> None:
    assert through(COMMANDS, command) == command


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("resolve_outcome", events.OutcomeResolved(True, "ann", AT, "it holds")),
        ("judge_finding", events.FindingJudged("m", "fixed", AT, "ann")),
        ("rate_verdict", events.VerdictRated(True, "ann", AT)),
        ("ask_held", events.FollowUpDue("Did it hold?", AT, "it was merged")),
        ("note_forge", events.ForgeNoted("merged", "", AT, "ann", "https://x")),
        ("note_wait", events.WaitNoted("openai is overloaded", AT)),
    ],
)
def test_a_waiting_command_loads_under_the_name_that_it_had(kind: str, command: Any) -> None:
    _, _, payload = COMMANDS.encode(command)
    assert COMMANDS.knows(kind, 1)
    assert COMMANDS.decode(kind, 1, msgspec.json.decode(dump(payload))) == command


def recorded_of(now: Any, then: Any) -> Any:
    """Returns ``now`` without the fields that were not recorded, at any depth: fields with a
    default may have been added since.
    """
    if isinstance(now, dict) and isinstance(then, dict):
        return {name: recorded_of(now[name], value) for name, value in then.items()}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [recorded_of(a, b) for a, b in zip(now, then, strict=True)]
    return now


def test_events_of_every_age_still_load() -> None:
    """If this fails for a changed event, its change needs an entry in ``UPGRADES``; if a kind is
    missing, add its line to the file.
    """
    recorded = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    for line in recorded:
        event = EVENTS.decode(line["kind"], line["version"], line["payload"])
        assert kind_of(type(event)) == line["kind"]
        if line["version"] == EVENTS.version(line["kind"]):
            now = json.loads(dump(EVENTS.encode(event)[2]))
            assert recorded_of(now, line["payload"]) == line["payload"]
    versions = {(line["kind"], line["version"]) for line in recorded}
    assert versions == {
        (kind, v) for kind in EVENTS.types for v in range(1, EVENTS.version(kind) + 1)
    }


def test_a_demand_that_was_stored_with_copied_fields_holds_its_finding() -> None:
    old = {
        "id": "e1", "mark": "f00d", "severity": "high", "confidence": 0.9, "title": "Races",
        "path": "app/db.py", "line": 12, "side": "RIGHT", "quote": "q = name", "trigger": "two",
        "fix": "lock", "was": 10, "fate": "moved", "holders": 2, "extent": 3, "blocked": True,
        "category": "security", "state": "demanded", "settled_by": None, "quotes": ["q = x"],
    }  # fmt: skip
    lines = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    opened = next(x["payload"] for x in lines if (x["kind"], x["version"]) == ("debate_opened", 3))
    material = opened["material"]

    def demands(*stored: dict[str, Any]) -> tuple[Demand, ...]:
        payload = {**opened, "material": {**material, "demands": [*stored]}}
        event = EVENTS.decode("debate_opened", 3, payload)
        assert isinstance(event, DebateOpened)
        return event.material.demands

    finding = Finding(
        "e1", Severity.HIGH, 0.9, "Races", "app/db.py", 12, "RIGHT", "q = name", "two", "lock",
        anchored=True, end=14, category=Category.SECURITY, must_fix=True,
    )  # fmt: skip
    kept: dict[str, Any] = {"was": 10, "fate": Fate.MOVED, "holders": 2, "quotes": ("q = x",)}
    gone = {**old, "line": None, "category": "", "blocked": None}
    nowhere = replace(finding, line=None, end=None, anchored=False, category=None, must_fix=None)
    assert demands(old, gone) == (Demand("f00d", finding, **kept), Demand("f00d", nowhere, **kept))


def test_upgrades_have_no_holes() -> None:
    assert all(
        sorted(steps) == list(range(1, len(steps) + 1)) and kind in EVENTS.types
        for kind, steps in UPGRADES.items()
    )


@dataclass(frozen=True)
class Renamed:
    whole: str
    added: int


def test_an_old_payload_climbs_every_step() -> None:
    codec: Codec[Renamed] = Codec(
        Renamed | None,
        {
            "renamed": {
                1: lambda old: {"half": old["first"] + old["second"]},
                2: lambda old: {"whole": old["half"], "added": 7},
            }
        },
    )
    assert codec.encode(Renamed("x", 1))[1] == 3
    assert codec.decode("renamed", 1, {"first": "a", "second": "b"}) == Renamed("ab", 7)
    assert codec.decode("renamed", 2, {"half": "ab"}) == Renamed("ab", 7)
    assert codec.decode("renamed", 3, {"whole": "ab", "added": 1}) == Renamed("ab", 1)


@pytest.mark.parametrize(
    ("kind", "version", "payload", "says"),
    [
        ("turn_started", 1, {}, "cannot be read: Object missing required field `turn`"),
        ("turn_started", 1, {"turn": 7}, "cannot be read: Expected `str`, got `int`"),
    ],
)
def test_what_cannot_be_read_is_never_guessed(
    kind: str, version: int, payload: dict[str, Any], says: str
) -> None:
    with pytest.raises(UnknownFormat, match=says):
        EVENTS.decode(kind, version, payload)


@pytest.mark.parametrize(
    ("kind", "version", "payload"),
    [("turn_danced", 1, {"steps": 3}), ("turn_started", 9, {"turn": "t"})],
)
def test_what_a_newer_release_wrote_is_carried_and_never_guessed(
    kind: str, version: int, payload: dict[str, Any]
) -> None:
    carried = EVENTS.decode(kind, version, payload)
    assert carried == UnknownEvent(kind, version, payload)
    assert EVENTS.encode(carried) == (kind, version, payload)


def test_a_mapping_need_not_be_a_dict() -> None:
    proxied = replace(
        requested(), request=replace(requested().request, extras=MappingProxyType({"a": "b"}))
    )
    assert through(EVENTS, proxied) == replace(
        proxied, request=replace(proxied.request, extras={"a": "b"})
    )


@given(
    st.recursive(
        st.text(max_size=6),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
        ),
    )
)
def test_any_text_can_be_written(value: Any) -> None:
    def whole(part: Any) -> Any:
        if isinstance(part, str):
            return part.encode("utf-8", "replace").decode()
        return (
            {whole(k): whole(v) for k, v in part.items()}
            if isinstance(part, dict)
            else [whole(v) for v in part]
        )

    assert json.loads(dump(value)) == whole(value)


TEXT_ABOUT = {
    "phased": {"stand_in": "role", "judge": "swapped"},
    "triad": {"question": "seat"},
    "critique": {"propose": "lens", "criticise": "lens", "revise": "lens"},
    "adversarial": {"argue": "argument"},
    "panel": {"judge": "swapped"},
    "gauntlet": {"attack": "category", "defend": "category", "press": "category"},
}
"""The subjects of each format's turns, by task, as the first version wrote them in text."""


def test_scripts_of_the_first_version_say_what_their_turns_are_about() -> None:
    """The attacks of the recorded gauntlet are called like other things: a challenge, a seat, a
    reversed order.
    """
    met: dict[str, dict[str, str]] = {}
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        stored = json.loads(line)
        if (stored["kind"], stored["version"]) != ("debate_opened", 1):
            continue
        before = stored["payload"]["script"]
        event = EVENTS.decode(stored["kind"], 1, stored["payload"])
        assert isinstance(event, events.DebateOpened)
        for turn, old in zip(event.script, before["turns"], strict=True):
            assert str(turn.about or "") == old["about"]
            if turn.about is not None:
                met.setdefault(before["format"], {})[turn.task] = turn.about.topic.value
    assert met == TEXT_ABOUT


def test_turns_that_the_first_version_added_answer_their_challenge() -> None:
    old = {"id": "x1.1", "seat": "critic", "task": "rebut", "about": "x1"}
    event = EVENTS.decode("turns_added", 1, {"turns": [old], "read_by": [], "because": "x1"})
    assert isinstance(event, events.TurnsAdded)
    assert [t.about for t in event.turns] == [About(Topic.CHALLENGE, "x1")]
