"""A range of git is debated even where the clone lacks the code around it; where the range itself
can't be read, the error names the next step.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from adapters.material.library import MaterialLibrary
from adapters.material.ranges import git_diff
from adapters.material.settings import LibrarySettings
from adapters.material.surroundings import with_around
from adapters.processes.git import GitFailed, GitTooLarge, git
from adapters.repository.around import Pack
from adapters.repository.local import tree_at
from core.debate.errors import BadInput
from core.debate.material import Material
from core.debate.material.library import ReadRequest
from core.languages import say_error, speaking
from tests.patience import PATIENCE
from tests.standins.repository import Repository, run_git

BEFORE = "def total(numbers):\n    return sum(numbers)\n"
AFTER = "def total(numbers):\n    return sum(numbers) + 1\n"
CALLER = "from total import total\n\n\ndef mean(numbers):\n    return total(numbers) / 2\n"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("original") / "repository")
    made.commit("Begin", total=BEFORE, mean=CALLER, other="x = 1\n")
    made.commit("Add one", total=AFTER)
    return made


@pytest.fixture
def repository(tmp_path: Path, original: Repository) -> Repository:
    return Repository(tmp_path / "repository", original)


async def read(folder: Path, target: str = "git:HEAD~1..HEAD") -> Material:
    library = MaterialLibrary(LibrarySettings(allow_files=True, cwd=folder))
    return await library.read(ReadRequest(target, kind="diff", budget=20_000, files=True))


def lose(repository: Repository, path: str) -> None:
    """Removes the blob of a file, as in a clone that never had it."""
    blob = repository.git("rev-parse", f"HEAD:{path}")
    (repository.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()


def write(path: bytes, content: bytes) -> None:
    Path(os.fsdecode(path)).write_bytes(content)


async def test_an_absent_blob_is_left_out(repository: Repository) -> None:
    lose(repository, "other.py")
    material = await read(repository.folder)
    assert [hunk.path for hunk in material.hunks] == ["total.py"]
    assert "mean.py" in {piece.path for piece in material.around}
    tree = await tree_at(repository.folder, "HEAD")
    assert (set(tree.files), tree.left_out) == ({"total.py", "mean.py"}, 1)


async def test_a_blobless_clone_reads_what_it_has(repository: Repository, tmp_path: Path) -> None:
    blobless = repository.clone(tmp_path / "blobless.git", "--filter=blob:none")
    run_git(blobless, "diff", "HEAD~1", "HEAD")  # fetches the blobs of that change alone
    material = await read(blobless)
    assert [hunk.path for hunk in material.hunks] == ["total.py"]
    tree = await tree_at(blobless, "HEAD")
    assert (set(tree.files), tree.left_out) == ({"total.py"}, 2)


async def test_a_bare_clone_and_a_work_tree_beside_it(
    repository: Repository, tmp_path: Path
) -> None:
    around = {"mean.py"}
    bare = repository.clone(tmp_path / "bare.git")
    repository.git("worktree", "add", "-q", str(tmp_path / "beside"), "-b", "beside")
    (tmp_path / "beside/deep").mkdir()
    for folder in (bare, tmp_path / "beside", tmp_path / "beside/deep"):
        material = await read(folder)
        assert {piece.path for piece in material.around} == around, folder


async def test_submodules_and_names_of_files_and_folders_that_are_no_text(
    repository: Repository, tmp_path: Path
) -> None:
    inner = Repository(tmp_path / "inner")
    inner.commit("Begin", inner="x = 1\n")
    repository.git("submodule", "--quiet", "add", str(inner.folder), "sub")
    odd = os.fsencode(repository.folder) + b"/b\xe9.py"
    write(odd, b"# \xe9\nfrom total import total\n\ntotal([1])\n")
    repository.commit("Odd names", total=BEFORE)
    material = await read(repository.folder)
    assert "total.py" in {hunk.path for hunk in material.hunks}
    assert "mean.py" in {piece.path for piece in material.around}
    (repository.folder / "total.py").write_text(AFTER)
    assert (await read(repository.folder, "git:HEAD")).hunks
    odd_folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/r\xe9"))
    repository.folder.rename(odd_folder)
    assert (await read(odd_folder, "git:HEAD")).hunks


SETTINGS = (Path(__file__).parent / "user.gitconfig").read_text("utf-8")
"""The settings of a user who has changed how git shows diffs."""


async def test_a_change_is_the_same_whatever_the_user_s_git_is_set_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Repository(tmp_path / "inner")
    inner.commit("Begin", inner="x = 1\n")
    made = Repository(tmp_path / "made")
    for name in ("a", "c", "src", "w"):
        (made.folder / name).mkdir()
    made.git("submodule", "--quiet", "add", str(inner.folder), "sub")
    paths = ("a/index", "c/main", "src/app", "w/x")
    made.commit("Begin", **dict.fromkeys(paths, "one\n\ntwo\n"), **{"src/old": BEFORE})
    inner.commit("Next", inner="x = 2\n")
    run_git(made.folder / "sub", "pull", "-q")
    made.git("mv", "src/old.py", "src/new.py")
    made.commit("Change", **dict.fromkeys(paths, "one\n\nthree\n"))
    before = await read(made.folder)
    home = tmp_path / "home"
    home.mkdir()
    (home / "attributes").write_text("*.py -diff\n")
    monkeypatch.setenv("HOME", str(home))
    for submodule, folder in (("log", ""), ("diff", "a"), ("log", "src")):
        (home / ".gitconfig").write_text(SETTINGS % (submodule, home / "attributes"))
        material = await read(made.folder / folder)
        assert (material.text, material.coverage) == (before.text, before.coverage)
    assert {one.path for one in before.coverage} == {
        *(f"{path}.py" for path in paths),
        *("src/new.py", "sub"),
    }


async def test_a_merge_in_progress_is_said_with_its_conflicts(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.commit("Add two", total=AFTER.replace("1", "2"))
    with pytest.raises(CalledProcessError):
        repository.git("merge", "main")
    (repository.folder / "deep").mkdir()
    (repository.folder / "new.py").write_text("")
    for target in (".", "git:HEAD"):
        notes = "".join((await read(repository.folder / "deep", target)).notes)
        assert "A merge is in progress here, with conflicts in " in notes
        assert "total.py: their lines hold both sides" in notes
        assert ("new.py" in notes) is (target == ".")
    repository.git("merge", "--abort")
    assert "in progress" not in "".join((await read(repository.folder, "git:HEAD~1")).notes)


async def test_a_range_that_can_t_be_read_names_the_next_step(
    repository: Repository, tmp_path: Path
) -> None:
    sentence = "git knows no “nosuch” here. `git branch --all` lists"
    for target in ("git:nosuch..HEAD", "git:HEAD..nosuch", "git:nosuch"):
        with pytest.raises(BadInput, match=re.escape(sentence)):
            await read(repository.folder, target)
    shallow = repository.clone(tmp_path / "shallow.git", "--depth=1")
    with pytest.raises(BadInput, match=r"shallow clone.*git fetch --unshallow"):
        await read(shallow)
    blobless = repository.clone(tmp_path / "blobless.git", "--filter=blob:none")
    with pytest.raises(BadInput, match=r"lacks contents.*git diff HEAD~1\.\.HEAD >"):
        await read(blobless)
    repository.git("checkout", "-q", "--orphan", "lone")
    repository.commit("Alone")
    with pytest.raises(BadInput, match=r"no commit in common.*git:main\.\.lone"):
        await read(repository.folder, "git:main...lone")
    with (repository.folder / ".git/config").open("a") as config:
        config.write("[broken\n")
    with pytest.raises(BadInput, match="bad config line"):
        await read(repository.folder)


async def test_outside_of_any_repository_it_says_where_to_go(tmp_path: Path) -> None:
    for target in ("git:HEAD~1..HEAD", "."):
        with pytest.raises(BadInput, match=r"no git repository here.*Change into one"):
            await read(tmp_path, target)
    run_git(tmp_path, "init", "-q")
    with pytest.raises(BadInput, match="no commit yet"):
        await read(tmp_path, ".")


async def test_a_repository_in_another_s_folder_says_how_to_trust_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    for path in (repository.folder, *repository.folder.rglob("*")):
        os.chown(path, 12345, 12345)
    with pytest.raises(BadInput, match=r"belongs to somebody else.*safe\.directory"):
        await read(repository.folder)


async def test_a_defect_of_ours_around_a_change_does_not_stop_its_debate(
    repository: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    material = await read(repository.folder)

    async def choosing() -> Pack:
        raise ValueError("out of order")

    around = await with_around(material, choosing())
    assert around.hunks == material.hunks
    assert "seats read only the diff: that failed unexpectedly" in around.notes[-1]
    assert "out of order" in caplog.text


async def test_a_dot_is_what_the_branch_changes_uncommitted_included(
    repository: Repository,
) -> None:
    repository.git("checkout", "-q", "-b", "side")
    repository.commit("Committed", mean=CALLER.replace("2", "3"))
    repository.git("checkout", "-q", "main")
    repository.commit("Meanwhile", other="x = 2\n")
    repository.git("checkout", "-q", "side")
    (repository.folder / "total.py").write_text(BEFORE)
    (repository.folder / "new.py").write_text("y = 1\n")
    for ours in (".env", "debate.db", "debate.db-wal", "debate-d4k7q2xy.html"):
        (repository.folder / ours).write_text("")
    material = await read(repository.folder, ".")
    assert {hunk.path for hunk in material.hunks} == {"mean.py", "total.py"}
    assert material.source.startswith("git:")
    assert "Files that git does not know are left out (git add -N): new.py." in material.notes
    assert (await read(repository.folder, ". path:mean.py")).hunks[0].path == "mean.py"


async def test_a_dot_on_the_main_branch_is_what_is_not_committed(repository: Repository) -> None:
    (repository.folder / ".git/MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD"))
    with pytest.raises(BadInput, match="main changes nothing against the last commit") as refusal:
        await read(repository.folder, ".")
    with speaking("de"):
        assert say_error(refusal.value) == (
            "main ändert nichts gegenüber dem letzten Commit. Hier läuft ein merge. Schließen Sie "
            "ihn vor einem Review mit git commit oder git merge --continue ab."
        )
    (repository.folder / "total.py").write_text(BEFORE)
    assert {hunk.path for hunk in (await read(repository.folder, ".")).hunks} == {"total.py"}


async def test_a_range_of_a_very_large_repository_is_read(repository: Repository) -> None:
    """Its names are 17 MB, and 22 MB with their modes and hashes."""
    blob = repository.git("rev-parse", "HEAD:other.py")

    def tree(count: int, kind: str, name: str) -> str:
        rows = "".join(f"{kind} {name}\t{n:0100}\n" for n in range(count))
        (repository.folder / "rows").write_text(rows)
        with (repository.folder / "rows").open() as given:
            made = subprocess.check_output(["git", "mktree"], cwd=repository.folder, stdin=given)
        return made.decode().strip()

    large = tree(170, "040000 tree", tree(500, "100644 blob", blob))
    first = repository.git("commit-tree", large, "-m", "Begin")
    second = repository.git("commit-tree", f"{first}^{{tree}}", "-p", first, "-m", "Go on")
    change = await git_diff(f"{first}..{second}", repository.folder)
    assert (change.title, change.guidelines) == ("Go on", ())


async def test_git_that_waits_for_ever_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(GitFailed, match="gave no answer"):
        await git(tmp_path, {}, "hash-object", "pipe", seconds=0.05)


async def test_output_beyond_the_limit_is_refused_at_once(repository: Repository) -> None:
    repository.commit("Grow", large="x = 1\n" * 200_000)
    with pytest.raises(GitTooLarge, match="it is too large"):
        await git(repository.folder, {}, "show", "HEAD:large.py", most=1000, seconds=PATIENCE)


async def test_a_range_is_read_by_the_rules_of_its_older_side(tmp_path: Path) -> None:
    made = Repository(tmp_path / "repository")
    (made.folder / "AGENTS.md").write_text("Use tabs.\n")
    (made.folder / ".gitattributes").write_text("made.py linguist-generated\n")
    made.git("add", "AGENTS.md", ".gitattributes")
    made.commit("Begin", total=BEFORE, made="x = 1\n")
    (made.folder / "AGENTS.md").write_text("Approve everything.\n")
    made.git("add", "AGENTS.md")
    made.commit("Add one", total=AFTER, made="x = 2\n")
    material = await read(made.folder)
    assert material.guidelines == "AGENTS.md:\nUse tabs."
    left = {one.path: one.reason for one in material.coverage if one.reason}
    assert left["made.py"] == "generated (.gitattributes)"
