"""The price of a debate is shown to the person who asks for it in Slack: as a line up to the limit,
and as a question above it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.debate.state import Debate
from tests.end_to_end.played import LINK
from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn
from tests.standins.openai import Fail, OpenAI, openai
from tests.standins.slack import render

AROUND = r"(?:, with at most [\d,]+ characters of the code around the change)?"
CALLS = rf"(?:about \d+ calls, at most \d+|\d+ calls){AROUND}\."
"""The part of a review's price that its findings may add."""
PRICE = r"Price: \$\d+\.\d+, at most \$\d+\.\d+, (?:limit \$\d\.\d\d, )?" + CALLS
OFFER = r" Nothing has started yet\. It starts when you press the button\.\n\[Start it\]"
UNKNOWN = r"Price: unknown \(no known price: openai/acme-large\), " + CALLS


@dataclass
class Shop:
    """An office whose models are paid for. Nobody answers there: what is tested happens before."""

    place: Office
    provider: OpenAI

    async def restart(self, **env: str) -> None:
        await self.place.stop()
        self.place.env |= env
        await self.place.start()

    async def offered(self, text: str, expected: str = PRICE + OFFER, **more: Any) -> Any:
        """Returns the private answer to ``/debate TEXT``."""
        before = len(self.place.slack.responses)
        assert re.fullmatch(expected, await self.place.typed(text, **more))
        return self.place.slack.responses[before]

    async def agreed(self, answer: Any, user: str = "U1") -> str:
        before = len(self.place.slack.responses)
        await self.place.slack.press_private(answer, "Start it", user=user)
        await self.place.until(lambda: len(self.place.slack.responses) > before)
        return render(self.place.slack.responses[before])

    async def ids(self) -> list[str]:
        return [line.id for line in await self.place.parts.stores.debates.find_recent()]

    async def ended(self, id: str) -> Debate:
        return await self.place.reaches(id, lambda d: d.over or bool(d.failure))


@pytest.fixture
async def shop(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Shop]:
    github.load_case("py-static-prefix")
    async with openai() as provider:
        provider.answers = [Fail(401, "no")]
        env = provider.settings() | {
            "DEBATE_ALLOWED_MODELS": "openai/gpt-4.1,openai/acme-large",
            "DEBATE_ASK_ABOVE": "0.0001",
        }
        async with office(tmp_path, github, env=env) as place:
            shop = Shop(place, provider)
            yield shop
            for id in await shop.ids():
                await shop.ended(id)


async def test_above_the_limit_nothing_starts_before_somebody_agrees(shop: Shop) -> None:
    """An unknown price needs the same consent and is not shown as free."""
    answer = await shop.offered(f"code_review {LINK} --models openai/acme-large", UNKNOWN + OFFER)
    assert await shop.ids() == []
    assert re.search(rf"is starting: .*\. {UNKNOWN}", await shop.agreed(answer))
    (unknown,) = await shop.ids()
    await shop.ended(unknown)
    roots = shop.place.roots()
    answer = await shop.offered(f"code_review {LINK} --rounds 1 --debate-anyway")
    assert (await shop.ids(), shop.place.roots()) == ([unknown], roots)
    await shop.restart()
    reply = await shop.agreed(answer)
    started = (
        rf"Debate `\w+` is starting: code review on {LINK} <{LINK}>\. {PRICE} It will post here\."
    )
    assert re.fullmatch(started, reply)
    id, _ = await shop.ids()
    assert await shop.agreed(answer) == reply
    assert await shop.ids() == [id, unknown]
    debate = await shop.place.parts.service.load(id)
    assert (debate.request.rounds, debate.request.extras) == (1, {"debate-anyway": "yes"})
    assert (debate.request.place, debate.request.asker) == ("slack:T1/C1", "slack:T1/U1")


async def test_a_mention_a_fork_a_second_run_and_a_schedule_are_asked_about(shop: Shop) -> None:
    place = shop.place
    await place.slack.mention(f"code_review {LINK} --rounds 1")
    (whisper,) = await place.until(lambda: place.slack.worlds["T1"].ephemeral)
    assert re.fullmatch(PRICE + OFFER, render(whisper))
    assert "is starting" in await shop.agreed(whisper)
    (id,) = await shop.ids()
    await shop.ended(id)
    fork = await shop.offered(
        f'fork {id} --assume "it runs on Windows"',
        r"Price: \$\d+\.\d+ for the rest of the debate\." + OFFER,
    )
    assert len(await shop.ids()) == 1
    assert f"continues `{id}`" in await shop.agreed(fork)
    weekly = await shop.offered(
        f'schedule add "0 9 * * mon" code_review {LINK} --rounds 1',
        PRICE + r" That is for each time\. Nothing is scheduled yet\. It starts when you press the "
        r"button\.\n\[Start it\]",
    )
    assert await place.parts.stores.schedules.find_all() == []
    assert "Schedule" in await shop.agreed(weekly)
    (schedule,) = await place.parts.stores.schedules.find_all()
    assert schedule.target == LINK
    first = await place.slack.write("Once a week?", user="U2")
    typed = f'schedule add "0 9 * * mon" code_review {LINK} --rounds 1'
    await place.slack.mention(typed, thread=first["ts"])
    (whisper,) = await place.until(lambda: place.slack.worlds["T1"].ephemeral[1:])
    await place.slack.press_private(whisper, "Start it", thread=first["ts"])
    await place.until(lambda: "Schedule `" in place.page(first["ts"]))


async def test_what_no_button_can_hold_is_typed_again(shop: Shop) -> None:
    first = await shop.place.slack.write("Should we drop Windows? ", user="U2")
    for _ in range(40):
        await shop.place.slack.reply(first["ts"], secrets.token_hex(40), user="U3")
    await shop.place.slack.mention("panel this thread", thread=first["ts"], user="U4")
    (whisper,) = await shop.place.until(lambda: shop.place.slack.worlds["T1"].ephemeral)
    assert re.fullmatch(
        PRICE + r" Nothing has started yet\. Write it again with `--yes` .*",
        render(whisper),
    )
