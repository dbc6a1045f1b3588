"""The code around a change comes from a forge's archive or from git; where there is none, a
sentence says so.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

from adapters.forges.port import Host
from adapters.material.library import MaterialLibrary
from adapters.material.settings import LibrarySettings
from adapters.material.surroundings import with_around
from adapters.processes.workers import Workers
from adapters.repository import neighbours
from adapters.repository.around import Pack
from adapters.repository.syntax import syntax_of
from core.debate.material import Around, Material, MaterialKind, Near
from core.debate.material.library import ReadRequest
from core.debate.material.rendering import around_chars
from core.debate.ports import Source
from tests.adapters.material.conftest import QUICK, TOKEN, Shelf
from tests.standins.github import HEAD, GitHubStandIn, Pull, redirect
from tests.standins.gitlab import GitLabStandIn
from tests.trust import strangers

LINK = "https://github.com/o/r/pull/412"
OLD = """from a.adding import add
def total(rows):
    kept = [row for row in rows if row]
    return sum(kept)
"""
NEW = OLD.replace("sum(kept)", "add(kept)")
FILES = {
    "a/total.py": NEW,
    "a/adding.py": "import total\n\n\ndef add(rows):\n    return sum(rows)\n",
    "a/page.py": "from a.total import total\ndef page(rows):\n    return total(rows)\n",
}
DIFF = b"""diff --git a/a/total.py b/a/total.py
--- a/a/total.py
+++ b/a/total.py
@@ -4 +4 @@
-    return sum(kept)
+    return add(kept)
"""
AROUND = (
    Around("a/total.py", 2, 3, "total", Near.ENCLOSES, tuple(NEW.split("\n")[1:3])),
    Around("a/adding.py", 4, 5, "add", Near.DEFINES, ("def add(rows):", "    return sum(rows)")),
    Around("a/page.py", 2, 3, "page", Near.CALLS, ("def page(rows):", "    return total(rows)")),
)


async def read(library: MaterialLibrary, link: str = LINK) -> Material:
    return await library.read(ReadRequest(link, kind="pull_request", budget=20_000, files=True))


async def offered(shelf: Shelf) -> Material:
    """Returns a change of a repository that is there to be read."""
    shelf.github.pulls["o/r", 412] = Pull(diff=DIFF)
    shelf.github.trees[HEAD] = FILES
    return await read(shelf)


async def test_from_github(shelf: Shelf) -> None:
    material = await offered(shelf)
    assert material.around == AROUND
    chars = around_chars(AROUND)
    text = f"Besides the change, seats read 3 places of the code around it ({chars} characters)."
    assert text in material.notes


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (strangers.asleep, "reading it takes longer than 0.5 s."),
        (strangers.hungry, "reading it takes too much memory."),
        (strangers.gone, "its reader ended unexpectedly."),
    ],
)
async def test_what_can_t_be_read_around_a_change_is_said_of_that_and_not_of_the_change(
    function: Callable[[str], int], why: str
) -> None:
    pool = Workers(longest=0.5 if "longer" in why else 300.0, memory=300 << 20)
    material = Material(MaterialKind.PULL_REQUEST, "a change", "https://example.org/1")

    async def choosing() -> Pack:
        await pool(function, "x" * 5_000)
        raise AssertionError("it was read")

    around = await with_around(material, choosing())
    await pool.aclose()
    text = "The code around the change could not be read, so seats read only the diff:"
    assert around.notes == (f"{text} {why}",)


async def test_a_forge_s_file_that_was_made_to_stall_is_named_and_the_rest_is_read(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "syntax_of", partial(syntax_of, seconds=0.1))
    shelf.github.pulls["o/r", 412] = Pull(diff=DIFF)
    stalling = FILES["a/page.py"] + "x = " + "\\\n" * 140_000
    shelf.github.trees[HEAD] = {**FILES, "a/evil\u202e\n.py": stalling}
    material = await read(shelf)
    assert material.around == AROUND
    tangled = "; too tangled to look through: a/evil\\u202e\\n.py."
    assert any(note.endswith(tangled) for note in material.notes)


async def test_from_gitlab() -> None:
    async with GitLabStandIn().running() as gitlab:
        gitlab.diffs = [{"old_path": "a/total.py", "new_path": "a/total.py", "diff": _patch()}]
        gitlab.trees[gitlab.head] = FILES
        hosts = {"gitlab.com": Host("gitlab", gitlab.url, "glpat")}
        library = MaterialLibrary(LibrarySettings(hosts=hosts, limits=QUICK))
        material = await read(library, "https://gitlab.com/group/sub/project/-/merge_requests/7")
    assert material.around == AROUND


def _patch() -> str:
    return DIFF.decode().partition("+++ b/a/total.py\n")[2]


async def test_the_archives_own_host_gets_no_token(shelf: Shelf) -> None:
    shelf.github.pulls["o/r", 412] = Pull(diff=DIFF)
    async with GitHubStandIn().running() as other:
        elsewhere = f"{other.url}/repos/o/r/tarball/{HEAD}"
        shelf.github.spoil("/tarball/", redirect(elsewhere, 302))
        material = await read(shelf)
        assert other.seen == []
    assert material.around == ()
    (note,) = [n for n in material.notes if "around the change" in n]
    assert "redirect to another host" in note
    assert TOKEN not in note


ABSENT: list[tuple[int, bytes, str]] = [
    (404, b"", "The repository is not to be had, or larger than 50 MB"),
    (200, b"no archive", "The repository's archive can't be unpacked."),
    (403, b"{}", "The code around the change could not be read"),
]


@pytest.mark.parametrize(("status", "body", "sentence"), ABSENT)
async def test_without_it_the_change_is_debated_and_that_is_said(
    shelf: Shelf, status: int, body: bytes, sentence: str
) -> None:
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, body=body)

    shelf.github.pulls["o/r", 412] = Pull(diff=DIFF)
    shelf.github.spoil("/tarball/", answer)
    material = await read(shelf)
    assert (material.kind, material.around) == (MaterialKind.PULL_REQUEST, ())
    assert [note for note in material.notes if sentence in note]


async def test_the_change_goes_before_what_is_around_it(shelf: Shelf) -> None:
    whole = await offered(shelf)
    small = await shelf.pull(budget=330)
    assert small.text == whole.text
    assert around_chars(small.around) <= 0.15 * 330 * 3
    assert small.around_left


def repository(folder: Path, *, commit: bool) -> None:
    def git(*words: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
        subprocess.run(("git", *named, *words), cwd=folder, check=True, capture_output=True)

    git("init")
    for path, text in {**FILES, "a/total.py": OLD}.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    git("add", ".")
    git("commit", "-m", "before")
    (folder / "a/total.py").write_text(NEW)
    if commit:
        git("commit", "-am", "after")


def set_traps(folder: Path, program: str) -> None:
    """Makes every file of the repository ask for a program when git reads or writes it."""
    (folder / ".gitattributes").write_text("*.py filter=evil\n")
    for setting in ("filter.evil.smudge", "filter.evil.clean", "core.fsmonitor"):
        subprocess.run(("git", "config", setting, program), cwd=folder, check=True)


async def test_a_link_in_the_work_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    repository(tmp_path / "r", commit=False)
    secret = tmp_path / "elsewhere.py"
    secret.write_text(NEW.replace("kept = ", "password = "))
    (tmp_path / "r/a/total.py").unlink()
    (tmp_path / "r/a/total.py").symlink_to(secret)
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=tmp_path / "r"))
    material = await library.read(ReadRequest("git:HEAD", kind="diff", budget=20_000, files=True))
    assert "password" not in "".join(line for piece in material.around for line in piece.lines)
    (tmp_path / "r/a/total.py").unlink()
    (tmp_path / "r/a/total.py").symlink_to("total.py")
    material = await library.read(ReadRequest("git:HEAD", kind="diff", budget=20_000, files=True))
    reply = await library.look_up(material, "", True, "search", '{"text": "def add"}')
    assert isinstance(reply, Source), "a link to itself hinders no look-up"


async def test_it_is_chosen_in_a_process_that_can_be_ended(github: GitHubStandIn) -> None:
    github.pulls["o/r", 412] = Pull(diff=DIFF)
    github.trees[HEAD] = FILES
    work = Workers(small=1_000_000)
    try:
        material = await read(Shelf(github, work=work))
    finally:
        await work.aclose()
    assert material.around == AROUND
    assert work.started == 1  # however small the archive is: nobody knows what it unpacks to
