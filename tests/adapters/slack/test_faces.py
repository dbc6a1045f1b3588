"""Seats speak under their own names and pictures where the workspace allows it, once each, and sign
in the text where it does not.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from adapters.ports.chat import Post, Shape
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.scopes import FACES
from core.application.presence import Ref
from tests.adapters.undelivered import undelivered
from tests.standins.slack import Fault, SlackStandIn, render

PLACE = "slack:T1/C1"
ROOT = Post("d1:root", "d1", Shape.ROOT, title="o/r#412", fallback="Debate d1")
SAID = Post(
    "d1:7:statement", "d1", Shape.STATEMENT, who="Security critic", face="lock",
    body="Anybody can read it.", fallback="Security critic: Anybody can read it.",
)  # fmt: skip
PLAIN = "*🔒 Security critic*\nAnybody can read it."


async def opened(chat: SlackChat) -> str:
    return (await chat.send(PLACE, None, ROOT)).thread


async def test_a_seat_speaks_under_its_own_name(slack: SlackStandIn, chat: SlackChat) -> None:
    root = await opened(chat)
    ref = await chat.send(PLACE, root, SAID)
    await chat.edit(ref, replace(SAID, body="Nobody can read it.", edits=SAID.key))
    statement, debate = slack.thread(root)[1], slack.thread(root)[0]
    assert (statement["username"], statement["icons"]["emoji"]) == ("Security critic", ":lock:")
    assert render(statement) == "Nobody can read it."
    assert statement["text"] == "Nobody can read it."
    assert "username" not in debate
    await chat.remove(PLACE, statement["ts"])
    assert [m["ts"] for m in slack.thread(root)] == [root]


async def test_what_may_have_arrived_under_a_name_is_found(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    root, since = await opened(chat), datetime.now(UTC)
    slack.faults.append(Fault("chat.postMessage", "drop_after"))
    failed = await undelivered(chat.send(PLACE, root, SAID))
    assert failed.kind == "uncertain"
    ids = await chat.find(PLACE, root, SAID, since)
    (statement,) = (m for m in slack.thread(root) if "username" in m)
    assert list(ids) == [statement["ts"]]
    assert await chat.send(PLACE, root, SAID, ids) == Ref(PLACE, root, (statement["ts"],))
    assert len(slack.thread(root)) == 2


async def test_without_the_right_a_seat_signs_in_the_text(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    slack.world.scopes.discard(FACES)
    root = await opened(chat)
    await chat.send(PLACE, root, SAID)
    (statement,) = slack.thread(root)[1:]
    assert render(statement) == PLAIN
    assert "username" not in statement
    assert statement["text"] == SAID.fallback


async def test_a_right_that_is_taken_away_is_asked_for_once(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    root = await opened(chat)
    await chat.send(PLACE, root, SAID)
    slack.world.scopes.discard(FACES)
    failed = await undelivered(chat.send(PLACE, root, replace(SAID, key="d1:8")))
    assert (failed.kind, failed.after) == ("retry", 0.0)
    for key in ("d1:8", "d1:9"):
        await chat.send(PLACE, root, replace(SAID, key=key))
    assert [render(m) for m in slack.thread(root)[2:]] == [PLAIN, PLAIN]
    assert len(slack.called("chat.postMessage")) == 5
