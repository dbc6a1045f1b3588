"""Texts go when their time is over, when a workspace leaves and when somebody asks; what was
decided stays, and receipts that were issued still verify.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bot.debates.retention import Retention
from bot.wire.parts import Parts, open_parts
from core.application.commands.requests import ForkRequest
from core.application.desk import Button, Caller
from core.debate.commands import AddPlace, CastVote, RaiseChallenge, Stop
from core.debate.commands.decisions import decide
from core.debate.errors import Refused
from core.debate.events import DebateRequest, ForgeNoted, OutcomeResolved
from storage.hooks import Hooks
from tests.bot.crashing import settings_for
from tests.bot.forges.test_loop import AT
from tests.bot.forges.town import NUMBER, REPO, diff, town
from tests.end_to_end.shell import OUTCOME
from tests.origins import origin
from tests.standins.chat import RecordingChat
from tests.storage.conftest import Hands
from tests.trust.conftest import Command

SECRET = "kumquat"
HERE, AWAY = "slack:T1/C1", "slack:T2/C9"
ANN, BOB = "slack:T1/U1", "slack:T1/U2"


def test_a_shell_forgets_a_debate_after_asking(
    debate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its receipt is checked against the stored digest, and unknown to another database."""
    monkeypatch.setenv("DEBATE_DATABASE_URL", "debate.db")
    monkeypatch.setenv("DEBATE_SIGNING_KEY", base64.b64encode(bytes(range(32))).decode())
    outcome = debate("triad", f"Do we need a {SECRET}?", "--rounds", "1", "--json").document
    id = outcome["id"]
    (tmp_path / "receipt.json").write_text(debate("receipt", id).out, "utf-8")
    assert debate("verify", "receipt.json", "--stored").code == 0
    unconfirmed = debate("forget", id)
    assert (unconfirmed.code, "with --yes" in unconfirmed.err) == (2, True)
    assert SECRET in debate("show", id).out
    assert debate("forget", id, "--yes").code == 0
    printed = debate("show", id, "--json")
    Draft202012Validator(OUTCOME).validate(printed.document)
    for name in ("id", "status", "template", "votes", "cost", "ended_because"):
        assert printed.document[name] == outcome[name], name
    assert printed.document["verdict"]["decision"] == outcome["verdict"]["decision"]
    everything = [
        printed, debate("show", id), debate("list"), debate("export", id, "html"),
        debate("export", id, "md"), debate("leaderboard"), debate("status"),
    ]  # fmt: skip
    assert all(ran.code == 0 and SECRET not in ran.out for ran in everything)
    assert "Its texts were deleted on" in debate("show", id).out
    for refused in (("receipt", id), ("fork", id), ("resume", id), ("forget", id, "--yes")):
        ran = debate(*refused)
        assert ran.code in (2, 3), refused
        assert "Unexpected" not in ran.err, refused
    checked = debate("verify", "receipt.json", "--stored")
    assert (checked.code, "stored events: " in checked.out) == (0, True)
    files = [path for path in tmp_path.iterdir() if path.name.startswith("debate.db")]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []
    monkeypatch.setenv("DEBATE_DATABASE_URL", "another.db")
    checked = debate("verify", "receipt.json", "--stored")
    assert (checked.code, "does not hold the debate" in checked.out) == (1, True)


class Clock(Hands):
    """``core.debate.ports.Clock``"""

    async def sleep(self, seconds: float) -> None:
        self.pass_by(seconds)


async def had(parts: Parts, question: str, who: str, place: str = HERE) -> str:
    """Returns a debate that is over."""
    request = DebateRequest("triad", question, who, place, rounds=1, vote_window=0.0)
    id = await parts.service.take(request, origin(f"start:{question}"))
    done = await parts.advancer.advance(id)
    while not done.final:
        done = await parts.advancer.advance(id)
    return id


async def texts(parts: Parts, id: str) -> str:
    return str(await parts.stores.debates.load(id))


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def opened(folder: Path, clock: Clock, **more: Any) -> Any:
    chat = RecordingChat(folder / "said.jsonl")
    settings = settings_for(f"sqlite:///{folder}/debate.db", folder, **more)
    return open_parts(settings, shell=False, chats={"slack": chat}, clock=clock)


