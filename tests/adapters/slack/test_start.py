"""Starting a debate: the slash command, mentions, direct messages, forms, and the material that
people bring.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adapters.slack.app import SlackApp
from core.application.commands import Request, Start
from core.application.desk import Button, Caller, ChatFile, DeskAnswer
from tests.adapters.desk import TEMPLATES, RecordingDesk
from tests.adapters.slack.conftest import MakeApp
from tests.standins.slack import Fault, SlackStandIn, render
from tests.standins.slack_world import BOT, BOT_USER

Caplog = pytest.LogCaptureFixture
LINK = "https://github.com/o/r/pull/412"


async def started(slack: SlackStandIn, desk: RecordingDesk) -> Start:
    """Returns the start that the desk is asked for."""
    await slack.until(lambda: desk.taken)
    [(ask, _)] = desk.taken
    assert isinstance(ask, Start)
    return ask


async def test_the_slash_command(slack: SlackStandIn, app: SlackApp, desk: RecordingDesk) -> None:
    slack.world.user("U1", is_admin=True, profile={"display_name": "Ada"})
    await slack.slash(f"code_review <{LINK}|link> --rounds 2")
    answer = await slack.until(lambda: slack.responses)
    [(ask, caller)] = desk.taken
    assert ask == Start("code_review", LINK, rounds=2)
    assert (caller.person, caller.place, caller.name, caller.admin, caller.private) == (
        "slack:T1/U1",
        "slack:T1/C1",
        "Ada",
        True,
        False,
    )
    assert caller.source.startswith("slack:t")
    assert (answer[0]["response_type"], answer[0]["text"], render(answer[0])) == (
        "ephemeral",
        "Taken.",
        "Taken.",
    )
    assert slack.messages() == []


async def test_empty_and_wrong_input_and_channels_without_us_get_a_short_private_answer(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.channel("C2").member = False
    slack.world.channel("C3").archived = True
    for channel in ("C2", "C9", "C3"):
        await slack.slash(f"code_review {LINK}", channel=channel)
    await slack.slash("code_reveiw " + LINK)
    await slack.until(lambda: len(slack.responses) == 4)
    assert desk.taken == [], "nothing is stored"
    absent, again, wrong, archived = sorted(map(render, slack.responses))
    assert absent == again
    assert absent == (
        "I am not in this channel, so I could not post there. Invite me with /invite "
        "@Debatebot and repeat the command."
    )
    assert archived == "This channel is archived. Start the debate somewhere else."
    assert "code_review" in wrong
    await slack.slash("")
    await slack.until(lambda: len(slack.responses) == 5)
    assert [type(ask).__name__ for ask, _ in desk.taken] == ["Help"]
    assert {response["response_type"] for response in slack.responses} == {"ephemeral"}


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
async def test_acknowledged_at_once_whatever_the_desk_does(
    slack: SlackStandIn, desk: RecordingDesk, make_app: MakeApp, http: bool
) -> None:
    """The desk would answer long after the three seconds for which Slack waits."""
    await make_app(http=http)
    desk.stall = 30.0
    for n in range(3):
        await slack.slash(f"panel should we take option number {n}?")
        await slack.mention(f"panel should we take option number {n}?")
    assert all(delivery.acked for delivery in slack.deliveries)
    assert desk.taken == []


async def test_one_mention_is_one_wish_although_slack_sends_two_events_twice(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.twice = True
    message = await slack.mention("status")
    await slack.until(lambda: slack.world.ephemeral)
    [(caller, text, mentioned, ts)] = desk.sayings
    assert (text, mentioned, ts) == ("status", True, message["ts"])
    assert caller.source == f"slack:T1/C1/{message['ts']}"
    assert [e["text"] for e in slack.world.ephemeral] == ["Taken."]


async def test_bots_edits_and_deletions_are_never_heard(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    desk.live.add("1.0")
    for more in (
        {"bot_id": "B9"}, {"subtype": "bot_message"}, {"subtype": "message_changed"},
        {"subtype": "message_deleted"},
        {"subtype": "channel_join"}, {"hidden": True}, {"edited": {"user": "U1", "ts": "1"}},
    ):  # fmt: skip
        await slack.reply("1.0", "challenge: is it?", **more)
        await slack.mention("help", **more)
    await slack.reply("1.0", "challenge: I", user=BOT_USER)
    await settle(slack)
    assert desk.sayings == []


async def test_channel_chatter_is_left_alone_and_thread_replies_are_the_desks_to_judge(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    root = await slack.write("hello everybody")
    desk.live.add(root["ts"])
    await slack.reply(root["ts"], "just talking")
    await slack.reply(root["ts"], "challenge: what of &lt;T&gt;?", user="U2")
    await slack.until(lambda: slack.world.ephemeral)
    assert [(text, caller.thread, mentioned) for caller, text, mentioned, _ in desk.sayings] == [
        ("just talking", root["ts"], False),
        ("challenge: what of <T>?", root["ts"], False),
    ]
    [answer] = slack.world.ephemeral
    assert (answer["user"], answer["thread_ts"]) == ("U2", root["ts"])


async def test_all_attached_files_are_the_material_in_whatever_encoding(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    """A diff without a template's name is a code review, and what comes in pieces is read to its
    end.
    """
    one, two = (f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n" for name in "xy")
    long = one + "+x\n" * 300_000 + "+the last line\n"
    several = {"x.diff": one.encode("utf-16"), "y.patch": two.encode(), "why.md": b"Two fixes."}
    both = f"Two fixes.\n\n{one}\n{two}"
    for text, files, start in (
        ("code_review", several, Start("code_review", "why.md, x.diff, y.patch", text=both)),
        ("please look", {"f.diff": one.encode()}, Start("code_review", "please look", text=one)),
        ("code_review", {"f.diff": long.encode()}, Start("code_review", "f.diff", text=long)),
    ):
        desk.taken.clear()
        attached = [slack.attachment(name, content) for name, content in files.items()]
        await slack.mention(text, files=attached)
        assert await started(slack, desk) == start


async def test_a_file_that_is_no_text_is_refused_whatever_it_is_called(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    """The size in the message may be a lie; the stand-in refuses names that are live."""
    hostile = "f\x1b[2J\n<!channel> [x](https://github.com/evil).md"
    for name, content, says in (
        ("empty.md", b"", "is empty"),
        ("blank.txt", b" \n\t", "is empty"),
        ("a.diff", b"%PDF-1.7\n\xe2\xe3\xcf\xd3\n", "is not UTF-8 text"),
        ("b.diff", b"PK\x03\x04\0\0\0\0", "is no text"),
        ("d.patch", "--- a\n+++ b\n+x\n".encode("utf-16-be"), "is no text"),
        ("e.txt", b"\x1f\x8b\x08\0" + b"\0" * 99, "is not UTF-8 text"),
        (hostile, b"\xff", "is not UTF-8 text"),
        ("g.md", b"x" * 1_000_001, "is larger than a megabyte"),
    ):
        slack.world.ephemeral.clear()
        await slack.mention("panel", files=[slack.attachment(name, content) | {"size": 1}])
        await slack.until(lambda: slack.world.ephemeral)
        answer = slack.world.ephemeral[-1]
        assert says in answer["text"], name
        assert name != hostile or "[x](" in render(answer)
    assert desk.taken == []


async def test_a_file_that_slack_does_not_give_or_that_lies_elsewhere(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.scopes.discard("files:read")
    refused = (
        "Slack did not give me a.md. The app needs the scope files:read; then attach the file "
        "again."
    )
    large = {"name": "c.txt", "url_private": slack.base + "/x", "size": 2_000_000}
    elsewhere = "b.md does not lie with Slack, so I do not read it. Attach the file itself."
    for file, sentence in (
        (slack.attachment("a.md", b"text"), refused),
        ({"name": "b.md", "url_private": "http://127.0.0.2:9/b.md", "size": 1}, elsewhere),
        ({"name": "b.md", "url_private": "http://["}, elsewhere),
        ({"name": "b.md", "url_private": 7, "size": "many"}, elsewhere),
        (large, "c.txt is larger than a megabyte. Attach the part that matters."),
    ):
        slack.world.ephemeral.clear()
        await slack.mention("code_review", files=[file])
        await slack.until(lambda: slack.world.ephemeral)
        assert slack.world.ephemeral[0]["text"] == sentence
    assert desk.taken == []


async def test_what_began_a_thread_is_taken_along(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    """An alert of another bot, whatever it is made of; only our own messages are left out."""
    alert = {"subtype": "bot_message", "bot_id": "BALERT"}
    root = slack.world.say("C1", "UALERT", "[FIRING:1] DiskFull db-7: 99 % used", **alert)
    answers: list[dict[str, Any]] = [
        {"username": "Grafana", "attachments": [{"title": "db-7", "fields": [{"value": "99 %"}]}]},
        {"bot_profile": {"name": "Pager"}, "blocks": [{"type": "header", "text": {"text": "P1"}}]},
        {"blocks": [{"type": "hologram"}], "files": [{"name": "core.dump"}]},
    ]
    for more in answers:
        slack.world.say("C1", "", "", thread=root["ts"], **alert, **more)
    slack.world.say("C1", BOT_USER, "What I said myself", thread=root["ts"], bot_id=BOT)
    slack.world.user("U1", profile={"display_name": "Ada"})
    slack.world.say("C1", "U2", "I restarted it &amp; wait, <@U1>", thread=root["ts"])
    await slack.mention("panel this thread --rounds 1", thread=root["ts"])
    ask = await started(slack, desk)
    assert (ask.target, ask.rounds) == ("this thread", 1)
    assert desk.taken[0][1].thread == root["ts"]
    assert ask.text.split("\n\n") == [
        "ualert: [FIRING:1] DiskFull db-7: 99 % used",
        "Grafana: db-7\n99 %",
        "Pager: P1",
        "a bot: [a block of the kind hologram, not read]\n[a file, not read: core.dump]",
        "u2: I restarted it & wait, @Ada",
    ]


async def test_a_mention_reads_as_people_see_it(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.user("U3", profile={"display_name": "Ada"})
    slack.world.channel("C2").name = "billing"
    slack.world.groups["S99"] = "on-call"
    await slack.mention(
        "panel Should <http://app.py|app.py> leave <#C2|> as <@U3> and <!subteam^S99> asked?"
    )
    await slack.until(lambda: desk.sayings)
    [(_, text, *_)] = desk.sayings
    assert text == "panel Should app.py leave #billing as @Ada and @on-call asked?"


async def test_a_snippet_without_a_name_or_ending_is_seen(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    for more in (
        {"name": "Untitled", "mode": "snippet", "filetype": "diff"},
        {"name": "", "mode": "snippet", "filetype": "text"},
        {"name": "change", "mimetype": "text/plain"},
    ):
        desk.taken.clear()
        file = {**slack.attachment("x", b"--- a\n+++ b\n+1\n"), **more}
        await slack.mention("code_review", files=[file])
        assert (await started(slack, desk)).text == "--- a\n+++ b\n+1\n", more


async def test_long_answers_buttons_and_private_files(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    slack.world.channel("D1")
    desk.answer = DeskAnswer(
        "word " * 2_000,
        files=(ChatFile("debate.md", "# all"),),
        buttons=(Button("rerun", "Re-run", "d1"),),
    )
    await slack.slash("export d1")
    await slack.until(lambda: any(m.get("files") for m in slack.messages("D1")))
    assert sum(render(r).count("word") for r in slack.responses) == 2_000
    assert "[Re-run]" in render(slack.responses[-1])
    [file] = slack.world.files.values()
    assert (file["name"], file["content"]) == ("debate.md", b"# all")
    assert slack.messages("C1") == []


async def test_an_unexpected_failure_says_so_under_an_id(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk, caplog: Caplog
) -> None:
    def fail(request: object, caller: object) -> DeskAnswer:
        raise RuntimeError("boom xoxb-secret")

    desk.answer = fail
    await slack.slash("status")
    await slack.until(lambda: slack.responses)
    text = slack.responses[0]["text"]
    assert text.startswith("Something went wrong here, and it is not your doing.")
    assert "boom" not in text
    assert caplog.records[-1].error_id in text  # type: ignore[attr-defined]  # given with the log line


async def test_the_form_shows_the_price_before_it_starts(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    await slack.shortcut("debate_new")
    view = await the_form(slack)
    assert render(view) == FORM
    await slack.choose(view["id"], "template", "panel")
    await slack.until(lambda: slack.called("views.update"))
    assert TEMPLATES[-1].description in render(view)
    wrong = await slack.submit(view["id"], {"target": "  "})
    assert wrong.answer["errors"] == {"target": "A link, a text or a question is needed here."}
    wrong = await slack.submit(
        view["id"], {"target": "Tabs or spaces?", "channel": "C1", "options": "--rouns 2"}
    )
    assert "--rounds" in wrong.answer["errors"]["options"]
    await slack.submit(
        view["id"], {"options": "--quiet", "rounds": "2", "budget": "0.50", "models": "a, b"}
    )
    await slack.until(lambda: view["submit"]["text"] == "Start")
    assert render(view).endswith("about $0.10")
    assert desk.taken == []
    await slack.submit(view["id"], {"rounds": "3"})
    await slack.until(lambda: len(desk.priced) == 2 and view["submit"]["text"] == "Start")
    await slack.submit(view["id"])
    await slack.until(lambda: slack.world.ephemeral)
    [(ask, caller)] = desk.taken
    assert ask == Start(
        "panel", "Tabs or spaces?", rounds=3, models=("a", "b"), budget=0.5, quiet=True, yes=True
    )
    assert caller.place == "slack:T1/C1"
    assert slack.world.ephemeral[0]["text"] == "Taken."


async def test_the_form_is_acknowledged_while_the_price_is_being_reckoned(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    price, acknowledged = desk.price, asyncio.Event()

    async def reckoned(request: Request, caller: Caller) -> str:
        await acknowledged.wait()
        return await price(request, caller)

    monkeypatch.setattr(desk, "price", reckoned)
    await slack.shortcut("debate_new")
    view = await the_form(slack)
    delivery = await slack.submit(
        view["id"], {"target": "Tabs or spaces?", "channel": "C1", "template": "panel"}
    )
    assert delivery.acked is not None
    assert render(view).endswith("Reading the material and reckoning the price …")
    acknowledged.set()
    await slack.until(lambda: render(view).endswith("about $0.10"))


async def test_a_form_that_is_closed_or_newer_by_now_is_no_failure(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk
) -> None:
    desk.stall = 0.1
    await slack.shortcut("debate_new")
    view = await the_form(slack)
    for error in ("hash_conflict", "not_found"):
        slack.faults.append(Fault("views.update", error))
    await slack.choose(view["id"], "template", "panel")
    await slack.submit(view["id"], {"target": "Tabs or spaces?", "channel": "C1"})
    await slack.until(lambda: len(slack.called("views.update")) == 2)
    slack.faults.append(Fault("views.open", "expired_trigger_id"))
    await slack.shortcut("debate_new")
    [sentence] = await slack.until(lambda: [e["text"] for e in slack.world.ephemeral])
    assert sentence == "That took longer than Slack allows for opening a form. Do it once more."


async def test_debate_this_message(slack: SlackStandIn, app: SlackApp, desk: RecordingDesk) -> None:
    message = await slack.write(f"please look at <{LINK}>")
    await slack.shortcut("debate_message", channel="C1", message=message)
    view = await the_form(slack)
    fields = {b["block_id"]: b["element"] for b in view["blocks"] if b["type"] == "input"}
    assert fields["target"]["initial_value"] == f"please look at {LINK}"
    assert fields["channel"]["initial_conversation"] == "C1"


@pytest.mark.parametrize("attached", [True, False], ids=["its file", "long"])
async def test_debate_this_long_message_or_its_file(
    slack: SlackStandIn, app: SlackApp, desk: RecordingDesk, attached: bool
) -> None:
    text = "+1" if attached else "x" * 5_000
    files = [slack.attachment("a.diff", b"+1")] if attached else []
    message = await slack.write("see" if attached else text, files=files)
    await slack.shortcut("debate_message", channel="C1", message=message)
    view = await the_form(slack)
    assert "you chose is the material" in render(view)
    await slack.submit(view["id"], {"template": "panel"})
    await slack.until(lambda: view["submit"]["text"] == "Start")
    await slack.submit(view["id"])
    assert (await started(slack, desk)).text == text


async def the_form(slack: SlackStandIn) -> dict[str, Any]:
    [view] = await slack.until(lambda: list(slack.world.views.values()))
    assert isinstance(view, dict)
    return view


async def settle(slack: SlackStandIn) -> None:
    """Waits until every listener that was woken has ended."""
    await asyncio.sleep(0.1)


FORM = """Template: ____
Defects in a pull request
What is to be debated: ____
Where: ____
Rounds: ____
Models, with commas between: ____
Budget in USD: ____
More options: ____"""
