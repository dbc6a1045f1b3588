"""What a chat says about a post that it could not deliver."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from core.application.presence import DeliveryError


async def undelivered(sending: Awaitable[object], match: str | None = None) -> DeliveryError:
    """Returns the error, in whose words ``match`` must be found."""
    with pytest.raises(DeliveryError, match=match) as failed:
        await sending
    return failed.value
