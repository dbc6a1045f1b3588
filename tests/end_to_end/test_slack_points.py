"""The points of a review of a Slack app that no other file holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from slack_sdk.errors import SlackApiError

from tests.end_to_end.slack_office import office
from tests.standins.github import GitHubStandIn


async def test_every_body_of_a_whole_debate_is_checked(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The stand-in holds each call to schema and limits; here it is shown that it would
    complain.
    """
    github.load_case("py-static-prefix")
    async with office(tmp_path, github) as place:
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
