"""Input without a template's name is understood: a diff that is piped in, a file, a branch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end import nursery
from tests.end_to_end.shell import DEBATE, EXAMPLE, environment, process


@pytest.mark.parametrize("words", [(), ("--plain",)])
def test_a_piped_diff_is_reviewed(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = process(tmp_path, *words, env=environment(), stdin=EXAMPLE.read_text())
    assert done.code == 0, done.err
    assert "4 files read" in done.out


def test_a_closed_standard_input_is_none(tmp_path: Path) -> None:
    code = (
        "import os, sys\nos.close(0)\nsys.stdin = None\n"
        "from bot.__main__ import main\nsys.exit(main(['-']))"
    )
    done = nursery.run([sys.executable, "-c", code], cwd=tmp_path, env=environment())
    assert (done.returncode, done.stderr) == (2, b"debate: There is no standard input to read.\n")


def test_a_template_of_ones_own_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    own = tmp_path / "own" / "mine.toml"
    own.parent.mkdir()
    own.write_text('id = "short-review"\nrolls = 1\n', "utf-8")
    env = environment(DEBATE_TEMPLATES_DIR=str(own.parent))
    for word in ("mine", "short-review"):
        done = process(tmp_path, word, "doc.md", env=env)
        check = f"{word} cannot be used; what is wrong: debate templates check {own}"
        assert (done.code, done.err) == (2, f"debate: {check}\n")


def test_nothing_piped_is_help(tmp_path: Path) -> None:
    done = nursery.run(DEBATE, cwd=tmp_path, env=environment(), stdin=subprocess.DEVNULL)
    assert done.returncode == 0
    assert b"debate help" in done.stdout


def test_piped_text_is_left_to_the_script_if_a_question_is_typed_and_help_says_so(
    tmp_path: Path,
) -> None:
    question, notes = "Should the queue move to PostgreSQL?", "It is heavy.\n"
    with (tmp_path / "notes.md").open("w+") as piped:
        piped.write(notes)
        piped.seek(0)
        command = [*DEBATE, "panel", question]
        done = nursery.run(command, cwd=tmp_path, env=environment(), stdin=piped)
        assert (done.returncode, piped.read()) == (0, notes), done.stderr
    whole = process(tmp_path, "panel", "--json", env=environment(), stdin=f"{question}\n{notes}")
    assert whole.document["material"]["title"] == question
    text = process(tmp_path, "help", "start", env=environment()).out
    assert "piped text is read only without a target" in text