async def test_what_is_older_than_the_operator_keeps_is_deleted(
    tmp_path: Path, clock: Clock
) -> None:
    async with await opened(tmp_path, clock, keep=90 * 86400.0) as parts:
        old = await had(parts, f"An old {SECRET}?", ANN)
        clock.pass_by(60 * 86400)
        young = await had(parts, f"A young {SECRET}?", ANN)
        assert await parts.retention.tidy() == 0
        clock.pass_by(31 * 86400)
        assert await parts.retention.tidy() == 1
        assert await parts.retention.tidy() == 0
        assert SECRET not in await texts(parts, old)
        assert SECRET in await texts(parts, young)
        kept = await parts.service.load(old)
        assert "kept for 90 days" in kept.nothing_because
        outcome = await parts.stores.outcomes.get(old)
        assert outcome is not None
        assert (SECRET in str(outcome), outcome.decision != "") == (False, True)
        Draft202012Validator(OUTCOME).validate(dict(outcome.document))
        for command in (
            CastVote(BOB, "yes"), RaiseChallenge(BOB, SECRET), Stop(ANN), AddPlace(AWAY, ANN),
            OutcomeResolved(held=True, by=ANN, at=clock.now(), because=SECRET),
        ):  # fmt: skip
            with pytest.raises(Refused, match="Its texts were deleted"):
                decide(kept, command)
        assert decide(kept, ForgeNoted("merged", SECRET, clock.now())) == ()


async def test_a_workspace_that_left_is_purged_after_the_stated_time(
    tmp_path: Path, clock: Clock
) -> None:
    async with await opened(tmp_path, clock) as parts:
        here, away = (
            await had(parts, f"Here a {SECRET}?", ANN),
            await had(parts, f"There a {SECRET}?", "slack:T2/U4", AWAY),
        )
        await parts.desk.forget_workspace("slack:T1")
        clock.pass_by(6.9 * 86400)
        assert await parts.retention.tidy() == 0
        clock.pass_by(0.2 * 86400)
        assert await parts.retention.tidy() == 1
        assert SECRET not in await texts(parts, here)
        assert SECRET in await texts(parts, away)


