"""What GitLab says of a change, read to its edges from canned answers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from adapters.forges.events import ForgeEventKind as Kind
from adapters.forges.gitlab.reading import GitLab
from adapters.forges.links import ChangeLink
from adapters.forges.listing import ListedChange, notes_since, requests_listed
from adapters.forges.port import ForgeChange
from adapters.processes.workers import in_thread
from adapters.review import hidden
from core.debate.material import ChangeState
from core.debate.material.diffs import FileStatus
from core.debate.material.since import BranchMove, Since
from tests.adapters.forges.canned import canned, client

LINK = ChangeLink("gitlab", "gitlab.com", "g/p", 7)
CHANGE = ForgeChange(LINK, "T", "", "ann", "head2", "base2", "main")
PROJECT = "/projects/g/p"
BASE, COMPARE = f"{PROJECT}/repository/merge_base", f"{PROJECT}/repository/compare"
PLAIN, MERGED = {"id": "c", "parent_ids": ["1"]}, {"id": "m", "parent_ids": ["1", "2"]}


@pytest.mark.parametrize(
    ("common", "commits", "since", "move"),
    [
        ({"id": "head1"}, [PLAIN], Since("base2", "head1", 2, "main"), BranchMove.PUSH),
        ({"id": "head1"}, [PLAIN, MERGED], Since("base2", "head1", 2), BranchMove.MERGE),
        ({"id": "other"}, [], Since("base1", "head1", 2), BranchMove.REBASE),
        ({"id": "other"}, [], Since("base2", "head1", 2), BranchMove.FORCE_PUSH),
        ((404, {}, {}), [], Since("base2", "head1", 2), BranchMove.FORCE_PUSH),
        ({"id": "head1"}, [], Since("base2", "head1", 2, "next"), BranchMove.BASE_CHANGE),
    ],
)
async def test_how_a_branch_came_from_an_earlier_head(
    common: Any, commits: list[Any], since: Since, move: BranchMove
) -> None:
    diffs = [{"old_path": "a", "new_path": "a", "diff": "@@ -1 +1 @@\n-a\n+b\n"}]
    answers: dict[str, Any] = {COMPARE: {"diffs": diffs, "commits": commits}, BASE: common}
    async with canned(answers) as forge, client(forge) as api:
        reading = await GitLab(api).reading_at(CHANGE, since)
        forge.answers[COMPARE] = (404, {}, {})
        assert await GitLab(api).reading_at(CHANGE, since) is None
    assert reading is not None
    assert reading[1] is move
    assert (reading[0].change.head, reading[0].change.base) == ("head1", since.base)
    ((file, patch),) = reading[0].patches
    assert (file.path, patch) == ("a", diffs[0]["diff"])


FILES: list[tuple[dict[str, Any], FileStatus, str, tuple[str, ...], bool]] = [
    ({}, FileStatus.MODIFIED, "GitLab gives no diff for it", (), False),
    ({"new_file": True}, FileStatus.ADDED, "GitLab gives no diff for it", (), False),
    ({"deleted_file": True}, FileStatus.DELETED, "GitLab gives no diff for it", (), False),
    ({"renamed_file": True}, FileStatus.RENAMED, "", (), False),
    ({"too_large": True}, FileStatus.MODIFIED, "GitLab gives no diff for it: too large", (), False),
    ({"collapsed": True}, FileStatus.MODIFIED, "GitLab gives no diff for it: too large", (), False),
    ({"too_large": True, "diff": "@@ -1 +1 @@"}, FileStatus.MODIFIED, "", (), False),
    ({"b_mode": "100755"}, FileStatus.MODIFIED, "", ("mode 100644 -> 100755",), False),
    ({"b_mode": "100755", "renamed_file": True}, FileStatus.RENAMED, "",
     ("mode 100644 -> 100755",), False),
    ({"a_mode": "0", "new_file": True}, FileStatus.ADDED, "GitLab gives no diff for it", (), False),
    ({"a_mode": "", "b_mode": "100755"}, FileStatus.MODIFIED, "GitLab gives no diff for it",
     (), False),
    ({"a_mode": "160000", "b_mode": "160000"}, FileStatus.MODIFIED, "GitLab gives no diff for it",
     (), True),
]  # fmt: skip


async def test_files_are_named_with_all_that_gitlab_says_of_them() -> None:
    rows = [
        {"old_path": f"old{n}", "new_path": f"new{n}", "diff": "", "a_mode": "100644",
         "b_mode": "100644", **({"too_large": False} if more else {}), **more}
        for n, (more, *_) in enumerate(FILES)
    ]  # fmt: skip
    async with canned({COMPARE: {"diffs": rows}}) as forge, client(forge) as api:
        reading = await GitLab(api).reading_at(CHANGE, Since("base1", "head1", 2))
    assert reading is not None
    for n, ((file, _), (_, status, problem, remarks, submodule)) in enumerate(
        zip(reading[0].patches, FILES, strict=True)
    ):
        moved = f"old{n}" if status is FileStatus.RENAMED else ""
        assert (file.path, file.old_path, file.status) == (f"new{n}", moved, status)
        assert (file.problem, file.remarks, file.submodule) == (problem, remarks, submodule)


async def test_files_that_are_counted_only_meanwhile_are_still_missed() -> None:
    """GitLab counts the files some time after it shows a merge request."""
    request = {
        "iid": 7, "title": "T", "target_branch": "main", "changes_count": "1+",
        "diff_refs": {"head_sha": "head2", "base_sha": "base2", "start_sha": "base2"},
    }  # fmt: skip
    diffs = [{"old_path": "a", "new_path": "a", "diff": "@@ -1 +1 @@\n-a\n+b\n"}]
    at = f"{PROJECT}/merge_requests"
    answers = {PROJECT: OPEN_PROJECT, at: [], f"{at}/7": request, f"{at}/7/diffs": diffs}
    async with canned(answers) as forge, client(forge) as api:
        reading = await GitLab(api).read(CHANGE, in_thread)
    assert not reading.complete
    assert any("were not seen" in note for note in reading.notes)


async def test_issues_of_the_same_project_that_are_open_to_all_are_read() -> None:
    def issue(n: int, **more: Any) -> dict[str, Any]:
        return {"iid": n, "title": f"I{n}", "references": {"full": f"G/p#{n}"}} | more

    body = "Closes #1, closes #2, closes #1, closes #3, closes #4"
    answers: dict[str, Any] = {
        f"{PROJECT}/issues/1": issue(1, description="D"),
        f"{PROJECT}/issues/2": issue(2, confidential=True),
        f"{PROJECT}/issues/3": issue(3, references={"full": "other/p#3"}),
        f"{PROJECT}/issues/4": issue(4),
    }
    change = replace(CHANGE, body=body)
    async with canned(answers) as forge, client(forge) as api:
        assert await GitLab(api).linked_issues(change) == [(1, "I1", "D")]
        for status in (404, 302):
            forge.answers[f"{PROJECT}/issues/1"] = (status, {}, {"Location": "/moved"})
            assert await GitLab(api).linked_issues(change) == []
    assert not [path for _, path, _ in forge.requests if path.endswith(("moved", "/4"))]


async def test_requests_are_listed_with_their_states() -> None:
    rows = [
        {"iid": 1, "sha": "h", "draft": True, "labels": ["two words"], "target_branch": "main",
         "author": {"username": "ann"}},
        {"iid": 2, "state": "merged", "merge_commit_sha": "m"},
        {"iid": 3, "state": "locked"},
    ]  # fmt: skip
    async with canned({f"{PROJECT}/merge_requests": rows}) as forge, client(forge) as api:
        assert await requests_listed(api, "g/p", "") == [
            ListedChange(
                1, "h", ChangeState.OPEN, True, ("two\u00a0words",), "ann", None, base="main"
            ),
            ListedChange(2, "", ChangeState.MERGED, False, (), "", None, "m"),
            ListedChange(3, "", ChangeState.CLOSED, False, (), "", None),
        ]
        await requests_listed(api, "g/p", "2026-03-09T00:00:00Z")
    first, second = (path for _, path, _ in forge.requests)
    assert "state=opened" in first
    assert "state=all&updated_after=2026-03-09T00%3A00%3A00Z" in second


def note(id: int, day: int, **more: Any) -> dict[str, Any]:
    return {
        "id": id, "body": "Why?", "author": {"username": "ann"},
        "created_at": f"2026-03-{day:02}T00:00:00Z",
    } | more  # fmt: skip


async def test_notes_of_people_after_a_time_are_told() -> None:
    mark = hidden("finding", "x")
    rows = [
        {"id": "d1", "notes": [note(1, 9), note(2, 10), note(3, 11, system=True)]},
        {"id": "d2", "notes": [note(4, 1, body=mark), note(5, 12), note(6, 12, body=mark)]},
        {"id": "d3", "notes": [note(7, 12)]},
        {"id": "d4", "notes": [note(8, 12, author={"username": "project_7_bot_3f2a"})]},
    ]
    path = f"{PROJECT}/merge_requests/7/discussions"
    async with canned({path: rows}) as forge, client(forge) as api:
        after = datetime(2026, 3, 9, tzinfo=UTC)
        notes = await notes_since(api, "gitlab.com", "g/p", 7, after)
    assert [(one.happened, one.comment, one.reply_to) for one in notes] == [
        (Kind.REPLIED, "2", "d1"),
        (Kind.REPLIED, "5", "d2"),
        (Kind.COMMENTED, "7", ""),
    ]
    assert {(one.actor, one.text, one.number) for one in notes} == {("ann", "Why?", 7)}


OPEN_PROJECT = {
    "visibility": "public",
    "repository_access_level": "enabled",
    "merge_requests_access_level": "enabled",
    "issues_access_level": "enabled",
}


@pytest.mark.parametrize(
    ("more", "private"),
    [
        ({}, False),
        ({"visibility": "internal"}, True),
        ({"repository_access_level": "private"}, True),
        ({"merge_requests_access_level": "private"}, True),
        ({"issues_access_level": "private"}, True),
        ({"issues_access_level": "disabled"}, False),
    ],
)
async def test_a_project_of_which_a_part_is_closed_is_private(
    more: dict[str, str], private: bool
) -> None:
    refs = {"head_sha": "h", "base_sha": "b", "start_sha": "s"}
    request = {
        "iid": 7, "title": "T", "target_branch": "main", "diff_refs": refs,
        "changes_count": "12+", "state": "merged",
        "labels": ["a"], "merge_commit_sha": "m", "description": "D",
    }  # fmt: skip
    answers: dict[str, Any] = {PROJECT: OPEN_PROJECT | more, f"{PROJECT}/merge_requests/7": request}
    async with canned(answers) as forge, client(forge) as api:
        change = await GitLab(api).change(LINK)
        assert not (await GitLab(api, anonymous=True).change(LINK)).private
    assert change == ForgeChange(
        LINK, "T", "D", "", "h", "b", "main", ChangeState.MERGED, private=private, files=12,
        labels=("a",), merge_commit="m", more_files=True,
    )  # fmt: skip
