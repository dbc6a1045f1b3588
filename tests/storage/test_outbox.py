"""Posts leave once and in the order of their thread, through every way a delivery can go wrong."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

import sqlalchemy as sa
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from core.application.presence import Ref
from core.debate.commands import Pause
from core.debate.log import Append, Outgoing, PostOp
from storage.claims import LEASE, Delivery, Pace, Rate
from storage.commands import CommandQueue
from storage.database import Database
from storage.debates import Debates
from storage.events.log import NO_ROOT, DebateLog
from storage.messages import MessageStore, SentMessage
from storage.outbox import Backlog, Outbox
from storage.schema import open_database
from storage.tables import OUTBOX
from tests.drawn import drawn
from tests.storage.conftest import ON_SQLITE, Hands
from tests.storage.samples import new_log

HERE, THERE = "slack:T1/C1", "discord:G/1"


async def post(log: DebateLog, *posts: Outgoing) -> None:
    await log.append(Append(log.debate, 1, posts=posts))


async def keys(outbox: Outbox, owner: str = "a") -> list[tuple[str, str]]:
    return [(d.place, d.key) for d in await outbox.claim(owner)]


async def stands(outbox: Outbox, delivery: Delivery) -> bool:
    until = await outbox.renew(delivery)
    return time.monotonic() < until


async def test_one_post_per_thread_is_under_way_and_order_holds(db: Database) -> None:
    log, outbox = await new_log(db), Outbox(db)
    assert await outbox.claim("a") == []
    outbox.wake_event.clear()
    both = [(key, place) for key in ("root", "one") for place in (HERE, THERE)]
    await post(log, *(Outgoing(key, place, body={"text": key}) for key, place in both))
    assert outbox.wake_event.is_set()
    first = await outbox.claim("a")
    assert [(d.place, d.key, d.body, d.attempt, d.unconfirmed) for d in first] == [
        (HERE, "root", {"text": "root"}, 1, False),
        (THERE, "root", {"text": "root"}, 1, False),
    ]
    assert await keys(outbox) == []
    assert await outbox.mark_sent(first[0], Ref(HERE, "1.1", ("1.1",)))
    assert await keys(outbox, "b") == [(HERE, "one")]


@ON_SQLITE
async def test_a_key_is_sent_to_a_place_once_for_ever(db: Database) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE))
    await post(log, Outgoing("root", HERE), Outgoing("one", HERE))
    sent = await outbox.claim("a")
    await outbox.mark_sent(sent[0], Ref(HERE, "1.1", ("1.1",)))
    await post(log, Outgoing("root", HERE))
    assert await keys(outbox) == [(HERE, "one")]


@ON_SQLITE
async def test_a_retry_holds_its_thread_up_until_its_time(db: Database, hands: Hands) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE), Outgoing("one", HERE))
    (delivery,) = await outbox.claim("a")
    assert await outbox.retry_later(delivery, 30, "rate limited")
    assert await keys(outbox) == []
    hands.pass_by(30)
    (again,) = await outbox.claim("b")
    assert (again.key, again.attempt, again.unconfirmed) == ("root", 2, False)
    assert again.first_attempt_at == delivery.first_attempt_at


async def test_a_dead_and_an_uncertain_post_hold_nobody_up_and_can_be_sent_again(
    db: Database,
) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, *(Outgoing(key, HERE) for key in ("root", "one", "two")))
    (root,) = await outbox.claim("a")
    assert await outbox.mark_dead(root, "the channel is archived")
    (one,) = await outbox.claim("a")
    assert await outbox.mark_uncertain(one, "the connection broke", None)
    (two,) = await outbox.claim("a")
    assert await outbox.mark_sent(two, Ref(HERE, "1.1", ("1.3",)))
    assert await outbox.count_backlog("d1") == Backlog(0, 0.0, 1)
    assert await outbox.repost(HERE, "two") is False
    assert await outbox.repost(HERE, "one") is True
    (again,) = await outbox.claim("a")
    assert (again.key, again.unconfirmed) == ("one", False)


async def test_a_debate_whose_first_message_is_dead_everywhere_is_told_so_once_for_each_time(
    db: Database, hands: Hands
) -> None:
    log, outbox, signals = await new_log(db), Outbox(db), CommandQueue(db)
    await post(log, *(Outgoing(key, place) for place in (HERE, THERE) for key in ("root", "one")))
    here, there = await outbox.claim("a")
    assert await outbox.mark_dead(here, "archived", unread=Pause("", "archived"))
    assert not await outbox.is_unread("d1", "root")
    assert await signals.load_waiting("d1") == [], "it is read in the other place"
    assert await outbox.mark_dead(there, "gone", unread=Pause("", "gone"))
    assert not await outbox.mark_dead(there, "gone", unread=Pause("", "gone")), "the claim is over"
    assert await outbox.is_unread("d1", "root")
    assert [signal.command for signal in await signals.load_waiting("d1")] == [Pause("", "gone")]
    hands.pass_by(60)
    for one in await outbox.claim("a"):
        assert await outbox.mark_dead(one, NO_ROOT)
    await post(
        log, Outgoing("root", HERE, PostOp.AGAIN), Outgoing("never there", HERE, PostOp.AGAIN)
    )
    assert await keys(outbox) == [(HERE, "root")], "what died for want of it waits behind it"
    hands.pass_by(LEASE.total_seconds())
    (again,) = await outbox.claim("a")
    assert await outbox.mark_dead(again, "archived", unread=Pause("", "archived"))
    assert [signal.command for signal in await signals.load_waiting("d1")] == [
        Pause("", "gone"),
        Pause("", "archived"),
    ]
    await post(log, Outgoing("root", HERE, PostOp.AGAIN))
    (again,) = await outbox.claim("a")
    assert await outbox.mark_sent(again, Ref(HERE, "1.1", ("1.1",)))
    assert await keys(outbox) == [(HERE, "one")]


@ON_SQLITE
async def test_a_debate_of_a_shell_is_read_there(db: Database) -> None:
    log, outbox = await new_log(db, place="shell:me"), Outbox(db)
    await post(log, Outgoing("root", HERE))
    (root,) = await outbox.claim("a")
    assert await outbox.mark_dead(root, "archived", unread=Pause("", "archived"))
    assert not await outbox.is_unread("d1", "root")
    assert await CommandQueue(db).load_waiting("d1") == []


async def test_a_sender_that_died_leaves_a_doubtful_post(db: Database, hands: Hands) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE), Outgoing("one", HERE))
    (lost,) = await outbox.claim("a")
    assert await outbox.mark_part(lost, ["1.1"])
    hands.pass_by(LEASE.total_seconds() - 1)
    assert await keys(outbox, "b") == []
    hands.pass_by(1)
    (next_one,) = await outbox.claim("b")
    assert (next_one.key, next_one.unconfirmed) == ("root", True)
    assert (next_one.done, next_one.attempt) == (("1.1",), 2)
    assert not await stands(outbox, lost)
    for mark in (
        outbox.mark_sent(lost, Ref(HERE, "9", ("9",))),
        outbox.retry_later(lost, 1, ""),
        outbox.mark_dead(lost, ""),
    ):
        assert await mark is False
    assert await stands(outbox, next_one)
    assert await outbox.mark_sent(next_one, Ref(HERE, "1.1", ("1.1", "1.2")))
    assert await outbox.find_sent(HERE, "root") == Ref(HERE, "1.1", ("1.1", "1.2"))
    assert await MessageStore(db).find(HERE, "9") is None


@ON_SQLITE
async def test_a_sender_keeps_what_it_renews_in_time_and_nothing_else(
    db: Database, hands: Hands
) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE))
    (mine,) = await outbox.claim("a")
    for _ in range(3):
        hands.pass_by(LEASE.total_seconds() - 1)
        assert await stands(outbox, mine)
        assert await keys(outbox, "b") == []
    hands.pass_by(LEASE.total_seconds())
    (awake,) = await outbox.claim("a")
    assert [await stands(outbox, mine), await stands(outbox, awake)] == [False, True], "it slept"
    assert await outbox.recover() == 1, "the only process recovers at once"
    (after,) = await outbox.claim("after")
    assert after.unconfirmed
    frozen = Outbox(db, lease=timedelta(0))
    assert not await stands(frozen, after), "its time went by while it asked"


async def test_only_the_newest_edit_leaves(db: Database) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE))
    (root,) = await outbox.claim("a")
    await post(log, Outgoing("e1", HERE, PostOp.EDIT, {"n": 1}, "root"))
    await post(
        log,
        Outgoing("x", HERE),
        Outgoing("e2", HERE, PostOp.EDIT, {"n": 2}, "root"),
        Outgoing("e3", THERE, PostOp.EDIT, {"n": 3}, "root"),
    )
    await outbox.mark_sent(root, Ref(HERE, "1.1", ("1.1",)))
    seen = []
    while claimed := await outbox.claim("a"):
        for delivery in claimed:
            seen.append(delivery.key)
            await outbox.mark_sent(delivery, Ref(HERE, "1.1", ("1.1",)))
    assert sorted(seen) == ["e2", "e3", "x"]
    rows = sa.select(OUTBOX.c.reason).where(OUTBOX.c.key == "e1")
    assert await db.read(lambda conn: conn.execute(rows).scalar()) == "a newer edit took its place"


async def test_rivals_never_hold_the_same_row(
    db: Database, database_address: str, hands: Hands
) -> None:
    """The rivals are in this process and in another one; a lost update would give a row twice, a
    failed lock an error.
    """
    for n in range(12):
        await post(await new_log(db, f"d{n}"), Outgoing(f"root{n}", HERE))
    elsewhere = await open_database(database_address, hands.now)
    outboxes = [Outbox(db), Outbox(elsewhere)]
    ids: list[int] = []
    while len(ids) < 12:
        taken = await asyncio.gather(*(outboxes[n % 2].claim(str(n), limit=1) for n in range(6)))
        ids += [d.id for claimed in taken for d in claimed]
    assert len(ids) == len(set(ids)) == 12
    await elsewhere.close()


@ON_SQLITE
async def test_backlog_tells_the_age_of_the_oldest(db: Database, hands: Hands) -> None:
    log, outbox = await new_log(db), Outbox(db)
    assert await outbox.count_backlog() == Backlog(0, 0.0, 0)
    await post(log, Outgoing("root", HERE))
    hands.pass_by(7)
    await post(log, Outgoing("one", HERE))
    assert await outbox.count_backlog() == Backlog(2, 7.0, 0)


async def test_a_platform_s_sender_does_not_wait_for_posts_to_others(db: Database) -> None:
    log, outbox = await new_log(db), Outbox(db)
    assert not await outbox.has_open(("slack", "discord"))
    await post(log, Outgoing("root", HERE), Outgoing("root", THERE))
    for delivery in await outbox.claim("a"):
        if delivery.place == HERE:
            await outbox.mark_sent(delivery, Ref(HERE, "1.1", ("1.1",)))
    assert await outbox.has_open(("slack", "discord"))
    assert not await outbox.has_open(("slack", "disc"))
    assert not await outbox.has_open(())


async def test_messages_lead_back_to_their_debate(db: Database, hands: Hands) -> None:
    log, outbox, messages = await new_log(db), Outbox(db), MessageStore(db)
    await post(
        log,
        Outgoing("root", HERE),
        Outgoing("finding", HERE),
        Outgoing("e", HERE, PostOp.EDIT, {}, "root"),
    )
    (root_post,) = await outbox.claim("a")
    assert await outbox.mark_sent(root_post, Ref(HERE, "1.1", ("1.1",)), "")
    hands.pass_by(1)
    finding, edit = await outbox.claim("a")
    assert await outbox.mark_sent(finding, Ref(HERE, "1.1", ("1.2", "1.3")), "f1")
    seed = Outgoing("s", HERE, PostOp.REACT, {}, "root")
    assert await outbox.mark_sent(edit, Ref(HERE, "1.1", ("1.1",)), "", seed)
    hands.pass_by(1)
    (seeds,) = await outbox.claim("a")
    assert await outbox.mark_sent(seeds, Ref(HERE, "1.1", ("1.1",)))
    root, part = (
        SentMessage(HERE, "1.1", "1.1", "d1", "root", ""),
        SentMessage(HERE, "1.3", "1.1", "d1", "finding", "f1"),
    )
    assert await messages.find(HERE, "1.1") == root
    assert await messages.find(HERE, "1.3") == part
    assert await messages.find(THERE, "1.1") is None
    assert await messages.find_debate(HERE, "1.1") == "d1"
    assert await messages.find_debate(HERE, "1.2") is None
    assert {m.message for m in await messages.load("d1", HERE)} == {"1.1", "1.2", "1.3"}
    assert len(await messages.load_live("slack")) == 3
    assert await messages.load_live("discord") == []
    await post(log, Outgoing("root", THERE))
    (mirror,) = await outbox.claim("a")
    await outbox.mark_sent(mirror, Ref(THERE, "9", ("9",)))
    for place in (HERE, THERE):
        assert [line.id for line in await Debates(db).find_recent(place=place)] == ["d1"]
    await log.append(Append("d1", 1, status="finished"))
    assert await messages.load_live("slack") == []


@ON_SQLITE
async def test_a_thread_is_that_of_its_latest_debate_whoever_spoke_last(
    db: Database, hands: Hands
) -> None:
    outbox, messages = Outbox(db), MessageStore(db)
    for id in ("d1", "d2"):
        await post(await new_log(db, id), Outgoing(f"{id}:root", HERE), Outgoing(f"{id}:end", HERE))
        hands.pass_by(60)

    async def arrives(owner: str, message: str) -> Delivery:
        delivery = next(d for d in await outbox.claim("a") if d.debate == owner)
        await outbox.mark_sent(delivery, Ref(HERE, "1.1", (message,)))
        hands.pass_by(LEASE.total_seconds())
        return delivery

    first = await arrives("d1", "1.1")
    assert await messages.find_debate(HERE, "1.1") == "d1"
    assert not await outbox.is_taken_over(first.debate, Ref(HERE, "1.1", ("1.1",)))
    second = await arrives("d2", "1.2")
    last = await arrives("d1", "1.3")
    assert await messages.find_debate(HERE, "1.1") == "d2"
    for delivery, message, taken in (
        (last, "1.1", False), (last, "1.2", True), (second, "1.1", False), (second, "1.2", False),
    ):  # fmt: skip
        assert await outbox.is_taken_over(delivery.debate, Ref(HERE, "1.1", (message,))) == taken
    assert not await outbox.is_taken_over(last.debate, Ref(THERE, "1.1", ("1.2",)))


async def test_what_stands_is_known_before_the_rest_of_it_is_sent(
    db: Database, hands: Hands
) -> None:
    log, outbox, messages = await new_log(db), Outbox(db), MessageStore(db)
    await post(log, Outgoing("root", HERE))
    assert not await outbox.is_sending(HERE)
    (root,) = await outbox.claim("a")
    assert (await outbox.is_sending(HERE), await outbox.is_sending(THERE)) == (True, False)
    assert await outbox.mark_partly_sent(root, Ref(HERE, "1.1", ("1.1",)), "")
    assert await messages.find(HERE, "1.1") == SentMessage(HERE, "1.1", "1.1", "d1", "root", "")
    assert await messages.find_debate(HERE, "1.1") == "d1"
    hands.pass_by(LEASE.total_seconds())
    (again,) = await outbox.claim("b")
    assert (again.unconfirmed, again.done) == (True, ("1.1",))
    assert not await outbox.mark_partly_sent(root, Ref(HERE, "9", ("9",)), "")
    assert await messages.find(HERE, "9") is None
    assert await outbox.mark_sent(again, Ref(HERE, "1.1", ("1.1", "1.2")), "")
    assert await messages.find(HERE, "1.2") is not None
    assert not await outbox.is_sending(HERE)


@ON_SQLITE
async def test_no_post_waits_for_emojis_and_those_of_statements_come_last(db: Database) -> None:
    log, outbox = await new_log(db), Outbox(db)
    later = [Outgoing(f"s{n}", HERE, PostOp.REACT_LATER, {}, "root") for n in range(2)]
    await post(
        log,
        *later,
        Outgoing("root", HERE),
        Outgoing("one", HERE),
        Outgoing("v", HERE, PostOp.REACT, {}, "root"),
    )
    first = await outbox.claim("a", pace={"slack": Pace(Rate(60.0))}, reactions=2)
    assert [d.key for d in first] == ["root", "v", "s0"], "emojis take no channel's turn"
    assert await outbox.mark_sent(first[0], Ref(HERE, "1.1", ("1.1",)))
    assert await outbox.claim("a", reactions=0) != [], (
        "the next post goes although emojis are on their way"
    )
    assert await outbox.claim("a", reactions=0) == []
    assert await keys(outbox) == [(HERE, "s1")]


async def test_a_platform_event_is_taken_once(db: Database, hands: Hands) -> None:
    messages = MessageStore(db)
    taken = await asyncio.gather(*(messages.take_event("slack:Ev1") for _ in range(3)))
    assert sorted(taken) == [False, False, True]
    hands.pass_by(60)
    assert await messages.take_event("slack:Ev2")
    assert await messages.forget_events(hands.now()) == 1
    assert [await messages.take_event(key) for key in ("slack:Ev1", "slack:Ev2")] == [True, False]


@ON_SQLITE
@drawn(6, HealthCheck.function_scoped_fixture)
@given(
    fates=st.lists(
        st.sampled_from(["sent", "retry", "crash", "dead", "uncertain"]), min_size=1, max_size=14
    ),
    run=st.uuids(),
)
async def test_whatever_happens_a_thread_is_in_order_and_complete(
    db: Database, hands: Hands, fates: list[str], run: object
) -> None:
    """Fates befall the deliveries one after the other; then all goes well.

    What arrives is in order and nothing arrives twice.
    """
    log, outbox = await new_log(db, str(run)), Outbox(db)
    await post(log, *(Outgoing(f"{run}:{n}", HERE) for n in range(5)))
    arrived, lost, due = [], set(), iter(fates)
    while (await outbox.count_backlog(log.debate)).open:
        for delivery in await outbox.claim("a"):
            match next(due, "sent"):
                case "sent":
                    assert await outbox.mark_sent(delivery, Ref(HERE, "1", (delivery.key,)))
                    arrived.append(delivery.id)
                case "retry":
                    await outbox.retry_later(delivery, 5, "busy")
                case "dead":
                    await outbox.mark_dead(delivery, "gone")
                    lost.add(delivery.id)
                case "uncertain":
                    await outbox.mark_uncertain(delivery, "broke", None)
                    lost.add(delivery.id)
                case _:
                    pass  # it crashed: the lease runs out
        hands.pass_by(LEASE.total_seconds())
    assert arrived == sorted(set(arrived))
    assert len(arrived) + len(lost) == 5


@ON_SQLITE
async def test_a_verdict_waits_for_no_edit(db: Database, hands: Hands) -> None:
    log, outbox, pace = await new_log(db), Outbox(db), {"slack": Pace(Rate(1.0), Rate(1.0))}
    await post(log, Outgoing("root", HERE))
    (root,) = await outbox.claim("a", pace=pace)
    await outbox.mark_sent(root, Ref(HERE, "1.1", ("1.1",)))
    for n in range(3):
        await post(log, Outgoing(f"e{n}", HERE, PostOp.EDIT, {"n": n}, "root"))
    await post(log, Outgoing("verdict", HERE))
    hands.pass_by(1)
    verdict, edit = await outbox.claim("a", pace=pace)
    assert (verdict.key, edit.key) == ("verdict", "e2"), "only the newest edit of a message is sent"
    await post(log, Outgoing("e3", HERE, PostOp.EDIT, {}, "root"), Outgoing("later", HERE))
    hands.pass_by(1)
    assert await outbox.claim("a", pace=pace) == [], "one post, and one edit of a message, at once"
    await outbox.block(edit, 30.0, pace["slack"])
    await outbox.mark_sent(verdict, Ref(HERE, "1.1", ("1.2",)))
    await outbox.mark_sent(edit, Ref(HERE, "1.1", ("1.1",)))
    assert [d.key for d in await outbox.claim("a", pace=pace)] == ["later"], (
        "edits are limited apart"
    )
    hands.pass_by(30)
    assert [d.key for d in await outbox.claim("a", pace=pace)] == ["e3"]


async def test_a_verdict_passes_what_waits_for_a_pace(db: Database, hands: Hands) -> None:
    """It passes the posts of its thread and of others in the channel, never the thread's first
    message; so does the first message of another debate. Without a pace nothing is passed.
    """
    log, other, outbox = await new_log(db), await new_log(db, "d2"), Outbox(db)
    pace = {"slack": Pace(Rate(1.0))}
    verdict = Outgoing("verdict", HERE, PostOp.POST, {}, "root")
    root = Outgoing("root", HERE, PostOp.POST, {}, "root")
    await post(log, root, Outgoing("a", HERE), Outgoing("b", HERE), verdict)
    root2 = Outgoing("root2", HERE, PostOp.POST, {}, "root2")
    await post(other, root2, Outgoing("a2", HERE))
    left = []
    for _ in range(6):
        hands.pass_by(1)
        for delivery in await outbox.claim("a", pace=pace):
            left.append(delivery.key)
            assert await outbox.mark_sent(delivery, Ref(HERE, "1", (delivery.key,)))
    assert left == ["root", "verdict", "root2", "a", "b", "a2"]
    again = await new_log(db, "d3")
    keys = [f"3{key}" for key in ("root", "a", "verdict")]
    first = Outgoing(keys[2], HERE, PostOp.POST, {}, keys[0])
    await post(again, Outgoing(keys[0], HERE), Outgoing(keys[1], HERE), first)
    assert [d.key for d in await outbox.claim("a")] == keys[:1]


@ON_SQLITE
async def test_an_edit_that_failed_is_not_sent_after_a_newer_one_came(
    db: Database, hands: Hands
) -> None:
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE))
    (root,) = await outbox.claim("a")
    await outbox.mark_sent(root, Ref(HERE, "1.1", ("1.1",)))
    await post(log, Outgoing("e1", HERE, PostOp.EDIT, {}, "root"))
    (old,) = await outbox.claim("a")
    await post(log, Outgoing("e2", HERE, PostOp.EDIT, {}, "root"))
    assert await outbox.claim("a") == [], "one edit of a message at once"
    await outbox.retry_later(old, 1.0, "busy")
    hands.pass_by(1)
    (new,) = await outbox.claim("a")
    assert new.key == "e2"
    await post(log, Outgoing("e3", HERE, PostOp.EDIT, {}, "root"))
    hands.pass_by(LEASE.total_seconds())
    assert [d.key for d in await outbox.claim("b")] == ["e3"], "its process has died"
    assert not await outbox.mark_sent(new, Ref(HERE, "1.1", ("1.1",)))


async def test_decisions_are_edited_first_and_have_a_reserve_of_their_workspace(
    db: Database, hands: Hands
) -> None:
    pace = {"slack": Pace(edits=Rate(1.0, burst=1, reserve=2), workspace=True)}
    outbox = Outbox(db)
    for n in range(6):
        op = PostOp.EDIT if n < 3 else PostOp.EDIT_FIRST
        edit = Outgoing(f"e{n}", f"slack:T1/C{n % 3}", op, {}, "root")
        await post(await new_log(db, f"d{n}"), edit)
    left = []
    for _ in range(6):
        left.append([d.key for d in await outbox.claim("a", pace=pace)])
        hands.pass_by(1)
    assert left == [["e3", "e4", "e5"], [], ["e0"], ["e1"], ["e2"], []]


@ON_SQLITE
async def test_a_clock_that_was_ahead_holds_no_post_up(db: Database, hands: Hands) -> None:
    hands.pass_by(86_400)
    log, outbox = await new_log(db), Outbox(db)
    await post(log, Outgoing("root", HERE))
    (delivery,) = await outbox.claim("one", pace={"slack": Pace(Rate(1.0), Rate(1.0))})
    await outbox.retry_later(delivery, 7_200.0, "busy")
    assert await outbox.claim("one", pace={"slack": Pace(Rate(1.0), Rate(1.0))}) == []
    hands.pass_by(-86_400)
    (again,) = await outbox.claim("one", pace={"slack": Pace(Rate(1.0), Rate(1.0))})
    assert again.row == delivery.row
