"""What happens to a review that is posted on GitHub: its text changes, it no longer requests
changes, people react to its comments.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import msgspec

from adapters.forges.api import ForgeApi
from adapters.forges.github.replies import User
from adapters.forges.refusals import POSTED

logger = logging.getLogger(__name__)
REQUESTED = "CHANGES_REQUESTED"
_JUDGEMENTS = {"+1": True, "-1": False}
_MAY_NOT = frozenset({403, 404, 422})
"""Statuses for a credential that may write but not dismiss, and for a review that is dismissed."""


class _Reaction(msgspec.Struct):
    content: str
    user: User | None = None


async def change_review(api: ForgeApi, path: str, text: str, new: str) -> None:
    """Replaces the text of a review; ``path`` is the review's."""
    if new != text:
        api.successful(await api.send("PUT", path, {"body": new}), undone=POSTED)


async def dismiss(api: ForgeApi, path: str, reason: str) -> None:
    """Takes back that a review requests changes, if the credential may."""
    body = {"message": reason, "event": "DISMISS"}
    response = await api.send("PUT", f"{path}/dismissals", body)
    if response.status in _MAY_NOT:
        facts = {"action": "dismiss", "review": path, "status": response.status}
        logger.info("a review still requests changes", extra=facts)
        return
    api.successful(response, undone=POSTED)


async def judgements(api: ForgeApi, path: str, what: str) -> AsyncIterator[tuple[str, bool]]:
    """Yields the people whose reaction judges a comment, and whether they say that it is right."""
    async for one in api.listed(path, _Reaction, what):
        if one.content in _JUDGEMENTS and one.user is not None and one.user.type != "Bot":
            yield one.user.login, _JUDGEMENTS[one.content]
