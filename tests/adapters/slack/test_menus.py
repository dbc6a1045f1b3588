"""Menus behind the buttons, the forms of bindings, and requests kept in a button."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import pytest

from adapters.ports.chat import Post, Shape
from adapters.slack.app import SlackApp
from adapters.slack.incoming.forms.bindings import _stood
from adapters.slack.incoming.forms.views import SETUP_FIELDS, setup_form
from adapters.slack.incoming.offers import change_buttons, offer, read_offer
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from core.application.commands import Setup, Start
from core.application.desk import Button, DeskAnswer
from core.debate.errors import BadInput
from tests.adapters.desk import RecordingDesk
from tests.standins.slack import SlackStandIn, render

PLACE = "slack:T1/C1"
POST = Post(
    "d1:root", "d1", Shape.ROOT, title="Panel",
    buttons=(
        Button("stop", "Stop", "d1"),
        Button("fork", "Fork", "d1", form=True, more=True),
        Button("export", "Export", "d1.md", more=True),
    ),
)  # fmt: skip


async def _choose(slack: SlackStandIn, ts: str, value: str) -> None:
    action = {
        "type": "overflow", "action_id": "debate.more.menu.0", "action_ts": "1.5",
        "selected_option": {"value": value, "text": {"type": "plain_text", "text": "Fork"}},
    }  # fmt: skip
    container = {"type": "message", "message_ts": ts, "channel_id": "C1", "is_ephemeral": False}
    await slack._act(
        action, "T1", "U1", container=container, channel={"id": "C1", "name": "general"},
        message=slack.world.channel("C1").messages[ts],
    )  # fmt: skip


async def test_a_choice_in_the_menu_is_a_press_of_the_button_behind_it(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    root = (await app.chat.send(PLACE, None, POST)).thread
    await _choose(slack, root, "press.export.d1.md")
    await slack.until(lambda: desk.presses)
    [(action, value, caller, text)] = desk.presses
    assert (action, value, text) == ("export", "d1.md", "")
    assert (caller.person, caller.place, caller.thread) == ("slack:T1/U1", PLACE, root)
    await _choose(slack, root, "form.fork.d1")
    [view] = await slack.until(lambda: list(slack.world.views.values()))
    assert render(view) == "Fork: ____"
    await slack.submit(view["id"], {"line": "without the author"})
    await slack.until(lambda: len(desk.presses) == 2)
    assert (desk.presses[1][:2], desk.presses[1][3]) == (("fork", "d1"), "without the author")


async def test_a_thumb_below_a_verdict_is_a_press_of_the_button_behind_it(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    pair = (Button("useful", "Useful", "d1:yes"), Button("useful", "Not useful", "d1:no"))
    root = (await app.chat.send(PLACE, None, Post("k", "d1", Shape.VERDICT, buttons=pair))).thread
    for label in ("Not useful", "Useful"):
        await slack.press(root, label)
    await slack.until(lambda: len(desk.presses) == 2)
    assert [pressed[:2] for pressed in desk.presses] == [("useful", "d1:no"), ("useful", "d1:yes")]


async def test_a_choice_that_means_nothing_does_nothing(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    root = (await app.chat.send(PLACE, None, POST)).thread
    for value in ("", "other.export.d1"):
        await _choose(slack, root, value)
    await slack.press(root, "stop")
    await slack.until(lambda: desk.presses)
    assert [pressed[0] for pressed in desk.presses] == ["stop"]
    assert not slack.world.views


def _named(number: int, **more: Any) -> Setup:
    return Setup(f"o/r{number}", **more)


def test_five_bindings_can_be_changed_by_a_button_the_newest_last() -> None:
    assert change_buttons([]) == ()
    made = change_buttons([*(_named(n) for n in range(5)), Setup()])
    assert [button.label for button in made] == [
        *(f"Change o/r{n}" for n in range(1, 5)), "Bind a repository"
    ]  # fmt: skip
    assert {(button.action, button.form) for button in made} == {("change", True)}


def test_a_binding_stands_in_its_button_as_long_as_it_fits() -> None:
    def buttons(length: int) -> tuple[Button, ...]:
        labels = ("x" * length,)
        return change_buttons([Setup("o/r", labels=labels, forge="gitlab", request_changes="yes")])

    [button] = buttons(1)
    assert _stood(button.value) == Setup(
        "o/r", labels=("x",), forge="gitlab", request_changes="yes"
    )
    room = 2001 - len(button.value)
    assert len(buttons(room)[0].value) == 2000
    assert buttons(room + 1) == ()


@pytest.mark.parametrize(
    "value", ["", "[]", "{}", '{"repository": 1}', '{"repository": "o/r"}', "no json"]
)
def test_a_button_without_a_binding_is_too_old(value: str) -> None:
    with pytest.raises(BadInput, match="too old"):
        _stood(value)


def test_a_form_of_a_binding_shows_what_stands() -> None:
    fresh, stands = (
        setup_form(s, "C1", "") for s in (Setup(), Setup("o/r", request_changes="yes"))
    )
    assert [view["title"]["text"] for view in (fresh, stands)] == [
        "Bind a repository", "Change a binding"
    ]  # fmt: skip
    first = [view["blocks"][0]["element"].get("initial_value") for view in (fresh, stands)]
    assert first == [None, "o/r"]
    assert [block["block_id"] for block in stands["blocks"][1:]] == [f.field for f in SETUP_FIELDS]
    by_name = {block["block_id"]: block["element"] for block in stands["blocks"]}
    filled = {
        name: element.get("initial_value") or element.get("initial_option", {}).get("value")
        for name, element in by_name.items()
    }
    assert filled["repository"] == "o/r"
    assert filled["request_changes"] == "yes"


async def test_a_binding_is_changed_by_its_button(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    desk.answer = DeskAnswer("Bound.", changes=(Setup("a/b/c", forge="gitlab"),))
    await slack.slash("setup gitlab")
    await slack.until(lambda: slack.responses)
    await slack.press_private(slack.responses[0], "Change a/b/c")
    [view] = await slack.until(lambda: list(slack.world.views.values()))
    for repository, budget, field in (
        ("no repository", "2", "repository"),
        ("  ", "2", "repository"),
        ("a/b/c", "lots", "budget"),
    ):
        wrong = await slack.submit(view["id"], {"repository": repository, "budget": budget})
        assert list(wrong.answer["errors"]) == [field]
    await slack.submit(view["id"], {"repository": " a/b/c ", "budget": " 2 "})
    await slack.until(lambda: len(desk.taken) == 2)
    request, caller = desk.taken[1]
    assert isinstance(request, Setup)
    assert (request.forge, request.repository, request.budget) == ("gitlab", "a/b/c", 2.0)
    assert (caller.person, caller.place) == ("slack:T1/U1", PLACE)


def _priced(text: str) -> DeskAnswer:
    return DeskAnswer("Price: $3.", ok=False, priced=Start("panel", text))


def test_a_priced_request_is_kept_in_its_button_or_has_to_be_typed_again() -> None:
    assert offer(DeskAnswer("Taken."), "slack:1") == DeskAnswer("Taken.")
    short = offer(_priced("Which way?"), "slack:1")
    [button] = short.buttons
    assert read_offer(button.value) == (Start("panel", "Which way?", yes=True), "slack:1")
    long = offer(_priced("".join(chr(0x4E00 + n * 7 % 9000) for n in range(2000))), "slack:1")
    assert long.buttons == ()
    assert "--yes" in long.text


_NONE = (b"{}", b"[1]", b'{"kind": "other", "request": {}}', b'{"kind": "start", "request": 1}')


@pytest.mark.parametrize(
    "value",
    ["", "é", "AAAA", *(base64.urlsafe_b64encode(zlib.compress(x)).decode() for x in _NONE)],
)
def test_a_button_without_a_request_starts_nothing(value: str) -> None:
    with pytest.raises(BadInput, match="nothing that can be started"):
        read_offer(value)


async def test_a_priced_request_starts_once_for_the_event_that_asked(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    desk.answer = _priced("Which way?")
    await slack.slash("panel Which way?")
    await slack.until(lambda: slack.responses)
    label = offer(desk.answer, "x").buttons[0].label
    desk.answer = DeskAnswer("Taken.")
    event = desk.taken[0][1].source
    slack.world.channel("C1").member = False
    await slack.press_private(slack.responses[0], label)
    await slack.until(lambda: len(slack.responses) == 2)
    assert "Invite me with /invite" in render(slack.responses[1])
    slack.world.channel("C1").member = True
    desk.sources.clear()
    await slack.press_private(slack.responses[0], label)
    await slack.until(lambda: len(desk.taken) == 2)
    request, caller = desk.taken[1]
    assert request == Start("panel", "Which way?", yes=True)
    assert caller.source == event


async def test_files_and_messages_that_are_gone_count_as_deleted(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, POST)
    await chat.remove(PLACE, ref.ids[0])
    await chat.remove(PLACE, ref.ids[0])
    assert slack.messages() == []
    await chat.remove_files(PLACE, ref.thread, "d1")


@pytest.mark.parametrize(
    ("given", "ready"),
    [
        ({}, False),
        ({"bot_token": "b"}, False),
        ({"bot_token": "b", "app_token": "a"}, True),
        ({"bot_token": "b", "signing_secret": "s"}, True),
        ({"app_token": "a", "signing_secret": "s"}, False),
        ({"client_id": "i", "app_token": "a"}, False),
        ({"client_id": "i", "client_secret": "c", "app_token": "a"}, True),
        ({"client_id": "i", "client_secret": "c"}, False),
    ],
)
def test_what_slack_needs_to_be_set(given: dict[str, Any], ready: bool) -> None:
    settings = SlackSettings(**given)
    assert settings.configured is ready
    assert settings.socket_mode is ("app_token" in given)
    assert settings.oauth is ("client_secret" in given)
    assert SlackSettings(api_url="http://x/api").api_url == "http://x/api/"
