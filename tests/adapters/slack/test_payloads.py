"""Slack's payloads and escaped texts, read."""

from __future__ import annotations

import pytest

from adapters.slack import places
from adapters.slack.incoming import shapes
from adapters.slack.incoming.payloads import (
    is_readable,
    mentions,
    team_of,
    with_places,
    without_mention,
)
from adapters.text.emoji import plain_name
from core.application.commands.named import asks_for_thread
from core.application.presence import DeliveryError


@pytest.mark.parametrize("text", ["mirror d1 <#C1|general>", "mirror d1 slack:<#C1|general>"])
def test_a_channel_that_a_command_names_is_a_place(text: str) -> None:
    assert with_places(text, "T1") == "mirror d1 slack:T1/C1"


def test_our_name_is_taken_out_of_a_mention() -> None:
    assert mentions("hi <@U0BOT|debate> there", "U0BOT")
    assert not mentions("hi <@U0BOTS>", "U0BOT")
    assert without_mention("<@U0BOT>: stop", "U0BOT") == "stop"
    assert without_mention("please <@U0BOT> help <@U1>", "U0BOT") == "please help <@U1>"


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("+1", "+1"),
        ("thumbsup", "+1"),
        ("thumbsdown::skin-tone-2", "-1"),
        (":wave::skin-tone-6:", "wave"),
        ("x", "x"),
    ],
)
def test_emoji_without_tones_and_aliases(name: str, bare: str) -> None:
    assert plain_name(name) == bare


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("panel", "panel"),
        ("panel this thread --rounds 1", "panel --rounds 1"),
        ("panel  THIS", "panel"),
        ("panel Should we wait?", ""),
        ("panels", ""),
        ("status", ""),
    ],
)
def test_what_asks_for_the_threads_own_text(text: str, start: str) -> None:
    assert asks_for_thread(text, ["panel"]) == start


def test_places_are_read_back() -> None:
    assert places.parse(str(places.place("T1", "C1"))) == places.place("T1", "C1")
    for wrong in ("discord:1/2", "slack:T1", "slack:/C1", ""):
        with pytest.raises(DeliveryError, match="no Slack channel"):
            places.parse(wrong)


def test_only_what_a_person_just_wrote_is_readable() -> None:
    assert is_readable({"user": "U1"})
    assert is_readable({"user": "U1", "subtype": "file_share"})
    assert not is_readable({"user": "U1", "subtype": "channel_topic"})
    assert not is_readable({"subtype": "bot_message"})


@pytest.mark.parametrize(
    ("body", "media", "readable"),
    [
        (b"{}", "application/json", True), (b"{}", "text/plain", True),
        (b"[]", "application/json", False), (b"{", "text/plain", False),
        (b"\xff", "application/x-www-form-urlencoded", False),
        (b"text=hi", "application/x-www-form-urlencoded", True),
        (b"payload={}", "application/x-www-form-urlencoded", True),
        (b"payload=[]", "application/x-www-form-urlencoded", False),
        (b"&".join([b"a=1"] * 100), "application/x-www-form-urlencoded", True),
        (b"&".join([b"a=1"] * 101), "application/x-www-form-urlencoded", False),
        (b'{"type": "shortcut"}', "application/json", False),
        (b'{"type": "shortcut", "user": {"id": "U1"}}', "application/json", True),
        (b'{"type": "event_callback", "event": {}}', "application/json", True),
        (b'{"type": "event_callback"}', "application/json", False),
    ],
)  # fmt: skip
def test_a_body_has_the_shape_of_one_that_slack_sends(
    body: bytes, media: str, readable: bool
) -> None:
    assert shapes.is_readable(body, media) is readable


_ORGANISATION = {"team": None, "enterprise": {"id": "E1"}, "is_enterprise_install": True}


@pytest.mark.parametrize(
    ("body", "team"),
    [
        ({"team_id": "T1"}, "T1"),
        ({"team": {"id": "T1"}, "user": {"team_id": "T2"}}, "T1"),
        ({"authorizations": [{"team_id": "T1"}]}, "T1"),
        ({"team": None, "user": {"id": "U1", "team_id": "T1"}}, "T1"),
        ({"team_id": None, "enterprise": {"id": "T1"}}, "T1"),
        (_ORGANISATION, "E1"),
        ({**_ORGANISATION, "team_id": "T1"}, "T1"),
        ({**_ORGANISATION, "user": {"id": "U1", "team_id": "T1"}}, "T1"),
        ({**_ORGANISATION, "user": {"id": "U1"}, "view": {"team_id": "T1"}}, "T1"),
        (
            {**_ORGANISATION, "view": {"app_installed_team_id": "T1", "team_id": "T2"}},
            "T1",
        ),
        ({**_ORGANISATION, "user": {"id": "U1"}, "message": {"team": "T1"}}, "T1"),
        (
            {
                **_ORGANISATION,
                "authorizations": [{"enterprise_id": "E1", "team_id": None}],
                "event": {"team": "T1"},
            },
            "T1",
        ),
        ({**_ORGANISATION, "authorizations": [], "context_team_id": "T1"}, "T1"),
    ],
    ids=str,
)
def test_the_workspace_of_any_payload(body: dict[str, object], team: str) -> None:
    assert team_of(body) == team
