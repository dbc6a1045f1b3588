"""Lists the merge requests and notes of a GitLab project for a poll."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote, urlencode

from adapters.forges.api import PAGE, ForgeApi
from adapters.forges.bots import is_bot
from adapters.forges.events import ForgeEvent, ForgeEventKind, clean, is_ours
from adapters.forges.gitlab.replies import Discussion, Note, Request
from adapters.forges.listing import ListedChange, shown_label
from core.debate.material import ChangeState

_PAGES = 10
_STATES = {"merged": ChangeState.MERGED, "opened": ChangeState.OPEN}


async def requests_listed(api: ForgeApi, repo: str, after: str) -> Sequence[ListedChange]:
    """Returns the hundred merge requests that changed last, since ``after`` (a time of GitLab's
    own, "" for all).
    """
    query = {"state": "all", "order_by": "updated_at", "sort": "desc", "per_page": f"{PAGE}"}
    query |= {"updated_after": after} if after else {}
    response = await api.get(f"{_project(repo)}/merge_requests?{urlencode(query)}")
    return [
        ListedChange(
            one.iid,
            one.sha or "",
            _STATES.get(one.state, ChangeState.CLOSED),
            one.draft,
            tuple(map(shown_label, one.labels)),
            one.author.username if one.author else "",
            one.updated_at,
            one.merge_commit_sha or "",
            one.target_branch,
        )
        for one in api.decoded(response, list[Request])
    ]


async def notes_since(
    api: ForgeApi, host: str, repo: str, number: int, after: datetime
) -> Sequence[ForgeEvent]:
    """Notes that people wrote on one merge request after that time."""
    notes = []
    path = f"{_project(repo)}/merge_requests/{number}/discussions"
    what = f"{repo}!{number}"
    async for discussion in api.listed(path, Discussion, what, pages=_PAGES):
        for at, note in enumerate(discussion.notes):
            fresh = note.created_at is not None and note.created_at > after
            program = note.author is not None and is_bot(note.author.username)
            if fresh and not (note.system or program or is_ours(note.body)):
                notes.append(_said(host, repo, number, discussion.id, note, reply=at > 0))
    return notes


def _said(
    host: str, repo: str, number: int, discussion: str, note: Note, *, reply: bool
) -> ForgeEvent:
    return ForgeEvent(
        ForgeEventKind.REPLIED if reply else ForgeEventKind.COMMENTED,
        "gitlab",
        host,
        repo,
        number,
        actor=note.author.username if note.author else "",
        text=clean(note.body),
        comment=f"{note.id}",
        reply_to=discussion if reply else "",
        at=note.created_at,
    )


def _project(repo: str) -> str:
    return f"projects/{quote(repo, safe='')}"
