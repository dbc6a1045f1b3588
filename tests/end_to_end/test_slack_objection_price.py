"""Slack shows the price of an objection to the person who objects; their words wait for it."""

from __future__ import annotations

from dataclasses import replace

from core.debate.events import ChallengeRaised, DebateRequested
from tests.bot.room.test_prices import paid_review
from tests.browser.stage import keep
from tests.end_to_end.test_slack_price import Shop, shop

__all__ = ["shop"]
WORDS = "The caller holds the lock, so nothing runs twice."
OFFER = (
    r"Price: \$\S+ for the rest of the debate\. No seat answers yet\. It starts when you press "
    r"the button\.\n\[Start it\]"
)


async def objections(shop: Shop, id: str) -> list[str]:
    events = await shop.place.parts.stores.debates.load(id)
    return [event.text for event in events if isinstance(event, ChallengeRaised)]


async def test_an_objection_waits_for_its_price(shop: Shop) -> None:
    request, *rest = await paid_review(shop.place.parts)
    assert isinstance(request, DebateRequested)
    there = replace(request.request, asker="slack:T1/U1", place="slack:T1/C1")
    id = await keep(shop.place.parts, [replace(request, request=there), *rest])
    before = await objections(shop, id)
    answer = await shop.offered(f"challenge {id} {WORDS}", OFFER)
    assert await objections(shop, id) == before
    assert shop.provider.requests == []
    await shop.agreed(answer)
    await shop.place.reaches(id, lambda d: len(d.challenges) > len(before))
    assert (await objections(shop, id))[-1] == WORDS
