"""Every implementation of ``adapters.ports.chat.Chat`` keeps what the poster relies on: the
recording one, Slack's, Discord's, and the one of the page about plugins.

A new platform joins by one more ``Stage``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType

import pytest

from adapters.discord.settings import DiscordSettings
from adapters.ports.chat import Chat, Post, ReactionOption, Shape
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.application.presence import DeliveryError, Ref
from tests.adapters.discord.conftest import quick_library, settled
from tests.adapters.undelivered import undelivered
from tests.bot.plugins.packages import shown_package
from tests.patience import PATIENCE
from tests.standins.acme_chat import acme_chat
from tests.standins.chat import RecordingChat
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_rest import Fault as DiscordFault
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn, render

__all__ = ["quick_library"]
ROOT = Post(
    "d1:root",
    "d1",
    Shape.ROOT,
    title="Should we?",
    fields=(("State", "round 1 of 2"),),
    fallback="Should we?",
)
LATER = replace(ROOT, key="d1:9:root", fields=(("State", "round 2 of 2"),), edits="d1:root")
SHORT = Post("d1:4:statement", "d1", Shape.STATEMENT, who="skeptic", body="It leaks.")
LONG = Post(
    "d1:5:statement",
    "d1",
    Shape.STATEMENT,
    who="skeptic",
    body="\n\n".join(f"Point {n}: " + "because " * 60 for n in range(60)),
)


@dataclass
class Stage:
    """A chat to be tried. ``count`` tells how many messages of ours stand in a thread, its root
    included.

    ``lose`` lets the next message arrive and its answer get lost; ``slow`` has the next one refused
    for some seconds; ``gone`` is a place that cannot be posted to. ``direct`` tells what stands in
    the direct messages of ``person``.
    """

    chat: Chat
    place: str
    gone: str
    count: Callable[[Ref], int]
    lose: Callable[[], None]
    slow: Callable[[float], None]
    person: str
    direct: Callable[[], list[str]]


@asynccontextmanager
async def recording(folder: Path) -> AsyncIterator[Stage]:
    plan: list[tuple[str, DeliveryError]] = []

    def hook(moment: str, post: Post) -> None:
        if plan and plan[0][0] == moment:
            raise plan.pop(0)[1]

    chat = RecordingChat(
        folder / "chat.jsonl", hook=hook, gone={"slack:T1/GONE": "This channel is archived."}
    )
    yield Stage(
        chat,
        "slack:T1/C1",
        "slack:T1/GONE",
        lambda ref: sum(
            line["thread"] == ref.thread for line in chat.lines() if line["op"] == "send"
        ),
        lambda: plan.append(("after send", DeliveryError("uncertain", "the connection broke"))),
        lambda seconds: plan.append(
            ("before send", DeliveryError("retry", "slow down", after=seconds))
        ),
        "slack:T1/U1",
        lambda: [text for place, _, text in chat.private if not place],
    )


@asynccontextmanager
async def slack(folder: Path) -> AsyncIterator[Stage]:
    async with SlackStandIn() as stand_in:
        url = stand_in.url
        workspaces = Workspaces(
            SlackSettings(BOT_TOKEN, app_token="xapp-1", api_url=url, timeout=PATIENCE, pace=0.0)
        )
        await workspaces.open()
        yield Stage(
            SlackChat(workspaces, pace=0.0),
            "slack:T1/C1",
            "slack:T1/C404",
            lambda ref: len(stand_in.thread(ref.thread)),
            lambda: stand_in.faults.append(Fault("chat.postMessage", "drop_after")),
            lambda seconds: stand_in.faults.append(
                Fault("chat.postMessage", "429", retry_after=int(seconds))
            ),
            "slack:T1/U1",
            lambda: [render(message) for message in stand_in.messages("D1")],
        )
        await workspaces.close()


@asynccontextmanager
async def discord(folder: Path) -> AsyncIterator[Stage]:
    posts = r"/channels/\d+/messages$"
    async with DiscordStandIn() as stand_in, settled(stand_in) as town:
        assert isinstance(town.settings, DiscordSettings)
        yield Stage(
            town.app.chat,
            town.place,
            f"discord:{stand_in.guild}/404",
            lambda ref: len(stand_in.messages(ref.thread)) + 1,
            lambda: stand_in.faults.append(DiscordFault("POST", posts, 0, after=True)),
            lambda seconds: stand_in.faults.append(
                DiscordFault("POST", posts, 429, retry_after=seconds)
            ),
            f"discord:{stand_in.guild}/{stand_in.ada}",
            lambda: stand_in.texts(stand_in.world.dm(stand_in.ada)["id"]),
        )


@asynccontextmanager
async def plugged(folder: Path) -> AsyncIterator[Stage]:
    """Makes the chat of the example of a plugin."""
    module = ModuleType("acme_chat")
    exec(shown_package()["acme_debates/chat.py"], module.__dict__)  # noqa: S102  our own example
    async with acme_chat() as stand_in:
        stand_in.gone = frozenset({"acme:T1/GONE"})

        def lose() -> None:
            stand_in.lost = True

        def slow(seconds: float) -> None:
            stand_in.slow = seconds

        yield Stage(
            module.AcmeChat(stand_in.address),
            "acme:T1/C1",
            "acme:T1/GONE",
            lambda ref: len(stand_in.thread(ref.thread)),
            lose,
            slow,
            "acme:T1/U1",
            lambda: [one["text"] for one in stand_in.whispers if not one["place"]],
        )


STAGES = {"recording": recording, "slack": slack, "discord": discord, "a plugin's": plugged}


@pytest.fixture(params=list(STAGES.values()), ids=list(STAGES))
async def stage(
    request: pytest.FixtureRequest, tmp_path: Path, quick_library: None
) -> AsyncIterator[Stage]:
    async with request.param(tmp_path) as made:
        yield made


async def refused(stage: Stage, place: str, thread: str | None, post: Post) -> DeliveryError:
    return await undelivered(stage.chat.send(place, thread, post))


def just_now() -> datetime:
    return datetime.now(UTC) - timedelta(seconds=5)


async def test_a_thread_is_opened_answered_edited_and_nothing_is_sent_twice(stage: Stage) -> None:
    root = await stage.chat.send(stage.place, None, ROOT)
    assert root.place == stage.place
    reply = await stage.chat.send(stage.place, root.thread, SHORT)
    assert reply.thread == root.thread
    assert len(set(root.ids + reply.ids)) == 2
    assert await stage.chat.send(stage.place, root.thread, SHORT, done=reply.ids) == reply
    assert await stage.chat.send(stage.place, None, ROOT, done=root.ids) == root
    assert await stage.chat.edit(root, LATER) == root
    assert await stage.chat.edit(root, LATER) == root
    assert stage.count(root) == 2


async def test_what_is_there_is_found_and_what_is_not_is_not(stage: Stage) -> None:
    since = just_now()
    assert list(await stage.chat.find(stage.place, None, ROOT, since)) == []
    root = await stage.chat.send(stage.place, None, ROOT)
    assert list(await stage.chat.find(stage.place, None, ROOT, since)) == list(root.ids)
    assert list(await stage.chat.find(stage.place, root.thread, SHORT, since)) == []
    long = await stage.chat.send(stage.place, root.thread, LONG)
    assert list(await stage.chat.find(stage.place, root.thread, LONG, since)) == list(long.ids)


@pytest.mark.parametrize("post", [ROOT, SHORT], ids=["root", "reply"])
async def test_an_answer_that_got_lost_doubles_nothing(stage: Stage, post: Post) -> None:
    since = just_now()
    thread = (await stage.chat.send(stage.place, None, ROOT)).thread if post is SHORT else None
    stage.lose()
    problem = await refused(stage, stage.place, thread, post)
    assert problem.kind == "uncertain"
    ids = await stage.chat.find(stage.place, thread, post, since)
    assert len(ids) == 1
    ref = await stage.chat.send(stage.place, thread, post, done=ids)
    assert stage.count(ref) == (2 if post is SHORT else 1)


async def test_a_long_post_goes_on_after_its_first_part(stage: Stage) -> None:
    """The parts that stand are reported at once, so that people's replies to them reach the
    debate.
    """
    partial: list[tuple[str, tuple[str, ...]]] = []

    async def stands(thread: str, ids: Sequence[str]) -> None:
        partial.append((thread, tuple(ids)))

    def check(ref: Ref) -> None:
        assert {thread for thread, _ in partial} <= {ref.thread}
        assert {ids for _, ids in partial} >= {ref.ids[:n] for n in range(1, len(ref.ids))}
        assert all(ids == ref.ids[: len(ids)] for _, ids in partial)
        partial.clear()

    root = await stage.chat.send(stage.place, None, ROOT, on_partial=stands)
    check(root)
    whole = await stage.chat.send(stage.place, root.thread, LONG, on_partial=stands)
    check(whole)
    assert stage.count(root) == 1 + len(whole.ids)
    again = await stage.chat.send(stage.place, root.thread, LONG, done=whole.ids[:-1])
    assert again.ids[:-1] == whole.ids[:-1]
    assert stage.count(root) <= 2 + len(whole.ids), (
        "only the last part was sent again, if the platform let it"
    )


async def test_emojis_can_be_put_twice_and_are_nobodys_votes(stage: Stage) -> None:
    root = await stage.chat.send(stage.place, None, ROOT)
    finding = Post(
        "d1:finding:f1",
        "d1",
        Shape.FINDING,
        title="HIGH",
        reaction_options=(
            ReactionOption("white_check_mark", "real"),
            ReactionOption("x", "not_real"),
        ),
    )
    ref = await stage.chat.send(stage.place, root.thread, finding)
    for _ in range(2):
        await stage.chat.add_reactions(ref, finding)
    assert list(await stage.chat.read_reactions(stage.place, ref.ids[0])) == []


async def test_a_request_to_wait_says_how_long_and_nothing_was_sent(stage: Stage) -> None:
    root = await stage.chat.send(stage.place, None, ROOT)
    stage.slow(95.0)
    problem = await refused(stage, stage.place, root.thread, SHORT)
    assert problem.kind == "retry"
    assert 95.0 <= problem.after < 100.0
    assert stage.count(root) == 1


async def test_a_gone_channel_is_dead_and_a_direct_message_waits_for_its_person(
    stage: Stage,
) -> None:
    problem = await refused(stage, stage.gone, None, ROOT)
    assert problem.kind == "dead"
    assert str(problem), "with its reason"
    await stage.chat.send_direct(stage.person, "It failed twice.")
    assert stage.direct() == ["It failed twice."]
