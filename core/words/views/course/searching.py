"""Tells people which web searches of a seat gave no result, so that nobody reads the silence as
"nothing was found".
"""

from __future__ import annotations

from core.debate.replies import Statement
from core.languages import msgid

SEARCH_FAILED = msgid("Web search without a result")


def failed_searches(statement: Statement) -> str:
    """Names a statement's failed searches with their reasons; "" if none failed."""
    return "; ".join(dict.fromkeys(statement.failed_searches))
