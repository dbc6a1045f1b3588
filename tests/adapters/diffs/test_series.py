"""A series of changes is read at its end state: each file once, with what all of them change."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from adapters.diffs.patches import parse
from adapters.diffs.series import composed
from core.debate.material.diffs import FileDiff, FileStatus
from tests.drawn import drawn
from tests.standins.repository import Repository

FIRST = "def total(items):\n    s = 0\n    for i in items:\n        s += i.price\n    return s\n"


def lines(file: FileDiff) -> list[str]:
    return [f"{line.mark}{line.text.strip()}" for h in file.hunks for line in h.lines]


@pytest.fixture(name="commits", scope="module")
def _commits(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    made = Repository(tmp_path_factory.mktemp("series") / "repository")
    made.commit("Begin", cart=FIRST, other="x = 1\n")
    made.commit("Prices are strings", "Why one.", cart=FIRST.replace("i.price", "eval(i.price)"))
    made.commit("Another file", other="x = 2\n")
    made.commit("No eval", "Why two.", cart=FIRST.replace("i.price", "float(i.price)"))
    return made


COMMANDS = {
    "mails": ("format-patch", "--stdout", "HEAD~3"),
    "mails with a cover letter": ("format-patch", "--stdout", "--cover-letter", "HEAD~3"),
    "a log": ("log", "-p", "--stat", "HEAD~3.."),
    "a log, oldest first": ("log", "-p", "--reverse", "HEAD~3.."),
    "a short log": ("log", "-p", "--oneline", "HEAD~3.."),
    "a log as mails": ("log", "-p", "--pretty=email", "--reverse", "HEAD~3.."),
    "a full log": ("log", "-p", "--pretty=fuller", "--numstat", "HEAD~3.."),
    "a raw log": ("log", "-p", "--raw", "HEAD~3.."),
    "shown": ("show", "HEAD", "HEAD~1", "HEAD~2"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_series_of_git_is_read_at_its_end_state(commits: Repository, name: str) -> None:
    text = commits.git(*COMMANDS[name])
    parsed = parse(text.encode())
    files = {file.path: file for file in parsed.files}
    assert len(files) == len(parsed.files) == 2
    assert [line for line in lines(files["cart.py"]) if line[0] != " "] == [
        "-s += i.price",
        "+s += float(i.price)",
    ]
    assert lines(files["other.py"]) == ["-x = 1", "+x = 2"]
    subjects = [subject for subject, _ in parsed.messages]
    assert subjects[-3:] == ["Prices are strings", "Another file", "No eval"]
    if "short" not in name:
        assert [text for _, text in parsed.messages][-3] == "Why one."


@pytest.fixture(name="moves", scope="module")
def _moves(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A file is added and moved twice, and its text never changes."""
    made = Repository(tmp_path_factory.mktemp("moves") / "repository")
    made.commit("Begin")
    (made.folder / "a.py").write_text(FIRST)
    made.git("add", "a.py")
    for day, (old, new) in enumerate((("", "a"), ("a", "b"), ("b", "c")), 1):
        if old:
            made.git("mv", f"{old}.py", f"{new}.py")
        made.git("commit", "-q", "-m", new, "--date", f"2026-01-0{day}T10:00:00Z")
    return made


@pytest.mark.parametrize("kind", ["--pretty=medium", "--pretty=fuller", "--pretty=email"])
@pytest.mark.parametrize("order", [(), ("--reverse",), ("-z",), ("--reverse", "-z")])
def test_a_moved_file_is_read_at_its_last_name_in_each_order(
    moves: Repository, kind: str, order: tuple[str, ...]
) -> None:
    parsed = parse(moves.git("log", "-p", "-M", kind, *order, "HEAD~3..").encode())
    (file,) = parsed.files
    assert (file.path, file.status, file.problem) == ("c.py", FileStatus.ADDED, "")
    assert [subject for subject, _ in parsed.messages] == ["a", "b", "c"]


def test_a_moved_file_is_not_read_if_nothing_tells_the_order(moves: Repository) -> None:
    for order in ((), ("--reverse",)):
        text = moves.git("log", "-p", "-M", "--oneline", *order, "HEAD~2..")
        problems = [file.problem for file in parse(text.encode()).files]
        assert problems
        assert all("their order is not known" in problem for problem in problems)


