"""Cases out of a real repository: what was mended, where, and what stood."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from adapters.evaluation.folder import read_folder
from adapters.evaluation.history import read_history, write_cases
from core.errors import BadInput
from core.evaluation import Case, Spot


class Repository:
    """A repository that grows by one commit at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, subject: str, body: str = "", **files: str) -> str:
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "--message", subject, "--message", body or ".")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    made.commit("Begin", base="a = 1\n")
    return made


def cases_of(repository: Repository, most: int | None = None) -> tuple[Case, ...]:
    return asyncio.run(read_history(repository.folder, most))


def test_a_fix_shows_where_the_change_it_names_was_wrong(repository: Repository) -> None:
    bad = repository.commit("Add the sum", sums="def total(xs):\n    return max(xs)\n")
    repository.commit("Note", sums="# sums\ndef total(xs):\n    return max(xs)\n")
    repository.commit(
        "Sum up", f"Fixes: {bad[:10]}", sums="# sums\ndef total(xs):\n    return sum(xs)\n"
    )
    repository.commit("Later", later="b = 2\n")
    found = cases_of(repository)
    (case,) = [c for c in found if not c.clean]
    assert (case.id, case.title) == (f"bad-{bad[:12]}", "Add the sum")
    assert [(d.what, d.spots) for d in case.defects] == [("Sum up", (Spot("sums.py", 2),))]
    assert b"+    return max(xs)" in case.diff
    assert all(c.id != case.id for c in found if c.clean)


def test_what_a_fix_adds_is_about_the_lines_around_it(repository: Repository) -> None:
    bad = repository.commit("Read", read="def read(p):\n    f = open(p)\n    return f.read()\n")
    fixed = "def read(p):\n    f = open(p)\n    check(f)\n    return f.read()\n"
    repository.commit("Check", f"This mends a bug introduced by {bad[:9]}.", read=fixed)
    (case,) = [c for c in cases_of(repository) if not c.clean]
    assert case.defects[0].spots == (Spot("read.py", 2), Spot("read.py", 3))


def test_a_revert_says_that_it_was_bad_and_not_where(repository: Repository) -> None:
    bad = repository.commit("Faster", fast="x = 1\n")
    repository.git("revert", "--no-edit", bad)
    (case,) = [c for c in cases_of(repository) if not c.clean]
    assert (case.title, case.defects[0].spots, case.located) == ("Faster", (), ())


def test_a_clean_change_is_of_like_size_and_nobody_mended_it(repository: Repository) -> None:
    small = repository.commit("Small", small="a = 1\n")
    repository.commit("Large", large="a = 1\n" * 90)
    repository.commit("Words", notes="")  # changes no line
    bad = repository.commit("Bad", bad="a = 1\nb = 2\n")
    fix = repository.commit("Mend", f"Fixes: {bad}", bad="a = 1\nb = 3\n")
    for n in range(5):
        repository.commit(f"New {n}", new=f"n = {n}\n" * (n + 30))
    found = cases_of(repository)
    assert [c.id for c in found] == [f"bad-{bad[:12]}", f"clean-{small[:12]}"]
    assert fix[:12] not in str([c.id for c in found])


def test_as_many_as_were_asked_for_half_of_them_clean(repository: Repository) -> None:
    for n in range(4):
        repository.commit(f"Good {n}", **{f"good{n}": "a = 1\n"})
        bad = repository.commit(f"Bad {n}", **{f"bad{n}": f"a = {n}\n"})
        repository.commit(f"Mend {n}", f"Fixes: {bad}", **{f"bad{n}": f"a = {n + 1}\n"})
    found = cases_of(repository, 4)
    assert [c.clean for c in found] == [False, False, True, True]


def test_a_history_without_a_mended_change_says_what_to_do(repository: Repository) -> None:
    with pytest.raises(BadInput, match="Write cases by hand"):
        cases_of(repository)


def test_what_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no git repository"):
        asyncio.run(read_history(tmp_path))


def test_the_repository_s_own_programs_are_not_run(repository: Repository, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {trace}\n")
    program.chmod(0o755)
    bad = repository.commit("Bad", bad="a = 1\n")
    repository.commit("Mend", f"Fixes: {bad}", bad="a = 2\n")
    (repository.folder / ".gitattributes").write_text("*.py diff=odd filter=odd\n")
    repository.commit("Attributes")
    for name in ("diff.odd.textconv", "diff.odd.command", "diff.external", "core.fsmonitor"):
        repository.git("config", name, str(program))
    assert len(cases_of(repository)) >= 1
    assert not trace.exists()


def test_the_cases_of_a_history_are_a_folder_of_cases(
    repository: Repository, tmp_path: Path
) -> None:
    repository.commit("Good", good="a = 1\n")
    bad = repository.commit("Bad", bad="a = 1\n")
    repository.commit("Mend", f"Fixes: {bad}", bad="a = 2\n")
    found = cases_of(repository)
    write_cases(found, tmp_path / "cases")
    again = read_folder(tmp_path / "cases").cases
    assert sorted(again, key=lambda c: c.id) == sorted(found, key=lambda c: c.id)
