"""Lists the pull requests and comments of a repository of either forge for a poll, and determines
what changed since the last poll.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from adapters.forges.api import PAGE, PAGES, ForgeApi
from adapters.forges.events import ForgeEvent, ForgeEventKind, clean, is_bot, is_ours
from adapters.forges.github.replies import Comment, Pull, login_of, named, state_of
from adapters.forges.gitlab.replies import Discussion, Request, name_of, path_of
from core.debate.material import ChangeState

T = TypeVar("T")
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
    repo: str = ""
    repo_id: str = ""
    """The repository's present name and its id, "" if the forge does not name them."""

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


async def changes_listed(
    api: ForgeApi, repo: str, tag: str, after: datetime | None
) -> tuple[Sequence[ListedChange], str]:
    """Returns the pull requests that changed since ``after``, and the tag to ask with next time;
    none if nothing is new. Without ``after`` it returns all that are open.
    """

    def is_known(pull: Pull) -> bool:
        return after is None or pull.updated_at is None or pull.updated_at <= after

    path = f"repos/{repo}/pulls"
    if after is None:
        items = [one async for one in api.listed(path, msgspec.Raw, repo, {"state": "open"})]
        pulls, tag = api.readable(items, Pull, repo), ""
    else:
        query = {"state": "all", "sort": "updated"}
        pulls, tag = await _newest(api, path, query, tag, Pull, repo, is_known)
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
            *named(one.base.repo),
        )
        for one in pulls
    ]
    return listed, tag


async def _newest(
    api: ForgeApi,
    path: str,
    query: Mapping[str, str],
    tag: str,
    kind: type[T],
    what: str,
    is_known: Callable[[T], bool],
) -> tuple[list[T], str]:
    """Returns the items of a list of GitHub, the newest first, up to the page with one that is
    known, and the tag to ask with next time; none if nothing is new.
    """
    newest, tags = list[T](), {1: tag}
    for page in range(1, PAGES + 1):
        ordered = urlencode({**query, "direction": "desc", "per_page": PAGE, "page": page})
        response = await api.get(f"{path}?{ordered}", etag=tags.get(page, ""))
        if response.status == _NOT_MODIFIED:
            break
        tags[page] = response.headers.get("etag", "")
        items = api.decoded(response, list[msgspec.Raw])
        some = api.readable(items, kind, what)
        newest += some
        if len(items) < PAGE or any(map(is_known, some)):
            break
    return newest, tags[1]


async def comments_listed(
    api: ForgeApi, host: str, repo: str, tag: str, last: int | None, *, replies: bool
) -> tuple[Sequence[ForgeEvent], str]:
    """Returns the comments after the one with the id ``last`` (None: the hundred newest)
    in conversations of pull requests, or ``replies`` under comments on their lines; none if nothing
    is new.
    """

    def is_known(comment: Comment) -> bool:
        return last is None or comment.id <= last

    kind = "pulls" if replies else "issues"
    path, query = f"repos/{repo}/{kind}/comments", {"sort": "created"}
    newest, tag = await _newest(api, path, query, tag, Comment, repo, is_known)
    comments = []
    for one in newest:
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
    return comments, tag


async def requests_listed(api: ForgeApi, repo: str, after: str) -> Sequence[ListedChange]:
    """Returns the merge requests that changed since ``after`` (a time of GitLab's own, "" for
    all that are open).
    """
    query = {"order_by": "updated_at", "sort": "desc", "state": "opened"}
    query |= {"state": "all", "updated_after": after} if after else {}
    path = f"{path_of(repo)}/merge_requests"
    items = [one async for one in api.listed(path, msgspec.Raw, repo, query)]
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
            one.references.get("full", "").rpartition("!")[0],
            f"{one.target_project_id or ''}",
        )
        for one in api.readable(items, Request, repo)
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
