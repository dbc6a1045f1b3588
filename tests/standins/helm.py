"""Helm itself, as a library in a folder of its own: 250 MB that only the chart's tests need, so no
lock of the project names it.

``python -m tests.standins.helm`` writes anew what stands in ``tests/chart``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # it carries no types

from tests.project import ROOT

LOCK = Path(__file__).with_name("helm.lock")
FOLDER = ROOT / ".venv" / "helm"
CHART = ROOT / "manifests" / "chart"
RENDERED = ROOT / "tests" / "chart"
"""What the chart becomes, beside the values of each."""
_PROGRAM = """
import json, sys
import helm_python as helm
asked = json.load(sys.stdin)
try:
    with helm.Chart.load(asked["chart"]) as chart:
        made = chart.render(asked["values"], name="debatebot", namespace="debates")
except helm.HelmError as error:
    sys.exit(str(error))
print(json.dumps({"files": made, "version": helm.helm_sdk_version()}))
"""


class Refused(Exception):
    """What Helm says of values that it does not take."""


def installed() -> bool:
    """Whether the folder holds what the lock names."""
    mark = FOLDER / LOCK.name
    return mark.exists() and mark.read_text("utf-8") == LOCK.read_text("utf-8")


def install() -> str:
    """Why it can't be had here, empty when it is there."""
    if installed():
        return ""
    shutil.rmtree(FOLDER, ignore_errors=True)
    words = ["--quiet", "--disable-pip-version-check", "install", "--no-deps", "--require-hashes"]
    words += ["--only-binary=:all:", "--target", str(FOLDER), "--requirement", str(LOCK)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
    (FOLDER / LOCK.name).write_text(LOCK.read_text("utf-8"), "utf-8")
    return ""


def render(values: Mapping[str, Any]) -> dict[str, str]:
    """What ``helm template debatebot manifests/chart --namespace debates`` makes of the values, by
    file; those that are empty are left out. Raises ``Refused``.
    """
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps({"chart": str(CHART), "values": values}),
        env={"PYTHONPATH": str(FOLDER), "HOME": str(FOLDER)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(done.stderr.strip())
    files: dict[str, str] = json.loads(done.stdout)["files"]
    return {Path(name).name: text for name, text in sorted(files.items()) if text.strip()}


def render_case(name: str) -> str:
    """One of ``RENDERED`` as it should be."""
    values = yaml.safe_load((RENDERED / f"{name}.values.yaml").read_text("utf-8"))
    files = render(values)
    told = "".join(f"# {line}".rstrip() + "\n" for line in files.pop("NOTES.txt").splitlines())
    parts = (f"# {file}\n{_stripped(text)}" for file, text in files.items())
    return "---\n".join((told, *parts))


def cases() -> list[str]:
    """The names of what is rendered."""
    return sorted(path.name.partition(".")[0] for path in RENDERED.glob("*.values.yaml"))


def _stripped(text: str) -> str:
    lines = [line.rstrip() for line in text.strip().removeprefix("---").strip().splitlines()]
    return "\n".join(lines) + "\n"


def main() -> None:
    if why_not := install():
        sys.exit(f"Helm can't be had: {why_not}")
    for name in cases():
        (RENDERED / f"{name}.yaml").write_text(render_case(name), "utf-8")


if __name__ == "__main__":
    main()
