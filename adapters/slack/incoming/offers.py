"""Buttons that hold what they start: a request that waits for consent to its price, and the form
of a repository's binding.

Nothing of it is kept here, so a button works after a restart and whichever replica receives it; a
request starts one debate however often it is pressed, for its id is that of the event that asked.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable

from core.application import offers
from core.application.commands import PricedRequest, Setup
from core.application.commands.options import written
from core.application.commands.stored import from_stored, to_stored, with_consent
from core.application.desk import Button, DeskAnswer
from core.debate.errors import BadInput
from core.languages import say

_MOST = 2000
"""Characters that Slack lets a button's value have."""
_LARGEST = 100_000
"""Most characters of an unpacked request in a button."""


def offer(answer: DeskAnswer, source: str) -> DeskAnswer:
    """Returns the answer with a button that starts its priced request; ``source`` is the key of the
    event that asked. A request too long for a button has to be typed again.
    """
    if answer.priced is None:
        return answer
    kept = {"source": source, **to_stored(with_consent(answer.priced))}
    packed = zlib.compress(json.dumps(kept, ensure_ascii=False).encode(), 9)
    value = base64.urlsafe_b64encode(packed).decode()
    if len(value) > _MOST:
        return offers.without_button(answer)
    return offers.with_button(answer, value)


def read_offer(value: str) -> tuple[PricedRequest, str]:
    """Returns the priced request in a button's value, and the key of the event that asked.

    Raises ``BadInput`` for a value without one.
    """
    try:
        packed = base64.urlsafe_b64decode(value)
        stored = json.loads(zlib.decompressobj().decompress(packed, _LARGEST))
        return from_stored(stored), str(stored["source"])
    except (binascii.Error, zlib.error, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            say("This is nothing that can be started: give the command again.")
        ) from error


CHANGE = "change"
"""The action of such a button."""
_OFFERED = 5


def change_buttons(changes: Iterable[Setup]) -> tuple[Button, ...]:
    """Returns a button for each binding that can be changed, and for a new one; a binding too long
    for a button has to be typed.
    """
    made = []
    for change in list(changes)[-_OFFERED:]:
        label = say("Bind a repository")
        if change.repository:
            label = say("Change {repository}", repository=change.repository)
        kept = {"repository": change.repository, "forge": change.forge, **written(change)}
        made.append(Button(CHANGE, label, json.dumps(kept), form=True))
    return tuple(button for button in made if len(button.value) <= _MOST)
