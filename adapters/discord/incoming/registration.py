"""Updates Discord's list of our commands when it differs, and answers commands of older versions
that it still shows.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import discord
from discord import app_commands
from discord.http import Route

from adapters.discord.incoming.listener import Listener
from adapters.discord.incoming.options.localized import Catalogues
from adapters.discord.incoming.payloads import Interaction
from core.application.presence import DeliveryError, DeliveryFailure
from core.languages import msgid, say, speaking

_log = logging.getLogger(__name__)


async def tell_failure(
    listener: Listener, interaction: Interaction, error: app_commands.AppCommandError
) -> None:
    """Tells a person that this version does not know the command: Discord shows old ones for a
    while after an update.
    """
    _log.warning(
        "a command failed: %s",
        type(error).__name__,
        extra={"action": "discord_command_failed"},
        exc_info=error,
    )
    if not interaction.response.is_done():
        text = msgid(
            "This command has changed since Discord loaded it. Reload Discord (Ctrl+R) and "
            "try again."
        )
        if not isinstance(
            error, app_commands.CommandNotFound | app_commands.CommandSignatureMismatch
        ):
            text = msgid(
                "Something went wrong here, and it is not your doing. Try again in a moment."
            )
        with speaking(await listener.language(interaction)):
            await interaction.response.send_message(say(text), ephemeral=True)


async def register(client: discord.Client, tree: app_commands.CommandTree[Any]) -> bool:
    """Registers the commands if Discord has others, and returns whether it did.

    Discord limits changes per day, so none is made in vain.
    """
    application = client.application_id
    if application is None:
        raise DeliveryError(DeliveryFailure.RETRY, "Discord has not said which application this is")
    every = Route("GET", "/applications/{id}/commands", id=application)
    there = await client.http.request(every, params={"with_localizations": "true"})
    ours = await payloads(tree)
    if sorted(map(_normal, there), key=str) == sorted(map(_normal, ours), key=str):
        return False
    await client.http.bulk_upsert_global_commands(application, payload=ours)
    _log.info("commands registered with Discord", extra={"action": "discord_synced"})
    return True


async def payloads(tree: app_commands.CommandTree[Any]) -> list[dict[str, Any]]:
    """Returns the commands as they are registered, in every language."""
    translator = Catalogues()
    return [await each.get_translated_payload(tree, translator) for each in tree.get_commands()]


_COMPARED = (
    "name", "type", "description", "description_localizations", "required", "autocomplete",
    "min_value", "max_value", "min_length", "max_length", "choices", "options",
    "contexts", "integration_types", "default_member_permissions", "nsfw", "value",
)  # fmt: skip


def _normal(command: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a command as far as people can tell: without ids, versions and what is absent or
    default.
    """
    kept: dict[str, Any] = {}
    for key in _COMPARED:
        value = command.get(key)
        if key in ("options", "choices"):
            value = [_normal(each) for each in value or ()]
        elif key in ("contexts", "integration_types"):
            value = sorted(value or ())
        if value not in (None, False, [], "", {}):
            kept[key] = value
    return kept
