"""The stand-in refuses what Discord refuses: each rule is shown a request that breaks it, so that a
green run means something.
"""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from tests.standins.discord import DiscordStandIn
from tests.standins.discord_rules import V2, violations

POST, SEND = "POST", "/channels/1/messages"
QUIET: dict[str, Any] = {"allowed_mentions": {"parse": []}}


def text(content: str) -> dict[str, Any]:
    return {"type": 10, "content": content}


def v2(*components: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        **QUIET,
        "flags": V2,
        "components": [{"type": 17, "components": list(components)}],
        **more,
    }


def button(custom: str, label: str = "x") -> dict[str, Any]:
    return {"type": 2, "style": 2, "label": label, "custom_id": custom}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"content": "x" * 2001, **QUIET}, "2001 characters"),
        (QUIET, "an empty message"),
        ({"content": "x"}, "without allowed_mentions"),
        ({"content": "x", "allowed_mentions": {"parse": ["everyone"]}}, "without allowed_mentions"),
        ({"content": "x", "colour": 1, **QUIET}, "unknown key 'colour'"),
        ({"components": [text("x")], **QUIET}, "Components V2 without their flag"),
        (
            {
                "content": "x",
                "components": [{"type": 1, "components": [button(str(n))]} for n in range(6)],
                **QUIET,
            },
            "more than 5 action rows",
        ),
        (v2(text("x"), content="y"), "beside content"),
        (v2(text("x" * 2500), text("x" * 2500)), "5000 displayed characters"),
        (v2(*(text("x") for _ in range(40))), "41 components"),
        (v2({"type": 1, "components": [button("a"), button("a")]}), "custom_id repeated"),
        (
            v2({"type": 10, "content": "x", "id": 5}, {"type": 10, "content": "x", "id": 5}),
            "id repeated",
        ),
        (v2({"type": 1, "components": [button("a", "x" * 81)]}), "too long"),
        (v2({"type": 99}), "99 is not one of"),
        (v2({"type": 13, "file": {"url": "attachment://a.md"}}), "are not the files sent"),
        ({"embeds": [{"description": "x" * 4000}] * 2, **QUIET}, "embeds of more than"),
        (
            {
                "poll": {
                    "question": {"text": "q"},
                    "answers": [{"poll_media": {"text": "a" * 56}}],
                },
                **QUIET,
            },
            "1 to 55",
        ),
    ],
)
def test_bad_messages_are_named(body: dict[str, Any], name: str) -> None:
    assert any(name in line for line in violations(POST, SEND, body)), violations(POST, SEND, body)


def test_an_edit_may_not_take_the_flag_away_and_unknown_paths_are_named() -> None:
    edit = {"components": [text("x")], "flags": 0, **QUIET}
    assert violations("PATCH", "/channels/1/messages/2", edit, v2_before=True) == [
        "an edit that takes the Components V2 flag away"
    ]
    assert violations("GET", "/nowhere", None) == ["GET /nowhere: Discord documents no such path"]


def test_bad_commands_are_named() -> None:
    many = [{"type": 3, "name": f"o{n}", "description": "d"} for n in range(26)]
    needed = {"type": 3, "name": "b", "description": "d", "required": True}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"name": "Debate", "description": "d"}, "bad command or option name 'Debate'"),
        ({"name": "d", "description": "x" * 101}, "too long"),
        ({"name": "d", "description": "d", "options": many}, "too long"),
        (
            {"name": "d", "description": "d", "options": [many[0], needed]},
            "required option b after an optional one",
        ),
    ]
    for command, name in cases:
        lines = violations("PUT", "/applications/1/commands", [{"type": 1, **command}])
        assert any(name in line for line in lines), lines


async def test_an_interaction_has_three_seconds_and_its_token_fifteen_minutes() -> None:
    async with DiscordStandIn() as discord, aiohttp.ClientSession() as session:
        discord.world.commands = [
            {"name": "debate", "id": "1", "options": [{"name": "status", "type": 1, "options": []}]}
        ]
        late = await discord.command("status")
        discord.advance(4)
        answer = f"{discord.api_url}/interactions/{late.id}/{late.token}/callback"
        async with session.post(answer, json={"type": 5}) as response:
            assert (response.status, (await response.json())["code"]) == (404, 10062)
        prompt = await discord.command("status")
        answer = f"{discord.api_url}/interactions/{prompt.id}/{prompt.token}/callback"
        async with session.post(answer, json={"type": 5}) as response:
            assert response.status == 200
        async with session.post(answer, json={"type": 5}) as response:
            assert (await response.json())["code"] == 40060
        discord.advance(901)
        follow = f"{discord.api_url}/webhooks/1/{prompt.token}"
        async with session.post(follow, json={"content": "late", **QUIET}) as response:
            assert (response.status, (await response.json())["code"]) == (401, 50027)
