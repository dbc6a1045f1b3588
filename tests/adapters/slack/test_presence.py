"""Who is in a channel or a workspace, and what people bring along from one."""

from __future__ import annotations

import pytest

from adapters.slack.app import SlackApp
from adapters.slack.incoming import attachments
from adapters.slack.outgoing import presence
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.workspaces import granted_scopes, person_of
from adapters.text import files as texts
from core.application.commands import Start
from core.application.desk import ChatFile, DeskAnswer
from core.application.presence import DeliveryError, DeliveryFailure, Member, Membership
from tests.adapters.desk import RecordingDesk
from tests.adapters.undelivered import undelivered
from tests.standins.slack import Fault, SlackStandIn

PLACE = "slack:T1/C1"


async def test_a_channel_is_open_unless_it_is_private_direct_or_shared(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    slack.world.channel("C2").private = True
    slack.world.channel("C3").shared = True
    for name in ("C1", "D1"):
        slack.world.channel(name)
    slack.world.channel("C1").name = "general"
    places = [f"slack:T1/{name}" for name in ("C1", "C2", "C3", "D1")]
    assert [await chat.is_open(place) for place in places] == [True, False, False, False]
    assert [await chat.is_shared(place) for place in places] == [False, False, True, False]
    assert [await chat.channel_name(place) for place in places] == ["#general", "#c2", "#c3", ""]
    questions = [call for call in slack.calls if call.method == "conversations.info"]
    assert len(questions) == 4, "an answer is believed for some seconds"


async def test_who_is_in_a_channel_is_read_to_the_last_page_and_not_for_ever(
    slack: SlackStandIn, chat: SlackChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    slack.world.channel("C1").people = tuple(f"U{n}" for n in range(1, 6))
    people = ("slack:T1/U1", "slack:T1/U5", "slack:T1/U6", "slack:T2/U1", "discord:1/U1")
    assert [await chat.is_inside(PLACE, person) for person in people] == [
        True, True, False, False, False
    ]  # fmt: skip
    assert await chat.may_write(PLACE, "slack:T1/U5")
    assert not await chat.may_write(PLACE, "slack:T1/U6")
    pages = [call for call in slack.calls if call.method == "conversations.members"]
    assert len(pages) == 3, "six people, two on each page, asked for once"
    slack.world.channel("C2").member = False
    failed = await undelivered(chat.is_inside("slack:T1/C2", "slack:T1/U1"))
    assert failed.kind is DeliveryFailure.DEAD
    monkeypatch.setattr(presence, "_PAGES", 2)
    slack.world.channel("C3").people = tuple(f"U{n}" for n in range(1, 9))
    assert await chat.is_inside("slack:T1/C3", "slack:T1/U3")
    assert not await chat.is_inside("slack:T1/C3", "slack:T1/U4")


@pytest.mark.parametrize(
    ("user", "name", "admin", "bot", "guest"),
    [
        ({}, "", False, False, False),
        ({"name": "ann", "is_admin": True}, "ann", True, False, False),
        ({"profile": {"real_name": "Ann A"}, "name": "ann"}, "Ann A", False, False, False),
        ({"real_name": "Ann", "profile": {"real_name": "A"}}, "Ann", False, False, False),
        ({"profile": {"display_name": "Annie"}, "real_name": "Ann"}, "Annie", False, False, False),
        ({"is_owner": True, "is_bot": True}, "", True, True, False),
        ({"id": "USLACKBOT"}, "", False, True, False),
        ({"is_restricted": True}, "", False, False, True),
        ({"is_ultra_restricted": True}, "", False, False, True),
        ({"is_stranger": True}, "", False, False, True),
    ],
)
def test_a_profile_is_read(
    user: dict[str, object], name: str, admin: bool, bot: bool, guest: bool
) -> None:
    person = person_of(user)
    assert (person.name, person.admin, person.bot, person.guest) == (name, admin, bot, guest)


def test_scopes_are_those_that_slack_names() -> None:
    assert granted_scopes({}) == frozenset()
    assert granted_scopes({"X-OAuth-Scopes": "chat:write, files:read,"}) == {
        "chat:write", "files:read"
    }  # fmt: skip


async def test_all_who_reacted_are_read_however_many(slack: SlackStandIn, chat: SlackChat) -> None:
    message = slack.world.say("C1", "U1", "vote")
    for n in range(1, 61):
        slack.world.react("C1", message["ts"], f"U{n}", "+1")
    [reaction] = await chat.read_reactions(PLACE, message["ts"])
    assert len(reaction.people) == 60


@pytest.mark.parametrize(
    ("private", "channel", "lands"),
    [(True, "C1", "D1"), (False, "C1", "C1"), (True, "D1", "D1"), (False, "D1", "D1")],
)
async def test_private_files_go_into_direct_messages(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk, private: bool, channel: str, lands: str
) -> None:
    for name in ("C1", "D1"):
        slack.world.channel(name)
    desk.answer = DeskAnswer("All of it.", private=private, files=(ChatFile("a.md", "# a"),))
    root = slack.world.say(channel, "U1", "panel?")
    await slack.mention("export d1", thread=root["ts"], channel=channel)

    def files() -> list[tuple[str, str | None]]:
        known = ((name, slack.world.channel(name).messages.values()) for name in ("C1", "D1"))
        return [
            (name, message.get("thread_ts"))
            for name, messages in known
            for message in messages
            if message.get("files")
        ]

    await slack.until(files)
    in_thread = root["ts"] if lands == channel else None
    assert files() == [(lands, in_thread)]


WHOLE = "u1: Leave it?\n\nu1: [a message without words]"


async def test_a_thread_is_debated_whole_or_not_at_all(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that is too long is refused, and so is one without text."""

    async def answer(root: str) -> str:
        slack.world.ephemeral.clear()
        await slack.mention("panel this", thread=root)
        await slack.until(lambda: slack.world.ephemeral)
        return str(slack.world.ephemeral[-1]["text"])

    empty = await slack.write("")
    assert await answer(empty["ts"]) == "This thread holds no text to debate."
    assert desk.taken == []
    root = await slack.write("Leave it?")
    await slack.write("", thread=root["ts"])
    assert await answer(root["ts"]) == "Taken."
    assert [ask for ask, _ in desk.taken] == [Start("panel", "this thread", text=WHOLE)]
    limits = ((texts, "_LONGEST_THREAD", len(WHOLE) - 1), (attachments, "_MESSAGES", 2))
    for module, limit, most in limits:
        with monkeypatch.context() as limited:
            limited.setattr(module, limit, most)
            assert "too long to be debated whole" in await answer(root["ts"])
    for _ in range(200):
        slack.world.say("C1", "U1", "Yes.", thread=root["ts"])
    monkeypatch.setattr(attachments, "_MESSAGES", 200)
    before = len(slack.called("conversations.replies"))
    assert "too long to be debated whole" in await answer(root["ts"])
    assert len(slack.called("conversations.replies")) == before + 1
    assert len(desk.taken) == 1


NOBODY = (b"[]", b"<p>", b'{"ok":true}', b'{"ok":true,"user":null}', b'{"ok":true,"user":[]}')


async def test_slack_says_who_belongs_and_who_is_an_admin(
    slack: SlackStandIn, app: SlackApp
) -> None:
    """An answer without a user makes nobody a member."""
    assert isinstance(app, Membership)
    slack.world.user("U1")
    slack.world.user("U2", is_admin=True)
    slack.world.user("U3", deleted=True)
    slack.world.user("U4", is_bot=True)
    slack.world.user("U5", team_id="T5")
    assert await app.member("slack:T1", "U1") == Member("u1", admin=False)
    assert await app.member("slack:T1", "U2") == Member("u2", admin=True)
    assert await app.member("slack:T1", "U3") is None
    assert await app.member("slack:T1", "U4") is None
    assert await app.member("slack:T1", "U5") is None
    assert await app.member("slack:T9", "U1") is None
    slack.faults.append(Fault("users.info", "user_not_found"))
    assert await app.member("slack:T1", "U9") is None
    slack.faults.append(Fault("users.info", "500"))
    with pytest.raises(DeliveryError):
        await app.member("slack:T1", "U1")
    for body in NOBODY:
        slack.faults.append(Fault("users.info", "other_after", instead=body))
        with pytest.raises(DeliveryError):
            await app.member("slack:T1", "U1")
        slack.faults.append(Fault("users.info", "other_after", instead=body))
        assert await app.chat.is_guest("slack:T1/C1", "slack:T1/U7")
        slack.faults.append(Fault("conversations.info", "other_after", instead=body))
        with pytest.raises(DeliveryError):
            await app.chat.is_open("slack:T1/C1")
