"""Seats that read the same long text: one goes ahead, and the others find it in the cache."""

from __future__ import annotations

import asyncio
from contextvars import Context

import pytest
from aiohttp import web

from adapters.models import Vendors, prefixes
from adapters.models.prefixes import LEAST, Prefixes, digests
from core.debate.ports import CallOptions, Message
from tests.patience import PATIENCE
from tests.standins.openai import Fail, OpenAI, Say, openai

ASKING = CallOptions(timeout=PATIENCE)


def prompt(material: str, own: str = "Your turn.") -> tuple[Message, ...]:
    return (
        Message("system", "Be brief."),
        Message("user", material, cache=True),
        Message("user", own),
    )


LONG, SHORT = "x" * LEAST, "x" * 100


class Reading(OpenAI):
    """Begins to answer when it is told to; ``read`` counts the calls whose prefix it had in its
    cache.
    """

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.waiting = 0

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.waiting += 1
        await self.go.wait()
        return await super().chat(request)


def vendors(server: OpenAI, name: str = "OPENAI") -> Vendors:
    return Vendors({f"{name}_API_KEY": "k" * 20, f"{name}_API_BASE": server.base})


async def arrived(server: Reading, count: int) -> int:
    """Waits until ``count`` calls have come, and returns how many are there a moment later."""
    async with asyncio.timeout(PATIENCE):
        while server.waiting < count:  # noqa: ASYNC110  what arrives over a socket
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    return server.waiting


async def test_one_goes_ahead_until_its_answer_begins_and_later_ones_find_it_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prefixes, "FOLLOW_SECONDS", PATIENCE)
    async with openai(server := Reading()):
        models = vendors(server)
        await_first = models.get("openai/gpt-4.1")
        calls = [
            asyncio.create_task(await_first.reply(prompt(LONG, f"Seat {n}."), ASKING))
            for n in range(4)
        ]
        first = await arrived(server, 1)
        server.go.set()
        replies = await asyncio.gather(*calls)
        later = (await_first.reply(prompt(LONG, f"Later {n}."), ASKING) for n in range(2))
        replies += await asyncio.gather(*later)
        await models.aclose()
    assert first == 1
    assert {r.text for r in replies} == {"Hello there."}
    assert [r.get("stream", False) for r in server.requests] == [True] + [False] * 5, "who leads"


@pytest.mark.parametrize(
    ("material", "name", "follow", "reason"),
    [
        (SHORT, "openai/gpt-4.1", PATIENCE, "not worth the wait"),
        (LONG, "openai/house-model-7", PATIENCE, "nobody knows that it caches"),
        (LONG, "openai/gpt-4.1", 0.05, "the others do not wait for ever"),
    ],
)
async def test_nobody_waits_where_it_saves_nothing_nor_for_ever(
    monkeypatch: pytest.MonkeyPatch, material: str, name: str, follow: float, reason: str
) -> None:
    monkeypatch.setattr(prefixes, "FOLLOW_SECONDS", follow)
    async with openai(server := Reading()):
        models = vendors(server)
        model = models.get(name)
        models.shared.queues["openai"]._accepted = True
        calls = [asyncio.create_task(model.reply(prompt(material), ASKING)) for _ in range(4)]
        assert await arrived(server, 4) == 4, reason
        server.go.set()
        await asyncio.gather(*calls)
        await models.aclose()


async def test_one_that_fails_lets_the_others_go() -> None:
    async with openai() as server:
        server.answers = [Fail(400, "no such thing"), Say(("Fine.",))]
        models = vendors(server)
        model = models.get("openai/gpt-4.1")
        came = await asyncio.gather(
            *(model.reply(prompt(LONG), ASKING) for _ in range(3)), return_exceptions=True
        )
        await models.aclose()
    assert sum(isinstance(c, Exception) for c in came) == 1


async def test_what_was_read_is_known_by_every_prefix_of_it() -> None:
    read = Prefixes()
    longer = (*prompt(LONG)[:2], Message("user", "y" * LEAST, cache=True), Message("user", "z"))
    async with read.shared("m", longer):
        prefixes.begin()
    assert read._longest("m", prompt(LONG))[1] == 0, "its whole prefix was read"
    assert read._longest("another", prompt(LONG))[1] >= LEAST, "but not by this model"


async def test_whom_nobody_follows_need_not_hurry() -> None:
    read = Prefixes()

    async def follow() -> None:
        async with read.shared("m", prompt(LONG)):
            assert not prefixes.leading()

    async with read.shared("m", prompt(LONG)):
        assert not prefixes.leading()
        following = asyncio.create_task(follow(), context=Context())
        await asyncio.sleep(0)
        assert prefixes.leading()
        prefixes.begin()
        await following


async def test_what_never_began_was_not_read() -> None:
    read = Prefixes()
    with pytest.raises(ValueError, match="no"):
        async with read.shared("m", prompt(LONG)):
            raise ValueError("no")
    assert read._longest("m", prompt(LONG))[1] >= LEAST


def test_prefixes_end_at_the_marks() -> None:
    messages = (
        Message("system", "a"),
        Message("user", "bb", cache=True),
        Message("user", "ccc", cache=True),
        Message("user", "dddd"),
    )
    assert [size for _, size in digests("m", messages)] == [3, 6]
    assert digests("m", messages)[0] == digests("m", messages[:2])[0]
    assert digests("m", messages) != digests("n", messages)
