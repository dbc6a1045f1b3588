"""Proposes a decision record on GitLab: a branch with one more file, and its merge request. Each
step is looked up first, so that doing them again changes nothing.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from adapters.forges.api import ForgeApi
from adapters.forges.gitlab.replies import File, Project, Request
from adapters.forges.refusals import POSTED
from adapters.forges.writing import TAKEN, NewRecord, Written
from core.debate.errors import BadInput


async def default_branch(api: ForgeApi, repo: str) -> str:
    return api.decoded(await api.get(_project(repo)), Project).default_branch


async def find_record(api: ForgeApi, repo: str, record: NewRecord) -> Written | None:
    """Returns the merge request of the record's branch, whatever became of it."""
    query = urlencode({"source_branch": record.branch, "state": "all"})
    response = await api.get(f"{_project(repo)}/merge_requests?{query}")
    listed = api.decoded(response, list[Request])
    return Written(str(listed[0].iid), listed[0].web_url) if listed else None


async def propose_record(api: ForgeApi, repo: str, record: NewRecord) -> Written:
    if known := await find_record(api, repo, record):
        return known
    at = f"{_project(repo)}/repository"
    file = f"{at}/files/{quote(record.path, safe='')}?{urlencode({'ref': record.branch})}"
    there = await api.get(file)
    if there.status == 404:
        action = {"action": "create", "file_path": record.path, "content": record.text}
        body = {
            "branch": record.branch,
            "start_branch": record.base,
            "commit_message": record.message,
            "actions": [action],
        }
        api.successful(await api.send("POST", f"{at}/commits", body), undone=POSTED)
    elif api.decoded(there, File).content.replace("\n", "") != record.encoded:
        raise BadInput(TAKEN.format(record.path))
    body = {
        "source_branch": record.branch,
        "target_branch": record.base,
        "title": record.title,
        "description": record.body,
    }
    response = await api.send("POST", f"{_project(repo)}/merge_requests", body)
    if response.status == 409 and (known := await find_record(api, repo, record)):
        return known  # an answer was lost, and the request was sent again
    made = api.decoded(response, Request, undone=POSTED)
    return Written(str(made.iid), made.web_url)


def _project(repo: str) -> str:
    return f"projects/{quote(repo, safe='')}"
