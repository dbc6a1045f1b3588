"""A merge request is read behind the same port."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from adapters.material import Host, LibrarySettings, MaterialLibrary
from core.errors import BadInput
from core.material import Read
from core.material.diffs import is_anchored
from tests.adapters.material.conftest import QUICK
from tests.standins.gitlab import HEAD, GitLabStandIn

LINK = "https://gitlab.com/group/sub/project/-/merge_requests/7"
PATCH = "@@ -1,2 +1,2 @@\n-old\n+new\n same\n"


@pytest.fixture
async def gitlab() -> AsyncIterator[GitLabStandIn]:
    async with GitLabStandIn(
        diffs=[{"old_path": "a.py", "new_path": "a.py", "diff": PATCH}]
    ).running() as standin:
        yield standin


def shelf_for(gitlab: GitLabStandIn) -> MaterialLibrary:
    return MaterialLibrary(
        LibrarySettings(
            hosts={"gitlab.com": Host("gitlab", gitlab.url, "glpat-made-up")}, limits=QUICK
        )
    )


async def test_a_merge_request_becomes_material(gitlab: GitLabStandIn) -> None:
    gitlab.diffs += [
        {"old_path": "b.py", "new_path": "c.py", "renamed_file": True, "diff": ""},
        {"old_path": "d.py", "new_path": "d.py", "diff": "", "too_large": True},
        {
            "old_path": "run.sh",
            "new_path": "run.sh",
            "a_mode": "100644",
            "b_mode": "100755",
            "diff": "",
        },
    ]
    gitlab.description, gitlab.state = "Closes #3", "merged"
    gitlab.guidelines["AGENTS.md"] = "Be strict."
    gitlab.issues[3] = {"title": "Slow", "description": "very"}
    material = await shelf_for(gitlab).read(LINK, kind="pull_request", budget=5_000)
    assert (material.title, material.revision, material.source) == (
        "group/sub/project!7 A change",
        HEAD,
        LINK,
    )
    assert [(one.path, one.state, one.reason) for one in material.coverage] == [
        ("a.py", Read.FULL, ""),
        ("c.py", Read.FULL, "renamed, no text changed"),
        ("d.py", Read.LEFT_OUT, "GitLab gives no diff for it: too large"),
        ("run.sh", Read.FULL, "modified, no text changed; mode 100644 -> 100755"),
    ]
    assert is_anchored(material, "a.py", 1, "LEFT", "old")
    assert material.guidelines == "AGENTS.md:\nBe strict."
    assert material.body == "Closes #3\n\nLinked issue #3: Slow\nvery"
    assert (
        material.notes[0]
        == "group/sub/project!7 was merged: this is a post-mortem, and nothing is posted back to "
        "it."
    )
    assert set(gitlab.tokens) == {"glpat-made-up"}


async def test_a_private_project_needs_its_binding_and_a_missing_one_is_told(
    gitlab: GitLabStandIn,
) -> None:
    gitlab.visibility = "internal"
    for link in (LINK, LINK.replace("/7", "/8"), LINK.replace("sub", "other")):
        with pytest.raises(
            BadInput,
            match=r"I can't see group/.*!\d\. It does not exist, or this channel has no access "
            r"to it\. An admin can check GITLAB_TOKEN\.",
        ):
            await shelf_for(gitlab).read(link, kind="pull_request", budget=5_000, place="slack:C1")
    assert not any("diffs" in path for path in gitlab.paths)
