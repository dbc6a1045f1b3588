"""A debate's link in a channel is a card, for people who may all read the debate."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

QUESTION = "panel Should we split the billing service before the migration?"
PAGES = "https://debates.example"


@pytest.fixture
async def place(tmp_path: Path, github: GitHubStandIn) -> AsyncIterator[Office]:
    async with office(tmp_path, github, env={"DEBATE_PUBLIC_URL": PAGES}) as opened:
        for name, private in (("C2", True), ("C3", True), ("C4", False)):
            opened.slack.world.channel(name).private = private
        yield opened


async def test_a_link_is_a_card_with_the_verdict(place: Office) -> None:
    debate = await place.finished(QUESTION)
    url = f"{PAGES}/d/{debate}?from=mail"
    message = await place.slack.link(url)
    await place.until(lambda: "cards" in message)
    [entity] = message["cards"]["entities"]
    assert (entity["app_unfurl_url"], entity["url"]) == (url, f"{PAGES}/d/{debate}")
    assert entity["external_ref"] == {"id": debate, "type": "debate"}
    payload = entity["entity_payload"]
    assert payload["attributes"]["title"]["text"].startswith("Should we split the billing")
    fields = {one["key"]: one["value"] for one in payload["custom_fields"]}
    assert list(fields) == payload["display_order"] == ["status", "result", "template"]
    assert fields["template"] == "panel"


async def test_an_app_without_work_objects_shows_blocks(place: Office) -> None:
    place.slack.world.work_objects = False
    debate = await place.debate(QUESTION)
    message = await place.slack.link(f"{PAGES}/d/{debate}")
    await place.until(lambda: "cards" in message)
    [blocks] = message["cards"].values()
    assert render(blocks).startswith("*Should we split the billing service before the migration?*")


async def test_nobody_reads_by_a_card_what_they_may_not_read(place: Office) -> None:
    world = place.slack.world
    world.channel("C2").people = world.channel("C3").people = ("U1",)
    debates = {name: await place.debate(QUESTION, channel=name) for name in ("C1", "C2")}
    links: list[tuple[str, str, dict[str, Any], bool]] = [
        ("C1", "C1", {}, True), ("C1", "C3", {}, True), ("C1", "C4", {}, True),
        ("C2", "C2", {}, True), ("C2", "C1", {}, False), ("C2", "C3", {}, False),
        ("C2", "C2", {"source": "composer"}, False),
        ("C1", "C1", {"is_bot_user_member": False}, False),
    ]  # fmt: skip
    messages = [
        (await place.slack.link(f"{PAGES}/d/{debates[held]}", channel, **more), readable)
        for held, channel, more, readable in links
    ]
    others = ("https://evil.example/d/{}", PAGES + ".evil.example/d/{}", PAGES + "/e/{}")
    messages += [(await place.slack.link(url.format(debates["C1"])), False) for url in others]
    last = await place.slack.link(f"{PAGES}/d/{debates['C1']}")
    await place.until(lambda: "cards" in last)
    await place.until(lambda: all("cards" in message for message, readable in messages if readable))
    assert ["cards" in message for message, _ in messages] == [readable for _, readable in messages]
