"""``manifests/discord.json`` says what the code does; run this file as a module to write it
anew.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import discord

from adapters.discord import scopes
from adapters.discord.setup.manifest import manifest
from adapters.templates.catalogue import read_catalogue
from core.application.desk import TemplateChoice
from tests.adapters.desk import RecordingDesk
from tests.adapters.discord.conftest import Town
from tests.project import ROOT
from tests.standins.discord_rules import violations

FILE = ROOT / "manifests" / "discord.json"


async def current() -> dict[str, Any]:
    """Returns the manifest with the shipped templates."""
    desk = RecordingDesk()
    desk.offered = tuple(
        TemplateChoice(each.id, each.name, each.description) for each in read_catalogue()
    )
    made: dict[str, Any] = json.loads(json.dumps(await manifest(desk)))
    return made


async def test_the_file_is_what_the_code_does() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == await current()


def test_discord_takes_the_commands() -> None:
    commands = json.loads(FILE.read_text(encoding="utf-8"))["commands"]
    assert violations("PUT", "/applications/1/commands", commands) == []


def test_permission_bits_are_those_that_discord_documents() -> None:
    """The expected numbers are Discord's own, not the library's."""
    bits = {
        "view_channel": 10,
        "send_messages": 11,
        "embed_links": 14,
        "attach_files": 15,
        "read_message_history": 16,
        "add_reactions": 6,
    }
    bits |= {"create_public_threads": 35, "send_messages_in_threads": 38, "create_polls": 49}
    bits |= {"pin_messages": 51, "bypass_slowmode": 52}
    held = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(held["permissions"]) == set(bits)
    assert held["permission_bits"] == sum(1 << bit for bit in bits.values())
    assert f"permissions={held['permission_bits']}" in held["install_url"]


async def test_the_bot_identifies_with_the_declared_intents(town: Town) -> None:
    declared = json.loads(FILE.read_text(encoding="utf-8"))["intents"]
    value = discord.Intents(**dict.fromkeys(declared, True)).value & ~discord.Intents.none().value
    assert town.discord.gateway.identifies[0]["intents"] == value


def test_the_documentation_names_every_permission_and_setting() -> None:
    text = (ROOT / "docs" / "discord.md").read_text(encoding="utf-8")
    for name in (
        *scopes.PERMISSIONS.values(),
        "DISCORD_TOKEN",
        "DISCORD_API_URL",
        "DISCORD_GATEWAY_URL",
        "DISCORD_ADMIN_ROLES",
    ):
        assert name in text, name
    (link,) = re.findall(r"https://discord\.com/oauth2/authorize\?\S+", text)
    assert link == json.loads(FILE.read_text(encoding="utf-8"))["install_url"]


if __name__ == "__main__":
    FILE.write_text(
        json.dumps(asyncio.run(current()), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
