"""Posts as they stand in a thread, and what every failure of a delivery means for the outbox."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from adapters.ports.chat import Post, Reaction, ReactionOption, Shape
from adapters.slack.outgoing.chat import SlackChat
from adapters.slack.settings import SlackSettings
from adapters.slack.workspaces import Workspaces
from core.application.desk import Button, ChatFile
from core.application.presence import DeliveryError, Ref
from tests.adapters.undelivered import undelivered
from tests.patience import PATIENCE
from tests.standins.slack import BOT_TOKEN, Fault, SlackStandIn, render

PLACE = "slack:T1/C1"
LEGEND = (
    ReactionOption("white_check_mark", "real", "real"),
    ReactionOption("x", "not_real", "not real"),
    ReactionOption("arrow_double_up", "worse"),
)
ROOT = Post(
    "d1:root", "d1", Shape.ROOT, title="o/r#412 share one <SSLContext>", fields=(("State",
    "round 1 of 3"), ("Read", "4 of 5 files")),
    buttons=(Button("stop", "Stop", "d1", danger=True, confirm="Really?"), Button("challenge",
    "Challenge", "d1", form=True)),
    fallback="Debate d1: o/r#412 - round 1 of 3",
)  # fmt: skip
STATEMENT = Post(
    "d1:7:statement", "d1", Shape.STATEMENT, title="Round 1: Openings", who="security (A)",
    fields=(("Stance", "block (80% sure)"),),
    body="The context is shared.\n\n- <!channel> look\n- `a*b`\n\n```py\nssl = <@U1>\n```",
)  # fmt: skip
FINDING = Post(
    "d1:finding:f1", "d1", Shape.FINDING, title="HIGH 0.82  src/a.py:80  One context",
    quote="ctx = create()", fields=(("Fix", "copy it"),),
    reaction_options=LEGEND, subject="f1", fallback="Finding f1",
)  # fmt: skip
VERDICT = Post(
    "d1:verdict", "d1", Shape.VERDICT, title="VERDICT: APPROVE", body="All agree.",
    fields=(("Agreement", "100%"),), broadcast=True,
    buttons=(Button("transcript", "Transcript", "d1"), Button("fork", "Fork", "d1", form=True)),
    reaction_options=LEGEND[:2], subject="",
    files=(ChatFile("debate-d1.md", "# all"),), fallback="VERDICT: APPROVE",
)  # fmt: skip


async def opened(chat: SlackChat) -> str:
    return (await chat.send(PLACE, None, ROOT)).thread


async def test_a_long_argument_in_parts(slack: SlackStandIn, chat: SlackChat) -> None:
    root = await opened(chat)
    body = "\n\n".join(f"Paragraph {n}: " + "because of this and that " * 20 for n in range(60))
    ref = await chat.send(PLACE, root, Post("d1:9", "d1", Shape.STATEMENT, who="author", body=body))
    parts = slack.thread(root)[1:]
    assert [m["ts"] for m in parts] == list(ref.ids)
    assert [m["metadata"]["event_payload"] for m in parts] == [
        {"key": "d1:9", "part": n, "debate": "d1"} for n in range(len(parts))
    ]
    assert [m["text"].rpartition("(")[2] for m in parts] == [
        f"{n + 1}/{len(parts)})" for n in range(len(parts))
    ]
    text = "\n".join(map(render, parts))
    assert [text.index(f"Paragraph {n}:") for n in range(60)] == sorted(
        text.index(f"Paragraph {n}:") for n in range(60)
    )


ODD = (
    b"<html>", b"", b"{", b"[]", b"null", b'"x"', b"{}", b'{"ok":"yes"}', b'{"ok":true}',
    b'{"ok":true,"ts":null}', b'{"ok":true,"ts":[7]}',
)  # fmt: skip
LOST = [
    *((Fault("chat.postMessage", kind), 1) for kind in ("drop_after", "500_after")),
    *((Fault("chat.postMessage", kind), 0) for kind in ("drop", "500")),
    *((Fault("chat.postMessage", "other_after", instead=body), 1) for body in ODD),
]


async def test_an_unknown_outcome_is_looked_up_and_never_doubled(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    for fault, arrived in LOST:
        root, since = await opened(chat), datetime.now(UTC)
        slack.faults.append(fault)
        failed = await undelivered(
            chat.send(PLACE, root, STATEMENT), "Slack failed" if fault.instead else None
        )
        assert (failed.kind, failed.done) == ("uncertain", ()), fault
        for odd in (b"[]", b'{"ok":true,"messages":null}', b'{"ok":true,"messages":[7]}'):
            slack.faults.append(Fault("conversations.replies", "other_after", instead=odd))
            with pytest.raises(DeliveryError):
                await chat.find(PLACE, root, STATEMENT, since)
        ids = await chat.find(PLACE, root, STATEMENT, since)
        assert len(ids) == arrived, fault
        ref = await chat.send(PLACE, root, STATEMENT, done=ids)
        assert [m["ts"] for m in slack.thread(root)[1:]] == list(ref.ids), fault


async def test_a_root_of_unknown_outcome_is_found_in_the_channel(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    """A message of somebody else with the same key is not taken for it."""
    slack.faults.append(Fault("chat.postMessage", "drop_after"))
    since = datetime.now(UTC)
    with pytest.raises(DeliveryError, match="broke"):
        await chat.send(PLACE, None, ROOT)
    for n in range(250):
        slack.world.say("C1", "U1", f"noise {n}")
    ids = await chat.find(PLACE, None, ROOT, since)
    ref = await chat.send(PLACE, None, ROOT, done=ids)
    assert ref == Ref(PLACE, ids[0], tuple(ids))
    assert len([m for m in slack.messages() if m["user"] == "U0BOT"]) == 1
    metadata = {"event_type": "debate_post", "event_payload": {"key": STATEMENT.key, "part": 0}}
    slack.world.say("C1", "U9", "forged", thread=ref.thread, metadata=metadata)
    assert await chat.find(PLACE, ref.thread, STATEMENT, since) == []


async def test_a_rate_limit_between_two_parts_goes_on_after_the_first(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    """A wait that is no number counts as a second; the longest is an hour."""
    root = await opened(chat)
    post = Post("d1:9", "d1", Shape.STATEMENT, who="author", body="word " * 5_000)
    slack.faults.append(Fault("chat.postMessage", "429", after=1, retry_after=7))
    failed = await undelivered(chat.send(PLACE, root, post))
    assert (failed.kind, failed.after, len(failed.done)) == ("retry", 7.0, 1)
    ref = await chat.send(PLACE, root, post, done=failed.done)
    assert [m["ts"] for m in slack.thread(root)[1:]] == list(ref.ids)
    assert "\n".join(map(render, slack.thread(root)[1:])).count("word") == 5_000
    for wait, after in (("nan", 1.0), ("inf", 1.0), ("1e9", 3600.0)):
        slack.faults.append(Fault("chat.postMessage", "429", retry_after=float(wait)))
        failed = await undelivered(chat.send(PLACE, root, STATEMENT))
        assert (failed.kind, failed.after) == ("retry", after)


async def test_a_failed_file_does_not_double_the_message_and_a_refused_one_is_said_in_the_thread(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    """The message that has arrived is recorded before its file is sent."""
    partial: list[tuple[str, tuple[str, ...], int]] = []

    async def stands(thread: str, ids: Sequence[str]) -> None:
        partial.append((thread, tuple(ids), len(slack.thread(root))))

    root = await opened(chat)
    slack.faults.append(Fault("files.completeUploadExternal", "drop_after"))
    failed = await undelivered(chat.send(PLACE, root, VERDICT, on_partial=stands))
    assert (failed.kind, len(failed.done)) == ("retry", 1)
    assert partial == [(root, failed.done, 2)]
    await chat.send(PLACE, root, VERDICT, done=failed.done)
    message, file = slack.thread(root)[1:]
    assert message["ts"] == failed.done[0]
    assert file["files"][0]["name"] == "debate-d1.md"
    slack.world.scopes.discard("files:write")
    await chat.send(PLACE, root, replace(VERDICT, key="d1:verdict2"))
    assert slack.thread(root)[-1]["text"] == (
        "I could not attach debate-d1.md. The app lacks the scope files:write. "
        "Add it under OAuth &amp; Permissions (or paste what `debate docs slack.json` prints under App Manifest) and install the app "
        "again."
    )


async def test_seeding_that_broke_off_goes_on_after_the_emojis_that_are_there(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    """A message that was deleted gets no emojis."""
    ref = await chat.send(PLACE, await opened(chat), FINDING)
    slack.faults.append(Fault("reactions.add", "429", after=1, retry_after=3))
    failed = await undelivered(chat.add_reactions(ref, FINDING))
    assert (failed.kind, failed.after, failed.done) == (
        "retry",
        3.0,
        ("white_check_mark",),
    )
    await chat.add_reactions(ref, FINDING, failed.done)
    await chat.add_reactions(ref, FINDING)
    held = slack.world.channel("C1").messages[ref.ids[0]]["reactions"]
    assert [(r["name"], r["users"]) for r in held] == [(seed.emoji, ["U0BOT"]) for seed in LEGEND]
    del slack.world.channel("C1").messages[ref.ids[0]]
    await chat.add_reactions(ref, FINDING)
    slack.world.scopes.discard("reactions:write")
    failed = await undelivered(chat.add_reactions(ref, FINDING), "lacks the scope reactions:write")
    assert failed.kind == "dead"


async def test_emojis_keep_to_what_slack_grants_after_a_first_burst(
    slack: SlackStandIn, settings: SlackSettings
) -> None:
    """Slack grants fifty a minute in a workspace, whatever the channel; the test runs at a
    hundredth of that pace.
    """
    workspaces = Workspaces(settings)
    await workspaces.open()
    chat = SlackChat(workspaces, pace=0.01)
    refs = [
        await chat.send(
            PLACE,
            None,
            Post(f"d{n}:f", f"d{n}", Shape.FINDING, title="HIGH", reaction_options=LEGEND),
        )
        for n in range(9)
    ]
    began = asyncio.get_running_loop().time()
    await asyncio.gather(*(chat.add_reactions(ref, FINDING) for ref in refs))
    assert asyncio.get_running_loop().time() - began >= 0.012 * (27 - 21), (
        "twenty at once and the first, then one after the other"
    )
    await workspaces.close()
    assert len(slack.called("reactions.add")) == 27


async def test_what_never_will_be_delivered_says_why(slack: SlackStandIn, chat: SlackChat) -> None:
    for error, says in (
        ("not_in_channel", "I am not in this channel. Invite me with /invite."),
        (
            "channel_not_found",
            "I cannot see this channel. If it is private, invite me with /invite.",
        ),
        ("is_archived", "This channel is archived."),
        (
            "restricted_action",
            "This channel does not let me post. Someone who manages it can allow it.",
        ),
        ("token_revoked", "The app was removed from this workspace."),
        ("something_new", "Slack refused: something_new."),
    ):
        slack.faults.append(Fault("chat.postMessage", error))
        before = len(slack.called("chat.postMessage"))
        failed = await undelivered(chat.send(PLACE, None, ROOT))
        assert (failed.kind, str(failed)) == ("dead", says)
        assert len(slack.called("chat.postMessage")) == before + 1


async def test_a_slow_answer_is_an_unknown_outcome_and_a_slack_that_is_away_is_tried_again(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    slack.faults.append(Fault("chat.postMessage", "slow", seconds=3.0))
    chat._workspaces.session._timeout = chat._workspaces.session.timeout.__class__(total=0.1)
    assert (await undelivered(chat.send(PLACE, None, ROOT))).kind == "uncertain"
    workspaces = Workspaces(
        SlackSettings(bot_token=BOT_TOKEN, signing_secret="s", api_url="http://127.0.0.1:1/api")
    )
    await workspaces.open()
    failed = await undelivered(SlackChat(workspaces).send(PLACE, None, ROOT))
    await workspaces.close()
    assert failed.kind == "retry"


async def test_an_edit_may_need_more_or_fewer_messages_and_one_that_is_gone_is_dead(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    root = await opened(chat)
    short = Post("d1:v", "d1", Shape.VERDICT, title="VERDICT", body="short")
    ref = await chat.send(PLACE, root, short)
    longer = Post("d1:v2", "d1", Shape.VERDICT, title="VERDICT", body="word " * 5_000, edits="d1:v")
    grown = await chat.edit(ref, longer)
    assert [m["ts"] for m in slack.thread(root)[1:]] == list(grown.ids)
    assert len(grown.ids) > 1
    slack.faults.append(Fault("chat.delete", "drop_after"))
    assert (await undelivered(chat.edit(grown, short))).kind == "retry"
    assert (await chat.edit(grown, short)).ids == ref.ids, "the answer was lost, the part is gone"
    assert [render(m) for m in slack.thread(root)[1:]] == ["# VERDICT\nshort"]
    gone = Ref(PLACE, "1.0", ("1.0",))
    failed = await undelivered(chat.edit(gone, ROOT))
    assert (failed.kind, str(failed)) == ("dead", "The message is gone.")
    slack.faults.append(Fault("chat.update", "drop"))
    assert (await undelivered(chat.edit(gone, ROOT))).kind == "retry"


async def test_reactions_merge_tones_and_aliases_and_leave_bots_out(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    ref = await chat.send(PLACE, None, FINDING)
    slack.world.user("U9", is_bot=True)
    for user, name in (
        ("U1", "+1"),
        ("U2", "thumbsup::skin-tone-3"),
        ("U3", "+1::skin-tone-6"),
        ("U9", "+1"),
        ("U9", "x"),
        ("U1", "tada"),
    ):
        slack.world.react("C1", ref.ids[0], user, name)
    assert await chat.read_reactions(PLACE, ref.ids[0]) == [
        Reaction("+1", ("slack:T1/U1", "slack:T1/U2", "slack:T1/U3"), ("u1", "u2", "u3")),
        Reaction("tada", ("slack:T1/U1",), ("u1",)),
    ]


async def test_a_private_line_reaches_the_person_where_we_may_not_write(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    slack.world.channel("C2").member = False
    await chat.send_private(PLACE, "slack:T1/U1", "Only `ada` may <@U1>")
    await chat.send_private("slack:T1/C2", "slack:T1/U1", "invite me")
    assert [(e["channel"], e["user"], render(e)) for e in slack.world.ephemeral] == [
        ("C1", "U1", "Only `ada` may <\u2060@U1>")
    ]
    assert [render(m) for m in slack.messages("D1")] == ["invite me"]


async def test_a_receipt_is_given_once(slack: SlackStandIn, chat: SlackChat) -> None:
    message = slack.world.say("C1", "U1", "challenge: why?")
    for _ in range(2):
        await chat.acknowledge(PLACE, message["ts"], "eyes")
    assert message["reactions"] == [{"name": "eyes", "users": ["U0BOT"]}]


PAUSE, RESUME, RERUN = (
    Button("pause", "Pause"),
    Button("resume", "Resume"),
    Button("rerun", "Re-run"),
)


async def test_the_state_of_a_private_debate_is_slacks_session_status(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    def root(offered: Button, edits: str = "") -> Post:
        return Post(
            "d1:root", "d1", Shape.ROOT, title="a\n b " + "t" * 300, edits=edits,
            buttons=(offered,),
        )  # fmt: skip

    slack.world.channel("D1")
    await chat.send(PLACE, None, root(PAUSE))
    ref = await chat.send("slack:T1/D1", None, root(PAUSE))
    for offered in (PAUSE, RESUME, PAUSE, RERUN):
        await chat.edit(ref, root(offered, "d1:root"))
    assert slack.world.sessions == {
        ("D1", ref.thread): ["processing", "suspended", "processing", "active"]
    }
    titles = {call["title"] for call in slack.called("agents.sessions.setStatus")}
    assert titles == {("a b " + "t" * 300)[:200]}
    offers = [a["prompts"] for a in slack.called("assistant.threads.setSuggestedPrompts")]
    assert [[p["message"] for p in prompts] for prompts in offers] == [
        ["show d1", "pause", "stop"],
        ["resume", "stop"],
        ["show d1", "pause", "stop"],
        ["useful yes", "useful no", "export d1"],
    ]
    assert list(slack.world.prompts) == [f"D1 {ref.thread}"]


async def test_a_debate_needs_no_suggested_replies(slack: SlackStandIn, chat: SlackChat) -> None:
    slack.world.channel("D1")
    slack.world.scopes.discard("assistant:write")
    post = Post("d1:root", "d1", Shape.ROOT, title="t", buttons=(PAUSE,))
    await chat.send("slack:T1/D1", None, post)
    assert [m["text"] for m in slack.messages("D1")] == ["t"]


async def test_another_channel_does_not_wait_for_this_one(
    slack: SlackStandIn, settings: SlackSettings
) -> None:
    def posted(channel: str) -> int:
        posts = [call for call in slack.calls if call.method == "chat.postMessage"]
        return len([post for post in posts if post.arguments["channel"] == channel])

    workspaces = Workspaces(settings)
    await workspaces.open()
    chat = SlackChat(workspaces, pace=2 * PATIENCE)
    slack.world.channel("C2")
    long = asyncio.create_task(chat.send(PLACE, None, a_long_post(1)))
    await slack.until(lambda: posted("C1") == 1)
    await chat.send("slack:T1/C2", None, Post("d9:9", "d9", Shape.STATEMENT, body="word"))
    assert (posted("C1"), posted("C2")) == (1, 1)
    long.cancel()
    await asyncio.gather(long, return_exceptions=True)
    await workspaces.close()


def a_long_post(n: int) -> Post:
    """Returns a post of two messages."""
    return Post(f"d{n}:9", f"d{n}", Shape.STATEMENT, body="word " * 3_000)


async def test_a_person_is_called_by_the_name_they_go_by(
    slack: SlackStandIn, chat: SlackChat
) -> None:
    slack.world.user("U7", profile={"display_name": "Ada <!channel>"})
    paused = Post(
        "d1:7",
        "d1",
        Shape.NOTICE,
        title="Paused by U7",
        fallback="Paused by U7",
        facts={"person": "slack:T1/U7"},
    )
    await chat.send(PLACE, None, paused)
    await chat.send(PLACE, None, replace(paused, key="d1:8", facts={"person": "slack:T2/U7"}))
    first, second = slack.messages()
    assert (render(first), first["text"]) == (
        "*Paused by Ada <\u2060!channel>*",
        "Paused by Ada &lt;!channel&gt;",
    )
    assert render(second) == "*Paused by U7*"


@pytest.mark.parametrize("error", ["invalid_blocks", "invalid_attachments"])
async def test_a_slack_without_the_newer_blocks_gets_the_text_all_the_same(
    slack: SlackStandIn, chat: SlackChat, error: str
) -> None:
    pair = (Button("useful", "Useful", "d1:yes"), Button("useful", "Not useful", "d1:no"))
    body = "| a | b |\n|---|---|\n| **1** | 2 |"
    post = Post("d1:verdict", "d1", Shape.VERDICT, title="t", body=body, buttons=pair)
    slack.faults.append(Fault("chat.postMessage", error))
    ref = await chat.send("slack:T1/C1", None, post)
    text = render(slack.messages()[-1])
    assert text == "# t\n```\na │ b\n──┼──\n1 │ 2\n```\n[Useful] [Not useful]"
    slack.faults.append(Fault("chat.update", error))
    await chat.edit(ref, replace(post, edits=post.key))
    assert render(slack.messages()[-1]) == text
    slack.faults += [Fault("chat.update", error, times=2)]
    with pytest.raises(DeliveryError):
        await chat.edit(ref, replace(post, edits=post.key))
