"""``debate eval`` on real repositories, in processes of its own: to the end, killed in the middle
and gone on with, cloned over HTTP, and mined with answers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path

import pytest

from adapters.evaluation.clones import clone_of
from adapters.evaluation.manifest import DefectiveChange, cases_of, commits_of, read_set
from adapters.evaluation.past import GitHistory
from bot import settings
from bot.shell.evaluate import evaluate
from core.debate.errors import BadInput
from core.evaluation import Case
from tests.end_to_end import nursery
from tests.end_to_end.shell import DEBATE, environment, process
from tests.standins.git_http import GitHost
from tests.standins.history import history_set, project
from tests.standins.repository import run_git


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return history_set(tmp_path_factory.mktemp("history"), 1)


@pytest.fixture
def history(made: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """Returns a file of two faults in two projects, and a copy of the folder of their clones."""
    rows, clones = made
    return rows, shutil.copytree(clones, tmp_path / "clones")


@pytest.fixture(scope="session")
def own(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, set[str]]:
    """Returns the folder of a repository to mine, and the commits that made its two faults."""
    repository, known = project(tmp_path_factory.mktemp("own") / "repo", 2)
    return str(repository.folder), {cause for cause, _, _ in known}


def requests(ledger: Path) -> list[str]:
    return [json.loads(line)["request"] for line in ledger.read_text("utf-8").splitlines()]


def test_killed_in_the_middle_it_goes_on_and_pays_nothing_twice(
    history: tuple[Path, Path], tmp_path: Path
) -> None:
    rows, clones = history
    words = ("eval", "--set", str(rows), "--clones", str(clones), "--at-once", "1", "--out", "out")
    folder = tmp_path / "here"
    folder.mkdir()
    env = environment(DEBATE_SCRIPTED_LEDGER=str(folder / "ledger"))
    child = nursery.Popen(
        [*DEBATE, *words], cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert child.stderr is not None
    assert any(line.startswith(b"2 of 4:") for line in child.stderr)  # reads until then
    child.kill()
    child.communicate()
    done = process(folder, *words, env=env)
    assert done.code == 0, done.err
    assert "4 runs to play" in done.err
    twice = [n for n in Counter(requests(folder / "ledger")).values() if n > 1]
    assert len(twice) <= 1  # the call that was under way when it died
    document = json.loads((folder / "out/report.json").read_text())
    assert len(document["cases"]) == 4
    assert {r["arm"] for r in document["readings"]} == {"single", "union", "vote", "debate"}
    assert not any(r["failed"] for r in document["readings"])
    assert list(document["groups"]) == ["language", "kind", "severity", "visible", "size"]
    assert "4 changes (2 with a known defect, 2 clean)" in done.out
    before = len(requests(folder / "ledger"))
    again = process(folder, *words, env=env)
    assert again.out == done.out
    assert len(requests(folder / "ledger")) == before


def test_a_clone_that_lacks_something_is_left_out_and_named(
    history: tuple[Path, Path], tmp_path: Path
) -> None:
    rows, clones = history
    (clones / "bob/second.git").rename(clones / "bob/else.git")
    words = ("--set", str(rows), "--clones", str(clones), "--arms", "union", "--out")
    assert typed(tmp_path, *words, str(tmp_path / "out")) == 0
    assert "Left out: bob/second (no clone)." in (tmp_path / "out/report.md").read_text()
    with pytest.raises(BadInput, match=r"No clone of this set.*Name them like \w+/\w+\.git"):
        typed(tmp_path, *words[:3], str(tmp_path / "out"))


def typed(folder: Path, *words: str) -> int:
    given = {"DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"}
    return evaluate(list(words), settings.read(given, folder))


async def test_what_is_missing_is_cloned_without_its_history_and_once(tmp_path: Path) -> None:
    rows, clones = history_set(tmp_path, 2)
    given = read_set(str(rows))
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        run_git(clones / "ann/first.git", "config", name, "true")
    mine = [row for row in given.rows if row.repo == "ann/first"]
    commits = {commit for row in mine for commit in commits_of(row)}
    async with GitHost(clones).running() as host:
        past = await clone_of(tmp_path / "cache", host.url, "ann/first", commits)
        there = await GitHistory.of(clones / "ann/first.git")
        for row in mine:
            assert await changes_of(row, past) == await changes_of(row, there)
            assert row.control is not None
            for head in (row.cause, row.control.commit):
                assert await past.packed(head) == await there.packed(head)
        requests_before = len(host.requests)
        await clone_of(tmp_path / "cache", host.url, "ann/first", commits)
        assert len(host.requests) == requests_before
    assert past.folder == tmp_path / "cache/ann/first.git"
    count = ("cat-file", "--batch-all-objects", "--batch-check")
    held, whole = (run_git(folder, *count) for folder in (past.folder, there.folder))
    assert held.count(" commit ") < whole.count(" commit ")


async def changes_of(row: DefectiveChange, past: GitHistory) -> list[Case]:
    """Returns a row's cases without the folder of the clone that they were read from."""
    return [replace(case, range=None) for case in await cases_of(row, past)]


