"""``python -m tools.workflows``: runs the release's shell steps, job after job, in clean clones of
what is committed.

An action does here what it does for the steps around it: a checkout clones, an artifact is carried
from one job to the next, an attestation has to find its files. What needs GitHub or is run by
``.ci/run`` itself is named and passed over; an action that is not known here fails.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # it carries no types

from tests.project import ROOT

WORKFLOWS = ROOT / ".github" / "workflows"
PASSED_OVER = {
    "sudo ": "installs the system's packages",
    ".ci/run": "is the whole check: it runs by itself",
    "gh release create": "needs GitHub",
}
"""How a shell step begins that is not run here, and why."""
WITHIN = "tests/test_deploy.py tests/test_compose.py"
"""The tests that `make test-wheel` runs here: a release runs all of them, on each Python."""

Step = dict[str, Any]


@dataclass(frozen=True)
class Runner:
    """The machine that GitHub would lend: ``folder`` holds the jobs' places and the artifacts."""

    folder: Path

    def place(self, job: str) -> Path:
        return self.folder / "jobs" / job

    def artifact(self, step: Step) -> Path:
        return self.folder / "artifacts" / str(step["with"]["name"])

    def environment(self, job: str) -> dict[str, str]:
        """Returns this machine's environment, without the variables of the environment that runs
        this.
        """
        version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
        temporary = self.folder / "temporary" / job
        temporary.mkdir(parents=True, exist_ok=True)
        kept = {n: v for n, v in os.environ.items() if n not in ("VIRTUAL_ENV", "PYTHONPATH")}
        return kept | {
            "PATH": f"{self._python()}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(temporary),
            "GITHUB_REF_NAME": f"v{version}",
            "TESTS": WITHIN,
        }

    def _python(self) -> Path:
        """Returns a folder with the Python that runs this, by the names that a set-up one has."""
        folder = self.folder / "python"
        folder.mkdir(exist_ok=True)
        base = getattr(sys, "_base_executable", sys.executable)
        for name in ("python", "python3"):
            (folder / name).write_text(f'#!/bin/sh\nexec "{base}" "$@"\n')
            (folder / name).chmod(0o755)
        return folder


def jobs(name: str) -> Iterator[tuple[str, list[Step]]]:
    """Yields the jobs of a workflow with their steps, each after the jobs that it needs. The jobs
    of a called workflow take the place of the call.
    """
    waiting = dict(yaml.safe_load((WORKFLOWS / name).read_text("utf-8"))["jobs"])
    over: set[str] = set()
    while waiting:
        ready = [one for one, job in waiting.items() if over.issuperset(_needed(job))]
        if not ready:
            raise ValueError(f"{name}: {', '.join(waiting)} wait for each other")
        for one in ready:
            job = waiting.pop(one)
            over.add(one)
            if "uses" in job:
                yield from jobs(Path(job["uses"]).name)
            else:
                yield one, job["steps"]


def _needed(job: dict[str, Any]) -> list[str]:
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else list(needs)


def do(runner: Runner, job: str, step: Step) -> str:
    """Does one step and returns a line about it."""
    if "uses" in step:
        action = str(step["uses"]).partition("@")[0]
        if action not in ACTIONS:
            raise ValueError(f"{action}: an action that is not known here")
        return ACTIONS[action](runner, job, step)
    script = str(step["run"])
    for beginning, reason in PASSED_OVER.items():
        if script.startswith(beginning):
            return f"{reason}: passed over"
    if "${{" in script:
        raise ValueError(f"{script}: GitHub would write into the script")
    environment = runner.environment(job) | step.get("env", {})
    place = runner.place(job)
    subprocess.run(["bash", "-e", "-c", script], cwd=place, env=environment, check=True)
    return "done"


def _check_out(runner: Runner, job: str, _step: Step) -> str:
    words = ["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", str(runner.place(job))]
    subprocess.run(words, check=True)
    return "a clean clone"


def _set_up(_runner: Runner, _job: str, _step: Step) -> str:
    return f"Python {sys.version.split()[0]}"


def _upload(runner: Runner, job: str, step: Step) -> str:
    source, kept = runner.place(job) / step["with"]["path"], runner.artifact(step)
    kept.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, kept, dirs_exist_ok=True)
    else:
        shutil.copy2(source, kept)
    return ", ".join(sorted(path.name for path in kept.iterdir()))


def _download(runner: Runner, job: str, step: Step) -> str:
    to = runner.place(job) / step["with"].get("path", ".")
    shutil.copytree(runner.artifact(step), to, dirs_exist_ok=True)
    return ", ".join(sorted(path.name for path in to.iterdir()))


def _attest(runner: Runner, job: str, step: Step) -> str:
    subjects = sorted(runner.place(job).glob(step["with"]["subject-path"]))
    if not subjects:
        raise ValueError(f"{step['with']['subject-path']}: nothing to attest")
    if "sbom-path" in step["with"]:
        document = json.loads((runner.place(job) / step["with"]["sbom-path"]).read_text("utf-8"))
        if document["bomFormat"] != "CycloneDX" or not document["components"]:
            raise ValueError("the list of parts is none")
    return f"would attest {', '.join(path.name for path in subjects)}"


def _publish(runner: Runner, job: str, _step: Step) -> str:
    files = sorted(path.name for path in (runner.place(job) / "dist").iterdir())
    wheel = [name for name in files if name.endswith(".whl")]
    source = [name for name in files if name.endswith(".tar.gz")]
    if files not in ([*source, *wheel], [*wheel, *source]):
        raise ValueError(f"{files}: only a wheel and its source package are published")
    return f"would publish {', '.join(files)}"


ACTIONS: dict[str, Callable[[Runner, str, Step], str]] = {
    "actions/checkout": _check_out,
    "actions/setup-python": _set_up,
    "actions/upload-artifact": _upload,
    "actions/download-artifact": _download,
    "actions/attest": _attest,
    "pypa/gh-action-pypi-publish": _publish,
}


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        runner = Runner(Path(folder))
        for job, steps in jobs("release.yml"):
            runner.place(job).mkdir(parents=True)
            for step in steps:
                name = str(step.get("uses") or step["run"]).partition("\n")[0]
                print(f"{job}: {name[:90]}: {do(runner, job, step)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
