"""Takes back what was written to GitHub, as far as GitHub allows it: comments are deleted; a
review, a check and an issue only lose their text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.forges.api import ForgeApi
from adapters.forges.links import ChangeLink
from adapters.forges.writing import REMOVED
from core.debate.log import ForgePostKind

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


async def remove(
    api: ForgeApi, link: ChangeLink, kind: str, id: str, comments: Sequence[str], *, app: bool
) -> str:
    """Deletes the comments with the ids ``comments`` and returns a sentence on what GitHub
    keeps.
    """
    at = f"repos/{link.repo}"
    for comment in comments:
        await _change(api, "DELETE", f"{at}/pulls/comments/{comment}", None)
    text = {"title": REMOVED, "summary": REMOVED}
    if kind == ForgePostKind.REVIEW:
        await _change(api, "PUT", f"{at}/pulls/{link.number}/reviews/{id}", {"body": REMOVED})
    elif kind == ForgePostKind.CHECK and not app:
        return _STATUS
    elif kind == ForgePostKind.CHECK:
        await _change(api, "PATCH", f"{at}/check-runs/{id}", {"output": text})
    elif kind == ForgePostKind.ISSUE:
        new = {"title": REMOVED, "body": REMOVED}
        await _change(api, "PATCH", f"{at}/issues/{id}", new)
    return _KEPT.get(kind, "")


async def _change(api: ForgeApi, method: str, path: str, body: Mapping[str, Any] | None) -> None:
    """Changes or deletes one thing; one that is gone already counts as done."""
    response = await api.send(method, path, body)
    if response.status not in (404, 410):
        api.successful(response, undone="It is still there.")
