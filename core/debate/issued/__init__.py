"""The secrets that the bot issues: each is made here, or recognised here, so that redaction knows
every one by its making wherever it is pasted.
"""

from __future__ import annotations

import base64
from collections.abc import Callable

MARK = "debate_"
"""The beginning of every secret that is drawn by lot, by which scanners for secrets recognise one,
and of a link to one debate.
"""
WEBHOOK = "whsec_"
"""The beginning of a webhook's secret, as Standard Webhooks has it."""
_BYTES = 32
_INVITATION_BYTES = 27
_ID_BYTES = 9
FORMS = (
    rf"{MARK}[A-Za-z0-9_-]{{36}}(?:[A-Za-z0-9_-]{{7}})?",
    rf"{MARK}[A-Za-z0-9_-]{{12}}\.[A-Za-z0-9_-]{{22}}",
    rf"{WEBHOOK}[A-Za-z0-9+/_-]{{24,88}}={{0,2}}",
)
"""The forms of all of them, as patterns without look-around."""
Draw = Callable[[int], str]
"""Draws that number of bytes that nobody can guess, as text: ``secrets.token_urlsafe``."""
RANDOM = 4.2
"""The least entropy of one, in bits a character: names that begin alike have less."""


def new_secret(draw: Draw) -> str:
    """Makes a token, a key of a browser, or a key to seal, sign or watch with."""
    return MARK + draw(_BYTES)


def new_invitation(draw: Draw) -> str:
    """Makes the secret of a link that lets one in, which is shorter: people copy it."""
    return MARK + draw(_INVITATION_BYTES)


def new_link_id(draw: Draw) -> str:
    """Makes the id of a link to one debate."""
    return MARK + draw(_ID_BYTES)


def link_key(id: str, seal: bytes) -> str:
    """Returns the key of a link to one debate; ``seal`` proves its ``id``."""
    return f"{id}.{base64.urlsafe_b64encode(seal).rstrip(b'=').decode()}"


def webhook_secret(made: bytes) -> str:
    """Returns the secret of a webhook, which was derived from the signing key."""
    return WEBHOOK + base64.b64encode(made).decode()


def key_bytes(text: str) -> bytes | None:
    """Returns the bytes that a made secret was drawn as, None if ``text`` is no such secret."""
    if not text.startswith(MARK) or len(text) != len(MARK) + 43:
        return None
    return base64.urlsafe_b64decode(text.removeprefix(MARK) + "=")
