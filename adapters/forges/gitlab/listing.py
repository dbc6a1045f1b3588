"""Lists the merge requests and notes of a GitLab project for a poll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlencode

from adapters.forges.api import PAGE, ForgeApi
from adapters.forges.events import ForgeEvent, ForgeEventKind, clean, is_bot, is_ours
from adapters.forges.gitlab.replies import Discussion, Request, name_of, path_of
from adapters.forges.listing import ListedChange, shown_label

_PAGES = 10


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
            tuple(map(shown_label, one.labels)),
            name_of(one.author),
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
    path = f"{path_of(repo)}/merge_requests/{number}/discussions"
    what = f"{repo}!{number}"
    async for discussion in api.listed(path, Discussion, what, pages=_PAGES):
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
