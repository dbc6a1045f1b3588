"""Lists the pull requests and comments of a repository for a poll, and determines what changed
since the last poll.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from adapters.forges.api import PAGE, ForgeApi
from adapters.forges.events import ForgeEvent, ForgeEventKind, clean, is_ours
from adapters.forges.github.replies import Comment, Pull, login_of, state_of
from core.debate.material import ChangeState

_NOT_MODIFIED = 304
_NUMBER = re.compile(r"\d{1,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A pull request as the forge lists it, the last updated first."""

    number: int
    head: str
    state: ChangeState
    draft: bool
    labels: tuple[str, ...]
    author: str
    updated: datetime | None
    merge_commit: str = ""
    base: str = ""

    @property
    def state_line(self) -> str:
        """Returns the state of the pull request in one line, which the next poll compares."""
        draft = "draft" if self.draft else "ready"
        return " ".join((self.state, draft, self.base, self.head, *sorted(self.labels)))

    def since(self, before: str) -> list[tuple[ForgeEventKind, str]]:
        """Returns what happened since the state line ``before`` (empty: never seen), each with the
        name of its label, if it is about a label.
        """
        state, draft, base, head, *labels = before.split(" ") if before else ("", "", "", "")
        happenings: list[tuple[ForgeEventKind, str]] = []
        if self.state != ChangeState.OPEN:
            if state in ("", ChangeState.OPEN) and before:
                return [(ForgeEventKind.CLOSED, "")]
            return happenings
        if state != ChangeState.OPEN or (draft == "draft" and not self.draft):
            happenings.append((ForgeEventKind.OPENED, ""))
        elif head != self.head:
            happenings.append((ForgeEventKind.PUSHED, ""))
        elif base != self.base:
            happenings.append((ForgeEventKind.RETARGETED, ""))
        fresh = [label for label in self.labels if label not in labels]
        happenings += [(ForgeEventKind.LABELED, label.replace("\u00a0", " ")) for label in fresh]
        return happenings


async def changes_listed(api: ForgeApi, repo: str, tag: str) -> tuple[Sequence[ListedChange], str]:
    """Returns the hundred pull requests that changed last, and the tag to ask with next time; none
    if nothing is new.
    """
    query = urlencode({"state": "all", "sort": "updated", "direction": "desc", "per_page": PAGE})
    response = await api.get(f"repos/{repo}/pulls?{query}", etag=tag)
    if response.status == _NOT_MODIFIED:
        return (), tag
    listed = [
        ListedChange(
            one.number,
            one.head.sha,
            state_of(one),
            one.draft is not False,
            tuple(shown_label(label.name) for label in one.labels),
            login_of(one.user),
            one.updated_at,
            one.merge_commit_sha or "",
            one.base.ref,
        )
        for one in api.decoded(response, list[Pull])
    ]
    return listed, response.headers.get("etag", "")


async def comments_listed(
    api: ForgeApi, host: str, repo: str, tag: str, *, replies: bool = False
) -> tuple[Sequence[ForgeEvent], str]:
    """Returns the hundred newest comments in conversations of pull requests, or ``replies`` under
    comments on their lines; none if nothing is new.
    """
    query = urlencode({"sort": "created", "direction": "desc", "per_page": PAGE})
    kind = "pulls" if replies else "issues"
    response = await api.get(f"repos/{repo}/{kind}/comments?{query}", etag=tag)
    if response.status == _NOT_MODIFIED:
        return (), tag
    comments = []
    for one in api.decoded(response, list[Comment]):
        if is_ours(one.body) or (one.user is not None and one.user.type == "Bot"):
            continue
        number = (one.pull_request_url if replies else one.issue_url).rpartition("/")[2]
        if _NUMBER.fullmatch(number) and (one.in_reply_to_id is not None or not replies):
            comments.append(
                ForgeEvent(
                    ForgeEventKind.REPLIED if replies else ForgeEventKind.COMMENTED,
                    "github",
                    host,
                    repo,
                    int(number),
                    actor=login_of(one.user),
                    text=clean(one.body),
                    comment=f"{one.id}",
                    reply_to=f"{one.in_reply_to_id or ''}",
                    at=one.created_at,
                )
            )
    return comments, response.headers.get("etag", "")


def shown_label(name: str) -> str:
    """Returns a label as a state line holds it, which is cut at spaces."""
    return name.replace(" ", "\u00a0")
