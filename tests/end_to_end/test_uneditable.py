"""A message that the platform no longer lets us edit holds nothing up: what follows it is posted,
and the log names it once.
"""

from __future__ import annotations

import logging

import pytest

from tests.end_to_end.discord_city import City
from tests.end_to_end.slack_office import Office
from tests.standins.discord_rest import Fault as DiscordFault
from tests.standins.discord_world import render, until
from tests.standins.slack import Fault


def complaints(log: list[logging.LogRecord]) -> list[str]:
    """Returns the lines about posts that are given up, and every traceback."""
    loud = [one for one in log if one.name.startswith(("bot", "adapters"))]
    broken = [one.getMessage() for one in loud if one.exc_info]
    return broken + [
        one.getMessage()
        for one in loud
        if one.levelno >= logging.WARNING and getattr(one, "action", "") == "post_dead"
    ]


@pytest.mark.parametrize("fault", [
    DiscordFault("PATCH", "", 429, code=30046, times=10_000),
    DiscordFault("PATCH", "", 429, retry_after=3_000.0, times=10_000),
], ids=["30046", "limited"])  # fmt: skip
async def test_an_old_message_of_discord(
    caplog: pytest.LogCaptureFixture, fault: DiscordFault, town: City
) -> None:
    town.time.let(0)
    id = await town.started(template="triad", target="Shall we move?", yes=True)
    root = await town.root(id)
    await town.wait_for_posts()
    fault.path = f"/messages/{root['id']}$"
    town.discord.faults.append(fault)
    town.time.let()
    await town.settled(id, "waiting")
    texts = [render(m) for m in town.discord.messages(root["id"])]
    assert any("the report is attached" in text for text in texts)
    assert len(texts) > 6
    lines = await until(lambda: complaints(caplog.records), what="the log names it")
    assert len(lines) == 1


async def test_an_old_message_of_slack(caplog: pytest.LogCaptureFixture, place: Office) -> None:
    place.slack.faults.append(Fault("chat.update", "edit_window_closed", times=10_000))
    id = await place.finished("triad Shall we move?")
    assert place.message(":verdict")
    assert len(place.slack.thread(place.root(id))) > 6
    refused = {call["ts"] for call in place.slack.called("chat.update")}
    await place.until(lambda: len(complaints(caplog.records)) >= len(refused))
    assert len(complaints(caplog.records)) == len(refused)
