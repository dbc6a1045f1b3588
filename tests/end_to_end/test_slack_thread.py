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
    """Round after round, with the buttons that make sense at the moment. The stand-in holds each
    call to schema and limits; here it is shown that it would complain.
    """
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
    methods = {"chat.postMessage", "chat.update", "reactions.add", "files.completeUploadExternal"}
    assert methods <= {call.method for call in place.slack.calls}
    assert place.slack.complaints == []
    client = await place.chat._workspaces.client("T1")  # type: ignore[attr-defined]  # a client as the app has it
    header = {"type": "header", "text": {"type": "mrkdwn", "text": "x" * 151}}
    with pytest.raises(SlackApiError, match="invalid_blocks"):
        await client.chat_postMessage(channel="C1", text="x" * 5_000, blocks=[header])
    assert len(place.slack.complaints) >= 3
    place.slack.complaints.clear()


async def test_the_thread_shows_who_is_thinking_and_no_spinner_outlives_a_process(
    place: Office,
) -> None:
    place.slack.world.streams = True
    place.time.let(0)
    debate = await place.debate("panel Should we drop Windows?")
    [thinking] = await place.until(lambda: streamed(place, "in_progress"))
    assert thinking.splitlines() == [
        "⏳ Round 1 of 3: Positions",
        "  … Proponent",
        "  … Opponent",
    ]
    await place.restart()
    place.time.let()
    await place.wait_for_posts(debate)
    await place.until(lambda: not streamed(place, "in_progress"))
    rounds = streamed(place, "completed")
    assert len(rounds) == len(place.slack.called("chat.startStream")) > 1
    assert rounds[0] == thinking.replace("…", "✓")
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
    """Its verdict has buttons: transcript and export come privately, as files in the direct
    message; re-run and fork open threads of their own.
    """
    debate = await place.finished("panel Should we drop Windows? --quiet")
    assert [key.partition(":")[2] for key, _ in place.ours()] == ["root#0", "verdict#0"]
    root = place.root(debate)
    assert "👀 on this message shows the whole" in render(
        place.slack.world.channel("C1").messages[root]
    )
    await place.slack.react(root, "eyes", user="U2")
    await place.reaches(debate, lambda d: d.whole)
    await place.wait_for_posts(debate)
    keys = [key for key, _ in place.ours()]
    assert len(keys) == len(set(keys)) > 4
    assert [m["ts"] for m in place.slack.messages()] == [root], "the channel sees no more of it"

    verdict = place.message(":verdict")["ts"]
    assert await place.pressed(verdict, "Transcript", user="U2") == f"Debate `{debate}` as md."
    [file] = await place.until(lambda: [m for m in place.slack.messages("D2") if m.get("files")])
    assert file["files"][0]["name"] == f"debate-{debate}.md"
    again = await place.pressed(verdict, "Re-run", user="U2")
    assert "is starting: the same question again." in again
    await place.until(lambda: len(place.roots()) == 2)
    await place.slack.press(root, "Fork")
    [view] = await place.until(lambda: list(place.slack.world.views))
    await place.slack.submit(view, {"line": "assume the folder is never writable"})
    await place.until(lambda: len(place.roots()) == 3)
    forks = [await place.parts.service.load(id) for id, _ in place.roots()]
    assert [f.fork.assume for f in forks if f.fork] == ["assume the folder is never writable"]
    for each in forks:
        await place.wait_for_posts(each.id)
