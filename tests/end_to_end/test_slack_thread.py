"""A whole debate in Slack as its readers see it."""

from __future__ import annotations

from pathlib import Path

import pytest
from slack_sdk.errors import SlackApiError

from tests.end_to_end.played import LINK
from tests.end_to_end.recorded import REVIEWS
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.world import CRITICS
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

GOLDEN = {name: Path(__file__).with_name(f"slack_{name}_review.txt") for name in REVIEWS}
"""The threads of the debates below, word for word.

A wanted change is taken over with ``python -m tests.end_to_end.slack_golden``.
"""


@pytest.mark.parametrize("name", REVIEWS)
async def test_a_whole_debate_word_for_word(
    tmp_path: Path, github: GitHubStandIn, name: str
) -> None:
    github.load_case("py-static-prefix")
    async with office(tmp_path, github, models=REVIEWS[name].models) as place:
        await _word_for_word(place, name)


async def _word_for_word(place: Office, name: str) -> None:
    delivery = await place.slack.slash(f"code_review {LINK}{REVIEWS[name].typed}")
    assert delivery.acked is not None
    [(debate, root)] = await place.until(place.roots)
    await place.wait_for_posts(debate)
    assert place.page(root) == GOLDEN[name].read_text("utf-8").removesuffix("\n")
    assert [render(r) for r in place.slack.responses] == [
        f"Debate `{debate}` is starting: code review on {LINK} <{LINK}>. It will post here."
    ]
    assert [m["ts"] for m in place.slack.messages()] == [root, place.message(":verdict")["ts"]]
    assert all(m["text"].strip() for _, m in place.ours())
    [(_, file)] = place.slack.world.files.items()
    assert "# Code Review Summary\n" in file["content"].decode()


async def test_the_root_is_edited_in_place(place: Office) -> None:
    """Round after round, with the buttons that make sense at the moment."""
    place.time.let(0)
    debate = await place.debate()
    root = place.slack.world.channel("C1").messages[place.root(debate)]
    await place.until(lambda: "Round 1 of 6: Initial review" in render(root))
    assert "[Stop] [Pause] [Challenge]" in render(root)
    place.time.let(CRITICS)
    await place.until(lambda: "Round 2 of 6: Author response" in render(root))
    place.time.let()
    await place.wait_for_posts(debate)
    assert "Changes requested, votes still count" in render(root)
    assert "[Re-run] [Fork] [Export]" in render(root)
    await place.closed(debate)
    assert "\nChanges requested · " in render(root)
    assert "nobody voted yet" not in render(place.message(":verdict"))
    assert len(place.roots()) == 1
    assert len(place.slack.called("reactions.add")) == 3, "each emoji once, whatever was edited"


async def test_the_thread_shows_who_is_thinking_and_no_spinner_outlives_a_process(
    place: Office,
) -> None:
    place.slack.world.streams = True
    place.time.let(0)
    debate = await place.debate()
    thinking = await place.until(lambda: streamed(place, "in_progress"))
    critics = ("Correctness", "Security", "Performance", "Maintainability")
    seats = [f"  … {critic} critic" for critic in critics]
    assert thinking == ["\n".join(["⏳ Round 1 of 6: Initial review", *seats])]
    await place.restart()
    place.time.let()
    await place.wait_for_posts(debate)
    await place.until(lambda: not streamed(place, "in_progress"))
    rounds = streamed(place, "completed")
    assert len(rounds) == len(place.slack.called("chat.startStream")) > 1
    assert rounds[0] == thinking[0].replace("…", "✓")
    assert not any("…" in text for text in rounds)
    keys = [key for key, _ in place.ours()]
    assert len(keys) == len(set(keys))


def streamed(place: Office, state: str) -> list[str]:
    """Returns the streamed messages in a state as a reader sees them."""
    messages = place.slack.world.channel("C1").messages.values()
    return [render(m) for m in messages if m.get("streaming_state") == state]


async def test_a_quiet_debate_is_shown_whole_by_a_reaction_on_its_message(
    place: Office,
) -> None:
    debate = await place.finished(f"code_review {LINK} --debate-anyway --quiet")
    assert [key.partition(":")[2] for key, _ in place.ours()] == ["root#0", "verdict#0"]
    root = place.root(debate)
    assert "👀 on this message shows the whole" in render(
        place.slack.world.channel("C1").messages[root]
    )
    await place.slack.react(root, "eyes", user="U2")
    await place.reaches(debate, lambda d: d.whole)
    await place.wait_for_posts(debate)
    keys = [key for key, _ in place.ours()]
    assert len(keys) == len(set(keys)) > 6
    assert [m["ts"] for m in place.slack.messages()] == [root], "the channel sees no more of it"


async def test_buttons_of_the_verdict(place: Office) -> None:
    """Transcript and export come privately, as files in the direct message; re-run and fork open
    threads of their own.
    """
    debate = await place.finished()
    verdict = place.message(":verdict")["ts"]
    assert await place.pressed(verdict, "Transcript", user="U2") == f"Debate `{debate}` as md."
    [file] = await place.until(lambda: [m for m in place.slack.messages("D2") if m.get("files")])
    assert file["files"][0]["name"] == f"debate-{debate}.md"
    assert "is starting: the same question again." in await place.pressed(
        verdict, "Re-run", user="U2"
    )
    await place.until(lambda: len(place.roots()) == 2)
    await place.slack.press(place.root(debate), "Fork")
    [view] = await place.until(lambda: list(place.slack.world.views))
    await place.slack.submit(view, {"line": "assume the folder is never writable"})
    await place.until(lambda: len(place.roots()) == 3)
    forks = [await place.parts.service.load(id) for id, _ in place.roots()]
    assert [f.fork.assume for f in forks if f.fork] == ["assume the folder is never writable"]
    for again in forks:
        await place.wait_for_posts(again.id)


async def test_every_body_of_a_whole_debate_is_checked(place: Office) -> None:
    """The stand-in holds each call to schema and limits; here it is shown that it would
    complain.
    """
    await place.finished()
    checked = {call.method for call in place.slack.calls}
    assert {
        "chat.postMessage",
        "chat.update",
        "reactions.add",
        "files.completeUploadExternal",
    } <= checked
    assert place.slack.complaints == []
    client = await place.chat._workspaces.client("T1")  # type: ignore[attr-defined]  # a client as the app has it
    with pytest.raises(SlackApiError, match="invalid_blocks"):
        await client.chat_postMessage(
            channel="C1",
            text="x" * 5_000,
            blocks=[{"type": "header", "text": {"type": "mrkdwn", "text": "x" * 151}}],
        )
    assert len(place.slack.complaints) >= 3
    place.slack.complaints.clear()
