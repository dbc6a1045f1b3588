"""The whole desk rules people's actions: every command and button, by people who are in the place,
outside it, of another workspace, guests and bots.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.limits import Limits
from bot.wire.parts import Parts, open_parts
from core.application.commands import parse
from core.application.desk import Caller, DeskAnswer
from core.application.permissions.policy import Policy
from core.debate.events import DebateRequest, PlaceAdded
from core.debate.log import Append
from storage.hooks import Hooks
from storage.tables import DEBATE, MESSAGE
from tests.bot.crashing import settings_for
from tests.origins import origin
from tests.standins.chat import RecordingChat

HERE, CLOSED, AWAY = "slack:T1/C1", "slack:T1/G1", "slack:T2/C9"
OWNER = "slack:T1/U1"
GATE = (
    "Only people in its channel",
    "Only the person who started it",
    "Only an admin",
    "Only in a shell",
    "Guests may read and vote",
    "I take nothing from bots",
    "With a token nobody may",
    "A service may not",
)
PEOPLE: Mapping[str, Caller] = {
    "starter": Caller(OWNER, CLOSED, "e"),
    "in the channel": Caller("slack:T1/U2", CLOSED, "e"),
    "outside, private channel": Caller("slack:T1/U3", HERE, "e"),
    "other workspace": Caller("slack:T2/U4", AWAY, "e"),
    "guest in the channel": Caller("slack:T1/U5", CLOSED, "e", guest=True),
    "admin in the channel": Caller("slack:T1/U6", CLOSED, "e", admin=True),
    "bot": Caller("slack:T1/B1", CLOSED, "e", bot=True),
}
PROGRAM = replace(PEOPLE["starter"], program=True)
PAUSE = "pause, resume, mirror to another channel, give out links to a debate"
HELD = "hot seat, proof, whether a verdict held, posting a lost post or a review"
BIND = (
    "bind a private repository, manage webhooks, set a channel's language, make or take back a "
    "service's token"
)
COMMANDS = {
    "help": "ask for help, lists, templates, ratings",
    "list": "ask for help, lists, templates, ratings",
    "status": "ask for help, lists, templates, ratings",
    "templates": "ask for help, lists, templates, ratings",
    "leaderboard": "ask for help, lists, templates, ratings",
    "schedule list": "ask for help, lists, templates, ratings",
    "show {id}": "see, export, receipt, replay, compare a debate",
    "export {id} json": "see, export, receipt, replay, compare a debate",
    "receipt {id}": "see, export, receipt, replay, compare a debate",
    "compare {id} {id}": "see, export, receipt, replay, compare a debate",
    "post {id}": "see, export, receipt, replay, compare a debate",
    "challenge {id} why?": "challenge",
    "vote {id} approve": "vote, say whether a verdict was useful",
    "pause {id}": PAUSE,
    "resume {id}": PAUSE,
    "stop {id}": "stop",
    "mirror {id} slack:C1": PAUSE,
    "held {id} yes": HELD,
    "useful {id} yes": "vote, say whether a verdict was useful",
    "post {id} --approve abc": HELD,
    "fork {id} --assume x": "fork, start again",
    "panel Which way?": "start a debate",
    'schedule add "every monday 09:00" panel Which?': "add a schedule, make a token for oneself",
    "schedule pause {schedule}": "run, pause, resume, remove a schedule",
    "schedule resume {schedule}": "run, pause, resume, remove a schedule",
    "schedule run {schedule}": "run, pause, resume, remove a schedule",
    "setup github o/r": BIND,
    "templates check x.toml": "check a template's file",
}
PRESSES = {
    ("export", "{id}"): "see, export, receipt, replay, compare a debate",
    ("transcript", "{id}"): "see, export, receipt, replay, compare a debate",
    ("challenge", "{id}"): "challenge",
    ("vote", "{id}:approve"): "vote, say whether a verdict was useful",
    ("pause", "{id}"): PAUSE,
    ("resume", "{id}"): PAUSE,
    ("stop", "{id}"): "stop",
    ("held", "{id}:yes"): HELD,
    ("useful", "{id}:yes"): "vote, say whether a verdict was useful",
    ("fork", "{id}"): "fork, start again",
    ("rerun", "{id}"): "fork, start again",
    ("post", "{id}"): "see, export, receipt, replay, compare a debate",
    ("approve", "{id}:abc"): HELD,
}


@asynccontextmanager
async def desk(folder: Path, **more: Any) -> AsyncIterator[tuple[Parts, RecordingChat]]:
    chat = RecordingChat(folder / "said.jsonl", outside={(CLOSED, "slack:T1/U3")})
    webhooks = {"public_url": "https://bot.example", "github_webhook_secret": "s3cret-s3cret"}
    settings = settings_for(f"sqlite:///{folder}/debate.db", folder, **(webhooks | more))
    async with open_parts(settings, shell=False, chats={"slack": chat}) as parts:
        yield parts, chat


async def ask(parts: Parts, text: str, who: Caller, source: str = "") -> DeskAnswer:
    names = [choice.id for choice in parts.desk.templates()]
    caller = replace(who, source=source or f"{who.person}:{text}")
    return await parts.desk.take(parse(text, templates=names), caller)


async def started(parts: Parts, place: str = CLOSED, owner: str = OWNER) -> str:
    request = DebateRequest("panel", "Which way?", owner, place)
    return await parts.service.take(request, origin(f"start:{place}:{owner}"))


def word(answer: DeskAnswer) -> str:
    if "There is no debate" in answer.text or "There is no schedule" in answer.text:
        return "hidden"
    return "no" if answer.text.startswith(GATE) else "yes"


async def test_every_command_and_button_is_ruled_as_the_page_says(tmp_path: Path) -> None:
    """Through the desk that every surface asks. Each is asked about a debate of its own."""
    from tests.trust.test_permission_table import written

    page, checked = written(), 0
    async with desk(tmp_path, private_workspaces=frozenset({"slack:T1", "slack:T2"})) as (parts, _):
        await ask(parts, 'schedule add "every day 09:00" panel Why?', PEOPLE["starter"])
        (schedule,) = await parts.stores.schedules.find_all()
        for who, caller in PEOPLE.items():
            id = await started(parts)
            for text, row in COMMANDS.items():
                typed = text.format(id=id, schedule=schedule.id)
                answer = await ask(parts, typed, caller)
                assert word(answer) == page[row, who], (typed, who, answer.text)
                checked += 1
            for (action, value), row in PRESSES.items():
                answer = await parts.desk.press(
                    action, value.format(id=id), replace(caller, source=f"{who}:{action}"), "why?"
                )
                assert word(answer) == page[row, who], (action, who, answer.text)
                checked += 1
            await _end_all(parts)
    assert checked == (len(COMMANDS) + len(PRESSES)) * len(PEOPLE)


async def test_a_program_is_asked_by_the_same_table(tmp_path: Path) -> None:
    """The starter's own token, at the whole desk: the forge and the schedules are not there."""
    from tests.trust.test_permission_table import BY_TOKEN, ROWS

    allowed = 0
    async with desk(tmp_path) as (parts, _):
        await ask(parts, 'schedule add "every day 09:00" panel Why?', PEOPLE["starter"])
        (schedule,) = await parts.stores.schedules.find_all()
        id = await started(parts)
        for text, row in COMMANDS.items():
            typed = text.format(id=id, schedule=schedule.id)
            answer = await ask(parts, typed, PROGRAM, f"program:{typed}")
            may = set(ROWS[row]) <= BY_TOKEN or text.startswith("vote")  # its row says more
            assert word(answer) == ("yes" if may else "no"), (typed, answer.text)
            allowed += may
        for (action, value), row in PRESSES.items():
            answer = await parts.desk.press(action, value.format(id=id), PROGRAM, "why?")
            may = set(ROWS[row]) <= BY_TOKEN or action == "vote"
            assert word(answer) == ("yes" if may else "no"), action
    assert allowed == 15


