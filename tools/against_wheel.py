"""``python -m tools.against_wheel [--wheel FILE] [TESTS]``: the tests against the installed wheel.

A new environment gets the pinned packages and the wheel, and nothing of the checkout. The tests
import ``core`` and the others by the names of the checkout, so four packages of these names are
next to them, which only lead to the installed modules: each is the very module of ``debatebot``.
Tests that read the sources of the checkout itself are left out, and named below.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.project import ROOT
from tools.hygiene import tracked_files

FOLDERS = ("adapters", "bot", "core", "storage")
LEFT_OUT = (
    "tests/test_ground.py",  # the checkout's own environment and locks
    "tools/test_wheel.py",  # builds the wheel itself
    "tests/adapters/processes/test_workers.py",  # its reader is given a function of the tests
    "tests/adapters/slack/test_manifest.py",  # reads the adapter's sources
    "tests/core/words/views/test_sentences.py",  # reads the renderers' sources
    "tests/trust/test_hostile_text.py",  # its readers are given functions of the tests
    (  # its readers, too
        "tests/adapters/material/test_surroundings.py"
        "::test_what_can_t_be_read_around_a_change_is_said_of_that_and_not_of_the_change"
    ),
    "tests/trust/test_threats.py",  # changes the sources
    # These read in the sources who calls what.
    "tests/trust/test_audiences.py::test_nothing_else_makes_something_of_a_debate",
    "tests/trust/test_origins.py::test_each_kind_of_origin_is_made_in_one_place",
    "tests/trust/test_outgoing.py::test_no_client_is_made_elsewhere",
)
_ALIAS = '''
"""The installed package, under the name that the tests import."""

import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FOLDERS = ("adapters", "bot", "core", "storage")


class Package(ModuleType):
    """Keeps a function that is called like a module of its package, when that is imported again."""

    def __setattr__(self, name, value):
        if not isinstance(value, ModuleType) or isinstance(vars(self).get(name, value), ModuleType):
            super().__setattr__(name, value)


class Installed(MetaPathFinder, Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in FOLDERS and fullname != "bot.__main__":
            try:
                importlib.import_module(f"debatebot.{fullname}")
            except ModuleNotFoundError:
                return None
            if parent := fullname.rpartition(".")[0]:
                sys.modules[parent].__class__ = Package
            return ModuleSpec(fullname, self)
        return None

    def create_module(self, spec):
        module = sys.modules[f"debatebot.{spec.name}"]
        self.kept = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.kept


if not any(type(one).__name__ == "Installed" for one in sys.meta_path):
    sys.meta_path.insert(0, Installed())
sys.modules[__name__] = importlib.import_module(f"debatebot.{__name__}")
'''


def main(given: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.against_wheel")
    parser.add_argument("--wheel", type=Path, help="one that is built; else it is built here")
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args(given)
    folder = ROOT / ".venv-wheel" / f"{sys.version_info.major}.{sys.version_info.minor}"
    python = _environment(folder)
    wheel = options.wheel or _build(folder / "wheel")
    _pip(python, "--no-index", "--no-deps", "--force-reinstall", str(wheel.resolve()))
    tree = _tree(folder / "tree")
    left = [f"--{'deselect' if '::' in name else 'ignore'}={name}" for name in LEFT_OUT]
    marks = "not faults and not browser"
    how = ["-q", "-n", os.environ.get("TEST_WORKERS", "2"), "--dist", "worksteal", "-m", marks]
    return subprocess.run(
        [python, "-m", "pytest", *how, *left, *options.tests],
        cwd=tree,
        env={**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"},
        check=False,
    ).returncode


def _environment(folder: Path) -> Path:
    """Returns the Python of an environment with the pinned packages, made anew when the lock
    changed.
    """
    python, stamp = folder / "bin" / "python", folder / "lock"
    lock = (ROOT / "requirements-dev.lock").read_text("utf-8")
    if not stamp.exists() or stamp.read_text("utf-8") != lock:
        venv.create(folder, with_pip=True, clear=True)
        _pip(python, "--require-hashes", "--only-binary=:all:", "-r", "requirements-dev.lock")
        stamp.write_text(lock, "utf-8")
    return python


def _build(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _pip(python: Path, *words: str) -> None:
    quiet = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([python, *quiet, *words], cwd=ROOT, check=True)


def _tree(to: Path) -> Path:
    """Returns the tests with the files that they read, known to git, and the four names."""
    shutil.rmtree(to, ignore_errors=True)
    for name in tracked_files(ROOT):
        if name.partition("/")[0] in FOLDERS and name.endswith(".py"):
            continue
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to / name)
    for name in FOLDERS:
        (to / name).mkdir(exist_ok=True)
        (to / name / "__init__.py").write_text(_ALIAS.lstrip("\n"), "utf-8")
    for words in (["init", "--quiet"], ["add", "--all", "--force"]):
        subprocess.run(["git", *words], cwd=to, check=True)
    return to


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
