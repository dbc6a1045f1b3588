"""The README is held to the program: each of its commands runs, and each page it names is there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.__main__ import main
from tests.project import ROOT

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.strip()
]
SHELL = [line for line in COMMANDS if line.startswith("debate ")]
OTHERS = {". .venv/bin/activate"}
"""What only changes the shell itself."""


def test_every_kind_of_command_is_tried() -> None:
    assert {line for line in COMMANDS if not line.startswith(("debate ", "make "))} == OTHERS
    assert SHELL


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("make ")])
def test_what_make_would_do(line: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", *shlex.split(line)[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_commands_run_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEBATE_SCRIPTED", "1")
    monkeypatch.setenv("DEBATE_MODELS", "scripted:lie")  # soon over: no finding counts
    for line in SHELL:
        code = main(shlex.split(line)[1:])
        output = capsys.readouterr()
        assert code == 0, f"{line}\n{output.err}"
        assert output.out.strip(), line
