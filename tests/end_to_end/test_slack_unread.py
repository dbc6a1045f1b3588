"""A debate that nobody can read costs nothing; its starter learns the next step, and once that is
done the whole debate is posted.
"""

from __future__ import annotations

from bot.posting.record import posts_so_far
from tests.end_to_end.played import LINK
from tests.end_to_end.slack_office import Office
from tests.standins.slack import render
from tests.standins.slack_wire import Fault

REASON = "This channel does not let me post. Someone who manages it can allow it."


async def test_a_debate_that_may_not_be_posted_is_paused_and_comes_whole_when_it_is_resumed(
    place: Office,
) -> None:
    place.time.let(0)
    place.slack.faults.append(Fault("chat.postMessage", "restricted_action", channel="C1"))
    reply = await place.typed(f"code_review {LINK} --vote-window 0s")
    id = reply.split("`")[1]
    [whisper] = await place.until(
        lambda: [text for text in place.whispers() if "is paused" in text]
    )
    assert (
        whisper == f"Debate {id} is paused and costs nothing more, for I can't post it: {REASON} "
        f"When that is fixed: /debate resume {id}"
    )
    paused = await place.reaches(id, lambda d: d.paused is not None)
    assert not paused.finished
    await place.wait_for_posts()  # what is told meanwhile has no thread to go to
    calls = place.slack.called("chat.postMessage")
    assert len([call for call in calls if call["channel"] == "C1"]) == 1, "no storm of tries"
    assert await place.typed(f"resume {id}") == f"Debate `{id}`: going on."
    place.time.let()
    await place.wait_for_posts(id)
    posts = [
        post.key
        for post in posts_so_far(await place.parts.stores.debates.load(id), "slack:T1/C1")
        if post.op == "post"
    ]
    assert list(dict.fromkeys(key.partition("#")[0] for key, _ in place.ours())) == posts
    assert REASON in render(place.ours()[1][1])