def test_a_shell_names_what_else_holds_the_words_and_takes_it_along_when_told(
    debate: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBATE_DATABASE_URL", "debate.db")
    question = f"Should we move the {SECRET} queue of jobs to PostgreSQL now, or wait a year?"
    document = ("design_doc", question, "--rounds", "1", "--vote-window", "off", "--json")
    accept = ("--models", "scripted:stance=accept")
    id = debate(*document, *accept).document["id"]
    fork = debate("fork", id, "--assume", "x", "--json").document["id"]
    of_fork = debate("fork", fork, "--assume", "y", "--json").document["id"]
    quoting = debate(*document, *accept).document["id"]
    assert "Decided here before" in debate("show", quoting).out
    refused = debate("forget", id)
    assert refused.code == 2
    for each in (f"Forks of it: {fork}, {of_fork}.", f"quotes its verdict: {quoting}."):
        assert each in refused.err.replace("\n", " "), refused.err
    ran = debate("forget", id, "--yes")
    assert ran.code == 0
    assert f"Forks of it: {fork}, {of_fork}." in ran.out
    assert f"debate forget {id} --copies" in ran.out
    assert SECRET in debate("show", of_fork).out, "nothing is taken along that nobody named"
    ran = debate("forget", id, "--copies", "--yes")
    assert ran.code == 0, ran.err
    assert f"Deleted with it: {fork}, {of_fork}." in ran.out
    assert f"taken out of {quoting}" in ran.out
    printed = debate("show", quoting)
    assert (SECRET in printed.out, "Decided here before" in printed.out) == (True, False)
    debate("forget", quoting, "--yes")
    files = [path for path in tmp_path.iterdir() if path.name.startswith("debate.db")]
    assert [path for path in files if SECRET.encode() in path.read_bytes()] == []


async def test_debates_that_were_started_again_or_later_are_copies(tmp_path: Path) -> None:
    """The debates are of a followed pull request, in a channel, with messages there and on the
    forge.
    """
    async with town(tmp_path) as t:
        first = await t.review()
        await t.approve()
        again = await t.press(Button("rerun", "Start it again", first.id))
        await t.settle()
        later = await t.push("c", diff(a=["x = 1 # fine"], b=["y = 2 # BUG two"]))
        retention = t.bot.retention
        held = await retention.find_copies([first.id])
        assert held.again == (again.debate,)
        assert held.later == (later.id,)
        assert held.written == (f"https://github.com/{REPO}/pull/{NUMBER}",)
        done = await retention.delete_copies([first.id], held, "somebody asked for it")
        assert set(done.deleted) == {again.debate, later.id}
        assert (await retention.find_copies([first.id])).debates == ()


async def test_a_person_is_told_what_others_made_of_their_debates(
    tmp_path: Path, clock: Clock
) -> None:
    async with await opened(tmp_path, clock) as parts:
        own = await had(parts, f"Bob's {SECRET}?", BOB)
        fork = await parts.desk.take(ForkRequest(own, assume="x"), Caller(ANN, HERE, "fork-1"))
        await parts.advancer.advance(fork.debate)
        done = await parts.retention.forget_person(BOB)
        assert done.deleted == (own,)
        assert done.copies.forks == (fork.debate,)


async def test_a_person_is_forgotten_under_every_name(tmp_path: Path, clock: Clock) -> None:
    """A login is found in any letter case and without its host."""
    same = {"discord:G1/U9": BOB}
    async with await opened(tmp_path, clock, same_person=same) as parts:
        login = await had(parts, f"A {SECRET}?", "github:github.com/Mallory", HERE)
        assert (await parts.retention.forget_person("github:malloryx")).deleted == ()
        assert (await parts.retention.forget_person("github:mallory")).deleted == (login,)
        assert "allory" not in await texts(parts, login)
        own = await had(parts, f"Bob's {SECRET}?", "discord:G1/U9", "discord:G1/1")
        other = await had(parts, "Ann's question?", ANN)
        running = await parts.service.take(DebateRequest("triad", "Still?", BOB, HERE), "running")
        done = await parts.retention.forget_person(BOB)
        assert (done.deleted, done.running) == ((own,), (running,))
        assert SECRET not in await texts(parts, own)
        assert "U9" not in await texts(parts, own)
        assert "Ann's question?" in await texts(parts, other)
        again = await parts.retention.forget_person(BOB)
        assert (again.deleted, again.changed, again.running) == ((), (), (running,))


def test_a_name_that_nobody_has_is_answered_with_the_form_of_one(debate: Command) -> None:
    debate("triad", f"Do we need a {SECRET}?", "--rounds", "1")
    for who in ("slack:T1", "slack:T1/", "discord:G1", "slak:T1/U1"):
        ran = debate("forget", who, "--yes")
        assert ran.code == 0
        assert ran.out.startswith(f"Nothing that is stored names {who}. A person is"), ran


def found_in(folder: Path, *words: str) -> list[str]:
    """Returns those words that stand in the files of the database."""
    held = b"".join(path.read_bytes() for path in folder.glob("debate.db*"))
    return [word for word in words if word.encode() in held]


async def test_what_was_refused_and_what_a_forge_told_is_forgotten_too(tmp_path: Path) -> None:
    same = {"DEBATE_SAME_PERSON": "github:Mallory=slack:T1/U5"}
    bob = "slack:T1/U5"
    async with town(tmp_path, env=same, author="ann") as t:
        await t.ask("setup github o/r --labels debate", by=bob)
        await t.tell("pull_request", "labeled", label={"name": "debate"}, sender="ann")
        debate = await t.settle()
        await t.approve(by=bob)
        (comment,) = t.github.written.comments[AT]
        reply = {"id": 9001, "in_reply_to_id": comment.id, "body": f"A {SECRET}."}
        await t.tell("pull_request_review_comment", "created", comment=reply, sender="mallory")
        order = {"id": 9002, "body": f"/debate {SECRET}"}
        await t.tell("issue_comment", "created", comment=order, sender="mallory")
        queue = t.bot.stores.queue
        refused = RaiseChallenge(bob, f"Of nobody, {SECRET}", ("nobody",))
        await queue.enqueue(debate.id, refused, "refused")
        await t.settle()
        hooks, address = Hooks(t.bot.stores.database), "https://ci.example.com/x"
        hook = await hooks.add("slack:T1/C1", address, ["debate.verdict"], bob, full=False)
        given = t.bot.forges.setup.connections.installations
        await given.keep("github.com", 7, "acme", "slack:T1", bob, "github:github.com/mallory")
        done = await t.bot.retention.forget_person(bob)
        assert (done.deleted, done.changed, done.running) == ((), (debate.id,), ())
        assert [each.id for each in await hooks.load()] == [hook.id]
    assert found_in(tmp_path, SECRET, "T1/U5", "mallory") == []


async def test_the_running_bot_looks_for_what_is_old(tmp_path: Path) -> None:
    from bot.wire.bot import open_bot

    settings = settings_for(f"sqlite:///{tmp_path}/debate.db", tmp_path)
    async with open_bot(settings, connect=lambda *_: {}) as (_, bot):
        look = bot.periodic["retention"].work
        assert getattr(look, "__func__", None) is Retention.look
