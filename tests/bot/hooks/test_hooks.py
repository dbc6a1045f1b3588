"""Programs receive messages about debates: signed, numbered, at least once, whatever breaks."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from standardwebhooks import WebhookVerificationError

from adapters.hooks import announced, ping
from adapters.hooks.receiver import OVERLAP, checked_address, secret_of
from adapters.hooks.sending import make_session, send
from bot.debates.receipts import issue_receipt
from bot.desk.hooks import answer_hooks
from bot.hooks.keys import newest_secret
from bot.hooks.send import AT_ONCE, AT_ONE, GIVEN_UP, GONE, WAITS, HookSender
from bot.shell.playing.run import shell_caller
from core.application.commands import HookRequest, parse
from core.application.webhooks import Hook
from core.debate import events as e
from core.debate.errors import BadInput
from core.debate.log import Append, Outgoing, PostOp
from core.debate.state import begin, evolve
from core.words.receipt.verdicts import find_verdict
from storage.database import Database
from storage.debates import Debates
from storage.hooks import Hooks
from storage.outbox import Outbox
from tests.bot.room.serving import QUESTION, SHELL, Served, served
from tests.core import argued
from tests.patience import PATIENCE
from tests.standins.hooks import receiving
from tests.standins.openai import Fail, openai
from tests.standins.programs import free_port
from tests.storage.conftest import Hands, db, empty_file, hands
from tests.storage.samples import requested

__all__ = ["db", "empty_file", "hands"]

KEY = "ab" * 32
PEM = (
    Ed25519PrivateKey.from_private_bytes(bytes.fromhex(KEY))
    .private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    .decode()
)
INSIDE = ("127.0.0.1",)
PAGE = Path("docs/webhooks.md").read_text("utf-8")
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")


@pytest.fixture
def database_address(empty_file: Path, tmp_path: Path) -> str:
    """Returns a SQLite file: the outbox of PostgreSQL is tested in ``tests.storage``."""
    return str(shutil.copy(empty_file, tmp_path / "debate.db"))


async def typed(room: Served, words: str) -> str:
    request = parse(words, templates=[])
    return (await room.parts.desk.take(request, shell_caller(SHELL))).text


async def test_a_program_hears_of_a_debate_from_its_beginning_to_its_end(tmp_path: Path) -> None:

    async with (
        receiving() as receiver,
        served(tmp_path, DEBATE_SIGNING_KEY=KEY, DEBATE_HOOK_HOSTS="127.0.0.1") as room,
        asyncio.timeout(PATIENCE),
    ):
        reply = await typed(room, f"hooks add {receiver.address} --kinds all")
        (secret,), (id,) = SECRET.findall(reply), re.findall(r"hooks test (\w+)", reply)
        debate = await room.debate(rounds=1)
        await typed(room, f"held {debate.id} yes")
        receipt = await issue_receipt(room.parts.service, KEY, await room.load(debate.id))
        taken = [one.verified(secret) for one in await receiver.has(3)]
        assert [one["type"] for one in taken] == [
            "debate.started", "debate.verdict", "outcome.resolved",
        ]  # fmt: skip
        assert [one["data"]["number"] for one in taken] == [1, 2, 3]
        assert len({one.id for one in receiver.taken}) == 3
        verdict = taken[1]["data"]
        assert verdict["debate"] == debate.id
        assert debate.concluded is not None
        assert verdict["decision"] == debate.concluded.decision
        assert find_verdict(receipt, taken[1]) == (True, "it is in the receipt")
        (example,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
        page = json.loads(example)
        assert set(taken[1]) == set(page)
        assert set(verdict) <= set(page["data"])
        assert not any(QUESTION in one.body.decode() for one in receiver.taken), "no words"
        listed = "on its way"
        while "on its way" in listed:
            listed = await typed(room, f"hooks deliveries {id}")
        assert listed.splitlines()[0].startswith(f"outcome.resolved of {debate.id} arrived")
        assert "There is no debate 'zzzz' here" in await typed(room, f"hooks replay {id} zzzz")
        await typed(room, f"hooks replay {id} {debate.id[:5]}")
        again = (await receiver.has(6))[3:]
        assert {(one.id, one.body) for one in again} == {
            (one.id, one.body) for one in receiver.taken[:3]
        }
        assert "answered 204" in await typed(room, f"hooks test {id}")
        assert receiver.taken[-1].verified(secret)["type"] == "ping"


async def test_a_debate_in_which_nobody_is_heard_failed(tmp_path: Path) -> None:
    async with (
        receiving() as receiver,
        openai() as provider,
        served(
            tmp_path,
            DEBATE_SIGNING_KEY=KEY,
            DEBATE_HOOK_HOSTS="127.0.0.1",
            **provider.settings(),
        ) as room,
        asyncio.timeout(PATIENCE),
    ):
        provider.answers = [Fail(401, "no")]
        await typed(room, f"hooks add {receiver.address} --kinds all")
        await room.debate(vote_window=3600.0, wait=False)
        kinds = [json.loads(one.body)["type"] for one in await receiver.has(2)]
        assert kinds == ["debate.started", "debate.failed"]


@pytest.mark.parametrize("turned", [False, True])
async def test_one_finding_of_two_seats_opens_once_and_is_known_by_each_of_its_wordings(
    turned: bool,
) -> None:
    """Whichever of the two that read at the same time ends first."""
    place = {"path": "app/db.py", "line": 13, "quote": argued.CODE[3].strip()}
    finding = {"severity": "high", "confidence": 0.9, "title": "Injection", **place}
    finding |= argued.FIXED
    openings = {seat: argued.opens("request_changes", finding) for seat in argued.SEATS[:2]}
    refused = argued.UNREAL
    _, log = await argued.reviewed(argued.Seats(openings, weigh=refused, decide=refused))
    first, *rest = log.events
    assert isinstance(first, e.DebateRequested)
    raised = [
        n
        for n, event in enumerate(rest)
        if isinstance(event, e.TurnFinished) and event.statement.findings
    ]
    assert len(raised) == 2
    if turned:
        one, other = raised
        rest[one], rest[other] = rest[other], rest[one]
    states = [*accumulate(rest, evolve, initial=begin(first))]
    heard = [
        (str(one.kind), one.facts["wordings"])
        for event, (before, after) in zip(rest, pairwise(states), strict=True)
        for one in announced(before, event, after)
        if "wordings" in one.facts
    ]
    opened, *more = heard
    assert opened[0] == "finding.opened"
    assert [kind for kind, _ in more] in ([], ["finding.resolved"])
    assert all(set(opened[1]) <= set(wordings) for _, wordings in more)


async def test_where_nothing_was_found_webhooks_are_looked_for_at_its_two_ends_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    listening_hooks = Hooks.listening

    async def counted(hooks: Hooks, debate: str, places: Collection[str]) -> list[tuple[Hook, int]]:
        looks.append(debate)
        return await listening_hooks(hooks, debate, places)

    monkeypatch.setattr(Hooks, "listening", counted)
    async with served(tmp_path) as room:
        debate = await room.debate()
        assert debate.count > 15
        assert looks == [debate.id] * 2


async def test_a_place_has_twenty_webhooks_at_most(tmp_path: Path) -> None:
    async with served(tmp_path, DEBATE_SIGNING_KEY=KEY) as room:
        hooks, add = room.parts.stores.hooks, "hooks add https://ci.example.com/x"
        for _ in range(20):
            await hooks.add("", "https://ci.example.com/x", ["debate.verdict"], SHELL, full=False)
        assert "disable one first" in await typed(room, add)
        await hooks.end((await hooks.load())[0].id, "It was disabled.")
        assert "disable one first" not in await typed(room, add)
        assert len(await hooks.load()) == 21


async def test_without_a_key_that_is_one_nothing_is_added(tmp_path: Path) -> None:
    async with served(tmp_path) as room:
        assert "DEBATE_SIGNING_KEY" in await typed(room, "hooks add https://ci.example.com/x")
        assert "No webhook is here" in await typed(room, "hooks list")
        assert "is no kind" in await typed(room, "hooks add https://ci.example.com/x --kinds tea")
        desk = room.parts.desk
        broken = replace(desk, settings=replace(desk.settings, signing_key="tea"))
        request = parse("hooks add https://ci.example.com/x", templates=[])
        assert isinstance(request, HookRequest)
        with pytest.raises(BadInput, match="not an Ed25519 private key"):
            await answer_hooks(broken, request, shell_caller(SHELL))
        assert await desk.stores.hooks.load() == []


def test_a_key_makes_the_same_secrets_however_it_is_written() -> None:
    cases: list[str] = [KEY, base64.b64encode(bytes.fromhex(KEY)).decode(), PEM]
    for key in cases:
        assert secret_of(key, "3f2a91bc", 1) == secret_of(KEY, "3f2a91bc", 1)


def test_what_is_typed_wrong_is_told_in_one_sentence() -> None:
    cases: list[tuple[str, str]] = [
        ("hooks brew", "A webhook cannot 'brew'"),
        ("hooks add", "hooks add is followed by one address."),
        ("hooks replay 3f2a", "What is to be replayed"),
        ("hooks replay 3f2a d4k7q2xy --since 2d", "What is to be replayed"),
        ("hooks test a --full", "belong to hooks add"),
        ("hooks list more", "hooks list is followed by nothing."),
    ]
    for words, says in cases:
        with pytest.raises(BadInput, match=re.escape(says)):
            parse(words, templates=[])


def test_an_address_to_which_nothing_is_sent_is_refused() -> None:
    cases: list[tuple[str, str]] = [
        ("ftp://ci.example.com/x", "is no address"),
        ("https://", "is no address"),
        ("https://ci.example.com:x/", "is no address"),
        ('https://[{"to": "t1"}]/', "is no address"),
        ("https://me:secret@ci.example.com/", "with a password in it"),
        ("http://ci.example.com/", "Only https"),
        ("https://127.0.0.1/", "inside"),
        ("https://169.254.169.254/latest", "nothing may ask"),
        ("https://x.example.com/" + "a" * 1000, "is no address"),
    ]
    for address, says in cases:
        with pytest.raises(BadInput, match=says):
            checked_address(address, ())
        assert checked_address("http://127.0.0.1:9/x", INSIDE) == "http://127.0.0.1:9/x"


class Bench:
    """A webhook with messages that wait, and whoever sends them."""

    def __init__(self, db: Database, hook: Hook, clock: Hands) -> None:
        self.db, self.hook, self.clock = db, hook, clock
        self.hooks, self.outbox = Hooks(db), Outbox(db)
        self.ended: list[str] = []

    @classmethod
    async def at(cls, db: Database, clock: Hands, address: str, messages: int = 1) -> Bench:
        hook = await Hooks(db).add("", address, ("debate.verdict",), SHELL, full=False)
        await Debates(db).create(requested(), "k")
        log = await Debates(db).claim("d1", "me")
        bodies = [{"id": f"msg_{n}", "kind": "debate.verdict", "text": f'{{"n":{n}}}'}
                  for n in range(1, messages + 1)]  # fmt: skip
        posts = [
            Outgoing(f"d1:{n}", hook.outbox, PostOp.WEBHOOK, body) for n, body in enumerate(bodies)
        ]
        await log.append(Append("d1", 1, posts=tuple(posts)))
        return cls(db, hook, clock)

    async def tell(self, _hook: Hook, why: str) -> None:
        self.ended.append(why)

    def sender(self, owner: str = "a", idle: float = 0.01) -> HookSender:
        return HookSender(
            self.hooks, self.outbox, self, owner, KEY, INSIDE, self.tell, idle=idle
        )  # fmt: skip

    def now(self) -> datetime:
        return self.clock.now()

    async def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)

    async def state(self) -> str:
        return (await self.hooks.deliveries(self.hook, 1))[0].state

    async def until(self, state: str) -> None:
        while await self.state() != state:  # noqa: ASYNC110 (a database has no event)
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(sender: HookSender) -> AsyncIterator[None]:
    task = asyncio.create_task(sender.run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_what_fails_is_tried_again_for_three_days_and_then_it_ends(
    db: Database, hands: Hands
) -> None:
    async with receiving(500, 301, 503) as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address)
        async with running(bench.sender()):
            for attempt in range(1, len(WAITS) + 2):
                await receiver.has(attempt)
                await bench.until("dead" if attempt > len(WAITS) else "pending")
                hands.pass_by(1.1 * (*WAITS, 0.0)[attempt - 1])
    assert (await bench.state(), bench.ended) == ("dead", [GIVEN_UP])
    assert {(one.id, one.body) for one in receiver.taken} == {("msg_1", b'{"n":1}')}
    stamps = [int(one.headers["webhook-timestamp"]) for one in receiver.taken]
    assert stamps[-1] - stamps[0] > timedelta(hours=76).total_seconds(), "each has its own time"
    hook = await bench.hooks.find(bench.hook.id)
    assert hook is not None
    assert hook.ended == GIVEN_UP


async def test_senders_that_die_with_a_message_in_hand_have_not_tried_for_three_days(
    db: Database, hands: Hands
) -> None:
    async with receiving(500) as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address)
        for number in range(2 * len(WAITS)):
            assert await bench.outbox.claim(f"p{number}")
            await bench.outbox.recover()
        async with running(bench.sender()):
            await receiver.has(1)
            await bench.until("pending")
            hands.pass_by(1.1 * WAITS[0])
            await receiver.has(2)
            await bench.until("pending")
    assert bench.ended == [], "it was asked twice, within seconds"


async def test_410_ends_it_and_what_waited_is_not_sent(db: Database, hands: Hands) -> None:
    async with receiving(410) as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address, messages=3)
        async with running(bench.sender()):
            await bench.until("dead")
    assert (len(receiver.taken), bench.ended) == (1, [GONE])
    assert await bench.hooks.replay(bench.hook, debate="d1") == 3, "they are there to be replayed"


async def test_a_receiver_that_asks_to_wait_is_left_alone_for_so_long(
    db: Database, hands: Hands
) -> None:
    busy = web.Response(status=429, headers={"Retry-After": "900"})
    async with receiving(busy, 200) as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address)
        async with running(bench.sender()):
            await receiver.has(1)
            await bench.until("pending")
            hands.pass_by(800)
            await asyncio.sleep(0.1)
            assert len(receiver.taken) == 1
            hands.pass_by(101)
            await bench.until("sent")
    assert len(receiver.taken) == 2


async def test_for_a_day_both_secrets_hold_and_then_the_new_one_alone(
    db: Database, hands: Hands
) -> None:
    hands.time = datetime.now(hands.time.tzinfo)  # the reference verifier looks at the clock
    async with receiving() as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address)
        old = newest_secret(KEY, bench.hook)
        rotated = await bench.hooks.rotate(bench.hook.id)
        assert rotated is not None
        new = newest_secret(KEY, rotated)
        assert old != new
        async with running(bench.sender()):
            await bench.until("sent")
            first = receiver.taken[0]
            assert first.verified(old) == first.verified(new) == {"n": 1}
            hands.pass_by((OVERLAP + timedelta(minutes=1)).total_seconds())
            assert await bench.hooks.replay(bench.hook, debate="d1") == 1
            await receiver.has(2)
            await bench.until("sent")
    signatures = receiver.taken[1].headers["webhook-signature"].split()
    assert len(signatures) == 1
    with pytest.raises(WebhookVerificationError):
        first.verified(newest_secret("cd" * 32, rotated))


async def test_whoever_dies_after_sending_the_next_one_sends_the_same_bytes_again(
    db: Database, hands: Hands
) -> None:
    async with receiving(pause=0.2) as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address)
        first = bench.sender("a")
        async with running(first):
            await receiver.has(1)
            for each in list(first._in_flight):
                each.cancel()
        assert await bench.state() == "sending", "nobody noted that it arrived"
        hands.pass_by(61)
        async with running(bench.sender("b")):
            await bench.until("sent")
    assert [(one.id, json.loads(one.body)) for one in receiver.taken] == [("msg_1", {"n": 1})] * 2


async def test_what_is_next_about_a_debate_waits_for_no_look(db: Database, hands: Hands) -> None:
    async with receiving() as receiver, asyncio.timeout(PATIENCE):
        bench = await Bench.at(db, hands, receiver.address, messages=4)
        bench.outbox.wake_event.clear()  # as the poster does, which is woken by the same
        async with running(bench.sender(idle=10 * PATIENCE)):
            taken = await receiver.has(4)
    assert [one.id for one in taken] == ["msg_1", "msg_2", "msg_3", "msg_4"]


async def test_an_address_that_hangs_takes_its_share_and_no_more(
    db: Database, hands: Hands
) -> None:
    async with receiving(pause=60.0) as mute, receiving() as healthy, asyncio.timeout(PATIENCE):
        hooks = [
            await Hooks(db).add("", one.address, ("debate.verdict",), SHELL, full=False)
            for one in (mute, healthy)
        ]
        logs = []
        for number in range(AT_ONCE + 5):
            id = f"d{number}"
            await Debates(db).create(requested(id=id), id)
            body = {"id": f"msg_{number}", "kind": "debate.verdict", "text": "{}"}
            # the healthy one hears of the youngest debate alone, behind all that the mute one hears
            hears = hooks if number == AT_ONCE + 4 else hooks[:1]
            posts = [Outgoing(f"{id}:1", hook.outbox, PostOp.WEBHOOK, body) for hook in hears]
            logs.append((await Debates(db).claim(id, "me"), Append(id, 1, posts=tuple(posts))))
        sender = Bench(db, hooks[1], hands).sender()
        async with running(sender):
            first, *rest = logs
            await first[0].append(first[1])
            await mute.has(1)  # it hangs already when all the others come
            await asyncio.gather(*(log.append(posts) for log, posts in rest))
            await healthy.has(1)
            await mute.has(AT_ONE)  # what was sent last may come after it
            for each in list(sender._in_flight):
                each.cancel()
    assert len(mute.taken) == AT_ONE
    backlog = await Outbox(db).count_backlog()
    assert backlog.open >= AT_ONCE
    assert (await Outbox(db).count_backlog(outside="hook")).open == 0, "nobody is woken for it"


async def test_the_receiver_on_the_page_takes_what_is_ours_and_nothing_else() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code.count(", 8000)") == 1
    ours, theirs = secret_of(KEY, "ours", 1), secret_of(KEY, "theirs", 1)
    port = free_port()
    code = f"SECRET = {ours!r}\n{code.replace(', 8000)', f', {port})')}"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-u", "-c", code, stdout=PIPE, stderr=DEVNULL
    )
    assert process.stdout is not None
    address, now = f"http://127.0.0.1:{port}/debates", datetime.now(UTC)
    try:
        async with make_session(INSIDE) as session, asyncio.timeout(PATIENCE):
            arrived = False
            while not arrived:  # it says nothing when it has begun
                arrived = (await send(session, address, "msg_1", ping(now), (ours,), now)).arrived
                await asyncio.sleep(0.02)
            assert await process.stdout.readline() == b"ping {}\n"
            assert not (await send(session, address, "msg_2", ping(now), (theirs,), now)).arrived
    finally:
        process.kill()
        await process.wait()
