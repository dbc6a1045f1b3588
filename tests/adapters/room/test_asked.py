"""What a page asks of people, and when; what its forms mean."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.room.incoming.debates import _later
from adapters.room.incoming.repositories import OPTIONS, _wanted
from adapters.room.outgoing.view import DebateView
from core.application.commands import Setup
from core.application.commands.options import WrongOption
from core.debate import events as e
from core.debate.errors import BadInput
from core.debate.state import replay
from core.words.outcome import outcome
from tests.core.table import table


def _ended(*after: e.Event, ago: timedelta = timedelta(), **more: Any) -> DebateView:
    """Returns the view of a debate that ended some time ago."""
    t = table(**more).says("t1", "approve").says("t2", "approve").says("t3", "approve").says("end")
    at = datetime.now(UTC) - ago
    events = [
        replace(event, at=at) if isinstance(event, e.DebateConcluded) else event
        for event in t.concluded(closed=True).events
    ]
    debate = replay([*events, *after])
    return DebateView(debate, outcome(debate))


def test_whether_a_verdict_held_is_asked_once_people_can_know() -> None:
    young, old = _ended(), _ended(ago=timedelta(days=3))
    now = datetime.now(UTC)
    assert (young.asks_held(), young.asks_held(now)) == (False, False)
    assert (old.asks_held(), old.asks_held(now)) == (False, True)
    assert _later(young, "token") == ""
    assert 'value="token"' in _later(old, "token")
    due = _ended(e.FollowUpDue("Did it hold?", now), ago=timedelta(days=3))
    assert due.asks_held()
    assert _later(due, "token") == "", "the page asks by itself"


def test_people_are_asked_of_a_verdict_alone() -> None:
    assert _ended().asks_useful
    running = table().says("t1", "approve").debate
    assert not DebateView(running, outcome(running)).asks_useful
    demo = _ended(terms={"demo": True})
    assert not demo.asks_useful
    assert not demo.asks_held(datetime.now(UTC) + timedelta(days=30))


_FORM = {"forge": "github", "repository": "o/r", "channel": "slack:T1/C1"}


def _entered(**changed: str) -> dict[str, str]:
    return {**{option.field: "" for option in OPTIONS}, **_FORM, **changed}


def test_a_binding_needs_a_repository_and_a_channel() -> None:
    assert _wanted(_entered()) == Setup("o/r", forge="github", channel="slack:T1/C1")
    assert _wanted(_entered(forge="gitlab", repository="a/b/c")).forge == "gitlab"
    for missing in ({"repository": ""}, {"channel": ""}, {"repository": "", "channel": ""}):
        with pytest.raises(BadInput, match="Name a repository, OWNER/REPO, and the channel"):
            _wanted(_entered(**missing))
    with pytest.raises(BadInput, match="belongs to an older page"):
        _wanted(_entered(forge="other"))
    with pytest.raises(WrongOption):
        _wanted(_entered(budget="lots"))


@pytest.mark.parametrize(
    ("by", "reason", "state"),
    [
        ("shell:ann", "lunch", "Paused by ann (lunch). "),
        ("shell:ann", "", "Paused by ann. "),
        ("", "lunch", "Paused (lunch). "),
        ("", "", "Paused. "),
    ],
)
def test_a_page_says_who_paused_the_debate_and_why(by: str, reason: str, state: str) -> None:
    playing = table().says("t1", "approve")
    at = DebateView(playing.debate, outcome(playing.debate)).state
    debate = playing.add(e.DebatePaused(by, reason)).debate
    assert DebateView(debate, outcome(debate)).state == f"{state}{at}"
