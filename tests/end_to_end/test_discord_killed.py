"""The bot is killed between an effect on Discord and its own note of it: after a restart everything
is there, once, in order, and was paid once except what was in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.discord_child import Child, stored, untold
from tests.end_to_end.discord_city import BRIEF
from tests.end_to_end.played import LINK
from tests.standins.discord import DiscordStandIn
from tests.standins.discord_world import until
from tests.standins.github import GitHubStandIn

FEW = (0, 1, 8)
"""The starter, its thread, something in the middle of a brief debate."""
WHOLE: Mapping[str, Any] = {"debate_anyway": True}
STRIDE = 8
"""Every effect is a point in one of so many debates."""


async def debate(child: Child, options: Mapping[str, Any]) -> str:
    """Plays a debate to its end, whatever happens to the process, and returns its id."""
    await child.start()
    await until(lambda: child.discord.gateway.connected, what="the process connects")
    await child.discord.command(
        "start", {"template": "code_review", "target": LINK, "vote_window": "0s", **options}
    )
    return await child.outlives()


async def killed(
    folder: Path,
    github: GitHubStandIn,
    points: Sequence[int],
    *,
    before: bool = False,
    options: Mapping[str, Any] = WHOLE,
) -> int:
    """Plays a debate whose bot dies at these effects, checks that all is told once and that no call
    is paid twice except those in flight, and returns how often it died: at each of them that there
    was.
    """
    github.load_case("py-static-prefix")
    async with DiscordStandIn() as discord:
        child = Child(discord, github, folder)
        child.kill_at(points, before=before)
        try:
            id = await debate(child, options)
        finally:
            await child.stop()
        async with stored(folder) as database:
            assert await untold(discord, database, id) == []
        assert discord.violations == []
        assert discord.token not in child.log()
        requests = child.paid()
        once, in_flight = len(set(requests)), sum(child.in_flight)
        assert len(requests) <= once + in_flight, "only a call in flight is paid again"
        assert child.count("state = 'done'") == once
        assert child.count("true") == once + in_flight, "a killed call is counted"
        assert child.killed == sum(point < len(child.effects) for point in points)
        return child.killed


async def test_killed_at_a_few_points_everything_is_told_once(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    assert await killed(tmp_path, github, FEW, options=BRIEF) == len(FEW)


@pytest.mark.faults
@pytest.mark.timeout(300)
@pytest.mark.parametrize("how", ["after", "before", "history-alone"])
@pytest.mark.parametrize("first", range(STRIDE))
async def test_killed_at_every_point(
    first: int, how: str, tmp_path: Path, github: GitHubStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the nonces are gone, because Discord keeps them for minutes only, the look into the
    history alone prevents a double.
    """
    if how == "history-alone":
        monkeypatch.setattr("tests.standins.discord_world.NONCE_WINDOW", -1.0)
    assert await killed(tmp_path, github, range(first, 1000, STRIDE), before=how == "before")
