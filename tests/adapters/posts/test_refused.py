"""A debate that could not open is reported in one line to one person, and not in the channel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from adapters.ports.chat import Post
from bot.posting.record import posts_so_far
from core.debate.events import DebateRequest, DebateRequested, Event, OpeningFailed
from core.debate.material.since import UNCHANGED
from tests.adapters.posts.told import posted
from tests.core.table import START

PERSON, PLACE = "slack:T1/U1", "slack:T1/C1"
LINK = "https://github.com/o/r/pull/7"
REASON = "o/r#7 is not to be seen from here"


def failed(reason: str = REASON, **request: Any) -> list[Event]:
    wanted = replace(DebateRequest("code_review", LINK, PERSON, PLACE), **request)
    return [DebateRequested("d1", wanted, START), OpeningFailed(reason, START)]


def line(events: list[Event]) -> Post:
    [post] = posted(events)
    return post


def test_whoever_asked_is_told_alone_and_what_to_do() -> None:
    post = line(failed())
    assert (post.to, post.direct, post.title, post.buttons) == (PERSON, False, "", ())
    assert post.body.replace("\\", "") == (
        f"Debate `d1` (code review on {LINK}) could not start, and only you see this. {REASON}. "
        "When that is fixed, ask again with `/debate`."
    )


def test_the_owner_of_a_schedule_is_told_directly_and_once_in_a_series() -> None:
    post = line(failed(schedule="s1"))
    assert (post.to, post.direct) == (PERSON, True)
    assert post.body.startswith("Schedule `s1` (")
    assert posted(failed(schedule="s1", told=True)) == []


def test_who_bound_the_channel_is_told_of_what_a_forge_asked_for() -> None:
    post = line(failed(asker="github:github.com/mallory", owner=PERSON))
    assert (post.to, post.direct) == (PERSON, True)


@pytest.mark.parametrize("alone", [{"schedule": "s1"}, {"owner": PERSON}])
def test_nothing_new_is_no_failure_of_what_asks_by_itself(alone: dict[str, str]) -> None:
    assert posted(failed(f"o/r#7 has {UNCHANGED}", **alone)) == []
    assert line(failed(f"o/r#7 has {UNCHANGED}")).to == PERSON


def test_words_of_strangers_stay_words() -> None:
    post = line(failed("<!channel> **now** [here](https://evil.example)", target="*a* <@U9>"))
    for mark in ("<!channel>", "**now**", "[here]", "*a*", "<@U9>"):
        assert mark not in post.body


def test_a_place_that_joins_later_hears_nothing_of_it() -> None:
    assert posts_so_far(failed(), PLACE) == []
