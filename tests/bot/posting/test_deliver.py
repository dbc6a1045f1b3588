"""Every way a delivery can go wrong, against a chat that is a file: order, pace, doubt, giving up,
and asking a person.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.ports.chat import Chat, PartialDelivery, Post, ReactionOption, Shape
from adapters.posts.keys import root_key
from bot.desk.taking_part.threads import ChatThreads
from bot.posting.deliver import TAKEN_OVER, Poster
from bot.posting.failures import TRIES
from bot.posting.record import outgoing, posts_so_far
from bot.serve.lost_place import LostPlaces
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.application.presence import DeliveryError, Ref
from core.debate import commands as c
from core.debate.events import DebateRequest
from core.debate.log import Append
from storage.claims import LEASE, Pace, Rate
from storage.events.log import DebateLog
from storage.leases import RowState
from storage.tables import OUTBOX
from tests.bot.asked import ask
from tests.bot.calls import states
from tests.bot.crashing import ASKER, PLACE, settings_for
from tests.bot.parts import Hands
from tests.origins import origin
from tests.patience import PATIENCE
from tests.standins.chat import Hook, RecordingChat, nothing, uncertain

PAUSE = c.Pause("", "I can't post it: This channel is archived.")


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
async def parts(file: str, tmp_path: Path, hands: Hands) -> AsyncIterator[Parts]:
    async with open_parts(settings_for(file, tmp_path), shell=False, clock=hands) as opened:
        yield opened


async def debate(parts: Parts, number: int = 1, place: str = PLACE) -> DebateLog:
    return await ask(parts, place, f"event-{place}-{number}")


async def say(log: DebateLog, *parts: str, place: str = PLACE) -> None:
    posts = [Post(f"{log.debate}:{part}", log.debate, Shape.NOTICE, title=part) for part in parts]
    await log.append(Append(log.debate, 1, posts=tuple(outgoing(post, place) for post in posts)))


async def deliver(one: Poster, hands: Hands, times: int = 1, seconds: float = 10.0) -> None:
    """Lets the poster look this number of times, with a pause after each."""
    for _ in range(times):
        await one.deliver_all()
        hands.time += timedelta(seconds=seconds)


async def repost(parts: Parts, key: str) -> DeskAnswer:
    """Presses the button of the question whether a message is to be posted again."""
    return await parts.desk.press("repost", f"{PLACE} {key}", Caller(ASKER, PLACE, "click"))


def poster(
    parts: Parts, folder: Path, hook: Hook | None = None, pace: float = 0.0, **more: Any
) -> tuple[Poster, RecordingChat]:
    chat = RecordingChat(folder / "chat.jsonl", hook=hook or nothing, now=parts.stores.database.now)
    given = {
        "outbox": parts.stores.outbox,
        "owner": "test",
        "paces": {"slack": Pace(Rate(pace), Rate(pace))},
        **more,
    }
    return Poster(chats={"slack": chat}, **given), chat


def short(keys: Sequence[str], *logs: DebateLog) -> list[str]:
    """Shortens keys to debates d1, d2."""
    out = list(keys)
    for number, log in enumerate(logs, 1):
        out = [key.replace(log.debate, f"d{number}").removesuffix("/0") for key in out]
    return out


async def test_threads_are_in_order_and_paced_over_all_debates_and_replicas(
    url: str, hands: Hands, tmp_path: Path
) -> None:
    async with open_parts(settings_for(url, tmp_path), shell=False, clock=hands) as parts:
        await paced(parts, hands, tmp_path)


async def paced(parts: Parts, hands: Hands, tmp_path: Path) -> None:
    logs = [await debate(parts, n) for n in (1, 2)]
    for log in logs:
        await say(log, "a")
    one, chat = poster(parts, tmp_path, pace=1.0)
    two, _ = poster(parts, tmp_path, pace=1.0, owner="other")
    sent = []
    for _ in range(4):
        await asyncio.gather(one.deliver_all(), two.deliver_all())
        sent.append(len(chat.keys()))
        hands.time += timedelta(seconds=0.5)
        await asyncio.gather(one.deliver_all(), two.deliver_all())
        assert len(chat.keys()) == sent[-1], "not twice within a second, whoever asks"
        hands.time += timedelta(seconds=0.5)
    assert sent == [1, 2, 3, 4]
    posted = short(chat.keys(), *logs)
    assert sorted(posted) == ["d1:a", "d1:root", "d2:a", "d2:root"]
    assert posted.index("d1:root") < posted.index("d1:a")
    threads = {line["key"]: (line["id"], line["thread"]) for line in chat.lines()}
    for log in logs:
        assert threads[f"{log.debate}:a"][1] == threads[f"{log.debate}:root"][0]


async def test_a_channel_that_asks_to_wait_holds_no_other_channel_up(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    left = [1]

    def slow_down(moment: str, post: Post) -> None:
        if moment == "before send" and post.debate == first.debate and left[0]:
            left[0] = 0
            raise DeliveryError("retry", "slow down", after=30.0)

    first, second = await debate(parts, 1), await debate(parts, 2)
    other = await debate(parts, 3, "slack:T1/C2")
    one, chat = poster(parts, tmp_path, slow_down, pace=1.0)
    await deliver(one, hands, 29, 1)
    assert short(chat.keys(), first, second, other) == ["d3:root"]
    for _ in range(4):
        hands.time += timedelta(seconds=1)
        await one.deliver_all()
    assert sorted(short(chat.keys(), first, second, other)) == ["d1:root", "d2:root", "d3:root"]


async def test_a_connection_that_broke_after_sending_is_looked_up_and_not_sent_again(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    log = await debate(parts)
    await say(log, "a")
    one, chat = poster(parts, tmp_path, uncertain("after send"))
    await deliver(one, hands)
    assert short(chat.keys(), log) == ["d1:root"]
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root", "d1:a"]
    assert (await parts.stores.outbox.count_backlog()).open == 0


async def test_a_defect_after_sending_is_looked_up_and_not_sent_again(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    broken = [1, 2]

    def breaks(moment: str, _post: Post) -> None:
        if moment == "after send" and broken:
            broken.pop()
            raise TypeError("an answer of another form")

    log = await debate(parts)
    await say(log, "a")
    one, chat = poster(parts, tmp_path, breaks)
    await deliver(one, hands, 3)
    assert short(chat.keys(), log) == ["d1:root", "d1:a"]
    assert (await parts.stores.outbox.count_backlog()).open == 0


async def test_where_the_chat_cannot_tell_a_person_decides(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    """The message was in fact not there, and the person has it posted again."""

    broken = [1]

    def lost(moment: str, post: Post) -> None:
        if moment == "before send" and post.title == "a" and broken[0]:
            broken[0] = 0
            raise DeliveryError("uncertain", "the connection broke")
        if moment == "find":
            raise DeliveryError("uncertain", "I may not read the history")

    log = await debate(parts)
    await say(log, "a", "b")
    one, chat = poster(parts, tmp_path, lost)
    await deliver(one, hands, 3)
    keys = short(chat.keys(), log)
    assert keys == ["d1:root", "d1:b", "d1:a?"], "later posts go on, and the thread is asked"
    assert (await parts.stores.outbox.count_backlog()).uncertain == 1
    answer = await repost(parts, f"{log.debate}:a")
    assert (answer.ok, answer.text) == (True, "I will post it again.")
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root", "d1:b", "d1:a?", "d1:a"]
    assert not (await repost(parts, f"{log.debate}:a")).ok


async def test_a_question_in_doubt_is_not_asked_about(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    def lost(moment: str, post: Post) -> None:
        if moment == "find" or (moment == "before send" and post.shape is Shape.NOTICE):
            raise DeliveryError("uncertain", "the connection broke")

    log = await debate(parts)
    await say(log, "a")
    one, chat = poster(parts, tmp_path, lost)
    await deliver(one, hands, 6)
    assert short(chat.keys(), log) == ["d1:root"]
    backlog = await parts.stores.outbox.count_backlog()
    assert (backlog.uncertain, backlog.open) == (2, 0), "the message and the question about it"


async def test_a_root_in_doubt_keeps_its_thread_until_a_person_decides(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    broken = [1]

    def lost(moment: str, post: Post) -> None:
        if moment == "before send" and post.shape is Shape.ROOT and broken[0]:
            broken[0] = 0
            raise DeliveryError("uncertain", "the connection broke")
        if moment == "find":
            raise DeliveryError("dead", "I may not read the history")

    log = await debate(parts)
    await say(log, "a", "b")
    one, chat = poster(parts, tmp_path, lost)
    await deliver(one, hands, 3)
    assert short(chat.keys(), log) == ["d1:root?"]
    assert (await repost(parts, f"{log.debate}:root")).ok
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root?", "d1:root", "d1:a", "d1:b"]


@pytest.mark.parametrize(
    "error",
    [DeliveryError("retry", "Slack failed (503).", after=5.0), TypeError("no such layout")],
    ids=["the chat is down", "a defect"],
)
async def test_tries_are_bounded_and_the_reason_is_kept(
    parts: Parts, hands: Hands, tmp_path: Path, error: Exception
) -> None:
    def down(moment: str, post: Post) -> None:
        if moment == "before send" and post.title == "a":
            raise error

    noted: list[str] = []
    log = await debate(parts)
    await say(log, "a", "b")
    one, chat = poster(parts, tmp_path, down, count=lambda _platform, what: noted.append(what))
    await deliver(one, hands, TRIES, 400)
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root", "d1:b"]
    assert noted == ["sent", *["retried"] * (TRIES - 1), "dead", "sent"]
    again = await parts.stores.outbox.repost(PLACE, f"{log.debate}:a")
    assert again, "a dead post can be asked for again"


async def test_a_channel_that_is_gone_rests_its_schedules_and_tells_the_starter(
    parts: Parts, tmp_path: Path
) -> None:
    def gone(moment: str, post: Post) -> None:
        if moment == "before send":
            raise DeliveryError("dead", "This channel is archived.")

    line = 'schedule add "every weekday 09:00" panel "What next?"'
    wanted = parse(line, templates=["panel"])
    await parts.desk.take(wanted, Caller(ASKER, PLACE, "e1"))
    log = await debate(parts)
    await say(log, "a")
    chats: dict[str, Chat] = {}
    firings = replace(parts.firings, chats=chats)
    lost = LostPlaces(chats, parts.service, parts.stores.outbox, firings)
    one, chat = poster(parts, tmp_path, gone, gone=lost.report)
    chats["slack"] = chat
    await one.deliver_all()
    (schedule,) = await parts.stores.schedules.find_all()
    assert not schedule.enabled
    assert [(place, person) for place, person, _ in chat.private] == [("", ASKER), (PLACE, ASKER)]
    assert chat.private[0][2].startswith(
        f"Schedule {schedule.id} (panel on What next?) is paused now: its channel"
    )
    assert chat.private[1][2] == (
        f"Debate {log.debate} is paused and costs nothing more, for I can't post it: This channel "
        f"is archived. When that is fixed: /debate resume {log.debate}"
    )
    assert (await parts.stores.outbox.count_backlog()).open == 0
    (pause,) = await parts.stores.queue.load_waiting(log.debate)
    assert pause.command == PAUSE


async def test_a_debate_that_nobody_can_read_spends_nothing_and_is_told_whole_when_it_is_resumed(
    parts: Parts, tmp_path: Path
) -> None:
    id = await parts.service.take(
        DebateRequest("panel", "What next?", ASKER, PLACE, rounds=1, vote_window=0.0), origin("e1")
    )
    one, chat = poster(parts, tmp_path, idle=0.02)
    chat.gone[PLACE] = "This channel is archived."
    posting = asyncio.create_task(one.run())
    threads = ChatThreads(parts.desk, parts.stores.outbox)
    advancer = replace(parts.advancer, threads=threads)
    paused = await advancer.advance(id)
    while (await parts.stores.outbox.count_backlog()).open:  # noqa: ASYNC110  another task posts
        await asyncio.sleep(0.01)
    posting.cancel()
    with suppress(asyncio.CancelledError):
        await posting
    assert (paused.status, len(paused.started)) == ("paused", 0)
    assert await states(parts) == []
    await one.deliver_all()  # what is told meanwhile has no thread to go to
    assert chat.keys() == []
    chat.gone.clear()
    resume = parse(f"resume {id}", templates=[])
    assert (await parts.desk.take(resume, Caller(ASKER, PLACE, "e2"))).ok
    done = await parts.advancer.advance(id)
    assert done.status == "finished"
    await one.deliver_all()
    sent = [line for line in chat.lines() if line["op"] == "send"]
    assert sent[0]["key"] == root_key(id)
    assert {line["thread"] for line in sent} == {sent[0]["id"]}
    titles = [line["title"] for line in sent[1:]]
    assert titles[:2] == ["Paused", "Resumed by U1"]
    events = await parts.stores.debates.load(id)
    assert list(dict.fromkeys(line["key"] for line in sent)) == [
        x.key for x in posts_so_far(events, PLACE) if x.op == "post"
    ]


async def test_a_platform_that_is_not_connected_keeps_its_posts(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    log = await debate(parts, 1, "discord:G/1")
    one, chat = poster(parts, tmp_path)
    await deliver(one, hands, TRIES + 2, 60)
    assert (await parts.stores.outbox.count_backlog()).open == 1
    one.chats = {"slack": chat, "discord": chat}
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root"]


async def test_a_long_post_goes_on_after_the_parts_that_stand(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    """The second of two parts broke off before it left: only that one is sent again."""
    seen: list[str] = []

    def second_breaks(moment: str, post: Post) -> None:
        if moment == "before send" and post.shape is Shape.VERDICT:
            seen.append(post.key)
            if len(seen) == 2:
                raise DeliveryError("retry", "slow down", done=(chat.lines()[-1]["id"],))

    log = await debate(parts)
    verdict = Post(f"{log.debate}:verdict", log.debate, Shape.VERDICT, title="VERDICT")
    await log.append(Append(log.debate, 1, posts=(outgoing(verdict, PLACE),)))
    one, chat = poster(parts, tmp_path, second_breaks)
    await deliver(one, hands, 2, 5)
    posted = " ".join(chat.keys()).replace(log.debate, "d1")
    assert posted == "d1:root/0 d1:verdict/0 d1:verdict/1"


class Slow(RecordingChat):
    """Takes its time between the two parts of a verdict: ``before`` and ``after`` the first one is
    recorded.
    """

    before: Callable[[], Awaitable[None]]
    after: Callable[[], Awaitable[None]]

    async def send(
        self,
        place: str,
        thread: str | None,
        post: Post,
        done: Sequence[str] = (),
        on_partial: PartialDelivery | None = None,
    ) -> Ref:
        async def record(thread: str, ids: Sequence[str]) -> None:
            assert on_partial is not None
            await self.before()
            await on_partial(thread, ids)
            await self.after()

        return await super().send(place, thread, post, done, record)


async def test_a_long_post_whose_claim_ran_out_is_left_to_the_process_that_claims_it(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    """Each recorded part renews the claim; one that comes too late ends the delivery."""
    log = await debate(parts)
    verdict = Post(f"{log.debate}:verdict", log.debate, Shape.VERDICT, title="VERDICT")
    one, _ = poster(parts, tmp_path)
    other, _ = poster(parts, tmp_path, owner="other")
    chat = Slow(tmp_path / "chat.jsonl", now=parts.stores.database.now)
    one.chats = {"slack": chat}

    async def wait() -> None:
        hands.time += 0.75 * LEASE
        await other.deliver_all()

    async def wait_long() -> None:
        hands.time += 2 * LEASE
        await other.deliver_all()

    async def wait_no_more() -> None:
        await asyncio.sleep(0)

    for before, after in ((wait, wait), (wait_long, wait_no_more)):
        chat.before, chat.after = before, after
        key = f"{verdict.key}{len(chat.lines())}"
        await log.append(Append(log.debate, 1, posts=(outgoing(replace(verdict, key=key), PLACE),)))
        await one.deliver_all()
    assert chat.keys() == list(dict.fromkeys(chat.keys()))
    assert len(chat.keys()) == 5, "the root and the two parts of each verdict"


SEEDS = (ReactionOption("white_check_mark", "real"), ReactionOption("x", "not_real"))


def finding(log: DebateLog) -> Post:
    key, shape = f"{log.debate}:finding:f1", Shape.FINDING
    return Post(key, log.debate, shape, title="HIGH", reaction_options=SEEDS, subject="f1")


async def test_emojis_are_put_once_beside_the_line_of_posts(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    """The platform takes none for a while: the next post goes; a crash and an edit put no emoji
    twice, and no channel is left alone.
    """
    tries: list[str] = []

    def slow(moment: str, post: Post) -> None:
        if moment == "seed":
            tries.append(post.key)
            if len(tries) == 1:
                raise DeliveryError("retry", "slow down", after=30.0)

    log = await debate(parts)
    await log.append(Append(log.debate, 1, posts=(outgoing(finding(log), PLACE),)))
    await say(log, "a")
    one, chat = poster(parts, tmp_path, slow)
    await one.deliver_all()
    assert short(chat.keys(), log) == ["d1:root", "d1:finding:f1", "d1:a"]
    assert chat.seeded == {}
    hands.time += timedelta(seconds=30)
    await one.deliver_all()
    edit = replace(finding(log), key=f"{log.debate}:9", edits=finding(log).key)
    await log.append(Append(log.debate, 1, posts=(outgoing(edit, PLACE),)))
    await one.deliver_all()
    assert chat.seeded == {chat.lines()[1]["id"]: ["white_check_mark", "x"]}
    assert short(tries, log) == ["d1:finding:f1:seeds"] * 2
    assert (await parts.stores.outbox.count_backlog()).open == 0


async def test_emojis_that_never_will_be_there_are_told_once(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    def never(moment: str, post: Post) -> None:
        if moment == "seed":
            raise DeliveryError("dead", "The app lacks the scope reactions:write.")

    log = await debate(parts)
    second = replace(finding(log), key=f"{log.debate}:finding:f2")
    posts = tuple(outgoing(post, PLACE) for post in (finding(log), second))
    await log.append(Append(log.debate, 1, posts=posts))
    one, chat = poster(parts, tmp_path, never)
    await one.deliver_all()
    keys = sorted(short(chat.keys(), log))
    assert keys == ["d1:finding:f1", "d1:finding:f2", "d1:root", "d1:unseeded"]
    assert await parts.stores.messages.find(PLACE, "m2") is not None


class Growing(RecordingChat):
    """Each edit needs one message more; the first breaks off after it was posted."""

    async def edit(self, ref: Ref, post: Post) -> Ref:
        longer = (*ref.ids, f"{ref.ids[0]}+{len(ref.ids)}")
        await super().edit(replace(ref, ids=longer), post)
        if len(longer) == 2:
            raise DeliveryError("retry", "slow down", done=longer)
        return replace(ref, ids=longer)


async def test_an_edit_continues_with_the_messages_that_the_edit_before_it_left(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    log = await debate(parts)
    one, _ = poster(parts, tmp_path)
    chat = Growing(tmp_path / "chat.jsonl", now=parts.stores.database.now)
    one.chats = {"slack": chat}
    await one.deliver_all()
    root = root_key(log.debate)
    for title in ("first", "second"):
        new = Post(f"{log.debate}:{title}", log.debate, Shape.ROOT, title=title, edits=root)
        await log.append(Append(log.debate, 1, posts=(outgoing(new, PLACE),)))
        await deliver(one, hands, 2)
    sent = await parts.stores.outbox.find_sent(PLACE, root)
    assert sent is not None
    first = chat.lines()[0]["id"]
    assert sent.ids == (first, f"{first}+1", f"{first}+2", f"{first}+3")


async def test_where_a_later_debate_goes_on_its_state_stays(
    parts: Parts, hands: Hands, tmp_path: Path
) -> None:
    first = await debate(parts, 1)
    one, chat = poster(parts, tmp_path)
    await one.deliver_all()
    hands.time += timedelta(minutes=5)
    second = await debate(parts, 2)
    await one.deliver_all()
    shared = root_key(first.debate)

    async def shows(log: DebateLog, title: str) -> None:
        new = Post(f"{log.debate}:{title}", log.debate, Shape.ROOT, title=title, edits=shared)
        await log.append(Append(log.debate, 1, posts=(outgoing(new, PLACE),)))
        await one.deliver_all()

    await shows(first, "decided")
    await shows(second, "again")
    await shows(first, "final")  # its votes closed meanwhile
    await shows(second, "decided again")
    edits = [line["title"] for line in chat.lines() if line["op"] == "edit"]
    assert edits == ["decided", "again", "decided again"]
    given_up = await parts.stores.database.read(
        lambda conn: conn.execute(sa.select(OUTBOX).where(OUTBOX.c.state == RowState.DEAD)).all()
    )
    assert [(row.key, row.reason) for row in given_up] == [(f"{first.debate}:final", TAKEN_OVER)]
    message = await parts.stores.messages.find(PLACE, chat.lines()[0]["id"])
    assert message is not None
    assert message.debate == second.debate, "what is typed there reaches the later one"


async def test_the_loop_hears_the_bell_and_ends_when_told(parts: Parts, tmp_path: Path) -> None:
    one, chat = poster(parts, tmp_path, idle=60.0)
    running = asyncio.create_task(one.run())
    await asyncio.sleep(0.05)
    log = await debate(parts)
    async with asyncio.timeout(PATIENCE):
        while not chat.keys():  # noqa: ASYNC110 (the chat is a file: no event tells of it)
            await asyncio.sleep(0.02)
    assert short(chat.keys(), log) == ["d1:root"]
    for _ in range(20):
        parts.stores.outbox.wake_event.set()
        await asyncio.sleep(0)
    running.cancel()
    with suppress(asyncio.CancelledError):
        async with asyncio.timeout(PATIENCE):
            await running
    assert running.cancelled()
