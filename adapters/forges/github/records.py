"""Proposes a decision record on GitHub: a branch with one more file, and its pull request. Each
step is looked up first, so that doing them again changes nothing.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

import msgspec

from adapters.forges.api import ForgeApi
from adapters.forges.github.replies import Content, Issue, Object, Repo
from adapters.forges.refusals import POSTED
from adapters.forges.writing import TAKEN, NewRecord, Written
from core.debate.errors import BadInput


class _Ref(msgspec.Struct):
    object: Object


async def default_branch(api: ForgeApi, repo: str) -> str:
    return api.decoded(await api.get(f"repos/{repo}"), Repo).default_branch


async def find_record(api: ForgeApi, repo: str, record: NewRecord) -> Written | None:
    """Returns the pull request of the record's branch, whatever became of it."""
    owner = repo.partition("/")[0]
    query = urlencode({"state": "all", "head": f"{owner}:{record.branch}"})
    listed = api.decoded(await api.get(f"repos/{repo}/pulls?{query}"), list[Issue])
    return Written(str(listed[0].number), listed[0].html_url) if listed else None


async def propose_record(api: ForgeApi, repo: str, record: NewRecord) -> Written:
    if known := await find_record(api, repo, record):
        return known
    base = await api.get(f"repos/{repo}/git/ref/heads/{quote(record.base)}")
    if base.status == 404:
        raise BadInput(f"{repo} has no branch {record.base} any more.")
    sha = api.decoded(base, _Ref).object.sha
    begun = await api.get(f"repos/{repo}/git/ref/heads/{quote(record.branch)}")
    if begun.status == 404:
        body = {"ref": f"refs/heads/{record.branch}", "sha": sha}
        api.successful(await api.send("POST", f"repos/{repo}/git/refs", body), undone=POSTED)
    await _add_file(api, repo, record)
    body = {
        "title": record.title,
        "head": record.branch,
        "base": record.base,
        "body": record.body,
    }
    response = await api.send("POST", f"repos/{repo}/pulls", body)
    if response.status == 422 and (known := await find_record(api, repo, record)):
        return known  # an answer was lost, and the request was sent again
    made = api.decoded(response, Issue, undone=POSTED)
    return Written(str(made.number), made.html_url)


async def _add_file(api: ForgeApi, repo: str, record: NewRecord) -> None:
    path = f"repos/{repo}/contents/{quote(record.path)}"
    there = await api.get(f"{path}?{urlencode({'ref': record.branch})}")
    if there.status == 404:
        body = {"message": record.message, "content": record.encoded, "branch": record.branch}
        response = await api.send("PUT", path, body)
        if response.status != 422:
            api.successful(response, undone=POSTED)
            return
        there = await api.get(f"{path}?{urlencode({'ref': record.branch})}")
    if api.decoded(there, Content).content.replace("\n", "") != record.encoded:
        raise BadInput(TAKEN.format(record.path))
