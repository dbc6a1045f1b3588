"""A merge request is read behind the same port."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters.forges.port import Host
from adapters.forges.refusals import cannot_see
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from core.debate.errors import BadInput
from core.debate.material import Material, Read
from core.debate.material.library import ReadRequest
from tests.adapters.material.conftest import QUICK
from tests.quoting import stands_there
from tests.standins.gitlab import HEAD, GitLabStandIn

LINK = "https://gitlab.com/group/sub/project/-/merge_requests/7"
PATCH = "@@ -1,2 +1,2 @@\n-old\n+new\n same\n"


@pytest.fixture
async def gitlab() -> AsyncIterator[GitLabStandIn]:
    async with GitLabStandIn(
        diffs=[{"old_path": "a.py", "new_path": "a.py", "diff": PATCH}]
    ).running() as standin:
        yield standin


def shelf_for(gitlab: GitLabStandIn, **more: Any) -> MaterialLibrary:
    hosts = {"gitlab.com": Host("gitlab", gitlab.url, "glpat-made-up")}
    return MaterialLibrary(LibrarySettings(hosts=hosts, limits=QUICK, **more))


async def read(
    gitlab: GitLabStandIn, link: str = LINK, *, place: str = "", **more: Any
) -> Material:
    request = ReadRequest(link, kind="pull_request", budget=20_000, place=place)
    return await shelf_for(gitlab, **more).read(request)


async def test_a_merge_request_becomes_material(gitlab: GitLabStandIn) -> None:
    gitlab.description, gitlab.state = "Closes #3", "merged"
    gitlab.guidelines["AGENTS.md"] = "Be strict."
    gitlab.issues[3] = {"title": "Slow", "description": "very"}
    material = await read(gitlab)
    assert (material.title, material.revision, material.source) == (
        "group/sub/project!7 A change",
        HEAD,
        LINK,
    )
    assert [(one.path, one.state) for one in material.coverage] == [("a.py", Read.FULL)]
    assert stands_there(material, "a.py", 1, "LEFT", "old")
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
            match=r"I can't see group/.*!\d\. It does not exist, or there is no access to it "
            r"here\. In a shell check GITLAB_TOKEN; in a chat an admin can check the channel's "
            r"link: /debate setup gitlab\.",
        ):
            await read(gitlab, link, place="slack:C1")
    assert not any("diffs" in path for path in gitlab.paths)
    unlinked = str(cannot_see("o/r!7", "gitlab", linked=False))
    assert unlinked.endswith("sets it, then an admin: /debate setup gitlab.")


UNSEEN = r"I can't see group/sub/project!7\. It does not exist, or there is no access to it here\."


@pytest.mark.parametrize("part", ["repository", "merge_requests"])
async def test_code_for_members_alone_is_private_although_its_project_is_public(
    gitlab: GitLabStandIn, part: str
) -> None:
    """A place that is not bound reads without a credential; our own account's token is not sent for
    it.
    """
    gitlab.levels[part] = "private"
    with pytest.raises(BadInput, match=UNSEEN):
        await read(gitlab, place="slack:T1/C1")
    assert set(gitlab.tokens) == {""}
    assert (await read(gitlab)).private
    assert set(gitlab.tokens) == {"", "glpat-made-up"}


async def test_issues_for_members_alone_seal_what_is_read_with_a_token(
    gitlab: GitLabStandIn,
) -> None:
    gitlab.description = "Closes #3"
    gitlab.issues[3] = {"title": "Slow", "description": "very"}
    for level, private in (("private", True), ("disabled", False), ("enabled", False)):
        gitlab.levels["issues"] = level
        bound = await read(gitlab)
        assert bound.private == private
        assert ("Linked issue" in bound.body) == (level != "disabled")
        everybody = await read(gitlab, place="slack:T1/C1")
        assert not everybody.private
        assert ("Linked issue" in everybody.body) == (level == "enabled")


async def test_a_bound_place_reads_with_the_token_and_its_material_is_sealed(
    gitlab: GitLabStandIn,
) -> None:
    async def bound(place: str, repository: str, _id: str) -> bool:
        return (place, repository) == ("slack:T1/C1", "gitlab.com/group/sub/project")

    gitlab.levels["repository"] = "private"
    assert (await read(gitlab, place="slack:T1/C1", bound=bound)).private
    assert set(gitlab.tokens) == {"glpat-made-up"}
    with pytest.raises(BadInput, match=UNSEEN):
        await read(gitlab, place="slack:T1/C2", bound=bound)


async def test_nested_rules_and_records_are_read_of_a_project(gitlab: GitLabStandIn) -> None:
    gitlab.diffs[:] = [{"old_path": "web/a.py", "new_path": "web/a.py", "diff": PATCH}]
    record = {"docs/adr/0007-money.md": "# Money is integers\n\nStatus: accepted\n"}
    gitlab.guidelines |= {"AGENTS.md": "Be strict.", **record}
    gitlab.trees[HEAD] = {"web/AGENTS.md": "Use spaces.", "api/AGENTS.md": "No.", **record}
    material = await read(gitlab)
    nested = "web/AGENTS.md (for web/):\nUse spaces."
    assert material.guidelines == f"{nested}\n\nAGENTS.md:\nBe strict."
    assert [one.number for one in material.records] == ["0007"]
