"""People lock a debate's thread in Discord and object: they hear that nothing is posted there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.debate.state import Debate
from tests.end_to_end.discord_city import city
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.test_objections import SAID
from tests.standins.github import GitHubStandIn


def answered(times: int, debate: Debate) -> bool:
    return len(debate.endings) == times and debate.over


WHY = "is locked: unlock it, or give my role Manage Threads."


async def test_an_objection_in_a_locked_thread_reaches_people_privately(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The same if Discord has archived the thread as well."""
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="held")
    async with city(tmp_path, github, models=models) as town:
        discord, id = town.discord, await town.started(debate_anyway=False)
        await town.settled(id, "waiting")
        thread = discord.world.channels[(await town.root(id))["id"]]
        begin = f"The seats answer a challenge to debate {id}, but I can't post it there: "

        def read_by(person: str) -> list[str]:
            return [
                line
                for each in discord.world.interactions.values()
                if each.payload["member"]["user"]["id"] == person
                for line in each.text().splitlines()
                if line.startswith(begin)
            ]

        for times, closed in enumerate(({"locked": True}, {"locked": True, "archived": True}), 1):
            thread["thread_metadata"] |= closed
            await discord.gateway.dispatch("THREAD_UPDATE", thread, guild=discord.guild)
            await town.ask("challenge", discord.bob, debate=id, text=SAID["held"])
            await town.reaches(id, partial(answered, times))
            await town.wait_for_posts()
            for person in (discord.bob, discord.ada):
                texts = read_by(person)
                assert len(texts) == times
                assert texts[-1].endswith(f"{WHY} See the answers with: /debate show {id}")
