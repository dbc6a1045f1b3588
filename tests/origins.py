"""Origins of debates that tests start."""

from __future__ import annotations

from bot.debates.origins import Maker, Origin


def origin(key: str) -> Origin:
    """Returns an origin as if somebody had asked for the debate."""
    return Origin(Maker.PERSON, key)
