"""A debate's link in a channel is a card, for people who may all read the debate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.end_to_end.slack_office import Office, office
from tests.standins.github import GitHubStandIn
from tests.standins.slack import render

QUESTION = "panel Should we split the billing service before the migration?"
PAGES = "https://debates.example"


async def test_a_link_is_a_card_for_those_who_may_read_the_debate(
    tmp_path: Path, github: GitHubStandIn
) -> None:
    async with office(tmp_path, github, env={"DEBATE_PUBLIC_URL": PAGES}) as place:
        world = place.slack.world
        for name, private in (("C2", True), ("C3", True), ("C4", False)):
            world.channel(name).private = private
        world.channel("C2").people = world.channel("C3").people = ("U1",)
        debates = {name: await place.finished(QUESTION, channel=name) for name in ("C1", "C2")}
        await _card_with_the_verdict(place, debates["C1"])
        await _nobody_else_reads(place, debates)
        world.work_objects = False
        message = await place.slack.link(f"{PAGES}/d/{debates['C1']}")
        await place.until(lambda: "cards" in message)
        [blocks] = message["cards"].values()
        title = "*Should we split the billing service before the migration?*"
        assert render(blocks).startswith(title), "an app without work objects shows blocks"


async def _card_with_the_verdict(place: Office, debate: str) -> None:
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


async def _nobody_else_reads(place: Office, debates: Mapping[str, str]) -> None:
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
