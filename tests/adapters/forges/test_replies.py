"""Members of a forge's replies that are null: what is not needed never makes a reply unreadable,
and what decides is read with care.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import msgspec
import pytest

from adapters.forges.events import ForgeEvent
from adapters.forges.github import app, proofs, redelivery, replies, threads
from adapters.forges.github.events import read_github
from adapters.forges.github.proofs import GitHubPipeline
from adapters.forges.github.reading import GitHub
from adapters.forges.github.threads import resolve_thread
from adapters.forges.gitlab import proofs as gitlab_proofs
from adapters.forges.gitlab import replies as gitlab
from adapters.forges.gitlab.events import read_gitlab
from adapters.forges.gitlab.reading import GitLab
from adapters.forges.links import ChangeLink
from adapters.forges.listing import comments_listed
from adapters.forges.pipelines import PipelineRun
from adapters.forges.port import ForgeChange
from adapters.text.documents import NoDocument, read_reply
from core.debate.errors import CouldNotFinish
from core.debate.material import ChangeState
from tests.adapters.forges.canned import canned, client
from tests.adapters.forges.test_events import SECRET, signed

MODULES = (app, proofs, redelivery, replies, threads, gitlab, gitlab_proofs)
STRUCTS = sorted(
    {
        kind
        for module in MODULES
        for kind in vars(module).values()
        if inspect.isclass(kind) and issubclass(kind, msgspec.Struct) and kind is not msgspec.Struct
    },
    key=lambda kind: (kind.__module__, kind.__name__),
)
HUB, LAB = (
    ChangeLink("github", "github.com", "o/r", 7),
    ChangeLink("gitlab", "gitlab.com", "g/p", 7),
)
SHAS = {"base_sha": "b", "head_sha": "h", "start_sha": "b"}


def least(kind: Any) -> Any:
    """Returns the shortest document that is of a kind."""
    if isinstance(kind, msgspec.inspect.StructType):
        return {one.encode_name: least(one.type) for one in kind.fields if one.required}
    plain: list[Any] = [0, "2026-01-01T00:00:00Z", True, [], {}]
    return next(one for one in plain if fits(one, kind))


def fits(value: Any, kind: Any) -> bool:
    names: dict[type, Any] = {
        int: msgspec.inspect.IntType, str: (msgspec.inspect.StrType, msgspec.inspect.DateTimeType),
        bool: msgspec.inspect.BoolType, list: msgspec.inspect.ListType,
        dict: msgspec.inspect.DictType,
    }  # fmt: skip
    if isinstance(kind, msgspec.inspect.UnionType):
        return any(fits(value, one) for one in kind.types)
    return isinstance(kind, names[type(value)])


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_member_that_may_be_missing_may_be_null(kind: type[msgspec.Struct]) -> None:
    shape = msgspec.inspect.type_info(kind)
    assert isinstance(shape, msgspec.inspect.StructType)
    optional = [one.encode_name for one in shape.fields if not one.required]
    nulls = {**least(shape), **dict.fromkeys(optional), "state": "open"}
    read_reply(json.dumps(nulls), kind)


async def test_a_change_of_gitlab_is_read_without_what_is_not_needed() -> None:
    request: dict[str, Any] = {"iid": 7, "sha": "h", "diff_refs": SHAS, "state": "opened"}
    request |= dict.fromkeys(("references", "confidential", "labels", "web_url", "title", "author"))
    paths = {"/projects/g/p": {"visibility": "public"}, "/projects/g/p/merge_requests/7": request}
    async with canned(paths) as forge, client(forge) as api:
        change = await GitLab(api).change(LAB)
        assert (change.state, change.labels, change.draft) == (ChangeState.OPEN, (), False)
        request["draft"] = None
        assert (await GitLab(api).change(LAB)).draft
        assert (await GitLab(api).change(LAB)).private
        request["state"] = None
        with pytest.raises(CouldNotFinish, match="can't read"):
            await GitLab(api).change(LAB)


async def test_an_issue_that_is_not_said_to_be_open_to_all_is_left_out() -> None:
    issue: dict[str, Any] = {
        "iid": 3,
        "title": "T",
        "references": {"full": "g/p#3"},
        "labels": None,
    }
    paths: dict[str, Any] = {"/projects/g/p/issues/3": issue}
    change = ForgeChange(LAB, "T", "closes #3", "ann", "h", "b", "main")
    async with canned(paths) as forge, client(forge) as api:
        for confidential, titles in ((False, ["T"]), (True, []), (None, [])):
            issue["confidential"] = confidential
            issues = await GitLab(api).linked_issues(change)
            assert [title for _, title, _ in issues] == titles
        issue["references"] = None
        assert await GitLab(api).linked_issues(change) == []


async def test_a_change_of_github_is_read_without_what_is_not_needed() -> None:
    side: dict[str, Any] = {
        "sha": "h",
        "ref": "main",
        "repo": {"private": False, "visibility": None, "id": 1},
    }
    pull: dict[str, Any] = {"number": 7, "title": "T", "head": side, "base": side, "state": "open"}
    pull |= dict.fromkeys(("labels", "additions", "changed_files", "merged", "user", "body"))
    async with canned({"/repos/o/r/pulls/7": pull}) as forge, client(forge) as api:
        change = await GitHub(api).change(HUB)
        assert (change.draft, change.private, change.labels) == (False, False, ())
        pull["draft"] = side["repo"]["private"] = None
        change = await GitHub(api).change(HUB)
        assert (change.draft, change.private) == (True, True)


@pytest.mark.parametrize(
    "place", ["http://[", "http://a:b/", "//[x", "/\u010d", "https://x.example/"]
)
async def test_a_redirect_to_no_address_is_not_followed(place: str) -> None:
    paths: dict[str, Any] = {"/repos/o/r/pulls/7": (302, {}, {"location": place})}
    async with canned(paths) as forge, client(forge) as api:
        with pytest.raises(CouldNotFinish, match="redirect to another host"):
            await GitHub(api).change(HUB)


async def test_a_thread_that_may_not_be_seen_hides_no_other() -> None:
    ours = {"id": "t", "isResolved": True, "viewerCanResolve": True}
    nodes = [
        None,
        {**ours, "isResolved": False, "comments": {"nodes": [None]}},
        {**ours, "isResolved": False, "comments": {"nodes": [{"fullDatabaseId": None}]}},
        {**ours, "isResolved": False, "comments": {"nodes": None}},
        {**ours, "comments": {"nodes": [{"fullDatabaseId": "5"}]}},
    ]
    listed = {"nodes": nodes, "pageInfo": {"hasNextPage": False, "endCursor": None}}
    data = {"repository": {"pullRequest": {"reviewThreads": listed}}}
    paths = {"/graphql": {"data": data, "errors": None}}
    async with canned(paths) as forge, client(forge) as api:
        assert await resolve_thread(api, HUB, "5")


@pytest.mark.parametrize("place", ["1/999999999999", f"{'9' * 5000}/1", "1/0", "\u0661/1", "2/1"])
async def test_the_parts_of_a_workflow_s_result_are_counted_with_care(place: str) -> None:
    notice = {"title": f"debate-proof {place}", "message": "eA=="}
    paths = {
        "/repos/o/r/actions/runs/1/jobs": {"jobs": [{"id": 2, "status": None}]},
        "/repos/o/r/check-runs/2/annotations": [notice, {"title": None, "message": None}],
    }
    async with canned(paths) as forge, client(forge) as api:
        try:
            assert await GitHubPipeline(api, "o/r").results(PipelineRun("1", True)) == []
        except CouldNotFinish as error:
            assert "missing" in str(error)  # noqa: PT017 (no part, or not all of them)


async def test_a_comment_below_a_number_that_no_forge_gives_is_passed_over() -> None:
    rows = [{"id": n, "issue_url": f"https://x/issues/{'9' * length}", "user": None, "body": None}
            for n, length in enumerate((2, 20, 5000))]  # fmt: skip
    async with canned({"/repos/o/r/issues/comments": rows}) as forge, client(forge) as api:
        comments, _ = await comments_listed(api, "github.com", "o/r", "", None, replies=False)
    assert [one.number for one in comments] == [99]


def test_a_webhook_is_read_without_what_is_not_needed() -> None:
    pull = {"number": 7, "head": {"sha": "h"}, "user": None, "updated_at": None}
    body = {
        "action": "opened", "pull_request": pull, "installation": None, "changes": None,
        "repository": {"html_url": "https://github.com/o/r", "full_name": "o/r"},
        "sender": {"login": "ann"},
    }  # fmt: skip
    for draft, counts in ((False, False), (None, True), (True, True)):
        pull["draft"] = draft
        (event,) = github(body)
        assert (event.number, event.draft, event.installation) == (7, counts, 0)
    request = {"iid": 7, "action": "open", "last_commit": {"id": "h"}, "draft": None}
    project = {"web_url": "https://gitlab.com/g/p", "path_with_namespace": "g/p"}
    lab: dict[str, Any] = {
        "object_kind": "merge_request",
        "object_attributes": request,
        "project": project,
    }
    lab |= {"user": {"username": "ann", "id": None}, "changes": None, "labels": None}
    (event,) = read_gitlab({"x-gitlab-token": "t"}, json.dumps(lab).encode(), "t")
    assert event.draft


def github(body: dict[str, Any]) -> tuple[ForgeEvent, ...]:
    return read_github(*signed("pull_request", body), SECRET)


def test_what_is_needed_and_null_is_no_reply() -> None:
    for body in ('{"iid":null}', '[{"iid":7}]', "[" * 9000, '{"iid":7,"state":null}'):
        with pytest.raises(NoDocument):
            read_reply(body, gitlab.Request, ("state",))
