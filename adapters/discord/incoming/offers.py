"""What waits for a person's yes because of its price: it lies in the answer itself, beside the
button that starts it.

Nothing of it is kept here, so the button works after a restart and whichever replica hears it; and
it starts one debate however often it is pressed, for its id is that of the command that asked.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

import discord

from adapters.commands import ForkRequest, ScheduleAdd, Start, parse, render
from adapters.discord.incoming import attachments
from adapters.ports.chat import Button, File
from adapters.ports.desk import Answer, PricedRequest
from core.errors import BadInput

AGREE = "agree"
FILE = "debate.json"
BUTTON = "It starts when you press the button."
WORDS = "Write it again with `--yes` to start it, or with `--budget USD` to limit it."


def offered(answer: Answer, interaction: int) -> Answer:
    """The answer with what it waits for; ``interaction`` is the command's."""
    if answer.wish is None:
        return answer
    wish = agreed(answer.wish)
    text = wish.text if isinstance(wish, Start) else ""
    kept = File(
        FILE, json.dumps({"command": render(wish), "text": text}, ensure_ascii=False, indent=1)
    )
    button = Button(AGREE, "Start it", str(interaction))
    return replace(
        answer,
        text=f"{answer.text} {BUTTON}",
        files=(*answer.files, kept),
        buttons=(*answer.buttons, button),
        wish=None,
    )


async def wished(files: Sequence[discord.Attachment], templates: Collection[str]) -> PricedRequest:
    """What lies in an answer's files. Raises ``BadInput`` where it is not there any more."""
    file = next((each for each in files if each.filename == FILE), None)
    if file is None:
        raise BadInput("What was to start is not here any more: give the command again.")
    kept = json.loads(await attachments.text_of(file))
    ask = parse(kept["command"], templates=templates, attached=bool(kept["text"]))
    if isinstance(ask, Start):
        return replace(ask, text=kept["text"])
    if isinstance(ask, ForkRequest | ScheduleAdd):
        return ask
    raise BadInput("This is nothing that can be started: give the command again.")


def agreed(wish: PricedRequest) -> PricedRequest:
    """The same, to be done without asking."""
    if isinstance(wish, ScheduleAdd):
        return replace(wish, start=replace(wish.start, yes=True))
    return replace(wish, yes=True)
