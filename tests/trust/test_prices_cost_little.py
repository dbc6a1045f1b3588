"""A price reads no repository, counts, and all repositories together have one budget of bytes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.processes.memory import ByteBudget
from tests.bot.room.serving import served
from tests.bot.room.test_signing_in import signing
from tests.end_to_end.slack_office import office
from tests.patience import PATIENCE
from tests.standins.github import GitHubStandIn
from tests.standins.openai import openai

LINK = "https://github.com/o/r/pull/412"


@pytest.fixture
async def github() -> AsyncIterator[GitHubStandIn]:
    async with GitHubStandIn().running() as standin:
        pull = standin.load_case("py-proxy-auth-leak")
        standin.trees[pull.head] = {"src/other.py": "def other() -> int:\n    return 1\n"}
        yield standin


def archives(github: GitHubStandIn) -> int:
    return sum("/tarball/" in path for path in github.paths)


async def test_a_dozen_prices_at_once_read_no_repository(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    async with (
        openai() as provider,
        served(tmp_path, GITHUB_API_URL=github.url, **provider.settings()) as room,
    ):
        form = {"token": await room.token(), "target": LINK, "template": "code_review"}
        posts = [
            room.post("/new", {}, **form, once=f"{n}", rounds=f"{1 + n % 2}", do="price")
            for n in range(12)
        ]
        for status, page, _ in await asyncio.gather(*posts):
            assert status == 200
            assert "characters of the code around the change" in page, page
        assert archives(github) == 0
        status, _, headers = await room.post("/new", {}, **form, rounds="1", do="agree")
        assert status == 303
        id = headers["Location"].removeprefix("/d/")
        async with asyncio.timeout(PATIENCE):
            while (await room.load(id)).opened is None:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert archives(github) == 1
        assert sum(path.endswith("/pulls/412/files") for path in github.paths) <= 3


async def test_a_price_in_a_chat_says_how_much_code_around_the_change_it_counts(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    """The most there may be: what is read later costs less, never more."""
    async with openai() as provider, office(tmp_path, github, env=provider.settings()) as place:
        reply = await place.typed(f"code_review {LINK} --debate-anyway")
        assert re.search(
            r"Price: \$\d+\.\d+, at most \$\d+\.\d+, .*, with at most [\d,]+ characters "
            r"of the code around the change\.",
            reply,
        ), reply


async def test_prices_are_counted_for_a_person(tmp_path: Path) -> None:
    async with openai() as provider:
        env = provider.settings() | {"DEBATE_LIMITS": "person-prices=2"}
        async with signing(tmp_path, env) as on:
            await on.sign_in()
            form = {"token": await on.room.token(), "target": "Tabs or spaces?", "do": "price"}
            pages = [(await on.room.post("/new", {}, **form, once=f"{n}"))[1] for n in range(3)]
        refused = ["limit person-prices in DEBATE_LIMITS" in page for page in pages]
        assert refused == [False, False, True]


async def test_what_does_not_fit_waits_for_its_turn_or_goes_without() -> None:
    budget = ByteBudget(most=100, patience=0.05)
    order: list[str] = []

    async def hold(name: str, size: int, until: asyncio.Event) -> None:
        async with budget.hold(size) as held:
            order.append(f"{name} {held is not None}")
            await until.wait()

    first, second = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(hold("a", 80, first))
        await asyncio.sleep(0)
        late = tasks.create_task(hold("b", 50, second))
        second.set()
        await late
        assert order == ["a True", "b False"]
        budget.patience = 45.0
        waiting = tasks.create_task(hold("c", 50, second))
        await asyncio.sleep(0)
        assert budget.held == 80
        first.set()
        await waiting
    assert order[-1] == "c True"
    assert budget.held == 0


async def test_what_was_set_aside_and_not_needed_is_for_others() -> None:
    budget = ByteBudget(most=100, patience=45.0)
    async with budget.hold(1_000) as whole:
        assert whole is not None
        assert budget.held == 100
        whole.shrink(10)
        async with budget.hold(90) as other:
            assert other is not None
    assert budget.held == 0
