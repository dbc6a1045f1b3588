"""The rules of a channel, which decide what starts debates there, are shown and changed with
``setup``, and kept.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.desk.channels import shown_channel
from bot.forges.rules import Rules, quiet_until
from bot.shell.playing.run import shell_caller
from core.application.commands import Setup
from core.application.commands.parsing import parse
from core.application.desk import Button, Caller
from tests.bot.forges.past import reviewed
from tests.bot.forges.town import NUMBER, PLACE, REPO, diff, town
from tests.standins.chat import RecordingChat

REFUSALS = ("This channel no longer sees o/r,", "This channel does not follow o/r.")


async def test_a_binding_is_shown_changed_and_taken_back(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        bound = await t.ask(
            "setup github o/r --labels debate,ask --on opened,drafts --budget 0.5 "
            "--quiet-hours 22-7 --tz Europe/Berlin --request-changes yes"
        )
        rules = (
            "Starts a debate: the label debate, ask; every opened pull request, drafts too.\n"
            "Pushes start nothing.\n"
            "Template: code_review, at most 0.50 USD each.\n"
            "Quiet from 22 to 7 o'clock (Europe/Berlin).\n"
            "An approved review may ask for changes; it never approves."
        )
        assert rules in bound.text
        assert f"o/r: {rules}" in (await t.ask("setup github")).text
        await t.ask("setup github o/r --quiet-hours none --request-changes no --labels none")
        text = (await t.ask("setup github")).text
        assert "Quiet" not in text
        assert "label" not in text.partition("Bind a repository")[0]
        assert "only comments; it never approves" in text
        assert "0.50 USD" in text  # what was not said stays
        assert (await t.ask("setup github o/r off")).text == "This channel no longer sees o/r."
        assert "Starts a debate" not in (await t.ask("setup github")).text


async def test_the_form_of_a_binding_holds_its_rules_and_sent_as_it_is_changes_nothing(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as t:
        for line, on, labels in (
            ("", ("comment", "push"), ("debate",)),
            ("--labels none --on none --quiet-hours none", ("none",), ("none",)),
            ("--labels a,b --on opened,drafts --budget 0.5", ("opened", "drafts"), ("a", "b")),
            ("--on push --quiet-hours 22-7 --tz Europe/Berlin", ("push",), ("a", "b")),
            ("--request-changes yes", ("push",), ("a", "b")),
        ):
            await t.ask(f"setup github o/r {line}")
            (bound,) = await t.bot.stores.places.bindings()
            form, fresh = (await t.ask("setup github")).changes
            assert isinstance(form, Setup)
            assert (form.repository, form.channel, form.on, form.labels) == ("o/r", "", on, labels)
            caller = Caller("slack:T1/U1", PLACE, f"form {line}", admin=True)
            assert (await t.bot.desk.take(form, caller)).ok
            assert await t.bot.stores.places.bindings() == [bound]
            assert fresh == Setup(
                "", labels=("debate",), on=("comment", "push"), template="code_review",
                quiet="none", tz="UTC", request_changes="no", language="en",
            )  # fmt: skip


async def test_what_is_wrong_changes_nothing(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        for line, reason in (
            ("setup github o/r --quiet-hours late", "Quiet hours are written like 22-7"),
            ("setup github o/r --on opend", "--on takes comment, opened, drafts, push or none"),
            ("setup github o/r --tz Mars", "Mars is no time zone"),
            ("setup github o/r --template no_such", "no_such"),
            ("setup github git.acme.com/o/r", "git.acme.com is no github that I know"),
            ("setup gitlab github.com/o/r", "github.com is no gitlab that I know"),
            ("setup github o", "is no repository"),
        ):
            answer = await t.ask(line)
            assert (answer.ok, reason in answer.text) == (False, True), answer.text
        answer = await t.ask("setup github o/r", admin=False)
        assert (answer.ok, "Only an admin" in answer.text) == (False, True)
        assert not await t.bot.stores.places.bindings()


async def test_a_repository_is_bound_on_its_own_host(tmp_path: Path) -> None:
    hosts = {"DEBATE_GITHUB_HOSTS": "git.acme.com", "DEBATE_GITLAB_HOSTS": "lab.acme.com"}
    webhooks = {"GITLAB_WEBHOOK_TOKEN": "s3cret"}  # a forge with webhooks is not polled
    async with town(tmp_path, env=hosts | webhooks) as t:
        for line, key in (
            ("github https://github.com/Acme/Shop.git", "acme/shop"),
            ("github git.acme.com/o/r", "git.acme.com/o/r"),
            ("github https://git.acme.com/o/r", "git.acme.com/o/r"),
            ("gitlab group/sub/project", "gitlab.com/group/sub/project"),
            ("gitlab https://lab.acme.com/group/sub/project", "lab.acme.com/group/sub/project"),
        ):
            assert (await t.ask(f"setup {line}")).ok
            assert [one.repository for one in await t.bot.stores.places.bindings()] == [key]
            await t.ask(f"setup {line} off")


async def test_gitlabs_hosts_without_a_token_say_which_is_missing(tmp_path: Path) -> None:
    env = {"DEBATE_GITLAB_HOSTS": "lab.acme.com", "GITLAB_TOKEN": "glpat-1"}
    async with town(tmp_path, env=env) as t:
        text = (await t.ask("setup gitlab")).text
        assert "lab.acme.com: only public projects, and nothing is posted." in text
        assert "sets GITLAB_TOKEN_LAB_ACME_COM (" in text
        assert "gitlab.com:" not in text


async def test_a_channel_is_named_from_the_shell_and_from_its_own_workspace_alone(
    tmp_path: Path,
) -> None:
    async with town(tmp_path) as t:
        shell = shell_caller("shell:me")
        line = "setup github o/r --labels ask --channel"
        done = await t.bot.desk.take(parse(f"{line} slack:T1/C7", templates=[]), shell)
        assert done.text.startswith("slack:T1/C7 can now debate pull requests of o/r. Starts a")
        assert done.text.endswith("setup github o/r off --channel slack:T1/C7")
        nowhere = await t.bot.desk.take(parse("setup github o/r", templates=[]), shell)
        assert (nowhere.ok, "A shell is no channel" in nowhere.text) == (False, True)
        text = (await t.bot.desk.take(Setup(), shell)).text
        assert "slack:T1/C7, o/r: Starts a debate: the label ask" in text
        assert "o/r" not in (await t.ask("setup github")).text.partition("Bind")[0]  # of C1
        for other in ("discord:1/2", "slack:T9/C7", "slack:T1/C7", "room:x"):
            assert not (await t.ask(f"{line} {other}")).ok
        assert [one.place for one in await t.bot.stores.places.bindings()] == ["slack:T1/C7"]
        off = parse("setup github o/r off --channel slack:T1/C7", templates=[])
        assert "no longer sees o/r" in (await t.bot.desk.take(off, shell)).text


async def test_opened_pull_requests_start_a_debate_where_the_rules_say_so(tmp_path: Path) -> None:
    async with town(tmp_path, draft=True) as t:
        for opened in (False, True):  # nobody asked for it, and it is a draft
            await t.bind(opened=opened)
            t.pull.draft = opened
            await t.tell("pull_request", "opened")
            assert await t.debates() == []
        await t.bind("slack:T1/C2", opened=True, drafts=True)
        await t.tell("pull_request", "opened")
        assert len(await t.debates()) == 1
        t.pull.draft = False
        await t.tell("pull_request", "ready_for_review")
        assert len(await t.debates()) == 2, "where drafts are not debated"


async def test_a_comment_by_somebody_who_may_write_there_starts_a_debate(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        await t.tell("pull_request", "labeled", label={"name": "bug"})
        for number, (held, text) in enumerate(
            (("", "/debate"), ("read", "/debate"), ("write", "I would not /debate it"))
        ):
            if held:
                t.github.written.permissions[REPO, "ann"] = held
            await t.tell("issue_comment", "created", comment={"id": number, "body": text})
            t.clock.go(hours=2)  # permissions are believed for a time
            assert await t.debates() == []
        await t.tell("issue_comment", "created", comment={"id": 5, "body": "/debate code_review"})
        assert len(await t.debates()) == 1
        assert (await t.latest()).request.asker == "github:github.com/ann"


@pytest.mark.parametrize(
    ("text", "merged", "answer"),
    [
        ("/debate code_review --rounds 2", False, "Not taken: in a comment, `/debate` is alone on"),
        ("/debate", True, "Not taken: o/r#412 is merged, and a comment starts a debate only of"),
    ],
)
async def test_who_may_command_hears_why_a_command_starts_nothing(
    tmp_path: Path, text: str, merged: bool, answer: str
) -> None:
    async with town(tmp_path) as t:
        await t.bind()
        if merged:
            t.pull.state, t.pull.merged_at = "closed", "2026-05-03T12:00:00Z"
        talk = t.github.written.talk[REPO, NUMBER]
        for number, held in enumerate(("", "read", "write", "write")):
            if held:
                t.github.written.permissions[REPO, "ann"] = held
            t.github.lose("/issues/412/comments$")
            await t.tell("issue_comment", "created", comment={"id": number, "body": text})
            while await t.write():
                t.clock.go(seconds=3)
            assert len(talk) == (held == "write"), "once, and only who may write hears it"
            t.clock.go(hours=2)
        assert talk[0].body.startswith(answer)
        assert await t.debates() == []
        t.clock.go(days=1)
        await t.tell("issue_comment", "created", comment={"id": 9, "body": text})
        await t.write()
        assert len(talk) == 2


async def test_what_is_wanted_in_quiet_hours_begins_afterwards(tmp_path: Path) -> None:
    async with town(tmp_path) as t:
        await t.bind(quiet="9-12")  # the clock stands at ten
        await t.label()
        assert await t.debates() == []
        t.clock.go(hours=2)
        await t.work()
        assert len(await t.debates()) == 1


def test_quiet_hours_over_midnight_in_their_own_zone() -> None:
    rules = Rules(quiet="22-7", tz="Europe/Berlin")
    at = datetime(2026, 5, 3, 21, 30, tzinfo=UTC)  # 23:30 in Berlin
    assert quiet_until(rules, at) == datetime(2026, 5, 4, 5, tzinfo=UTC)
    assert quiet_until(rules, at.replace(hour=12)) is None


async def test_a_run_by_hand_a_schedule_and_a_webhook_debate_a_head_once(tmp_path: Path) -> None:
    async with town(tmp_path, labels=("debate",)) as t:
        await t.bind()
        line = f"code_review https://github.com/{REPO}/pull/{NUMBER}"
        assert (await t.ask(line)).ok
        await t.play()
        await t.label()
        await t.settle()
        assert len(await t.debates()) == 1
        made = await t.ask(f'schedule add "0 11 * * *" {line}')
        assert made.ok, made.text
        t.clock.go(hours=2)
        await t.fire()
        await t.settle()
        assert len(await t.debates()) == 1
        t.pull.push("c" * 40, diff(a=["x = 1 # BUG one", "y = 2 # BUG two"]))
        t.clock.go(days=1)
        await t.fire()
        await t.settle()
        await t.tell("pull_request", "synchronize")
        await t.settle()
        first, second = reversed(await t.debates())
        assert (await t.bot.service.load(second)).request.after == first
        assert (await t.row()).head == "c" * 40


@pytest.mark.parametrize("lost", ["the binding", "the operator's leave"])
async def test_who_sees_a_private_repository_no_more_hears_and_posts_nothing_of_it(
    tmp_path: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reviewed(tmp_path, posted=True, private=True) as t:
        debate = await t.latest()
        if lost == "the binding":
            await t.ask("setup github o/r off")
        else:
            monkeypatch.setattr(t.bot.stores.places, "_may_see_private", lambda _place: False)
        before, count = await t.thread_texts(), len(t.github.seen)
        await t.reply("It is never called.")
        t.pull.state, t.pull.merged_at = "closed", t.clock.now().isoformat()
        await t.tell("pull_request", "closed")
        t.clock.go(days=20)
        await t.work()
        assert await t.thread_texts() == before
        assert len(t.github.seen) == count  # nor is it read
        assert await t.debates() == [debate.id]
        for press in (
            Button("approve", "", f"{debate.id}:x"), Button("issue", "", f"{debate.id}:1"),
            Button("recheck", "", debate.id),
        ):  # fmt: skip
            answer = await t.press(press)
            assert (answer.ok, answer.text.startswith(REFUSALS)) == (False, True), answer.text


async def test_a_channel_elsewhere_is_named_as_people_know_it(tmp_path: Path) -> None:
    chat = RecordingChat(tmp_path / "said.jsonl", names={"slack:T1/C7": "#[shop](x)"})
    chats = {"slack": chat, "discord": RecordingChat(tmp_path / "none.jsonl", "discord")}
    assert await shown_channel("slack:T1/C7", chats) == "#shop (x) (slack:T1/C7)"
    assert await shown_channel("discord:1/2", chats) == "discord:1/2"
    chat.gone["slack:T1/C7"] = "Slack does not answer"
    assert await shown_channel("slack:T1/C7", chats) == "slack:T1/C7"
    assert await shown_channel("slack:T1/C7", {}) == "slack:T1/C7"
