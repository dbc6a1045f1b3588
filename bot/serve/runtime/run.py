"""One run of ``advance`` as every runtime makes it: one debate's defect must not end the others."""

from __future__ import annotations

import logging

from bot.debates.advance import Advancer
from core.errors import Fenced, NeedsNewer, StoreAway

logger = logging.getLogger(__name__)


async def run(advancer: Advancer, debate: str) -> bool:
    """Advances a debate and tells whether the run came to its end. One that failed is tried again
    when the debate counts as abandoned.
    """
    try:
        await advancer.advance(debate)
    except Fenced:
        logger.info(
            "another process took the debate over", extra={"action": "fenced", "debate": debate}
        )
        return False
    except NeedsNewer:
        logger.info(
            "a debate is left to a newer release", extra={"action": "newer", "debate": debate}
        )
        return False
    except StoreAway:
        logger.warning(
            "a debate stands still: the database does not answer",
            extra={"action": "advance_away", "debate": debate},
        )
        return False
    except Exception:
        logger.exception("advance failed", extra={"action": "advance_failed", "debate": debate})
        return False
    return True