def test_without_a_terminal_what_was_mined_is_a_file_to_answer(
    own: tuple[str, set[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, causes = own
    words = ["--mine", folder, "--cases", "4", "--arms", "union"]
    words += ["--out", str(tmp_path / "out")]
    assert typed(tmp_path, *words) == 0
    file = tmp_path / "out/mined.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert {row["cause"] for row in rows} == causes
    assert f"--yes-from {file}" in capsys.readouterr().err
    assert not (tmp_path / "out/eval.db").exists()
    with pytest.raises(BadInput, match="No change has the answer yes"):
        typed(tmp_path, *words, "--yes-from", str(file))
    answered = [{**row, "answer": "yes" if n else "no"} for n, row in enumerate(rows)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in answered))
    assert typed(tmp_path, *words, "--yes-from", str(file)) == 0
    printed = capsys.readouterr().err
    for number, row in enumerate(rows[1:], 1):
        assert f"{number} of 1: a clean change like {row['cause'][:12]}" in printed
    text = (tmp_path / "out/report.md").read_text()
    assert "looked at by a person: 1 yes, 1 no." in text
    cases = sorted(path.stem for path in (tmp_path / "out/cases").glob("bad-*.json"))
    assert cases == sorted(f"bad-{row['cause'][:12]}" for row in rows[1:])
    labels = [json.loads(path.read_text()) for path in (tmp_path / "out/cases").glob("*-*.json")]
    good = {one["id"]: one["good_change"] for one in labels}
    assert good == {id: id.startswith("clean-") for id in good}
    assert sum(good.values()) == 1


class Typing(TextIOWrapper):
    """The lines that somebody types at a terminal."""

    def __init__(self, text: str) -> None:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        super().__init__(os.fdopen(reading, "rb"), encoding="utf-8")

    def isatty(self) -> bool:
        return True


def test_at_a_terminal_each_case_is_shown_and_its_answer_kept(
    own: tuple[str, set[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--mine", own[0], "--cases", "4", "--arms", "union"]
    words += ["--out", str(tmp_path / "out")]
    with Typing("perhaps\nno\nq\n") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        with pytest.raises(BadInput, match="No change has the answer yes"):
            typed(tmp_path, *words)
    output = capsys.readouterr().out
    assert "Named by “regression in”, right in 93% of the links" in output
    assert "2     return total // parts" in output
    assert "+    return total // (parts or 1)" in output
    with Typing("y\n") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        assert typed(tmp_path, *words) == 0
    rows = [json.loads(line) for line in (tmp_path / "out/mined.jsonl").read_text().splitlines()]
    assert [row["answer"] for row in rows] == ["no", "yes"]
