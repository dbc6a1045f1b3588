"""The steps of this repository's action, run one by one as a runner of GitHub does: inputs and the
event put into the environment, conditions asked, what follows a failure left out. Each run has a
machine of its own, and only the cache is kept. What else only the platform has (``uses:``) is named
and passed over.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # it carries no types

from tests.project import ROOT

FOLDER = ROOT / ".github" / "actions" / "debate"
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")
_FILE = re.compile(r"hashFiles\('([^']+)'\) != ''")
_INPUT = re.compile(r"inputs\.([\w-]+) == '([^']*)'")


@dataclass(frozen=True, slots=True)
class Step:
    """``code`` is None where the step was passed over."""

    words: str
    code: int | None
    out: str = ""
    err: str = ""


@dataclass(frozen=True)
class Action:
    """``given`` are the inputs of a workflow, ``github`` the values of the event by their names
    (``token``, ``event.pull_request.html_url``).
    """

    given: Mapping[str, str]
    github: Mapping[str, str]
    described: Any = field(
        default_factory=lambda: yaml.safe_load((FOLDER / "action.yml").read_bytes())
    )

    def run(self, folder: Path, env: Mapping[str, str]) -> Iterator[Step]:
        """In ``folder``, each step with its own environment over ``env``."""
        env = {
            **env,
            "GITHUB_ACTION_PATH": str(FOLDER),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        failed, temp, cache = False, folder / "runner-temp", folder / "cache"
        shutil.rmtree(temp, ignore_errors=True)
        temp.mkdir()
        for step in self.described["runs"]["steps"]:
            words = str(step.get("uses") or step["run"])
            wanted = self._wanted(str(step.get("if", "")), folder, failed=failed)
            if wanted and words.startswith("actions/cache/restore@") and cache.is_dir():
                shutil.copytree(cache, temp, dirs_exist_ok=True)
            if wanted and words.startswith("actions/cache/save@"):
                _save(temp, step["with"]["path"], cache)
            if "uses" in step or not wanted:
                yield Step(words, None)
                continue
            known = {name: str(value) for name, value in step.get("env", {}).items()}
            more = {
                name: self._put_in(text.replace("${{ runner.temp }}", str(temp)))
                for name, text in known.items()
            }
            ran = subprocess.run(
                ["sh", "-e", "-c", words], cwd=folder, env={**env, **more},
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            failed = failed or ran.returncode != 0
            yield Step(words, ran.returncode, ran.stdout, ran.stderr)

    def _input(self, name: str) -> str:
        described = self.described["inputs"][name]
        return self._put_in(str(self.given.get(name, described.get("default", ""))))

    def _put_in(self, text: str) -> str:
        def value(match: re.Match[str]) -> str:
            place, _, name = match[1].partition(".")
            return self._input(name) if place == "inputs" else self.github[name]

        return _EXPRESSION.sub(value, text)

    def _wanted(self, condition: str, folder: Path, *, failed: bool) -> bool:
        """Raises ``ValueError`` for a condition that is not known here."""
        parts = [part.strip() for part in condition.split("&&") if part.strip()]
        if "always()" not in parts and failed:
            return False
        for part in parts:
            if match := _FILE.fullmatch(part):
                true = (folder / match[1]).is_file()
            elif match := _INPUT.fullmatch(part):
                true = self._input(match[1]) == match[2]
            elif part == "always()":
                true = True
            else:
                raise ValueError(f"{part}: a condition that is not known here")
            if not true:
                return False
        return True


def _save(temp: Path, paths: str, cache: Path) -> None:
    """Keeps the files of the runner's folder that the step names."""
    cache.mkdir(exist_ok=True)
    for name in re.findall(r"\$\{\{ runner\.temp \}\}/(\S+)", paths):
        if (temp / name).is_file():
            shutil.copy2(temp / name, cache)
