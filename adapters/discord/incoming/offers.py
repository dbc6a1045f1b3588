"""Keeps a request that waits for consent to its price in the answer itself, as a file with the
button that starts it.

Nothing of it is kept here, so the button works after a restart and on every replica; it starts one
debate however often it is pressed, because the debate's id is that of the command.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import discord

from adapters.discord.incoming import attachments
from adapters.discord.settings import DiscordSettings
from core.application import offers
from core.application.commands import PricedRequest
from core.application.commands.stored import from_stored, to_stored, with_consent
from core.application.desk import ChatFile, DeskAnswer
from core.debate.errors import BadInput
from core.languages import say

_FILE = "debate.json"
_ESCAPED = 7
"""How many times as long as its text a kept request can be: one character takes six in JSON."""


def with_button(answer: DeskAnswer, interaction: int) -> DeskAnswer:
    """Returns the answer with its priced request as a file; ``interaction`` is the command's."""
    if answer.priced is None:
        return answer
    kept = to_stored(with_consent(answer.priced))
    file = ChatFile(_FILE, json.dumps(kept, ensure_ascii=False, indent=1))
    return offers.with_button(answer, str(interaction), file)


async def read_request(
    files: Sequence[discord.Attachment], settings: DiscordSettings
) -> PricedRequest:
    """Returns the priced request in an answer's files. Raises ``BadInput`` if it is gone."""
    file = next((each for each in files if each.filename == _FILE), None)
    if file is None:
        raise BadInput(say("What was to start is not here any more: give the command again."))
    text = await attachments.read(file, settings, _ESCAPED * settings.material_bytes)
    try:
        return from_stored(json.loads(text))
    except (ValueError, TypeError) as error:
        raise BadInput(
            say("This is nothing that can be started: give the command again.")
        ) from error
