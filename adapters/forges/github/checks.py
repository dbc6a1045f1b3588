"""Puts a debate's check on a commit of GitHub. Only an App can make a check run; with a personal
token it becomes a commit status.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from adapters.forges.api import PAGE, ForgeApi
from adapters.forges.github.replies import Run
from adapters.forges.refusals import POSTED
from adapters.forges.writing import Written
from adapters.review.check import NAME, CommitCheck, Conclusion

_RUNS = {
    Conclusion.PASSED: "success",
    Conclusion.BLOCKED: "failure",
    Conclusion.ADVISED: "neutral",
    Conclusion.NEUTRAL: "neutral",
}
_STATUSES = {
    Conclusion.RUNNING: "pending",
    Conclusion.PASSED: "success",
    Conclusion.BLOCKED: "failure",
    Conclusion.ADVISED: "success",  # pending would block where the check is required
    Conclusion.NEUTRAL: "pending",  # a status has no neutral, and green would be a lie
}


async def find_run(api: ForgeApi, repo: str, check: CommitCheck) -> Written | None:
    """Returns the check run with this check's mark; ``repo`` is its path in the API."""
    query = urlencode({"check_name": NAME, "filter": "all", "per_page": PAGE})
    response = await api.get(f"{repo}/commits/{quote(check.head)}/check-runs?{query}")
    for run in api.decoded(response, list[Run], "check_runs"):
        if run.external_id == check.mark:
            return Written(str(run.id))
    return None


async def put_run(api: ForgeApi, repo: str, check: CommitCheck, known: str) -> Written:
    """Makes the run, or changes the one with the id ``known``."""
    body: dict[str, Any] = {
        "status": "in_progress" if check.conclusion is Conclusion.RUNNING else "completed",
        "external_id": check.mark,
        "output": {"title": check.title[:200], "summary": check.summary},
    }
    if check.conclusion in _RUNS:
        body["conclusion"] = _RUNS[check.conclusion]
    if check.link:
        body["details_url"] = check.link
    if known:
        response = await api.send("PATCH", f"{repo}/check-runs/{known}", body)
    else:
        body |= {"name": NAME, "head_sha": check.head}
        response = await api.send("POST", f"{repo}/check-runs", body)
    return Written(str(api.decoded(response, Run, undone=POSTED).id))


async def put_status(api: ForgeApi, repo: str, check: CommitCheck) -> Written:
    state = _STATUSES[check.conclusion]
    if check.queued and check.conclusion is Conclusion.NEUTRAL:
        state = "success"
    body: dict[str, Any] = {
        "state": state,
        "description": check.title[:140],
        "context": NAME,
    }
    if check.link:
        body["target_url"] = check.link
    path = f"{repo}/statuses/{quote(check.head)}"
    api.successful(await api.send("POST", path, body), undone=POSTED)
    return Written(NAME)
