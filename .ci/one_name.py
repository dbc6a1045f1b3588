"""Builds the wheel: everything below one import name, ``debatebot``.

The folders at the top have the names that their readers use, and ``core`` or ``bot`` in somebody's
site-packages would be anybody's. So the wheel holds ``debatebot/core`` and the others, and each
import of one of them is written with its whole name; nothing else of a file changes. Written out,
because a reader of a traceback and a type checker then see what runs. ``make test-wheel`` runs the
tests against what comes out.
"""

from __future__ import annotations

import ast
import shutil
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAME = "debatebot"
FOLDERS = ("adapters", "bot", "core", "storage")
BESIDE = ("docs", "examples", "manifests")
"""Folders of data that the program reads."""
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.py[co]", "pictures", "chart")


class CannotRename(Exception):
    """A file imports one of our packages in a way that has no other name."""


class OneName(BuildHookInterface[Any]):
    """hatchling's hook, run for each wheel; an editable install stays as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self._made = tempfile.mkdtemp(prefix="one-name-")
        tree = Path(self._made) / NAME
        build(Path(self.root), tree)
        build_data["force_include"][str(tree)] = NAME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._made, ignore_errors=True)


def build(root: Path, to: Path) -> None:
    """The package as it is installed, from the checkout at ``root``."""
    for folder in (*FOLDERS, *BESIDE):
        shutil.copytree(root / folder, to / folder, ignore=_LEFT_OUT)
    modules = frozenset(_modules(to))
    for file in sorted(to.rglob("*.py")):
        file.write_text(renamed(file.read_text("utf-8"), modules, str(file)), "utf-8")
    front = root / ".ci" / "editable" / NAME
    for file in sorted(front.glob("*.py")):
        written = renamed(file.read_text("utf-8"), modules, file.name)
        (to / file.name).write_text(written, "utf-8")
    (to / "py.typed").write_text("")


def _modules(tree: Path) -> Iterator[str]:
    """The dotted names of all packages, folders and modules."""
    for folder in FOLDERS:
        for path in ((tree / folder), *(tree / folder).rglob("*")):
            parts = path.relative_to(tree).with_suffix("").parts
            if path.is_dir() or path.suffix == ".py":
                yield ".".join(parts)


def renamed(text: str, modules: Collection[str], name: str) -> str:
    """The source with our packages by their whole names: in imports, and where a text is the
    dotted name of one of our modules and nothing else.
    """
    lines = text.encode().splitlines(keepends=True)
    for line, column in sorted(_places(ast.parse(text), modules, name), reverse=True):
        raw = lines[line - 1]
        lines[line - 1] = raw[:column] + f"{NAME}.".encode() + raw[column:]
    return b"".join(lines).decode()


def _places(tree: ast.Module, modules: Collection[str], name: str) -> Iterator[tuple[int, int]]:
    """(line, column in bytes) of each place where the name goes in front."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if _is_ours(module):
                yield node.lineno, node.col_offset + len("from ")
            case ast.Import(names=names) if any(_is_ours(one.name) for one in names):
                raise CannotRename(f"{name}:{node.lineno}: write from … import …")
            case ast.Constant(value=str(value)) if "." in value and value in modules:
                yield node.lineno, node.col_offset + 1


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in FOLDERS
