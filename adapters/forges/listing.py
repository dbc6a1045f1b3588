"""Pull requests and comments of a repository as a poll reads them, and what changed since it last
looked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

import msgspec

from adapters.forges.api import Api
from adapters.forges.events import ForgeEvent, Happened, clean, is_ours
from adapters.forges.github_answers import PAGE, Pull, state_of

_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class ListedChange:
    """A pull request in the list, the last updated first."""

    number: int
    head: str
    state: str
    draft: bool
    labels: tuple[str, ...]
    author: str
    updated: datetime | None
    merge_commit: str = ""
    base: str = ""

    @property
    def state_line(self) -> str:
        """What is remembered of it."""
        draft = "draft" if self.draft else "ready"
        return " ".join((self.state, draft, self.base, self.head, *sorted(self.labels)))

    def since(self, before: str) -> list[tuple[Happened, str]]:
        """What happened since it looked like ``before`` ("": never seen); labels with their
        names.
        """
        state, draft, base, head, *labels = before.split(" ") if before else ("", "", "", "")
        told: list[tuple[Happened, str]] = []
        if self.state != "open":
            if state in ("", "open") and before:
                return [(Happened.CLOSED, "")]
            return told
        if state != "open" or (draft == "draft" and not self.draft):
            told.append((Happened.OPENED, ""))
        elif head != self.head:
            told.append((Happened.PUSHED, ""))
        elif base != self.base:
            told.append((Happened.RETARGETED, ""))
        told += [(Happened.LABELED, label) for label in self.labels if label not in labels]
        return told


class _Author(msgspec.Struct):
    login: str = ""
    type: str = ""


class _Said(msgspec.Struct):
    id: int
    body: str | None = None
    user: _Author | None = None
    issue_url: str = ""
    html_url: str = ""
    created_at: datetime | None = None


async def changes_listed(api: Api, repo: str, tag: str) -> tuple[Sequence[ListedChange], str]:
    """The hundred pull requests that changed last, and the tag to ask with next time; none where
    nothing is new.
    """
    query = urlencode({"state": "all", "sort": "updated", "direction": "desc", "per_page": PAGE})
    response = await api.get(f"repos/{repo}/pulls?{query}", etag=tag)
    if response.status == _NOT_MODIFIED:
        return (), tag
    pulls = api.decoded(response, list[Pull])
    listed = [
        ListedChange(
            one.number,
            one.head.sha,
            state_of(one),
            one.draft,
            tuple(label.name.replace(" ", "\u00a0") for label in one.labels),
            one.user.login if one.user else "",
            one.updated_at,
            one.merge_commit_sha or "",
            one.base.ref,
        )
        for one in pulls
    ]
    return listed, response.headers.get("etag", "")


async def comments_listed(
    api: Api, repo: str, tag: str, after: str
) -> tuple[Sequence[ForgeEvent], str]:
    """The newest comments in conversations of pull requests that came after the one with the id
    ``after``.
    """
    query = urlencode({"sort": "created", "direction": "desc", "per_page": PAGE})
    response = await api.get(f"repos/{quote(repo)}/issues/comments?{query}", etag=tag)
    if response.status == _NOT_MODIFIED:
        return (), tag
    told = []
    for one in api.decoded(response, list[_Said]):
        number = one.issue_url.rpartition("/")[2]
        if is_ours(one.body) or (one.user is not None and one.user.type == "Bot"):
            continue
        if number.isdecimal() and (not after or one.id > int(after)):
            told.append(
                ForgeEvent(
                    Happened.COMMENTED,
                    "github",
                    "github.com",
                    repo,
                    int(number),
                    actor=one.user.login if one.user else "",
                    text=clean(one.body),
                    comment=f"{one.id}",
                    at=one.created_at,
                )
            )
    return told, response.headers.get("etag", "")