def test_numbers_tell_the_order_of_changes_without_dates() -> None:
    added = "Index: a\n{rule}\n--- a\t(nonexistent)\n+++ a\t(revision 7)\n@@ -0,0 +1 @@\n+x\n"
    gone = "Index: a\n{rule}\n--- a\t(revision 7)\n+++ a\t(nonexistent)\n@@ -1 +0,0 @@\n-x\n"
    for numbers, status in (((7, 8), FileStatus.ADDED), ((8, 7), FileStatus.MODIFIED)):
        text = "".join(
            f"{'-' * 72}\nr{number} | ann | now | 1 line\n\nx\n\n{part.format(rule='=' * 67)}\n"
            for number, part in zip(numbers, (added, gone), strict=True)
        )
        (file,) = parse(text.encode()).files
        assert (file.status, file.hunks) == (status, ())


VERSION = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f", ""]), max_size=14)


def difference(folder: Path, old: list[str], new: list[str], context: int) -> FileDiff | None:
    for name, version in (("old", old), ("new", new)):
        (folder / name).write_text("".join(f"{line}\n" for line in version))
    command = ["git", "diff", "--no-index", f"-U{context}", "old", "new"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    text = done.stdout.replace(b"a/old", b"a/x").replace(b"b/new", b"b/x")
    return parse(text).files[0] if text else None


@drawn(20, HealthCheck.function_scoped_fixture)
@given(VERSION, VERSION, VERSION, st.integers(0, 3))
def test_two_changes_together_lead_from_the_first_state_to_the_last(
    tmp_path: Path, first: list[str], between: list[str], last: list[str], context: int
) -> None:
    one = difference(tmp_path, first, between, context)
    two = difference(tmp_path, between, last, context)
    if one is None or two is None:
        return
    changed = [line for hunk in composed(one, two).hunks for line in hunk.lines]
    removed = {line.old: line.text for line in changed if line.mark == "-"}
    added = {line.new: line.text for line in changed if line.mark == "+"}
    assert all(first[(number or 0) - 1] == text for number, text in removed.items())
    kept = iter([text for number, text in enumerate(first, 1) if number not in removed])
    made = [added[n] if n in added else next(kept) for n in range(1, len(last) + 1)]
    assert (made, list(kept)) == (last, [])
    assert all(first[(line.old or 0) - 1] == line.text for line in changed if line.mark == " ")


def patch(body: str, name: str = "x.py") -> str:
    return f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n{body}"


def turned(old: str, new: str, name: str = "x.py") -> str:
    return patch(f"@@ -1 +1 @@\n-{old}\n+{new}\n", name)


def series(*patches: str) -> FileDiff:
    """Returns the one file of mails that follow each other."""
    (file,) = parse("".join(map(mail, range(len(patches)), patches)).encode()).files
    return file


def mail(number: int, body: str) -> str:
    head = f"From 8ff173b Mon Sep 17 00:00:00 2001\nSubject: [PATCH {number}/2] {number}"
    return f"{head}\n\n---\n{body}"


def test_changes_that_do_not_follow_each_other_are_named_and_not_read() -> None:
    two = turned("c", "d")
    assert "can't be read together (they do not follow each other)" in (
        series(turned("a", "b"), two).problem
    )
    binary = "diff --git a/x.py b/x.py\nindex 1..2\nBinary files a/x.py and b/x.py differ\n"
    assert "its text is not in all of them" in series(binary, two).problem
    three = series(*(turned(f"a{n}", f"b{n}") for n in range(3)))
    assert three.problem.count("several changes") == 1
    both = series(binary, binary.replace("1..2", "2..3"))
    assert (both.binary, both.problem) == (True, "")


def test_a_file_that_becomes_a_link_is_one_entry() -> None:
    text = (
        "diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n--- a/x\n+++ /dev/null\n@@ -1,2 "
        "+0,0 @@\n-a\n-b\ndiff --git a/x b/x\nnew file mode 120000\nindex 0..2\n--- /dev/null\n+++ "
        "b/x\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n"
    )
    (file,) = parse(text.encode()).files
    assert (file.status, lines(file)) == (FileStatus.MODIFIED, ["-a", "-b", "+target"])
    assert "symbolic link" in file.remarks


def test_a_file_keeps_its_first_name_through_a_series() -> None:
    new = (
        "diff --git a/x.py b/x.py\nnew file mode 100644\n--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n"
        "+a\n"
    )
    moved = (
        "diff --git a/x.py b/y.py\nsimilarity index 90%\nrename from x.py\nrename to y.py\n"
        "--- a/x.py\n+++ b/y.py\n@@ -1 +1 @@\n-a\n+b\n"
    )
    file = series(new, moved)
    assert (file.path, file.status, lines(file)) == ("y.py", FileStatus.ADDED, ["+b"])
    file = series(moved, turned("b", "c", "y.py"))
    assert (file.path, file.old_path, file.status) == ("y.py", "x.py", FileStatus.RENAMED)
    assert lines(file) == ["-a", "+c"]


@pytest.mark.parametrize("newest_first", [True, False])
def test_a_file_that_moves_in_each_change_is_one_without_messages_too(newest_first: bool) -> None:
    names = ("a.py", "b.py", "c.py", "d.py")
    moves = [
        f"diff --git a/{old} b/{new}\nsimilarity index 90%\nrename from {old}\nrename to {new}\n"
        f"index {n}{n}{n}{n}{n}{n}{n}..{n + 1}{n + 1}{n + 1}{n + 1}{n + 1}{n + 1}{n + 1} 100644\n"
        f"--- a/{old}\n+++ b/{new}\n@@ -1 +1 @@\n-{n}\n+{n + 1}\n"
        for n, (old, new) in enumerate(pairwise(names), 1)
    ]
    (file,) = parse("".join(reversed(moves) if newest_first else moves).encode()).files
    assert (file.path, file.old_path, lines(file)) == ("d.py", "a.py", ["-1", "+4"])


def test_what_a_series_takes_back_is_still_listed() -> None:
    file = series(turned("a", "b"), turned("b", "a"))
    assert (file.hunks, file.problem) == ((), "")
    assert file.remarks == ("changed and changed back in the series",)


def test_two_files_that_one_change_swaps_are_both_listed() -> None:
    moves = (("x", "y"), ("y", "x"))
    text = "".join(
        f"diff --git a/{old} b/{new}\nsimilarity index 100%\nrename from {old}\nrename to {new}\n"
        for old, new in moves
    )
    assert [(f.old_path, f.path) for f in parse(text.encode()).files] == list(moves)


def test_a_file_that_is_moved_and_deleted_is_gone_under_its_first_name() -> None:
    moved = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
    gone = (
        "diff --git a/y b/y\ndeleted file mode 100644\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    )
    file = series(moved, gone)
    assert (file.path, file.status) == ("x", FileStatus.DELETED)


def test_a_series_without_messages_is_read_in_its_order() -> None:
    """As ``git log -p --format=`` prints it, the newest change first."""
    first = turned("a", "b").replace("---", "index 1111111..2222222\n---")
    last = turned("b", "c").replace("---", "index 2222222..3333333\n---")
    (file,) = parse((last + first).encode()).files
    assert lines(file) == ["-a", "+c"]


def test_without_context_no_line_is_put_at_a_wrong_place() -> None:
    one, three = patch("@@ -5,2 +4,0 @@\n-a\n-b\n"), patch("@@ -9 +9 @@\n-q\n+r\n")
    assert "can't be read together" in series(one, turned("x", "y"), three).problem


def test_a_diff_that_is_pasted_twice_is_read_once() -> None:
    (file,) = parse((turned("a", "b") * 2).encode()).files
    assert lines(file) == ["-a", "+b"]


def test_a_file_that_is_added_twice_is_no_series() -> None:
    added = "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+{}\n"
    text = "".join(f"commit {n}111111\n\n    x\n\n{added.format(n)}" for n in (1, 2))
    (file,) = parse(text.encode()).files
    assert "do not follow each other" in file.problem
