"""Takes back what was posted on GitHub: a review no longer requests changes, and texts are removed
as far as GitHub allows it: comments are deleted; a review, a check and an issue only lose their
text.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from adapters.forges.api import ForgeApi
from adapters.forges.links import ChangeLink
from adapters.forges.refusals import POSTED
from adapters.forges.writing import REMOVED
from core.debate.log import ForgePostKind

logger = logging.getLogger(__name__)
_MAY_NOT = frozenset({403, 404, 422})
"""Statuses for a credential that may write but not dismiss, and for a review that is dismissed."""

_HISTORY = "GitHub shows what it was under “edited” until somebody deletes that there."
_KEPT: Mapping[str, str] = {
    ForgePostKind.TEST: "The test stays in the branch: take it out there.",
    ForgePostKind.REVIEW: f"GitHub deletes no review; its text is replaced. {_HISTORY}",
    ForgePostKind.CHECK: (
        "GitHub deletes no check; its text is replaced, and it still says the decision."
    ),
    ForgePostKind.ISSUE: f"GitHub deletes no issue for us; its text is replaced. {_HISTORY}",
}
_STATUS = "GitHub deletes no status of a commit: it still says the decision."


async def dismiss(api: ForgeApi, path: str, reason: str) -> None:
    """Takes back that a review requests changes, if the credential may."""
    body = {"message": reason, "event": "DISMISS"}
    response = await api.send("PUT", f"{path}/dismissals", body)
    if response.status in _MAY_NOT:
        facts = {"action": "dismiss", "review": path, "status": response.status}
        logger.info("a review still requests changes", extra=facts)
        return
    api.successful(response, undone=POSTED)


async def remove(
    api: ForgeApi, link: ChangeLink, kind: str, id: str, comments: Sequence[str], *, app: bool
) -> str:
    """Deletes the comments with the ids ``comments`` and returns a sentence on what GitHub
    keeps.
    """
    at = f"repos/{link.repo}"
    for comment in comments:
        await api.remove("DELETE", f"{at}/pulls/comments/{comment}", None)
    text = {"title": REMOVED, "summary": REMOVED}
    if kind == ForgePostKind.REVIEW:
        await api.remove("PUT", f"{at}/pulls/{link.number}/reviews/{id}", {"body": REMOVED})
    elif kind == ForgePostKind.CHECK and not app:
        return _STATUS
    elif kind == ForgePostKind.CHECK:
        await api.remove("PATCH", f"{at}/check-runs/{id}", {"output": text})
    elif kind == ForgePostKind.ISSUE:
        new = {"title": REMOVED, "body": REMOVED}
        await api.remove("PATCH", f"{at}/issues/{id}", new)
    return _KEPT.get(kind, "")
