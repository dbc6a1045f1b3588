"""Keeps a request that waits for consent to its price in the button that starts it.

Nothing of it is kept here, so the button works after a restart and whichever replica receives it;
and it starts one debate however often it is pressed, for its id is that of the event that asked.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from core.application import offers
from core.application.commands import PricedRequest
from core.application.commands.stored import from_stored, to_stored, with_consent
from core.application.desk import DeskAnswer
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
