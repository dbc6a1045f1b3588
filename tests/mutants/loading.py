"""Gives a module with one fault in it to this process, or to the processes that a test starts."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from tests.mutants.faults import faulty
from tests.project import ROOT

VARIABLE = "MUTANT"
"""Names file and number of the fault to the processes that a test starts."""
_AT_START = "import tests.mutants.loading as loading\nloading.load_named()\n"


class MutantLoader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module and executes it with its fault; all other modules come as ever."""

    def __init__(self, file: str, number: int) -> None:
        self._file = ROOT / file
        self._name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        self._number = number

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(self._file))
        if self._file.name == "__init__.py":
            spec.submodule_search_locations = [str(self._file.parent)]
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        tree = faulty(self._file.read_text("utf-8"), self._number)
        exec(compile(tree, str(self._file), "exec"), module.__dict__)  # noqa: S102  our own source


def load(file: str, number: int, folder: Path) -> None:
    """Puts the fault into what is imported from now on, here and in child processes that inherit
    this environment; ``folder`` takes the module that they run at their start.
    """
    sys.meta_path.insert(0, MutantLoader(file, number))
    (folder / "sitecustomize.py").write_text(_AT_START, "utf-8")
    others = [place for place in (os.environ.get("PYTHONPATH"),) if place]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(ROOT), *others])
    os.environ[VARIABLE] = f"{file}:{number}"


def load_named() -> None:
    """Puts the fault that the environment names into this process."""
    file, _, number = os.environ.get(VARIABLE, "").rpartition(":")
    if file:
        sys.meta_path.insert(0, MutantLoader(file, int(number)))
