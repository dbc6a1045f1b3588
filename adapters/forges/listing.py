"""Lists the pull requests and comments of a repository of either forge for a poll, and determines
what changed since the last poll.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

import msgspec

from adapters.forges.api import PAGE, ForgeApi
from adapters.forges.events import ForgeEvent, ForgeEventKind, clean, is_bot, is_ours
from adapters.forges.github.replies import Comment, Pull, login_of, state_of
from adapters.forges.gitlab.replies import Discussion, Request, name_of, path_of
from core.debate.material import ChangeState

_NOT_MODIFIED = 304
_NOTE_PAGES = 10
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
            tuple(_in_state_line(label.name) for label in one.labels),
            login_of(one.user),
            one.updated_at,
            one.merge_commit_sha or "",
            one.base.ref,
        )
        for one in api.readable(api.decoded(response, list[msgspec.Raw]), Pull, repo)
    ]
    return listed, response.headers.get("etag", "")


async def comments_listed(
    api: ForgeApi, host: str, repo: str, tag: str, *, replies: bool
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
    for one in api.readable(api.decoded(response, list[msgspec.Raw]), Comment, repo):
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


async def requests_listed(api: ForgeApi, repo: str, after: str) -> Sequence[ListedChange]:
    """Returns the hundred merge requests that changed last, since ``after`` (a time of GitLab's
    own, "" for all).
    """
    query = {"state": "all", "order_by": "updated_at", "sort": "desc", "per_page": f"{PAGE}"}
    query |= {"updated_after": after} if after else {}
    response = await api.get(f"{path_of(repo)}/merge_requests?{urlencode(query)}")
    return [
        ListedChange(
            one.iid,
            one.sha or "",
            one.change_state,
            one.draft is not False,
            tuple(map(_in_state_line, one.labels)),
            name_of(one.author),
            one.updated_at,
            one.merge_commit_sha or "",
            one.target_branch,
        )
        for one in api.readable(api.decoded(response, list[msgspec.Raw]), Request, repo)
    ]


async def notes_since(
    api: ForgeApi, host: str, repo: str, number: int, after: datetime
) -> Sequence[ForgeEvent]:
    """Returns the notes that people wrote on one merge request after that time."""
    notes = []
    path = f"{path_of(repo)}/merge_requests/{number}/discussions"
    what = f"{repo}!{number}"
    items = [item async for item in api.listed(path, msgspec.Raw, what, pages=_NOTE_PAGES)]
    for discussion in api.readable(items, Discussion, what):
        for at, note in enumerate(discussion.notes):
            fresh = note.created_at is not None and note.created_at > after
            if not fresh or note.system or is_bot(name_of(note.author)) or is_ours(note.body):
                continue
            event = ForgeEvent(
                ForgeEventKind.COMMENTED,
                "gitlab",
                host,
                repo,
                number,
                actor=name_of(note.author),
                text=clean(note.body),
                comment=f"{note.id}",
                at=note.created_at,
            )
            if at > 0:
                event = replace(event, happened=ForgeEventKind.REPLIED, reply_to=discussion.id)
            notes.append(event)
    return notes


def _in_state_line(name: str) -> str:
    """Returns a label as a state line holds it, which is cut at spaces."""
    return name.replace(" ", "\u00a0")
