"""A small project in git with tests, and an environment in which they run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, files: Mapping[str, str | None]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text, "utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "change", "--allow-empty")
    return git(folder, "rev-parse", "HEAD")


def make_environment(venv: Path) -> Path:
    """Makes a virtual environment with pytest, of this one's packages. Root's tests are run by
    somebody else, who may not enter the folder of root's own interpreter.
    """
    venv.chmod(0o755)
    program = Path(sys.base_prefix, "bin", f"python3.{sys.version_info.minor}")
    if os.getuid() == 0 and Path("/usr/bin/python3").exists():
        program = Path("/usr/bin/python3").resolve()
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(program)
    (venv / "pyvenv.cfg").write_text(f"home = {program.parent}\n", "utf-8")
    packages = venv / "lib" / program.name / "site-packages"
    packages.mkdir(parents=True)
    ours = Path(pytest.__file__).parents[1]
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        shutil.copytree(ours / name, packages / name)
    shutil.copy2(ours / "py.py", packages)
    (packages / f"pytest-{pytest.__version__}.dist-info").mkdir()
    return venv