async def _end_all(parts: Parts) -> None:
    """Removes all debates from the counts of running ones."""
    over = sa.update(DEBATE).values(status="finished")
    await parts.stores.database.write(lambda conn: conn.execute(over).rowcount)


async def test_lists_and_suggestions_show_what_one_may_see(tmp_path: Path) -> None:
    """A person who left the channel sees its debates no more."""
    async with desk(tmp_path) as (parts, chat):
        closed, public = await started(parts), await started(parts, HERE)
        for who, expected in (
            ("in the channel", {closed, public}),
            ("outside, private channel", {public}),
            ("guest in the channel", {closed, public}),
            ("other workspace", set()),
            ("bot", set()),
        ):
            home = await parts.desk.home(PEOPLE[who])
            assert {glance.id for glance in (*home.running, *home.recent)} == expected, who
        elsewhere = replace(PEOPLE["starter"], place=HERE)
        assert (await ask(parts, f"show {closed}", elsewhere)).ok
        chat.outside.add((CLOSED, OWNER))
        assert word(await ask(parts, f"show {closed}", elsewhere)) == "hidden"


async def test_a_chat_names_no_model_that_the_operator_does_not(tmp_path: Path) -> None:
    async with desk(tmp_path, env={"OPENAI_API_KEY": "sk-x"}) as (parts, _):
        answer = await ask(parts, "panel Which? --models openai/gpt-4.1", PEOPLE["starter"])
        assert "may not be named here. Allowed: scripted" in answer.text
        assert (await ask(parts, "panel Which? --models scripted", PEOPLE["starter"])).ok
        id = await started(parts)
        forked = f"fork {id} --models bedrock/x"
        assert "may not be named" in (await ask(parts, forked, PEOPLE["starter"])).text
        for text in (
            'schedule add "every monday 9:00" panel Which? --models openai/gpt-4.1',
            "panel Other? --models scripted,agentcore/arn:aws:x",
        ):
            assert "may not be named" in (await ask(parts, text, PEOPLE["starter"])).text


