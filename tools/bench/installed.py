"""``python -m tools.bench.installed [--extras mcp,otel] [--at COMMIT] [PYTHON ...]``: builds the
wheel, of an earlier commit to compare, and, for each Python and each extra, prints what a newcomer
waits for and gets: seconds to install it into a clean environment, its packages and megabytes, and
seconds of a first review by the scripted model up to its verdict (``tools/test_wheel.py`` looks at
what is in it).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.end_to_end.shell import EXAMPLE
from tests.project import ROOT

EXTRAS = ("", "grammars", "postgres", "mcp", "otel", "litellm", "embedded", "search", "all")


@dataclass(frozen=True, slots=True)
class Installed:
    """``seconds`` to install, then to a verdict; -1 where that failed."""

    python: str
    extra: str
    seconds: float
    packages: int
    size: float
    verdict: float
    words: str

    @property
    def row(self) -> str:
        extra = f"[{self.extra}]" if self.extra else "(default)"
        return (
            f"| {self.python} | {extra} | {self.seconds:.0f} s | {self.packages} | "
            f"{self.size:.0f} MB | {self.verdict:.1f} s | {self.words} |"
        )


def build(folder: Path, commit: str) -> Path:
    """Builds the wheel of this checkout, or of a commit."""
    source = ROOT
    if commit:
        source = folder / "source"
        source.mkdir()
        packed = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x"], cwd=source, check=True, input=packed.stdout)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(python: str, wheel: Path, extra: str, folder: Path) -> Installed:
    """Installs the wheel into a new environment, as ``pipx`` would, and runs one review with it."""
    place = folder / f"env-{extra or 'default'}"
    subprocess.run([python, "-m", "venv", str(place)], check=True)
    began = time.monotonic()
    what = f"{wheel}[{extra}]" if extra else str(wheel)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", what]
    subprocess.run(pip, check=True, capture_output=True)
    seconds = time.monotonic() - began
    listed = subprocess.run([*pip[:3], "list", "--format", "json"], check=True, capture_output=True)
    size = sum(f.stat().st_size for f in place.rglob("*") if f.is_file() and not f.is_symlink())
    began = time.monotonic()
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(
        [str(place / "bin" / "debate"), "code_review", str(EXAMPLE), "--json"],
        cwd=folder,
        env={**env, "DEBATE_SCRIPTED": "1", "DEBATE_MODELS": "scripted"},
        capture_output=True,
        check=False,
    )
    verdict = time.monotonic() - began if ran.returncode == 0 else -1.0
    words = json.loads(ran.stdout)["status"] if ran.returncode == 0 else ran.stderr.decode()[-200:]
    version = subprocess.run([python, "--version"], check=True, capture_output=True).stdout.decode()
    count = len([one for one in json.loads(listed.stdout) if one["name"] != "pip"])
    return Installed(version.split()[1], extra, seconds, count, size / 1e6, verdict, words)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.bench.installed")
    parser.add_argument("--extras", default=",".join(EXTRAS))
    parser.add_argument("--at", default="", metavar="COMMIT")
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    options = parser.parse_args(given)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        wheel = build(Path(name), options.at)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB\n")
        print("| Python | extra | to install | packages | environment | to a verdict | |")
        print("|---|---|---|---|---|---|---|")
        for python in options.pythons:
            for extra in options.extras.split(","):
                with tempfile.TemporaryDirectory() as folder:
                    installed = install(python, wheel, extra, Path(folder))
                print(installed.row, flush=True)
                failed = failed or installed.verdict < 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
