"""People lock a debate's thread in Discord: nobody pays for answers that cannot be posted there,
and a person who objects from elsewhere gets the reason.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.application.commands import Challenge
from core.application.desk import Caller
from core.debate.state import Debate
from tests.end_to_end.discord_city import City, city
from tests.end_to_end.recorded import Speakers
from tests.end_to_end.test_objections import SAID
from tests.standins.discord_world import MANAGE_THREADS
from tests.standins.github import GitHubStandIn

LOCKED = {"locked": True}
ARCHIVED = {"locked": True, "archived": True}
WHY = "is locked: unlock it, or give my role Manage Threads."


def answered(times: int, debate: Debate) -> bool:
    return len(debate.endings) == times and debate.over


async def closed(town: City, id: str, state: dict[str, bool]) -> None:
    """Lets the moderators of a server change the state of a debate's thread."""
    thread = town.discord.world.channels[(await town.root(id))["id"]]
    thread["thread_metadata"] |= state
    await town.discord.gateway.dispatch("THREAD_UPDATE", thread, guild=town.discord.guild)


@pytest.mark.parametrize("state", [LOCKED, ARCHIVED])
async def test_seats_are_not_asked_for_answers_that_cannot_be_posted(
    tmp_path: Path, github: GitHubStandIn, state: dict[str, bool]
) -> None:
    """A bot that may open the thread again takes the objection."""
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="held")
    async with city(tmp_path, github, models=models) as town:
        id, bob = await town.started(debate_anyway=False), town.discord.bob
        before = await town.settled(id, "waiting")
        await closed(town, id, state)
        answer = await town.ask("challenge", bob, debate=id, text=SAID["held"])
        assert answer.startswith("No seat was asked, because I can't post its answer: the thread #")
        assert WHY in answer
        assert (await town.parts.service.load(id)).count == before.count

        (everyone,) = town.discord.world.guilds[town.discord.guild]["roles"]
        everyone["permissions"] = str(int(everyone["permissions"]) | MANAGE_THREADS)
        await town.restart()
        assert "No seat" not in await town.ask("challenge", bob, debate=id, text=SAID["held"])
        await town.reaches(id, partial(answered, 1))


async def test_an_objection_of_a_program_in_a_locked_thread_reaches_people_privately(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The program reads the answers elsewhere. The same if Discord has archived the thread as
    well.
    """
    github.load_case("py-static-prefix")
    models = partial(Speakers, objection="held")
    async with city(tmp_path, github, models=models) as town:
        discord, id = town.discord, await town.started(debate_anyway=False)
        await town.ask("status", discord.bob)  # a person whom Discord lets the bot answer privately
        place = (await town.settled(id, "waiting")).request.place
        bob = f"discord:{discord.guild}/{discord.bob}"
        begin = f"The seats answer a challenge to debate {id}, but I can't post it there: "

        def read_by(person: str) -> list[str]:
            return [
                line
                for each in discord.world.interactions.values()
                if each.payload["member"]["user"]["id"] == person
                for line in each.text().splitlines()
                if line.startswith(begin)
            ]

        for times, state in enumerate((LOCKED, ARCHIVED), 1):
            await closed(town, id, state)
            program = Caller(bob, place, f"program:{times}", program=True)
            answer = await town.parts.desk.take(Challenge(SAID["held"], id), program)
            assert answer.ok, answer.text
            await town.reaches(id, partial(answered, times))
            await town.wait_for_posts()
            for person in (discord.bob, discord.ada):
                texts = read_by(person)
                assert len(texts) == times
                assert texts[-1].endswith(f"{WHY} See the answers with: /debate show {id}")
