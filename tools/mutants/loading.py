"""Gives a module with one fault in it to this process, or to the processes that a test starts."""

from __future__ import annotations

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType

from tests.project import ROOT
from tools.mutants.faults import faulty

VARIABLE = "MUTANT"
"""Names file and number of the fault to the processes that a test starts."""
_AT_START = "import tools.mutants.loading as loading\nloading.load_named()\n"
Functions = Mapping[str, Sequence[FunctionType]]


def import_all(folders: Sequence[str]) -> Functions:
    """Imports the whole product, and returns its functions by their file."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            if _is_module(name):
                import_module(_module_name(name))
    functions: dict[str, list[FunctionType]] = defaultdict(list)
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(f"{ROOT}/"):
            functions[one.__code__.co_filename].append(one)
    return functions


def called_by_imports(folders: Sequence[str]) -> set[tuple[str, str]]:
    """Imports the whole product, and returns the functions that this calls, with their files: what
    they return stays, whatever their code is later.
    """
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(f"{ROOT}/"):
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            called.add((frame.f_code.co_filename.removeprefix(f"{ROOT}/"), name))

    sys.setprofile(note)
    try:
        import_all(folders)
    finally:
        sys.setprofile(None)
    return called


def put_in(file: str, number: int, functions: Functions) -> None:
    """Puts the fault into the functions that exist already: only their code changes, their values
    and the references to them stay.
    """
    codes = dict(zip(*_both(file, number), strict=True))
    changed = 0
    for function in functions.get(str(ROOT / file), ()):
        code = codes.get(function.__code__, function.__code__)
        if code != function.__code__:
            function.__code__ = code
            changed += 1
    if not changed:
        raise LookupError(f"no function of {file} holds what fault {number} changes")


def can_be_put_in(file: str, number: int) -> bool:
    """Whether `import_all` imports the module, and it has the same functions with the fault, so
    that each finds its other.
    """
    if not _is_module(file):
        return False
    one, other = _both(file, number)
    return [code.co_name for code in one] == [code.co_name for code in other]


def _both(file: str, number: int) -> tuple[list[CodeType], list[CodeType]]:
    source, path = (ROOT / file).read_text("utf-8"), str(ROOT / file)
    whole = compile(source, path, "exec", dont_inherit=True)
    return [*_codes(whole)], [
        *_codes(compile(faulty(source, number), path, "exec", dont_inherit=True))
    ]


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def load(file: str, number: int) -> None:
    """Puts the fault into a file that is not executed yet, whether it is imported, run by its path
    (as alembic does) or started as a program.
    """
    path, sound = str(ROOT / file), SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if os.path.abspath(loader.path) != path:  # noqa: PTH100  as importlib writes it
            return sound(loader, name)
        return compile(
            faulty((ROOT / file).read_text("utf-8"), number), path, "exec", dont_inherit=True
        )

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]  # every one


def hand_on(file: str, number: int, folder: Path) -> None:
    """Puts the fault into child processes that inherit this environment; ``folder`` takes the
    module that they run at their start.
    """
    (folder / "sitecustomize.py").write_text(_AT_START, "utf-8")
    others = [place for place in (os.environ.get("PYTHONPATH"),) if place]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), str(ROOT), *others])
    os.environ[VARIABLE] = f"{file}:{number}"


def load_named() -> None:
    """Puts the fault that the environment names into this process."""
    file, _, number = os.environ.get(VARIABLE, "").rpartition(":")
    if file:
        load(file, int(number))


def _is_module(file: str) -> bool:
    """Whether a file is imported by its name, and neither started nor run by alembic."""
    return not file.endswith("/__main__.py") and not file.startswith("storage/migrations/")


def _module_name(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