@pytest.mark.parametrize(
    ("limits", "texts", "limit"),
    [
        (Limits(person_debates=1), ["panel One?", "panel Two?"], "person-debates"),
        (Limits(place_debates=1), ["panel One?", "panel Two?"], "place-debates"),
        (
            Limits(person_schedules=1),
            ['schedule add "every day 9:00" panel A?', 'schedule add "every day 8:00" panel B?'],
            "person-schedules",
        ),
        (
            Limits(place_schedules=1),
            ['schedule add "every day 9:00" panel A?', 'schedule add "every day 8:00" panel B?'],
            "place-schedules",
        ),
        (Limits(), ["help", 'schedule add "*/5 * * * *" panel A?'], "schedule-every"),
    ],
)
async def test_a_refusal_names_its_limit(
    tmp_path: Path, limits: Limits, texts: list[str], limit: str
) -> None:
    async with desk(tmp_path, limits=limits) as (parts, _):
        first, second = [await ask(parts, text, PEOPLE["starter"]) for text in texts]
        assert first.ok, first.text
        assert f"limit {limit} in DEBATE_LIMITS" in second.text


async def test_many_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    """A person has one count in all servers of Discord."""
    async with desk(tmp_path, limits=Limits(person_debates=2)) as (parts, _):
        many = [ask(parts, f"panel Which {n}?", PEOPLE["starter"]) for n in range(12)]
        assert sum(answer.ok for answer in await asyncio.gather(*many)) == 2
        people = [Caller(f"discord:{guild}/9", f"discord:{guild}/5", "e") for guild in (1, 2, 3)]
        answers = [await ask(parts, "panel Which?", person) for person in people]
        assert [answer.ok for answer in answers] == [True, True, False]


async def test_challenges_are_counted_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.desk.commanding._ANSWERED_WITHIN", 0.0)  # its writer never answers
    limits = Limits(person_challenges=2, place_challenges=3)
    async with desk(tmp_path, limits=limits) as (parts, _):
        id = await started(parts)
        log = await parts.stores.debates.claim(id, "a writer that only opens it")
        prepared = await parts.service.prepare((await parts.service.load(id)).request)
        await log.append(Append(id, 1, (prepared.opened,), status="running"))
        names = ("starter", "in the channel", "admin in the channel")
        challenges = [(name, f"challenge {id} why {n}?") for name in names for n in range(4)]
        answers = await asyncio.gather(*(ask(parts, text, PEOPLE[who]) for who, text in challenges))
        taken = [who for (who, _), answer in zip(challenges, answers, strict=True) if answer.ok]
        assert len(taken) == 3
        assert max(map(taken.count, names)) <= 2
        assert all(answer.text.startswith("Stored. ") for answer in answers if answer.ok)
        refused = [answer.text for answer in answers if not answer.ok]
        assert all("-challenges in DEBATE_LIMITS" in text for text in refused)
        last = await ask(parts, f"challenge {id} and now?", PEOPLE["in the channel"])
        assert "challenges in DEBATE_LIMITS" in last.text


@pytest.mark.parametrize(
    ("to", "gone", "reason"),
    [
        ("slack:T1/D1", (HERE, OWNER), "is no longer in the debate's channel"),
        (CLOSED, (CLOSED, OWNER), "may not write in the other channel"),
        ("slack:T1/C4", (HERE, "slack:T1/U3"), "more people would read it"),
    ],
    ids=["who asked left the one", "who asked left the other", "it is a private channel now"],
)
async def test_a_mirror_is_asked_again_when_it_is_applied(
    tmp_path: Path, to: str, gone: tuple[str, str], reason: str
) -> None:
    """A person can be removed from a channel between the request and its application."""
    async with desk(tmp_path) as (parts, chat):
        id = await started(parts, HERE)
        mirror = f"mirror {id} slack:{to.rpartition('/')[2]}"
        answer = await ask(parts, mirror, replace(PEOPLE["starter"], place=HERE))
        assert answer.ok, answer.text
        chat.outside.add(gone)
        debate = await parts.advancer.advance(id)
        assert to not in debate.places
        events = await parts.stores.debates.load(id)
        assert not any(isinstance(event, PlaceAdded) for event in events)
        assert any(reason in text for _, _, text in chat.private)


