"""Text that a forge withholds is made from both versions of a file or left out by name; an answer
that is none says why.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from adapters.forges.wire import WireLimits
from adapters.material.library import MaterialLibrary
from bot.wire.workers import open_workers
from core.debate.errors import CouldNotFinish
from core.debate.material import Material, Read
from core.debate.material.library import ReadRequest
from tests.adapters.material.conftest import LINK, QUICK, Shelf
from tests.adapters.material.test_gitlab import LINK as REQUEST
from tests.adapters.material.test_gitlab import shelf_for
from tests.standins.github import BASE, HEAD, MERGE_BASE, GitHubStandIn, Pull
from tests.standins.gitlab import BASE as OLD
from tests.standins.gitlab import HEAD as NEW
from tests.standins.gitlab import GitLabStandIn

LARGE = "GitHub gives no diff for it: too large"


@pytest.fixture
async def gitlab() -> AsyncIterator[GitLabStandIn]:
    async with GitLabStandIn().running() as standin:
        yield standin


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {n}\n" for n in range(count))


async def read(shelf: MaterialLibrary, link: str = LINK) -> Material:
    return await shelf.read(ReadRequest(link, kind="pull_request", budget=200_000))


def states(material: Material) -> dict[str, tuple[Read, str]]:
    return {one.path: (one.state, one.reason) for one in material.coverage}


async def test_github_gives_no_patch_of_a_file(shelf: Shelf) -> None:
    """Compared from both versions up to 5,000 lines, else left out; never "no text changed"."""
    entries: list[dict[str, Any]] = [
        {"filename": "cart.py", "status": "modified", "changes": 2, "patch": "@@ -1 +1 @@\n-a\n+b"}
    ]
    sizes = {"large.py": 6_000, "small.py": 300, "one_side.py": 300, "copied.py": 300}
    for name in sizes:
        status = "copied" if name == "copied.py" else "renamed"
        entries.append(
            {"filename": name, "previous_filename": f"old_{name}", "status": status, "changes": 60}
        )
    entries += [
        {"filename": "edited.py", "status": "modified", "changes": 4},
        {"filename": "rebuilt.py", "status": "modified", "changes": 2},
        {"filename": "logo.png", "status": "added", "changes": 0},
        {"filename": "now.py", "status": "renamed", "changes": 0, "previous_filename": "then.py"},
    ]
    shelf.github.pulls["o/r", 412] = Pull(files=entries, changed_files=len(entries))
    shelf.github.refuse(f"/compare/{BASE}...{HEAD}$", 406)
    for name, size in sizes.items():
        shelf.github.contents["o/r", MERGE_BASE, f"old_{name}"] = lines(size).encode()
        shelf.github.contents["o/r", HEAD, name] = (lines(size) + "eval(input())\n").encode()
    del shelf.github.contents["o/r", MERGE_BASE, "old_one_side.py"]
    shelf.github.contents["o/r", HEAD, "edited.py"] = b"x = 1\n"  # the older version can't be read
    shelf.github.contents["o/r", MERGE_BASE, "rebuilt.py"] = b"one\ntwo\nthree\n"
    shelf.github.contents["o/r", HEAD, "rebuilt.py"] = b"one\n2\nthree\n"
    material = await read(shelf)
    textless = "GitHub gives no text for it: binary, empty or a change of mode"
    assert states(material) == {
        "cart.py": (Read.FULL, ""),
        "large.py": (Read.LEFT_OUT, LARGE),
        "small.py": (Read.FULL, ""),
        "one_side.py": (Read.LEFT_OUT, LARGE),
        "copied.py": (Read.FULL, ""),
        "edited.py": (Read.LEFT_OUT, LARGE),
        "rebuilt.py": (Read.FULL, ""),
        "logo.png": (Read.LEFT_OUT, textless),
        "now.py": (Read.FULL, "renamed, no text changed"),
    }
    assert material.text.count("+ eval(input())") == 2
    assert "    2 - two\n    2 + 2\n" in material.text
    assert "=== now.py (renamed from then.py)" in material.text
    note = "The diff of 3 files was made from both versions, because GitHub gives none."
    assert note in material.notes


@pytest.mark.parametrize("flags", [{}, {"collapsed": True}, {"too_large": True}], ids=str)
async def test_gitlab_gives_an_empty_diff(gitlab: GitLabStandIn, flags: dict[str, bool]) -> None:
    """Before GitLab 18.4 nothing tells an empty diff from one that is withheld."""
    entries: dict[str, dict[str, Any]] = {
        "edited.py": {},
        "moved.py": {"renamed_file": True, "old_path": "before.py"},
        "same.py": {"renamed_file": True, "old_path": "as_before.py"},
        "new.py": {"new_file": True},
        "gone.py": {"deleted_file": True},
        "hidden.py": {},
        "logo.png": {},
    }
    for name, more in entries.items():
        gitlab.diffs.append({"old_path": name, "new_path": name, "diff": "", **more, **flags})
    mode = {"a_mode": "100644", "b_mode": "100755"}
    for name, text, facts in (("run.sh", "", mode), ("odd.py", None, {})):
        known = {"old_path": name, "new_path": name, "diff": text, "collapsed": False}
        gitlab.diffs.append(known | facts)
    gitlab.contents = {
        (OLD, "edited.py"): lines(200),
        (NEW, "edited.py"): lines(200) + "eval(a)\n",
        (OLD, "before.py"): lines(9),
        (NEW, "moved.py"): lines(9) + "eval(b)",
        (OLD, "as_before.py"): lines(9),
        (NEW, "same.py"): lines(9),
        (NEW, "new.py"): "eval(c)\n",
        (OLD, "gone.py"): "check(d)\n",
        (OLD, "logo.png"): "\0PNG",
        (NEW, "logo.png"): "\0PNG2",
    }
    material = await read(shelf_for(gitlab), REQUEST)
    unread = "GitLab gives no diff for it" + (": too large" if flags else "")
    files = states(material)
    assert files["logo.png"][0] is Read.LEFT_OUT
    assert {name: one for name, one in files.items() if name != "logo.png"} == {
        **dict.fromkeys(("edited.py", "moved.py", "new.py", "gone.py"), (Read.FULL, "")),
        "same.py": (Read.FULL, "renamed, no text changed"),
        "hidden.py": (Read.LEFT_OUT, unread),
        "run.sh": (Read.FULL, "modified, no text changed; mode 100644 -> 100755"),
        "odd.py": (Read.LEFT_OUT, "GitLab gives no diff for it"),
    }
    for line in ("+ eval(a)", "+ eval(b)", "+ eval(c)", "- check(d)"):
        assert line in material.text
    note = "The diff of 4 files was made from both versions, because GitLab gives none."
    assert note in material.notes


async def test_a_patch_that_github_cuts_is_partly_unread(shelf: Shelf) -> None:
    entry = {"filename": "cart.py", "status": "modified", "changes": 4_000}
    entries = [entry | {"patch": "@@ -1 +1 @@\n-a\n+b"}]
    shelf.github.pulls["o/r", 412] = Pull(files=entries, changed_files=1)
    shelf.github.refuse(f"/compare/{BASE}...{HEAD}$", 406)
    lost = "3,998 changed lines not in GitHub's diff"
    assert states(await read(shelf)) == {"cart.py": (Read.PARTIAL, lost)}


A_PY = {"old_path": "a.py", "new_path": "a.py", "diff": "@@ -1 +1 @@\n-a\n+b\n"}


async def test_a_list_that_gitlab_cuts_is_no_whole_change(gitlab: GitLabStandIn) -> None:
    gitlab.diffs = [A_PY]
    gitlab.changes_count = "1+"
    notes = (await read(shelf_for(gitlab), REQUEST)).notes
    cut = "GitLab lists 1 file of a merge request and no more; the files after them were not seen."
    assert cut in notes


async def test_a_merge_request_that_gitlab_prepares_is_asked_for_again(
    gitlab: GitLabStandIn,
) -> None:
    gitlab.diffs = [A_PY]
    gitlab.preparing = 3
    assert (await read(shelf_for(gitlab), REQUEST)).revision == NEW
    gitlab.preparing = 99
    why = r"GitLab is still preparing group/sub/project!7, so there is no diff yet\."
    with pytest.raises(CouldNotFinish, match=why):
        await read(shelf_for(gitlab), REQUEST)


LONG = "one line of a long file\n"


async def test_a_very_large_file_is_left_out_and_the_rest_is_read(github: GitHubStandIn) -> None:
    """The readers' processes have their usual memory, as in the bot."""
    count = 17_000_000 // len(LONG)
    new = "diff --git a/big.txt b/big.txt\nnew file mode 100644\n--- /dev/null\n+++ b/big.txt\n"
    large = f"{new}@@ -0,0 +1,{count} @@\n" + f"+{LONG}" * count
    small = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+eval(b)\n"
    github.pulls["o/r", 412] = Pull(diff=(large + small).encode())
    async with open_workers() as workers:
        material = await Shelf(github, work=workers, limits=WireLimits()).pull(budget=200_000)
    assert states(material) == {
        "big.txt": (Read.LEFT_OUT, f"its diff of {count + 1:,} lines is too large"),
        "a.py": (Read.FULL, ""),
    }
    assert "eval(b)" in material.text


