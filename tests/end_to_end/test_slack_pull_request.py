"""The loop of a pull request as people in Slack see it: one thread, an exact text, a review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bot.debates.provider import Provider
from tests.bot.forges.town import NUMBER, REPO, diff, reply
from tests.end_to_end.slack_office import Office, office
from tests.end_to_end.slack_review import following, tell
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai
from tests.standins.slack import render

AT = (REPO, NUMBER)


async def ticked(place: Office, items: dict[str, Any]) -> str:
    """Opens the first action item as an issue and returns the answer."""
    before = len(place.slack.responses)
    await place.slack.press_private(items, "Open 1", user="U2")
    return render((await place.until(lambda: place.slack.responses[before:]))[0])


async def test_label_thread_review_and_push_in_one_thread(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    first = diff(a=["x = 1 # BUG one"], b=["y = 2 # BUG two"])
    github.pulls[AT] = Pull(diff=first, title="Count what is sold")
    provider = Provider(reply)
    async with openai(provider), office(tmp_path, github, env=following(provider)) as place:
        place.slack.world.user("U1", is_admin=True)
        assert "can now debate" in await place.typed("setup github o/r --labels debate")
        assert await tell(place, "labeled", label={"name": "debate"}) == 202
        [(debate, root)] = await place.until(place.roots)
        await place.closed(debate)

        verdict = place.message(":verdict")
        text = await place.pressed(verdict["ts"], "Post the review", user="U2")
        assert "This is what would be posted to" in text
        assert "<!--" not in text, "its readers never see our marks"
        assert "Defect one" in text
        assert "Defect two" in text
        assert github.written.reviews[AT] == []
        await place.slack.press_private(place.slack.responses[-1], "Post exactly this", user="U2")
        await place.until(lambda: github.written.reviews[AT])
        await place.until(lambda: "The review was posted" in place.page(root))
        (review,) = github.written.reviews[AT]
        assert review.event == "COMMENT"
        lines = [(c.path, c.line) for c in github.written.comments[AT]]
        assert lines == [("src/a.py", 11), ("src/b.py", 11)]

        await place.pressed(verdict["ts"], "Create issues", user="U2")
        items = place.slack.responses[-1]
        for sentence in ("Noted. The thread says when", "was opened already"):
            assert sentence in await ticked(place, items)
        await place.until(lambda: github.written.issues[REPO])
        await place.until(lambda: "An issue was opened" in place.page(root))
        assert len(github.written.issues[REPO]) == 1

        second = diff(a=["x = 1 # fine now"], b=["y = 2 # BUG two"])
        github.pulls[AT].push("c" * 40, second)
        assert await tell(place, "synchronize") == 202
        await place.until(lambda: "*Run: *2, what is new since" in place.page(root))
        (again,) = await place.until(
            lambda: {key.partition(":")[0] for key, _ in place.ours()} - {debate}
        )
        await place.closed(again)
        root_now = place.slack.world.channel("C1").messages[root]
        await place.until(
            lambda: again in render(root_now) and "votes still count" not in render(root_now)
        )
        top = [m for m in place.slack.messages() if "thread_ts" not in m]
        assert [m["ts"] for m in top if m["ts"] != root] == [
            m["ts"] for m in top if m.get("subtype") == "thread_broadcast"
        ], "one thread a pull request"
        assert "*Run: *2, what is new since" in render(root_now)
        assert again in render(root_now)