async def test_a_workspace_without_leave_is_refused_everything_and_what_it_asked_before(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as (parts, _):
        id = await started(parts)
        assert (await ask(parts, f"stop {id}", PEOPLE["starter"], "stop-1")).ok
    async with desk(tmp_path, workspaces=frozenset({"slack:T2"})) as (parts, _):
        debate = await parts.advancer.advance(id)
        assert debate.stop is None
        assert "DEBATE_WORKSPACES" in str(await parts.stores.queue.find_answer("stop-1"))
        for text in ("help", "list", "panel Which?", "schedule list"):
            assert "DEBATE_WORKSPACES" in (await ask(parts, text, PEOPLE["starter"])).text


async def test_a_button_of_another_place_or_of_nothing_known_is_refused(tmp_path: Path) -> None:
    async with desk(tmp_path) as (parts, _):
        answer = await parts.desk.press("repost", f"{CLOSED} x:root", PEOPLE["other workspace"])
        assert answer.text == "There is no such post here."
        pressed = await parts.desk.press("format_disk", "x", PEOPLE["starter"])
        assert "another version of me" in pressed.text


async def test_a_schedule_fires_only_while_its_owner_may_start(tmp_path: Path) -> None:
    async with desk(tmp_path) as (parts, chat):
        await ask(parts, 'schedule add "every day 09:00" panel Why?', PEOPLE["starter"])
        (schedule,) = await parts.stores.schedules.find_all()
        firing = await parts.stores.schedules.take_now(schedule.id, "me")
        chat.outside.add((CLOSED, OWNER))
        report = await parts.firings.run(firing)
        assert report.failed
        assert "not in this channel any more" in report.outcome
        assert not report.debates


async def test_a_binding_counts_only_while_the_operator_lets_it(tmp_path: Path) -> None:
    for named, expected in ((frozenset({"slack:T1"}), ["o/r"]), (frozenset({"slack:T9"}), [])):
        async with desk(tmp_path, private_workspaces=named) as (parts, _):
            admin = PEOPLE["admin in the channel"]
            answer = await ask(parts, "setup github o/r", admin)
            assert answer.ok is bool(expected), answer.text
            assert list(await parts.stores.places.repositories(CLOSED)) == expected


async def test_the_login_of_the_author_is_the_author_under_any_name(tmp_path: Path) -> None:
    same = {"github:octocat": "slack:T1/U1"}
    async with desk(tmp_path, same_person=same) as (parts, _):
        id = await started(parts)
        debate = await parts.service.load(id)
        prepared = await parts.service.prepare(debate.request)
        material = replace(prepared.opened.material, author="octocat")
        opened = replace(debate, opened=replace(prepared.opened, material=material))
        permissions = parts.desk.permissions
        assert permissions.role_in(opened, "slack:T1/U1", "Ann") == "author"
        assert permissions.role_in(opened, "slack:T1/U2", "Bob") == ""


async def test_a_workspace_that_removes_the_bot_ends_its_debates(tmp_path: Path) -> None:
    async with desk(tmp_path) as (parts, _):
        here, away = await started(parts), await started(parts, AWAY, "slack:T2/U4")
        hooks = Hooks(parts.stores.database)
        for place in (HERE, AWAY):
            await hooks.add(place, "https://ci.example.com/x", ["debate.verdict"], OWNER, full=True)
        row = {"place": HERE, "message": "1.1", "thread": "1.1", "debate_id": away, "key": "root"}
        mirror = sa.insert(MESSAGE).values(**row, at=parts.clock.now())
        await parts.stores.database.change(mirror)
        await parts.desk.forget_workspace("slack:T1")
        assert [hook.place for hook in await hooks.load()] == [AWAY]
        assert (await parts.advancer.advance(here)).stop is not None
        assert (await parts.advancer.advance(away)).stop is None


def test_a_login_is_one_person_in_any_case() -> None:
    same = {"github:Octocat": OWNER, "gitlab:git.acme.com/Bob": "slack:T1/U2"}
    policy = Policy(same_person=same)
    named = ("github:github.com/octocat", "github:octoCat", "gitlab:git.acme.com/bob")
    assert [policy.person(name) for name in named] == [OWNER, OWNER, "slack:T1/U2"]
    others = ("github:git.acme.com/octocat", "gitlab:gitlab.com/bob", "discord:G1/Octocat")
    assert [policy.person(name) for name in others] == list(others)
    assert policy.accounts("github:Octocat") == (
        "github:Octocat", OWNER, "github:github.com/octocat"
    )  # fmt: skip
