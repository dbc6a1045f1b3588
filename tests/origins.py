"""Origins of debates that tests start."""

from __future__ import annotations

from bot.debates.origins import Maker, Origin


def origin(key: str) -> Origin:
    """As if somebody had asked for it."""
    return Origin(Maker.PERSON, key)