async def test_a_page_of_files_that_is_too_large_is_read_in_smaller_ones(
    github: GitHubStandIn,
) -> None:
    patch = "@@ -1 +1 @@\n-a\n+" + "b" * 90_000
    names = [f"f{n:03}.py" for n in range(130)]
    files = [{"filename": x, "status": "modified", "changes": 2, "patch": patch} for x in names]
    github.pulls["o/r", 412] = Pull(files=files, changed_files=130)
    github.refuse(f"/compare/{BASE}...{HEAD}$", 406)
    limits = replace(QUICK, max_bytes=2_000_000)
    material = await Shelf(github, limits=limits).pull(budget=200_000)
    assert sorted(states(material)) == names


PAGE = "<!DOCTYPE html><html><title>Sign in</title></html>"
PLACES = {
    "the pull request": "/pulls/412$",
    "its diff": f"/compare/{BASE}...{HEAD}$",
    "its files": "/files",
    "a version": "/contents/big.py",
}


@pytest.mark.parametrize(
    ("where", "status", "kind"),
    [
        *((where, 200, "text/html") for where in PLACES),
        ("the pull request", 404, "text/html"),
        ("the pull request", 200, "application/json"),
    ],
)
async def test_a_page_instead_of_githubs_data_is_named(
    shelf: Shelf, where: str, status: int, kind: str
) -> None:
    async def page(_: web.Request) -> web.StreamResponse:
        return web.Response(text=PAGE, status=status, content_type=kind)

    files = [{"filename": "big.py", "status": "modified", "changes": 2}]
    shelf.github.pulls["o/r", 412] = Pull(files=files, changed_files=1)
    shelf.github.spoil(PLACES[where], page)
    if where in ("its files", "a version"):
        shelf.github.refuse(f"/compare/{BASE}...{HEAD}$", 406)
    with pytest.raises(CouldNotFinish) as refused:
        await read(shelf)
    assert str(refused.value) == (
        f"A web page came instead of GitHub's data (status {status}): a proxy's, a sign-in page, "
        "or GITHUB_API_URL is not the API's address (of GitHub Enterprise https://HOST/api/v3). "
        "Nothing was started."
    )
