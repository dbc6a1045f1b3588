"""Each post arrives once, whatever Discord or the network does; a post that cannot arrive names the
reason in one sentence.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.ports.chat import ReactionOption, Shape
from core.application.desk import ChatFile
from core.application.presence import Ref
from tests.adapters.discord.conftest import Town
from tests.adapters.discord.posts import SEEDS, post
from tests.adapters.undelivered import undelivered
from tests.patience import PATIENCE
from tests.standins.discord_rest import Fault
from tests.standins.discord_world import (
    ALL_PERMISSIONS,
    FILES,
    HISTORY,
    MANAGE_THREADS,
    REACT,
    SEND,
    THREAD_SEND,
    THREADS,
)

POSTS = r"/channels/\d+/messages$"


async def statement(town: Town, root: Ref, key: str = "d1:4:statement", **more: Any) -> Ref:
    return await town.app.chat.send(
        town.place, root.thread, post(key, who="skeptic", body="It leaks.", **more)
    )


def permit(town: Town, permissions: int) -> None:
    """Changes what the bot may do without telling the gateway, as happens between two events."""
    town.discord.world.guilds[town.discord.guild]["roles"][0]["permissions"] = str(permissions)


_BROKE = "the connection to Discord broke (ServerDisconnectedError)"
_ODD = (b"[]", b"null", b"{}", b'"x"', b'{"id":"x"}', b"{")
DOUBTS = [
    (Fault("POST", POSTS, 0, after=True), 1, _BROKE),
    (Fault("POST", POSTS, 502, times=99), 5, "Discord answered 502"),
    *(
        (Fault("POST", POSTS, 200, after=True, body=body), 1, "Discord's answer can't be read")
        for body in _ODD
    ),
]


async def test_what_may_have_arrived_is_uncertain_and_sending_again_doubles_nothing(
    town: Town, quick_library: None
) -> None:
    root = await town.debate()
    for n, (fault, tries, problem) in enumerate(DOUBTS):
        before = len(town.discord.posts(root.thread))
        town.discord.faults.append(fault)
        failed = await undelivered(statement(town, root, f"d1:{n}:statement"))
        expected = f"{problem}; the message may have arrived"
        assert (failed.kind, str(failed)) == ("uncertain", expected), fault
        assert len(town.discord.posts(root.thread)) - before == tries, fault
        town.discord.faults.clear()
        await statement(town, root, f"d1:{n}:statement")
        assert len(town.discord.messages(root.thread)) == n + 1, fault


async def test_a_short_rate_limit_is_waited_for_and_a_long_one_handed_back(town: Town) -> None:
    root = await town.debate()
    town.discord.faults.append(Fault("POST", POSTS, 429, retry_after=0.05))
    await statement(town, root)
    assert [call.status for call in town.discord.posts(root.thread)] == [429, 200]
    town.discord.faults.append(Fault("POST", POSTS, 429, retry_after=95.0))
    problem = await undelivered(statement(town, root, "d1:5:statement"))
    assert (problem.kind, problem.after) == ("retry", 95.0)
    other = town.discord.world.channel(town.discord.guild, "other")["id"]
    async with asyncio.timeout(PATIENCE):
        await town.app.chat.send(
            f"discord:{town.discord.guild}/{other}",
            None,
            post("d2:root", Shape.ROOT, title="other"),
        )


async def test_find_knows_the_parts_after_a_restart_and_beyond_the_nonces(town: Town) -> None:
    """The crash between a post and its row: the outbox looks, finds, and sends only what is
    missing.
    """
    started = datetime.now(UTC)
    root = await town.debate()
    long = post(
        "d1:6:statement", who="skeptic", body="word " * 1600, files=(ChatFile("notes.txt", "n"),)
    )
    sent = await town.app.chat.send(town.place, root.thread, long)
    assert len(sent.ids) == 4
    assert sent.ids[-1].endswith("/file")
    await town.restart()
    town.discord.advance(3600)
    chat = town.app.chat
    assert await chat.find(
        town.place, None, post("d1:root", Shape.ROOT, title="PR 7"), started
    ) == list(root.ids)
    assert await chat.find(town.place, root.thread, long, started) == list(sent.ids)
    assert (
        await chat.find(town.place, root.thread, post("d1:7:statement", who="x", body="y"), started)
        == []
    )
    assert (
        await chat.find(town.place, root.thread, long, datetime.now(UTC) + timedelta(hours=2)) == []
    )

    await town.discord.rest._delete(town.discord.calls[0], root.thread, sent.ids[1].split("/")[1])
    known = await chat.find(town.place, root.thread, long, started)
    assert known == [sent.ids[0]]
    again = await chat.send(town.place, root.thread, long, known)
    assert again.ids[0] == sent.ids[0]
    assert len(again.ids) == 4


async def test_a_root_without_its_thread_gets_one_and_is_not_repeated(town: Town) -> None:
    town.discord.faults.append(Fault("POST", r"/threads$", 403, code=50013))
    problem = await undelivered(town.debate())
    assert problem.kind == "dead"
    started = datetime.now(UTC)
    post_ = post("d1:root", Shape.ROOT, title="PR 7")
    known = await town.app.chat.find(town.place, None, post_, started)
    ref = await town.app.chat.send(town.place, None, post_, known)
    assert list(ref.ids) == list(known)
    assert len(town.discord.messages(town.discord.general)) == 1
    again = await town.app.chat.send(town.place, None, post_, known)
    assert (again, len(town.discord.threads(town.discord.general))) == (ref, 1)


async def test_missing_permissions_are_named_before_anything_is_sent(town: Town) -> None:
    """Without the permission to read messages, an uncertain post stays uncertain."""
    for missing, names in (
        (SEND, "Send Messages"),
        (THREADS | THREAD_SEND, "Create Public Threads, Send Messages in Threads"),
    ):
        permit(town, ALL_PERMISSIONS & ~missing)
        await town.restart()
        problem = await undelivered(town.debate())
        expected = (
            f"my role lacks {names} in #general: an administrator can give it in the channel's "
            "settings"
        )
        assert (problem.kind, str(problem)) == ("dead", expected)
    assert town.discord.posts(town.discord.general) == []
    permit(town, ALL_PERMISSIONS & ~HISTORY)
    await town.restart()
    root = post("d1:root", Shape.ROOT, title="t")
    problem = await undelivered(town.app.chat.find(town.place, None, root, datetime.now(UTC)))
    assert (problem.kind, "Read Message History" in str(problem)) == ("uncertain", True)


async def test_a_permission_lost_meanwhile_is_one_request_and_one_sentence(town: Town) -> None:
    root = await town.debate()
    permit(town, ALL_PERMISSIONS & ~FILES)
    verdict = post(
        "d1:verdict", Shape.VERDICT, title="VERDICT", files=(ChatFile("debate.md", "all"),)
    )
    assert (await undelivered(town.app.chat.send(town.place, root.thread, verdict))).kind == "dead"
    for permissions, sentence in (
        (
            ALL_PERMISSIONS & ~THREAD_SEND,
            (
                "I may not do that in #general: give my role the missing permission "
                "(`debate docs discord` lists them)"
            ),
        ),
        (0, "Discord does not let me see #general: give my role View Channel there"),
    ):
        permit(town, permissions)
        before = len(town.discord.calls)
        problem = await undelivered(statement(town, root))
        assert (problem.kind, str(problem), len(town.discord.calls) - before) == (
            "dead", sentence, 1,
        )  # fmt: skip


async def test_what_never_will_be_delivered_says_why(town: Town) -> None:
    root, chat = await town.debate(), town.app.chat
    assert await chat.channel_name(town.place) == "#general"
    assert await chat.channel_name("discord:@me/9999") == ""
    sent = await statement(town, root)
    town.discord.world.thread_cap_reached = True
    full = await undelivered(town.debate("d2:root"))
    del town.discord.world.messages[root.thread][sent.ids[0].split("/")[1]]
    gone = await undelivered(chat.edit(sent, post("e", edits="d1:4:statement", body="x")))
    del town.discord.world.channels[root.thread]
    closed = await undelivered(statement(town, root, "d1:9:statement"))
    new = post("k", Shape.ROOT, title="t")
    nowhere = [await undelivered(chat.send(place, None, new)) for place in _NO_PLACES]
    problems = [full, gone, closed, *nowhere]
    assert {problem.kind for problem in problems} == {"dead"}
    assert [str(problem) for problem in problems] == [
        "#general is on a server that has as many active threads as Discord allows: archive some",
        "the message in #general is gone",
        "#general is gone",
        "this conversation is gone",
        "'discord:nowhere' is no Discord channel",
    ]
    await town.app.stop()
    problem = await undelivered(town.debate("d3:root"))
    assert (problem.kind, str(problem)) == ("retry", "Discord is not connected")


_NO_PLACES = ("discord:1/2", "discord:nowhere")


async def test_an_archived_thread_is_opened_and_a_locked_one_only_if_the_bot_may(
    town: Town,
) -> None:
    root = await town.debate()
    sent = await statement(town, root)
    state = town.discord.world.channels[root.thread]["thread_metadata"]
    state["archived"] = True
    await statement(town, root, "d1:5:statement")
    assert state["archived"] is False
    state["archived"] = True
    await town.app.chat.edit(sent, post("e", edits="d1:4:statement", who="skeptic", body="mended"))
    assert town.discord.texts(root.thread)[0] == "**skeptic**\nmended"
    state |= {"archived": True, "locked": True}
    permit(town, ALL_PERMISSIONS & ~MANAGE_THREADS)
    problem = await undelivered(statement(town, root, "d1:6:statement"))
    assert problem.kind == "dead"
    permit(town, ALL_PERMISSIONS | MANAGE_THREADS)
    verdict = post("d1:verdict", Shape.VERDICT, title="Request changes")
    await town.app.chat.send(town.place, root.thread, verdict)
    assert state["archived"] is False
    assert town.discord.messages(root.thread)[-1]["pinned"]


@pytest.mark.parametrize("closed", [{"archived": True, "locked": True}, {"locked": True}])
async def test_a_verdict_whose_thread_was_closed_goes_to_the_channel(
    town: Town, closed: dict[str, bool]
) -> None:
    """It is there once, with a link to the thread, and keeps the link when it is edited."""
    root, general = await town.debate(), town.discord.general
    town.discord.world.channels[root.thread]["thread_metadata"] |= closed
    permit(town, ALL_PERMISSIONS)
    town.discord.faults.append(Fault("POST", rf"/channels/{general}/messages$", 0, after=True))
    verdict = post("d1:verdict", Shape.VERDICT, title="Request changes")
    problem = await undelivered(town.app.chat.send(town.place, root.thread, verdict))
    assert problem.kind == "uncertain"
    done = await town.app.chat.find(town.place, root.thread, verdict, datetime.now(UTC))
    sent = await town.app.chat.send(town.place, root.thread, verdict, done)
    _, text = town.discord.texts(general)
    assert "Request changes" in text
    assert f"/{root.thread}>)" in text
    _, message = town.discord.messages(general)
    assert str(message["message_reference"]["message_id"]) == root.thread
    await town.app.chat.edit(sent, post("e", Shape.VERDICT, edits="d1:verdict", title="Approve"))
    _, text = town.discord.texts(general)
    assert "Approve" in text
    assert f"/{root.thread}>)" in text


async def test_reactions_that_are_not_allowed_are_told_once_in_a_thread(town: Town) -> None:
    root = await town.debate()
    finding = post("d1:f1", Shape.FINDING, title="HIGH", reaction_options=SEEDS)
    first = await town.app.chat.send(town.place, root.thread, finding)
    channel, message = first.ids[0].split("/")
    town.discord.world.reactions[channel, message] = [
        (chr(0x1F600 + n), town.discord.ada) for n in range(20)
    ]
    await town.restart()
    more = replace(finding, reaction_options=(*SEEDS, ReactionOption("eyes", "look")))
    for _ in range(3):
        await town.seeded(root.thread, finding, first.ids)
        await town.app.chat.add_reactions(first, more)
    text = (
        "That message has all the different reactions that Discord allows. Vote with `/debate "
        "vote` instead."
    )
    assert town.discord.texts(root.thread)[1:] == [text]

    permit(town, ALL_PERMISSIONS & ~REACT)
    other = await town.debate("d2:root", reaction_options=SEEDS)
    for key in ("d2:f1", "d2:f2"):
        await town.seeded(other.thread, replace(finding, key=key))
    assert [text for text in town.discord.texts(other.thread) if "Add Reactions" in text] == [
        (
            "I may not add reactions here: my role lacks Add Reactions or Read Message History. "
            "Vote with `/debate vote` instead."
        )
    ]


async def test_no_message_may_ping_anybody_or_unfurl(town: Town) -> None:
    """The requests themselves: no mention is ever allowed, links are not embedded, all but starter
    and verdict arrive quietly.
    """
    evil = "@everyone <@1> <@&2> <#3> [bank](https://evil.example/) https://evil.example/x"
    root = await town.debate(body=evil)
    await statement(town, root, title=evil, quote=evil, fields=((evil, evil),))
    await town.app.chat.edit(root, post("e", Shape.ROOT, title="PR 7", body=evil, edits="d1:root"))
    writes = [
        call
        for call in town.discord.calls
        if call.method in ("POST", "PATCH") and "/messages" in call.path
    ]
    assert all(
        call.body["allowed_mentions"]["parse"] == []
        for call in writes
        if "/threads" not in call.path
    )
    flags = [
        call.body["flags"]
        for call in writes
        if call.method == "POST" and call.path.endswith("/messages")
    ]
    assert [bool(flag & 4) for flag in flags] == [True, True]
    assert [bool(flag & 4096) for flag in flags] == [False, True]
