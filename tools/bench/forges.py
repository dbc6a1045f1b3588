"""``python -m tools.bench.forges``: the cost of the loop of a pull request: calls to the forge for
a run, seconds from a webhook to the thread's first message, and prompt characters of a re-review
compared with the whole review.

A change of five files with 250 added lines each; the push writes one of the five anew. Forge,
provider and Slack are stand-ins on this machine, so the seconds are the bot's own.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bot.debates.provider import Provider, prompt_of
from tests.bot.forges.gitlab_town import ProjectTown, diffs, project
from tests.bot.forges.town import NUMBER, REPO, SECRET, Town, diff, reply, town
from tests.end_to_end.slack_office import office
from tests.end_to_end.slack_review import tell
from tests.standins.github import GitHubStandIn, Pull
from tests.standins.openai import openai

RUNS = 5
NAMES = ("a", "b", "c", "d", "e")


@dataclass(frozen=True)
class Figures:
    """The figures of the first run with its review, and of the run after the push with its
    review.
    """

    calls: tuple[int, int]
    chars: tuple[int, int]

    @property
    def share(self) -> float:
        return self.chars[1] / self.chars[0]


WHOLE: Mapping[str, list[str]] = {
    name: [f"{name}_{n} = {n}  # some words" for n in range(250)] for name in NAMES
}
PUSHED: Mapping[str, list[str]] = {
    **WHOLE,
    "c": [f"c_{n} = {n + 1}  # other words" for n in range(249)] + ["c = 0  # BUG new"],
}


async def on_github(folder: Path) -> Figures:
    async with town(folder, diff=diff(**WHOLE)) as t:
        await t.bind()
        await t.tell("pull_request", "labeled", label={"name": "debate"})
        first = await _reviewed(t, t.github.seen)
        t.pull.push("c" * 40, diff(**PUSHED))
        await t.tell("pull_request", "synchronize")
        return _figures(first, await _reviewed(t, t.github.seen))


async def on_gitlab(folder: Path) -> Figures:
    async with project(folder, diffs=diffs(**WHOLE)) as t:
        await t.bind()
        await t.label("debate")
        first = await _reviewed(t, t.gitlab.sent)
        t.gitlab.push("c" * 40, diffs(**PUSHED))
        await t.tell("merge_request", "update", oldrev="2" * 40)
        return _figures(first, await _reviewed(t, t.gitlab.sent))


async def _reviewed(t: Town | ProjectTown, calls: list[Any]) -> tuple[int, int]:
    """Plays a run to its review and returns the calls and the prompt characters since the last."""
    await t.settle()
    await t.approve()
    made = len(calls), sum(len(prompt_of(request)) for request in t.provider.requests)
    calls.clear()
    t.provider.requests.clear()
    return made


def _figures(first: tuple[int, int], again: tuple[int, int]) -> Figures:
    return Figures((first[0], again[0]), (first[1], again[1]))


async def seconds_to_root(folder: Path) -> float:
    """Returns the seconds from a webhook to the bot's address until the root is posted in Slack."""
    provider = Provider(reply)
    async with GitHubStandIn().running() as github, openai(provider):
        github.pulls[REPO, NUMBER] = Pull(diff=diff(**WHOLE))
        env = {
            "GITHUB_TOKEN": "personal",
            "GITHUB_WEBHOOK_SECRET": SECRET,
            "DEBATE_MODELS": "openai/gpt-4.1,openai/gpt-4.1-mini",
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
            "OPENAI_API_BASE": provider.base,
        }
        async with office(folder, github, env=env) as place:
            place.slack.world.user("U1", is_admin=True)
            await place.typed("setup github o/r --labels debate")
            began = time.monotonic()
            await tell(place, "labeled", label={"name": "debate"})
            await place.until(place.roots)
            return time.monotonic() - began


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, run in (("GitHub", on_github), ("GitLab", on_gitlab)):
            (at := Path(folder) / name).mkdir()
            figures = await run(at)
            print(f"{name}: {figures.calls[0]} calls for a run and its review, "
                  f"{figures.calls[1]} for the run after a push and its review")  # fmt: skip
            print(f"{name}: {figures.chars[0]:,} characters of prompts, {figures.chars[1]:,} after "
                  f"the push: {figures.share:.1%} (bar: 35 %)")  # fmt: skip
        waits = []
        for number in range(RUNS):
            (at := Path(folder) / f"slack{number}").mkdir()
            waits.append(await seconds_to_root(at))
        print(f"from the webhook to the first message in Slack: {statistics.median(waits):.2f} s "
              f"(median of {RUNS}, {min(waits):.2f} to {max(waits):.2f})")  # fmt: skip


if __name__ == "__main__":
    asyncio.run(main())
